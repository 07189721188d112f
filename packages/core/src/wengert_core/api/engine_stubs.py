"""What a tensor says of gradients while no engine is installed: it has none, and asking for them names what to install.

The engine mounts its own in place of all of these.
"""

from __future__ import annotations

from typing import Any

from wengert_core.dispatch.op import find
from wengert_core.drivers.create.factory import mark_requires_grad
from wengert_core.tensors.tensor import Tensor, mount


def _set(self: Tensor, value: bool) -> None:
    mark_requires_grad(self, bool(value))


def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Ask for gradients: an ImportError that names what to install."""
    return mark_requires_grad(self, requires_grad)


def backward(self: Tensor, *args: Any, **kwargs: Any) -> None:
    """Differentiate: an ImportError that names what to install."""
    raise ImportError("gradients need an engine and formulas: pip install wengert-engine wengert-formulas")


def is_inference(self: Tensor) -> bool:
    """False: there is no engine, and no inference mode."""
    return False


def detach(self: Tensor) -> Tensor:
    """The same memory as a tensor of its own."""
    result: Tensor = find("alias")(self)
    return result


def mount_all() -> None:
    """Give Tensor what stands in for the engine's attributes."""
    mount("requires_grad", property(lambda self: False, _set, doc="False: there is no engine."))
    mount("grad", property(lambda self: None, doc="None: there is no engine."))
    mount("grad_fn", property(lambda self: None, doc="None: there is no engine."))
    mount("is_leaf", property(lambda self: True, doc="True: nothing is recorded."))
    mount("is_inference", is_inference)
    for function in (requires_grad_, backward, detach):
        mount(function.__name__, function)
