"""Names that the engine mounts into ``wengert``: one module for each of its modules."""

from typing import Any

from wengert_core.dispatch.composite import Composite
from wengert_core.tensors.tensor import Tensor

from wengert_engine import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)


def detach(input: Tensor) -> Tensor:
    """The same memory as a tensor without history, which does not require grad. Writes to either are seen by both."""
    return _tensor("detach", input).detach()


def detach_(input: Tensor) -> Tensor:
    """Cut this tensor off from the graph that made it: it becomes a leaf. Views cannot be detached in-place."""
    return _tensor("detach_", input).detach_()


def _tensor(name: str, input: Any) -> Tensor:
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    return input


def top() -> dict[str, Any]:
    """The engine's names in ``wengert`` itself."""
    return {
        "detach": Composite(detach, "detach"), "detach_": Composite(detach_, "detach_"),
        "enable_grad": enable_grad, "inference_mode": inference_mode,
        "is_grad_enabled": is_grad_enabled, "is_inference_mode_enabled": is_inference_mode_enabled, "no_grad": no_grad,
        "set_grad_enabled": set_grad_enabled,
    }
