"""L-BFGS: steps by an approximation of Newton's, from the changes of the gradient in the last steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

import wengert
from wengert import Tensor

from wengert_optim.base.hyperparameters import check_lr, scalar_of
from wengert_optim.optimizer import Optimizer, ParamsT
from wengert_optim.updates.captured import plain

__all__ = ["LBFGS"]

CARRIED = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")
"""Names of the state that the next call of ``step`` begins with."""


class LBFGS(Optimizer):
    """L-BFGS: each step solves for a direction with the changes of parameters and gradients in the last steps.

    params: parameters, all in one group; complex ones count as pairs of real numbers.   lr: the length of a step, or
    the first length that a line search tries.   max_iter: how many steps a call of ``step`` takes at most.
    max_eval: how often it computes the loss at most, ``max_iter * 5 // 4`` by default.   tolerance_grad: the largest
    element of a gradient that ends it.   tolerance_change: the change of the loss or of all parameters that ends it.
    history_size: how many steps are remembered.   line_search_fn: ``"strong_wolfe"``, or None for steps of length lr.

    >>> import wengert as wg
    >>> x = wg.tensor([-1.5, 2.0], requires_grad=True)
    >>> optimizer = wg.optim.LBFGS([x], line_search_fn="strong_wolfe")
    >>> def loss():
    ...     optimizer.zero_grad()
    ...     value = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
    ...     value.backward()
    ...     return value
    >>> for _ in range(3):
    ...     first = optimizer.step(loss)
    >>> x.detach().round(decimals=2)
    tensor([1., 1.])
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_lr(lr)
        defaults = {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
            "line_search_fn": line_search_fn,
        }  # fmt: skip
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @property
    def _params(self) -> list[Tensor]:
        params: list[Tensor] = self.param_groups[0]["params"]
        return params

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Take up to ``max_iter`` steps.

        closure: a function that computes the loss, with its gradients, and returns it; it is called several times.
        Returns what it returned at first.
        """
        if len(self.param_groups) != 1:
            raise AssertionError(f"Expected exactly one param_group, but got {len(self.param_groups)}")
        with wengert.no_grad():
            return Run(self, wengert.enable_grad()(closure)).run()

    # ---- parameters as one vector

    def gather_grad(self) -> Tensor:
        """Return the gradients as one vector, zeros where there are none."""
        parts: list[Any] = []
        for param in self._params:
            grad: Any = wengert.zeros_like(param) if param.grad is None else param.grad
            grad = grad.to_dense() if grad.is_sparse else grad
            parts.append((wengert.view_as_real(grad) if grad.is_complex() else grad).ravel())
        return wengert.cat(parts)

    def move(self, t: Any, direction: Tensor) -> None:
        """Add a multiple of the direction to the parameters."""
        params = [wengert.view_as_real(param) if param.is_complex() else param for param in self._params]
        parts = direction.split([param.numel() for param in params])
        for param, part in zip(params, parts, strict=True):
            param.add_(part.view(param.shape), alpha=t)


class Run:
    """One call of LBFGS.step."""

    def __init__(self, optimizer: LBFGS, closure: Callable[[], Any]) -> None:
        self.optimizer, self.closure = optimizer, closure
        self.options = optimizer.param_groups[0]
        self.state = optimizer.state[optimizer._params[0]]
        self.state.setdefault("func_evals", 0)
        self.state.setdefault("n_iter", 0)
        self.d, self.t, self.old_dirs, self.old_stps, self.ro, self.H_diag, self.prev_flat_grad, self.prev_loss = (
            self.state.get(name) for name in CARRIED
        )
        self.evaluations = 0
        self.loss: Any = None
        self.grad: Any = None

    def evaluate(self) -> Any:
        """Compute loss and gradient; return what the closure returned."""
        value = self.closure()
        self.loss, self.grad = number_of(value), self.optimizer.gather_grad()
        self.evaluations += 1
        wengert.compiler.disable(counting(self.optimizer))()
        return value

    def run(self) -> Any:
        """Take steps until one of the limits or tolerances is reached; return the loss at the start."""
        first = self.evaluate()
        if self.is_optimal():
            return first
        lr, max_iter = scalar_of(self.options["lr"]), self.options["max_iter"]
        for iteration in range(1, max_iter + 1):
            self.state["n_iter"] += 1
            beginning = self.state["n_iter"] == 1
            self.begin() if beginning else self.turn()
            if self.prev_flat_grad is None:
                self.prev_flat_grad = self.grad.clone()
            else:
                self.prev_flat_grad.copy_(self.grad)
            self.prev_loss = self.loss
            self.t = min(1.0, 1.0 / self.grad.abs().sum()) * lr if beginning else lr
            slope = self.grad.dot(self.d)
            if slope > -self.options["tolerance_change"]:
                break
            optimal = self.advance(slope, iteration == max_iter)
            if iteration == max_iter or self.evaluations >= self.options["max_eval"] or optimal or self.is_still():
                break
        self.state.update({name: getattr(self, name) for name in CARRIED})
        return first

    def is_optimal(self) -> bool:
        """Return whether all elements of the gradient are within its tolerance."""
        return bool(self.grad.abs().max() <= self.options["tolerance_grad"])

    def is_still(self) -> bool:
        """Return whether neither the parameters nor the loss have changed more than their tolerance."""
        tolerance = self.options["tolerance_change"]
        return bool(self.d.mul(self.t).abs().max() <= tolerance or abs(self.loss - self.prev_loss) < tolerance)

    def begin(self) -> None:
        """Go downhill: nothing is remembered yet."""
        self.d = self.grad.neg()
        self.old_dirs, self.old_stps, self.ro, self.H_diag = [], [], [], 1

    def turn(self) -> None:
        """Remember the last step and compute the direction of the next one."""
        change, step = self.grad.sub(self.prev_flat_grad), self.d.mul(self.t)
        curvature = change.dot(step)
        if curvature > 1e-10:
            if len(self.old_dirs) == self.options["history_size"]:
                for remembered in (self.old_dirs, self.old_stps, self.ro):
                    remembered.pop(0)
            self.old_dirs.append(change)
            self.old_stps.append(step)
            self.ro.append(1.0 / curvature)
            self.H_diag = curvature / change.dot(change)
        factors = self.state.setdefault("al", [None] * self.options["history_size"])
        direction = self.grad.neg()
        for i in reversed(range(len(self.old_dirs))):
            factors[i] = self.old_stps[i].dot(direction) * self.ro[i]
            direction.add_(self.old_dirs[i], alpha=-factors[i])
        self.d = direction = direction.mul(self.H_diag)
        for i, change in enumerate(self.old_dirs):
            direction.add_(self.old_stps[i], alpha=factors[i] - change.dot(direction) * self.ro[i])

    def advance(self, slope: Tensor, last: bool) -> bool:
        """Take the step, and compute loss and gradient there unless it is the last; return whether those end all."""
        search = self.options["line_search_fn"]
        if search is None:
            self.optimizer.move(self.t, self.d)
            if not last:  # the next call computes them anyway, in stochastic training for other data
                self.evaluate()
            return not last and self.is_optimal()
        if search != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        from wengert_optim.line_search import Point, strong_wolfe

        start = [param.clone() for param in self.optimizer._params]

        def loss_and_grad(t: Any) -> tuple[float, Tensor]:
            self.optimizer.move(t, self.d)
            loss = number_of(self.closure())
            grad = self.optimizer.gather_grad()
            for param, value in zip(self.optimizer._params, start, strict=True):
                param.copy_(value)
            return loss, grad

        origin, limit = Point(0, self.loss, self.grad, slope), self.options["max_eval"] - self.evaluations
        point, evaluations = strong_wolfe(loss_and_grad, self.t, self.d, origin, limit)
        self.t, self.loss, self.grad = point.t, point.loss, point.grad
        self.evaluations += evaluations
        self.state["func_evals"] += evaluations
        self.optimizer.move(self.t, self.d)
        return self.is_optimal()


def counting(optimizer: LBFGS) -> Callable[[], Any]:
    """Return a function that counts an evaluation, and gives the options: a captured call that finds its start optimal
    is replayed, and counts as well, as long as the optimizer is there.
    """
    reference = ref(optimizer)

    def count() -> Any:
        own = reference()
        if own is None:
            return None
        own.state[own._params[0]]["func_evals"] += 1
        return plain(own.param_groups[0])

    return count


def number_of(loss: Any) -> float:
    """Return a loss as a number, without the warning that ``float`` gives for one with a graph."""
    return float(loss.item() if isinstance(loss, Tensor) else loss)
