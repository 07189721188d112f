"""Averages of a model's parameters over training (stochastic weight averaging and exponential moving averages).

Source: Izmailov et al., Averaging Weights Leads to Wider Optima and Better Generalization, UAI 2018.
"""

from __future__ import annotations

from copy import deepcopy
from itertools import chain
from math import cos, pi
from typing import TYPE_CHECKING, Any, Literal

from wengert import Tensor, no_grad, tensor
from wengert.nn import Module  # type: ignore[attr-defined,unused-ignore]

from wengert_optim.lr_scheduler.base import LRScheduler, per_group, warn_outside_step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wengert_optim.optimizer import Optimizer

    Average = Callable[[Any, Any, Any], Any]
    """A function of the average, of the present value, and of the number of values in the average."""

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]


class AveragedModel(Module):  # type: ignore[misc,unused-ignore]
    """Hold a copy of a model whose parameters are averages of the model's, and compute with them.

    The first ``update_parameters`` copies the parameters, later ones average: the mean of all values by default.

    model: the module that is copied.   device: where the copy lies; None leaves it where the model is.
    avg_fn: a function of the average, the present value and the number of values so far (a tensor), which returns the
        next average.
    multi_avg_fn: a function of two lists of tensors and that number, which changes the tensors of the first list; it is
        called once for each device and dtype. AssertionError if both functions are given.
    use_buffers: average buffers as well; otherwise they are copied in each update.

    >>> import wengert as wg
    >>> model = wg.nn.Linear(1, 1, bias=False)
    >>> averaged = wg.optim.swa_utils.AveragedModel(model)
    >>> for value in (1.0, 2.0, 6.0):
    ...     _ = model.weight.data.fill_(value)
    ...     averaged.update_parameters(model)
    >>> averaged.module.weight.item(), averaged.n_averaged.item()
    (3.0, 3)
    >>> averaged(wg.ones(1, 1)).item()
    3.0
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: Average | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided, got both")
        self.module: Module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return the result of the module with the averages."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take the present parameters of the model into the averages.

        model: a module with the same parameters, in the same order, as the one that was copied.
        """
        averages, values = self._averaged_tensors(model)
        if bool(self.n_averaged == 0):  # the comparison alone is read: a captured step has no branch for each count
            copy_all(averages, values)
        elif self.multi_avg_fn is not None:
            for group in by_device_and_dtype(averages, values):
                self.multi_avg_fn(*group, self.n_averaged.to(group[0][0].device))
        else:
            average_each(averages, values, self.n_averaged, self.avg_fn or get_swa_avg_fn())
        if not self.use_buffers:
            copy_all(self.module.buffers(), model.buffers())
        self.n_averaged += 1

    def _averaged_tensors(self, model: Module) -> tuple[list[Tensor], list[Tensor]]:
        """Return the tensors that hold averages and those of the model, without their graphs, on the same devices."""
        if self.use_buffers:
            ours: Iterable[Tensor] = chain(self.module.parameters(), self.module.buffers())
            theirs: Iterable[Tensor] = chain(model.parameters(), model.buffers())
        else:
            ours, theirs = self.parameters(), model.parameters()
        pairs = [
            (average.detach(), value.detach().to(average.device))
            for average, value in zip(ours, theirs, strict=False)  # a model may have more than was copied
        ]
        return [average for average, _ in pairs], [value for _, value in pairs]


def copy_all(targets: Iterable[Tensor], sources: Iterable[Tensor]) -> None:
    """Copy each tensor's values into the other."""
    for target, source in zip(targets, sources, strict=True):
        target.detach().copy_(source.detach())


def average_each(averages: list[Tensor], values: list[Tensor], count: Tensor, avg_fn: Average) -> None:
    """Set each average to what the function returns for it."""
    for average, value in zip(averages, values, strict=True):
        average.copy_(avg_fn(average, value, count.to(average.device)))


def by_device_and_dtype(averages: list[Tensor], values: list[Tensor]) -> Iterable[tuple[list[Tensor], list[Tensor]]]:
    """Return the two lists in groups whose averages have one device and one dtype."""
    groups: dict[Any, tuple[list[Tensor], list[Tensor]]] = {}
    for average, value in zip(averages, values, strict=True):
        ours, theirs = groups.setdefault((str(average.device), average.dtype), ([], []))
        ours.append(average)
        theirs.append(value)
    return groups.values()


