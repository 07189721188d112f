"""Arguments: tensors that stand for the arguments of a captured function on a device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wengert_core.extend import Tensor, device, device_memory_of
from wengert_engine.namespaces.graph import increment_version

from wengert_replay.devices.watch import set_version, version_counter


class Arguments:
    """Tensors on memory of their own, which a graph reads and writes in place of a call's arguments.

    An argument that is passed several times has one of them; an expanded one has no more memory than it had.
    """

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self.device: device = tensors[0].device
        self.first: list[int] = []  # for each argument, the number of the first that is the same tensor
        self.rows: list[Tensor] = []  # the elements of each, without repetitions
        self.inputs: list[Tensor] = []
        numbers: dict[int, int] = {}
        for k, given in enumerate(tensors):
            first = numbers.setdefault(id(given), k)
            self.first.append(first)
            if first < k:
                self.rows.append(self.rows[first])
                self.inputs.append(self.inputs[first])
                continue
            row = without_repeats(given)
            row = row.new_empty_strided(row.shape, row.stride()).copy_(row)
            self.rows.append(row)
            stands = row if row.shape == given.shape else row.expand(given.shape)
            self.inputs.append(stands.detach().requires_grad_() if given.requires_grad else stands)
        self.geometry: list[Any] = [geometry(one)[0] for one in self.inputs]
        self.versions: list[int] = [one._version for one in self.rows]
        self.bumps: list[int] = [0] * len(tensors)  # of versions
        self.is_written: list[bool] = [False] * len(tensors)  # also by ``data``, which has a version of its own
        self.requires_grad: list[bool] = [one.requires_grad for one in self.inputs]

    @property
    def nbytes(self) -> int:
        """Bytes of their memory."""
        return sum(one.untyped_storage().nbytes() for k, one in enumerate(self.rows) if self.first[k] == k)

    def note_writes(self, written: Mapping[int, Any]) -> None:
        """Note which arguments the function has written to. written: weak references to memory, by its identity."""
        self.bumps = [one._version - version for one, version in zip(self.rows, self.versions, strict=True)]
        memories = [device_memory_of(one) for one in self.rows]
        self.is_written = [n > 0 or (id(one) in written and written[id(one)]() is one)
                           for n, one in zip(self.bumps, memories, strict=True)]  # fmt: skip

    def why_not(self, results: Sequence[Tensor]) -> str:
        """Return why there is no program for a function that has done to its arguments what it has; "" else."""
        if [one.requires_grad for one in self.inputs] != self.requires_grad:
            return "the function changes an argument so that it requires gradients"
        if any(one.dtype != self.of(one).dtype for one in results if self.own(one)):  # type: ignore[union-attr]
            return "a result is a view of an argument with another dtype"
        return ""

    def are_changed(self) -> bool:
        """Whether the function has changed how an argument lies in its memory, or which it has."""
        return any(geometry(one) != (given, id(device_memory_of(row)))
                   for one, given, row in zip(self.inputs, self.geometry, self.rows, strict=True))  # fmt: skip

    def memories(self) -> set[int]:
        """Return the identities of the owners of their memory."""
        return {id(device_memory_of(one)) for one in self.rows}

    def of(self, tensor: Tensor) -> Tensor | None:
        """Return the input that a tensor shares memory with."""
        memory = device_memory_of(tensor)
        found = (one for one in self.inputs if device_memory_of(one) is memory)
        return None if memory is None else next(found, None)

    def own(self, tensor: Tensor) -> bool:
        """Whether a tensor shares memory with an input."""
        return self.of(tensor) is not None

    def read(self, tensors: Sequence[Tensor]) -> None:
        """Copy a call's arguments."""
        for k, (row, given) in enumerate(zip(self.rows, tensors, strict=True)):
            if self.first[k] == k:
                row.copy_(without_repeats(given))

    def write(self, tensors: Sequence[Tensor]) -> None:
        """Copy what the function has written to where a call's arguments are."""
        for k, (row, given) in enumerate(zip(self.rows, tensors, strict=True)):
            if self.first[k] == k and self.is_written[k]:
                without_repeats(given).data.copy_(row)
                for _ in range(self.bumps[k]):
                    increment_version(given)

    def hand_over_gradients(self, tensors: Sequence[Tensor]) -> None:
        """Let a call's arguments require gradients, and have them, as the function has done to those in their place."""
        for one, before, given in zip(self.inputs, self.requires_grad, tensors, strict=True):
            if one.requires_grad and not before and one.is_leaf:
                given.requires_grad_()
                given.grad = one.grad

    def in_place_of(self, result: Tensor, tensors: Sequence[Tensor], apart: dict[int, Tensor]) -> Tensor:
        """Return a result of a call: the argument itself, or a view of it, where it is one of an input.

        apart: aliases of arguments with versions of their own, by the counter of the results that have them.
        """
        for one, given in zip(self.inputs, tensors, strict=True):
            if result is one:
                return given
        own = self.of(result)
        if own is None:
            return result
        given = next(given for one, given in zip(self.inputs, tensors, strict=True) if one is own)
        counter = version_counter(result)
        if counter != version_counter(own):  # of ``data``
            given = apart.setdefault(counter, given.data)
            set_version(given, result._version)
        of_dtype = given if result.dtype == given.dtype else given.view(result.dtype)
        offset = of_dtype.storage_offset() + result.storage_offset()
        return of_dtype.as_strided(result.shape, result.stride(), offset)


def geometry(tensor: Tensor) -> tuple[Any, int]:
    """Return how a tensor lies in its memory, and the memory's identity."""
    return (tensor.dtype, tensor.shape, tensor.stride(), tensor.data_ptr()), id(device_memory_of(tensor))


def without_repeats(tensor: Tensor) -> Tensor:
    """Return a view of a tensor without the repetitions of expanded dims."""
    for dim, (size, stride) in enumerate(zip(tensor.shape, tensor.stride(), strict=True)):
        if size > 1 and stride == 0:
            tensor = tensor.narrow(dim, 0, 1)
    return tensor
