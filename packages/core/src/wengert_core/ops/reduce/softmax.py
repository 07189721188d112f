"""softmax and log_softmax, their fused gradients, and their forms in nn.functional."""

from __future__ import annotations

from typing import Any

from wengert_core.optable.core_table import TABLE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor


def exponentials(xp: Any, x: Any, dim: int) -> Any:
    """exp(x) / sum(exp(x)), from the largest so that nothing overflows."""
    e = xp.exp(x - xp.max(x, axis=dim, keepdims=True))
    return e / xp.sum(e, axis=dim, keepdims=True)


def logarithms(xp: Any, x: Any, dim: int) -> Any:
    """x - log(sum(exp(x)))."""
    shifted = x - xp.max(x, axis=dim, keepdims=True)
    return shifted - xp.log(xp.sum(xp.exp(shifted), axis=dim, keepdims=True))


softmax_op = TABLE.softmax(
    "softmax(Tensor self, int dim, dtype? dtype=None) -> Tensor",
    kernel="softmax",
    reference=exponentials,
)
log_softmax_op = TABLE.softmax(
    "log_softmax(Tensor self, int dim, dtype? dtype=None) -> Tensor",
    kernel="log_softmax",
    reference=logarithms,
)
TABLE.softmax(
    "_softmax_backward_data(Tensor grad_output, Tensor output, int dim) -> Tensor",
    kernel="softmax_backward",
    backward=True,
    reference=lambda xp, grad, y, dim: y * (grad - xp.sum(grad * y, axis=dim, keepdims=True)),
    doc="The gradient of softmax, from its result.",
)
TABLE.softmax(
    "_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim) -> Tensor",
    backward=True,
    kernel="log_softmax_backward",
    doc="The gradient of log_softmax, from its result.",
    reference=lambda xp, grad, y, dim: grad - xp.exp(y) * xp.sum(grad, axis=dim, keepdims=True),
)


def implicit_dim(name: str, ndim: int) -> int:
    """The dim that an old rule takes when none is given."""
    warn_user(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.")
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    dim = implicit_dim("softmax", input.dim()) if dim is None else dim
    return softmax_op(input, dim) if dtype is None else softmax_op(input, dim, dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    dim = implicit_dim("log_softmax", input.dim()) if dim is None else dim
    return log_softmax_op(input, dim) if dtype is None else log_softmax_op(input, dim, dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    dim = implicit_dim("softmin", input.dim()) if dim is None else dim
    return softmax_op(-input, dim) if dtype is None else softmax_op(-input, dim, dtype)


for function in (softmax, log_softmax, softmin):
    TABLE.composite(function, namespace="nn.functional")
