"""Losses that compare numbers, or parameters of distributions of numbers."""

from __future__ import annotations

from typing import ClassVar

from wengert import Tensor
from wengert.nn.functional import (
    gaussian_nll_loss,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    poisson_nll_loss,
    smooth_l1_loss,
)

from wengert_nn.losses.base import _Loss


class L1Loss(_Loss):
    """Return ``|input - target|``, reduced.

    reduction: "mean", "sum" or "none" (each element). size_average, reduce: deprecated words for it; so in all losses.

    >>> import wengert as wg
    >>> wg.nn.L1Loss()(wg.tensor([1.0, 2.0]), wg.tensor([1.0, 4.0]))
    tensor(1.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return l1_loss(input, target, None, None, self.reduction)


class MSELoss(_Loss):
    """Return ``(input - target) ** 2``, reduced.

    >>> import wengert as wg
    >>> wg.nn.MSELoss(reduction="sum")(wg.tensor([1.0, 2.0]), wg.tensor([1.0, 4.0]))
    tensor(4.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return mse_loss(input, target, None, None, self.reduction)


class SmoothL1Loss(_Loss):
    """Return ``d ** 2 / (2 * beta)`` where ``d = |input - target|`` is below `beta`, and ``d - beta / 2`` elsewhere.

    >>> import wengert as wg
    >>> wg.nn.SmoothL1Loss(reduction="none")(wg.tensor([0.5, 3.0]), wg.zeros(2))
    tensor([0.1250, 2.5000])
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return smooth_l1_loss(input, target, None, None, self.reduction, self.beta)


class HuberLoss(_Loss):
    """Return ``d ** 2 / 2`` where ``d = |input - target|`` is below `delta`, and ``delta * (d - delta / 2)`` elsewhere.

    >>> import wengert as wg
    >>> wg.nn.HuberLoss("none", delta=2.0)(wg.tensor([0.5, 3.0]), wg.zeros(2))
    tensor([0.1250, 4.0000])
    """

    __constants__: ClassVar[list[str]] = ["reduction", "delta"]

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return huber_loss(input, target, self.reduction, self.delta)


class KLDivLoss(_Loss):
    """Return ``target * (log(target) - input)``, reduced: the Kullback-Leibler divergence.

    input: log probabilities; target: probabilities, or their logarithms with `log_target`.
    reduction: "batchmean" divides the sum by the size of the batch, which makes it the divergence.

    >>> import wengert as wg
    >>> wg.nn.KLDivLoss(reduction="batchmean")(wg.tensor([[0.5, 0.5]]).log(), wg.tensor([[0.25, 0.75]]))
    tensor(0.1308)
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return kl_div(input, target, None, None, self.reduction, self.log_target)


class PoissonNLLLoss(_Loss):
    """Return ``exp(input) - target * input``, reduced: the log likelihood of counts, with the other sign.

    log_input: whether the input is the logarithm of the rate; otherwise ``input - target * log(input + eps)``.
    full: whether Stirling's approximation of ``log(target!)`` is added, for targets above 1.

    >>> import wengert as wg
    >>> wg.nn.PoissonNLLLoss()(wg.zeros(2), wg.tensor([1.0, 3.0]))
    tensor(1.)
    """

    __constants__: ClassVar[list[str]] = ["log_input", "full", "eps", "reduction"]

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        """Compute the loss."""
        return poisson_nll_loss(
            log_input, target, self.log_input, self.full, None, self.eps, None, self.reduction
        )


class GaussianNLLLoss(_Loss):
    """Return ``(log(var) + (input - target) ** 2 / var) / 2``, reduced: the log likelihood with the other sign.

    var: the variance, at least `eps`. full: whether ``log(2 * pi) / 2`` is added.

    >>> import wengert as wg
    >>> wg.nn.GaussianNLLLoss()(wg.zeros(2), wg.ones(2), wg.ones(2))
    tensor(0.5000)
    """

    __constants__: ClassVar[list[str]] = ["full", "eps", "reduction"]

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        """Compute the loss."""
        return gaussian_nll_loss(input, target, var, self.full, self.eps, self.reduction)
