"""Training with different numbers of inputs: ranks that have none left take part in the collectives of the others.

Note [Joined ranks]
    Each iteration of a rank with inputs begins with a sum of ones over all ranks (``Join.notify_join_context``). A rank
    that has left its loop adds zeros to that sum as long as it is not 0, and calls the main hooks of all joinables in
    between: they call what the iterations of the others call. When the sum is 0, all ranks have joined.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import TracebackType
from typing import Any, NamedTuple

import wengert

import wengert_distributed as dist

__all__ = ["Join", "JoinHook", "Joinable"]

MUCH_SKEW = 1000
"""Iterations that a rank lacks before it warns."""


class JoinHook:
    """The part of a joinable that a rank without inputs calls, as ``torch.distributed.algorithms.JoinHook``."""

    nonjoined = 0
    """The number of ranks that have inputs, while ``main_hook`` runs."""

    def main_hook(self) -> None:
        """Call the collectives of one iteration of the others: forward, backward and step."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Do what is to be done when all ranks have joined.   is_last_joiner: this rank had inputs until the end."""


class JoinConfig(NamedTuple):
    """The options of the Join that a joinable is in."""

    enable: bool = False
    throw_on_early_termination: bool = False
    is_first_joinable: bool = False


class Joinable(ABC):
    """An object with collectives in each iteration, as ``torch.distributed.algorithms.Joinable``.

    It calls ``Join.notify_join_context(self)`` before those of an iteration.
    """

    _join_config: JoinConfig

    @abstractmethod
    def __init__(self) -> None:
        super().__init__()
        self._join_config = JoinConfig()

    @abstractmethod
    def join_hook(self, **kwargs: Any) -> JoinHook:
        """Return the hooks.   kwargs: those that Join was called with."""

    @property
    @abstractmethod
    def join_device(self) -> Any:
        """The device whose memory Join's own collectives use."""

    @property
    @abstractmethod
    def join_process_group(self) -> Any:
        """The group of Join's own collectives."""


class Join:
    """A context for loops that end sooner on some ranks than on others, as ``torch.distributed.algorithms.Join``.

    joinables: objects of one process group whose collectives the loop calls, such as DistributedDataParallel and
    ZeroRedundancyOptimizer, in the order of their calls; the first one tells the others that a rank has inputs.
    enable: False where all ranks have the same number of inputs: nothing is done then.
    throw_on_early_termination: raise RuntimeError on all ranks when the first has no inputs left.
    kwargs: arguments of all joinables' ``join_hook``.
    Raises ValueError for no joinables, or for several process groups.

    >>> import wengert as wg
    >>> from wengert_distributed.parallel.join import Join
    >>> wg.distributed.init_process_group("self")
    >>> model = wg.nn.parallel.DistributedDataParallel(wg.nn.Linear(1, 1))
    >>> with Join([model]):
    ...     for x in wg.ones(3, 1):
    ...         model(x).sum().backward()
    >>> model.module.bias.grad
    tensor([3.])
    >>> wg.distributed.destroy_process_group()
    """

    def __init__(
        self, joinables: Sequence[Joinable], enable: bool = True, throw_on_early_termination: bool = False,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        if len(joinables) == 0:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables = joinables
        self._hooks = [joinable.join_hook(**kwargs) for joinable in joinables]
        self._enable = enable
        self._throws = throw_on_early_termination
        first = joinables[0]
        self._group, self._device = first.join_process_group, first.join_device
        if any(joinable.join_process_group != self._group for joinable in joinables):
            raise ValueError("Using join context manager with multiple process groups")
        self._rank = dist.get_rank(self._group)
        self._configure()

    def _configure(self) -> None:
        for number, joinable in enumerate(self._joinables):
            joinable._join_config = JoinConfig(self._enable, self._throws, number == 0)

    def __enter__(self) -> None:
        self._configure()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for joinable in self._joinables:
            joinable._join_config = JoinConfig()
        if not self._enable or kind is not None:
            return
        skew, is_last = 0, True
        while (nonjoined := self._count_nonjoined()) > 0:
            if self._throws:
                self._tell_to_throw()
            for hook in self._hooks:
                hook.nonjoined = nonjoined
                hook.main_hook()
            is_last = False
            skew += 1
            if skew == MUCH_SKEW + 1:
                self._warn_of_skew()
        for hook in self._hooks:
            hook.post_hook(is_last)

    def _count_nonjoined(self) -> int:
        """Return how many ranks have inputs. See Note [Joined ranks]."""
        count = wengert.zeros(1, device=self._device)
        dist.all_reduce(count, group=self._group)
        return int(count.item())

    def _tell_to_throw(self) -> None:
        """Let the ranks that have inputs raise, and raise RuntimeError here."""
        dist.all_reduce(wengert.ones(1, device=self._device), group=self._group)
        raise RuntimeError(f"Rank {self._rank} exhausted all inputs.")

    def _warn_of_skew(self) -> None:
        warnings.warn(
            f"Detected uneven input skew of greater than {MUCH_SKEW}. This means that rank {self._rank} has at least "
            f"{MUCH_SKEW} fewer inputs than other currently-active ranks. This level of skew could lead to performance "
            "degradation during training.",
            stacklevel=3,
        )

    @staticmethod
    def notify_join_context(joinable: Joinable) -> Any:
        """Tell the ranks without inputs that this one begins an iteration. A joinable calls it before its collectives.

        Returns the Work of a sum of ones over all ranks for the first joinable of a Join, else None.
        Raises RuntimeError with ``throw_on_early_termination`` where a rank has no inputs left.
        """
        if not hasattr(joinable, "_join_config"):
            raise AssertionError(f"Check that the {type(joinable)} constructor calls the ``Joinable`` constructor")
        config = joinable._join_config
        if not (config.is_first_joinable and config.enable):
            return None
        device, group = joinable.join_device, joinable.join_process_group
        work = dist.all_reduce(wengert.ones(1, device=device), group=group, async_op=True)
        if config.throw_on_early_termination:
            ended = wengert.zeros(1, device=device)
            dist.all_reduce(ended, group=group)
            if ended.item():
                work.wait()
                raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
        return work
