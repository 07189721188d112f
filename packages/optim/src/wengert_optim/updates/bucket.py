"""Buckets: small parameters that are updated together, as one vector.

Note [Buckets]
    An operation on a small tensor costs more for the call than for the numbers. So the state of small parameters lies
    in vectors, of which each parameter's own state is a view. A step copies parameters and gradients into vectors,
    updates those, and copies the parameters back; a rule that need not read the parameters adds to them instead.
    Before it does so, it makes sure that nobody has replaced a parameter's memory or a part of its state, which
    comparing addresses shows. Where anything has changed, the parameters are updated one by one, with the views as
    their state: nothing is lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

import wengert
from wengert import Tensor
from wengert_core.extend import mark_pool

from wengert_optim.updates.rules import numbers_of

__all__ = ["Bucket"]

ADDRESS: Any = Tensor.data_ptr
ADD: Any = Tensor.add_
COPY: Any = Tensor.copy_
RAVEL: Any = Tensor.ravel
GRAD = attrgetter("grad")
KNOWN = 16
"""Versions that are remembered."""
VALUES: Any = dict.values
STRIDED = wengert.strided


class Bucket:
    """Parameters of one dtype and one number of steps, with their state in vectors.

    params: the parameters.   states: their dicts of state, whose tensors are replaced by views of the vectors.
    scalars, tensors: the names of the state that is a number for each parameter, and of the rest.
    """

    __slots__ = (
        "__weakref__", "addresses", "are_vectors", "dtype", "entries", "flat", "params", "scalars", "size", "state",
        "tensors", "versions", "views",
    )  # fmt: skip

    def __init__(
        self, params: Sequence[Tensor], states: Sequence[dict[str, Any]], scalars: Sequence[str], tensors: Sequence[str]
    ) -> None:
        self.params = list(params)
        self.dtype = params[0].dtype
        self.flat, self.views = flatten([param.detach() for param in params])
        self.size = self.flat.numel()
        self.are_vectors = all(param.dim() == 1 for param in params)
        self.scalars = [move_into_vector(states, name) for name in scalars]
        self.tensors = [move_into_vector(states, name) for name in tensors]
        self.addresses = [param.data_ptr() for param in params]
        self.entries = [entry.data_ptr() for state in states for entry in state.values()]
        self.versions = deque([self.version()], KNOWN)
        self.state: Any = {}

    def gather(self, state: dict[Any, Any]) -> Any:
        """Return the gradients as one vector; None where anything is not as it was."""
        params = self.params
        try:
            if list(map(ADDRESS, params)) != self.addresses:
                return None
            self.state = state
            if not self.is_as_it_was():
                return None
            grads = map(GRAD, params)
            grad: Any = wengert.cat(list(grads if self.are_vectors else map(RAVEL, grads)))
        except (AttributeError, RuntimeError, TypeError):  # a gradient or a state is absent, or no dense tensor
            return None
        if grad.dtype is not self.dtype or grad.numel() != self.size or grad.layout is not STRIDED:
            return None
        return grad

    def is_as_it_was(self) -> bool:
        """Return whether each parameter's state is the one that lies in the vectors, with the same numbers for all."""
        if not self.entries:
            return True
        try:
            entries = chain.from_iterable(map(VALUES, map(self.state.get, self.params)))
            return list(map(ADDRESS, entries)) == self.entries and self.has_same_numbers()
        except TypeError:  # there is none, or no tensor
            return False

    def has_same_numbers(self) -> bool:
        """Return whether each vector of numbers still has the same number for all parameters."""
        if not self.scalars or self.version() in self.versions:
            return True
        is_same: bool = wengert.compiler.disable(self.compare_numbers)()
        return is_same

    def compare_numbers(self) -> bool:
        """Look at the numbers, which somebody may have written to, and note the versions if all are the same."""
        if not all(bool((vector == vector[0]).all()) for vector in self.scalars):
            return False
        self.note_versions()
        return True

    def update(self, rule: Any, options: Any, grad: Tensor) -> None:
        """Apply a rule to all parameters, given their gradients as one vector."""
        if options["maximize"]:
            grad = -grad
        options, numbers = numbers_of(rule, options, self.scalars, self)  # first: in a replay all the rest may differ
        if rule.increment is not None and not rule.reads_param(options):
            factor, direction = rule.increment(options, grad, *self.tensors)
            wengert.mul(direction, factor, out=self.flat)
            deque(map(ADD, self.params, self.views), 0)
            return
        deque(map(COPY, self.views, self.params), 0)
        rule.update(options, numbers, self.flat, grad, *self.tensors)
        deque(map(COPY, self.params, self.views), 0)

    def version(self) -> list[int]:
        """Return the versions of the vectors of numbers: they rise where anybody writes to them."""
        return [vector._version for vector in self.scalars]

    def note_versions(self) -> None:
        """Remember the versions behind a write of one's own; earlier ones come back where a replay is undone."""
        if self.scalars:
            self.versions.appendleft(self.version())


def flatten(tensors: Sequence[Tensor]) -> tuple[Tensor, list[Tensor]]:
    """Return a vector with the elements of all tensors, and the views of it that have their shapes."""
    vector = wengert.cat([tensor.ravel() for tensor in tensors])
    parts = vector.split([tensor.numel() for tensor in tensors])
    return vector, [part.view(tensor.shape) for part, tensor in zip(parts, tensors, strict=True)]


def move_into_vector(states: Sequence[dict[str, Any]], name: str) -> Tensor:
    """Copy the tensors of this name into one vector, replace them by views of it, and return it."""
    vector, views = flatten([state[name] for state in states])
    mark_pool(vector)
    for state, view in zip(states, views, strict=True):
        state[name] = view
    return vector
