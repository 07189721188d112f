"""Plan: which parameters of a group are updated together, and which one by one.

Note [Steps that are waited for]
    A plan that has become stale is used for some more steps. These are counted in a tensor of the optimizer: replays of
    ``wengert.capture`` count in it as well, and what undoes a step undoes the count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import is_
from typing import TYPE_CHECKING, Any

import wengert
from wengert import Tensor

if TYPE_CHECKING:
    from wengert_optim.updates.bucket import Bucket

__all__ = ["Plan"]

SMALL = 2048
"""Elements of the largest parameter that is updated with others: above it, copying costs more than calls."""
BUCKET_SIZE = 65536
"""Elements of a bucket, so that its vectors stay in the processor's cache."""
LONGEST_WAIT = 16
"""Steps after which parameters whose gradients come and go are put into buckets anew."""


class Plan:
    """The buckets of a group's parameters, and the parameters beside them.

    optimizer: an Elementwise.   names: the names of the state that has the parameter's shape.
    together: whether there may be buckets.   wait: the steps for which the plan is used after it has become stale.
    """

    __slots__ = (
        "absent", "buckets", "due", "group", "is_over", "names", "params", "singles", "stale", "together", "wait",
    )  # fmt: skip

    def __init__(self, optimizer: Any, group: dict[str, Any], names: Any, together: bool, wait: int = 1) -> None:
        self.group, self.names, self.together, self.wait = group, names, together, wait
        self.params: list[Tensor] = list(group["params"])
        self.absent: set[int] = set()
        self.stale = self.is_over = False
        self.due: int | None = None
        self.buckets = self.make_buckets(optimizer) if together else []
        inside = {id(param) for bucket in self.buckets for param in bucket.params}
        self.singles = [param for param in self.params if id(param) not in inside]

    def make_buckets(self, optimizer: Any) -> list[Bucket]:
        """Return the buckets of all parameters that can be in one, and note those that only lack a gradient."""
        scalars, names = tuple(optimizer._rule.scalars), self.names
        alike: dict[Any, list[Tensor]] = {}
        small = {id(param) for param in drop_overlap([param for param in self.params if is_small(param)])}
        for param in self.params:
            if param.grad is None:
                self.absent |= {id(param)} & small
                continue
            if optimizer._sparse_error and param.grad.is_sparse:
                continue
            state = optimizer._state_of(self.group, param) if scalars or names else {}
            if id(param) not in small:
                continue
            if None in state.values():  # SGD's momentum begins with the first gradient
                self.stale = True
            elif is_plain(param, param.grad) and all(id(entry) in optimizer._own for entry in state.values()):
                key = state_key(state, param, scalars, names)
                if key is not None:
                    alike.setdefault((param.dtype, param.device, key), []).append(param)
        parts = [part for params in alike.values() for part in divide(params)]
        if not parts:
            return []
        from wengert_optim.updates.bucket import Bucket

        states = [[optimizer.state[param] for param in part] if scalars or names else [] for part in parts]
        buckets = [Bucket(part, inside, scalars, names) for part, inside in zip(parts, states, strict=True)]
        optimizer._note_own([state for inside in states for state in inside])
        return buckets

    def fits(self, group: dict[str, Any], names: Any, together: bool) -> bool:
        """Return whether the plan is for this group as it is now; a stale plan is, until its time has come."""
        params = group["params"]
        if self.group is not group or self.names != names or self.together is not together or self.is_over:
            return False
        return len(params) == len(self.params) and all(map(is_, params, self.params))

    def count_wait(self, waited: int) -> bool:
        """Return whether the time of a stale plan has come. waited: the steps that the optimizer has waited so far."""
        if self.due is None:
            self.due = waited + self.wait - 1
        self.is_over = waited >= self.due
        return self.is_over

    def gather(self, state: dict[Any, Any]) -> list[tuple[Bucket, Tensor]]:
        """Return the buckets with their gradients; one in which something has changed is dissolved."""
        ready = []
        for bucket in self.buckets:
            grad = bucket.gather(state)
            if grad is not None:
                ready.append((bucket, grad))
                continue
            self.singles += bucket.params
            self.stale = True
        if len(ready) < len(self.buckets):
            self.buckets = [bucket for bucket, _ in ready]
        return ready


def is_small(param: Tensor) -> bool:
    """Return whether a parameter is small, dense and real, so that it gains from a bucket."""
    size = param.numel()
    return 0 < size <= SMALL and param.is_floating_point() and not param.is_sparse and param.is_contiguous()


def is_plain(param: Tensor, *others: Tensor) -> bool:
    """Return whether other tensors are like the parameter, and none is of a class that overrides operations."""
    from wengert.overrides import has_torch_function

    return not has_torch_function((param, *others)) and all(
        one.layout is wengert.strided and one.dtype is param.dtype and one.shape == param.shape
        and one.device == param.device for one in others
    )  # fmt: skip


def state_key(state: dict[str, Any], param: Tensor, scalars: Sequence[str], names: Sequence[str]) -> Any:
    """Return what parameters in one bucket have in common in their state; None for a state that fits in none."""
    if state.keys() != {*scalars, *names} or not is_plain(param, *(state[name] for name in names)):
        return None
    if any(entry.requires_grad or entry.is_shared() for entry in state.values()):
        return None
    numbers = [state[name] for name in scalars]
    if any(number.dim() for number in numbers):
        return None
    return tuple((number.item(), number.dtype, number.device) for number in numbers)


def drop_overlap(params: list[Tensor]) -> list[Tensor]:
    """Return the parameters that share memory with no other: those are updated in turn, each with the last's result."""
    spans = sorted((param.data_ptr(), param.numel() * param.element_size()) for param in params)
    shared = set()
    last = end = 0
    for start, size in spans:
        if start < end:
            shared |= {last, start}
        if start + size > end:
            last, end = start, start + size
    return [param for param in params if param.data_ptr() not in shared]


def divide(params: list[Tensor]) -> Iterator[list[Tensor]]:
    """Yield the parameters in lists of two at least, each with not many more elements than a bucket has."""
    part: list[Tensor] = []
    size = 0
    for param in params:
        if size + param.numel() > BUCKET_SIZE and len(part) > 1:
            yield part
            part, size = [], 0
        part.append(param)
        size += param.numel()
    if len(part) > 1:
        yield part
