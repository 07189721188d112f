"""wengert.fx: the classes of PyTorch's tracer of modules, which programs name in annotations and in ``isinstance``.

>>> import wengert as wg
>>> isinstance(wg.ones(2), wg.fx.Node), isinstance(abs, wg.fx.GraphModule)
(False, False)
"""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["Graph", "GraphModule", "Interpreter", "Node", "Proxy", "Tracer", "Transformer", "symbolic_trace"]


def refuse(name: str) -> NoReturn:
    """Raise RuntimeError: there is no tracer."""
    raise RuntimeError(f"fx.{name}: wengert does not trace modules; wengert.capture records what a function does, and "
                       "wengert.replay.explain shows it")  # fmt: skip


class Absent:
    """What a tracer makes, of which there is none: ``isinstance`` with it is always False."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        refuse(type(self).__name__)


class Graph(Absent):
    """The operations of a traced module, of which there is none."""


class GraphModule(Absent):
    """A traced module, of which there is none."""


class Node(Absent):
    """An operation of a traced module, of which there is none."""


class Proxy(Absent):
    """What stands for a tensor while a module is traced, of which there is none."""


class Tracer(Absent):
    """What traces modules. Making one is an error."""


class Interpreter(Absent):
    """What runs a traced module. Making one is an error."""


class Transformer(Interpreter):
    """What changes a traced module. Making one is an error."""


def symbolic_trace(root: Any, concrete_args: dict[str, Any] | None = None) -> NoReturn:
    """Raise RuntimeError: there is no tracer."""
    refuse("symbolic_trace")
