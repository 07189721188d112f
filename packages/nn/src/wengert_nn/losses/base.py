"""The base classes of losses, and the words for their reductions."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

from wengert import Tensor

from wengert_nn.modules.module import Module

# Note [Arguments of losses]
#     Most losses are computed for each element or sample. `reduction` says what is returned: "none", all of them;
#     "mean", their mean; "sum", their sum. `size_average` and `reduce` are the deprecated words for it:
#     ``reduce=False`` is "none", ``size_average=False`` is "sum". A `weight` is a buffer, so that it moves to devices
#     with the module.


class _Loss(Module):
    """The base class of losses: a reduction. See Note [Arguments of losses]."""

    __constants__: ClassVar[list[str]] = ["reduction"]
    reduction: str

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = reduction_of_old_words(size_average, reduce)
        self.reduction = reduction


class _WeightedLoss(_Loss):
    """The base class of losses with a weight for each class or sample."""

    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)

    def _weight(self) -> Any:
        """Return the weight, without the way round by ``__getattr__`` where it is the buffer."""
        try:
            return self._buffers["weight"]
        except KeyError:
            return self.weight


def reduction_of_old_words(size_average: bool | None, reduce: bool | None) -> str:
    """Return the reduction that the deprecated words ask for, with a warning."""
    if reduce is not None and not reduce:
        reduction = "none"
    else:
        reduction = "sum" if size_average is not None and not size_average else "mean"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
        stacklevel=4,
    )
    return reduction