def check_decay(decay: float) -> None:
    """Raise ValueError if the decay lies outside of [0, 1]."""
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """Return an ``avg_fn`` for exponential moving averages: ``decay * average + (1 - decay) * value``.

    decay: between 0 and 1; ValueError otherwise.

    >>> import wengert as wg
    >>> wg.optim.swa_utils.get_ema_avg_fn(0.75)(wg.zeros(2), wg.ones(2), 1)
    tensor([0.2500, 0.2500])
    """
    check_decay(decay)

    @no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Any:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Average:
    """Return an ``avg_fn`` for the mean of all values: ``average + (value - average) / (count + 1)``.

    >>> import wengert as wg
    >>> wg.optim.swa_utils.get_swa_avg_fn()(wg.zeros(2), wg.ones(2), 3)
    tensor([0.2500, 0.2500])
    """

    @no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Any:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> Average:
    """Return a ``multi_avg_fn`` for exponential moving averages; averages of integers are cut to integers.

    decay: between 0 and 1; ValueError otherwise.

    >>> import wengert as wg
    >>> average = [wg.zeros(2)]
    >>> wg.optim.swa_utils.get_ema_multi_avg_fn(0.75)(average, [wg.ones(2)], 1)
    >>> average
    [tensor([0.2500, 0.2500])]
    """
    check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list: list[Tensor], current_param_list: list[Tensor], num_averaged: Any) -> None:
        if is_inexact(ema_param_list[0]):
            interpolate(ema_param_list, current_param_list, 1 - decay)
            return
        for average, value in zip(ema_param_list, current_param_list, strict=True):
            average.copy_(average * decay + value * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Average:
    """Return a ``multi_avg_fn`` for the mean of all values. RuntimeError for integers, whose mean is no integer.

    >>> import wengert as wg
    >>> average = [wg.zeros(2)]
    >>> wg.optim.swa_utils.get_swa_multi_avg_fn()(average, [wg.ones(2)], 3)
    >>> average
    [tensor([0.2500, 0.2500])]
    """

    @no_grad()
    def swa_update(averaged_param_list: list[Tensor], current_param_list: list[Tensor], num_averaged: Any) -> None:
        if is_inexact(averaged_param_list[0]):
            interpolate(averaged_param_list, current_param_list, 1 / (num_averaged + 1))
            return
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported: get_swa_multi_avg_fn averages floating point and "
            f"complex numbers, got {averaged_param_list[0].dtype}. For integral input tensors pass get_swa_avg_fn() as "
            "avg_fn, which cuts the means to integers."
        )

    return swa_update


def is_inexact(value: Tensor) -> bool:
    """Return whether a tensor holds floating point or complex numbers."""
    return value.is_floating_point() or value.is_complex()


def interpolate(averages: list[Tensor], values: list[Tensor], weight: Any) -> None:
    """Move each average toward the value by the weight, in place.

    weight: a number, or a tensor of one number, which Python does not read: a captured step computes with it.
    """
    for average, value in zip(averages, values, strict=True):
        if not isinstance(weight, Tensor):
            average.lerp_(value, weight)
        elif average.itemsize == 2:  # of half precision, to which the weight is not to be rounded
            average.copy_(average.float().lerp_(value.float(), weight.to(average.device).float()))
        else:
            average.lerp_(value, weight.to(average))


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of a model's batch normalization anew, over all batches of a loader.

    Averaged parameters give other activations than those that the statistics were taken from.

    loader: batches: tensors, or lists and tuples whose first item is one.   model: the module; it is run in training
    mode, and its mode is put back.   device: where the batches are moved; None leaves them where they are.

    >>> import wengert as wg
    >>> model = wg.nn.BatchNorm1d(1)
    >>> wg.optim.swa_utils.update_bn([wg.tensor([[1.0], [3.0]]), wg.tensor([[5.0], [7.0]])], model)
    >>> model.running_mean
    tensor([4.])
    """
    from wengert.nn.modules.batchnorm import _BatchNorm  # type: ignore[import-not-found,unused-ignore]

    momenta = {module: module.momentum for module in model.modules() if isinstance(module, _BatchNorm)}
    if not momenta:
        return
    training = model.training
    model.train()
    for module in momenta:
        module.reset_running_stats()
        module.momentum = None  # the mean over all batches
    for batch in loader:
        values = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(values if device is None else values.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(training)


class SWALR(LRScheduler):
    """Move the learning rate to ``swa_lr`` in ``anneal_epochs`` steps, and leave it there.

    optimizer: the optimizer whose learning rates are changed.   swa_lr: the last rate, one for all groups or a list.
    anneal_epochs: the number of steps, an integer of at least 0; ValueError otherwise.
    anneal_strategy: the way there, "cos" or "linear"; ValueError otherwise.
    last_epoch: the index of the last step of a schedule that is resumed; -1 begins one.

    >>> import wengert as wg
    >>> optimizer = wg.optim.SGD([wg.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = wg.optim.swa_utils.SWALR(optimizer, swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear")
    >>> for _ in range(4):
    ...     print(scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    [1.0]
    [0.75]
    [0.5]
    [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        last_epoch: int = -1,
    ) -> None:
        for rate, group in zip(per_group("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:  # type: ignore[redundant-expr]
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the learning rates of the next step, for ``step`` to set."""
        warn_outside_step(self)
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._part_at(step - 1), self._part_at(step)
        rates = []
        for group in self.optimizer.param_groups:
            rate, last = group["lr"], group["swa_lr"]
            first = last if before == 1 else (rate - before * last) / (1 - before)
            rates.append(last * now + first * (1 - now))
        return rates

    def _part_at(self, step: int) -> float:
        """Return the part of ``swa_lr`` in the rate of a step, from 0 to 1."""
        return self.anneal_func(max(0, min(1, step / max(1, self.anneal_epochs))))

    def anneal_func(self, t: float) -> float:
        """Return the part of ``swa_lr`` in the rate at a fraction of the way."""
        return t if self._anneal_strategy == "linear" else (1 - cos(pi * t)) / 2
