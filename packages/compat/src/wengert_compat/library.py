"""wengert.library: the class by which programs extend PyTorch's dispatcher, for those that import it.

wengert's operations are rows of op tables, which a plugin registers (docs/plugins), and derivatives are written with
``wengert.autograd.Function``. So a library can be made here, but nothing can be put into it.

>>> from wengert.library import Library
>>> Library("mine", "DEF")
Library(kind=DEF, ns=mine, dispatch_key=)>
"""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["Library"]

KINDS = ("IMPL", "DEF", "FRAGMENT")


class Library:
    """A namespace of operators of PyTorch's dispatcher.

    Its methods ``define``, ``impl`` and ``fallback`` raise NotImplementedError.
    ns: its name. kind: "DEF", "IMPL" or "FRAGMENT". dispatch_key: the backend that "IMPL" is about.
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in KINDS:
            raise ValueError(f"Unsupported kind: {kind}")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            f"operators of the library '{self.ns}' cannot be registered: wengert has no dispatcher that is extended by "
            "name. Write an operation with wengert.autograd.Function, or as a plugin (docs/plugins)"
        )

    define = impl = fallback = _refuse
