"""Bodies of loops and conds of a program from a file: functions of tensors, made of steps."""

from __future__ import annotations

from typing import Any

from wengert_core.extend import Tensor

from wengert_replay.exporting.errors import ProgramFileError, ProgramGuardError
from wengert_replay.exporting.instructions import Instruction, plan_drops
from wengert_replay.exporting.tensors import Geometry


class PortableBody:
    """A function of tensors from a file.

    inputs: the geometry of each argument; None for one that is not there: a gradient that nobody has computed yet.
    kinds: the same of results.   n_outside: tensors that it reads beside.   depth, weight: bodies inside of each other
    in it, and those of all its steps, itself among them.
    """

    def __init__(
        self, inputs: list[Geometry | None], n_outside: int, steps: list[Instruction], results: list[int | None]
    ) -> None:
        """results: their numbers among the tensors that are there, those from outside and results of steps."""
        self.inputs, self.n_outside, self.steps, self.results = inputs, n_outside, steps, results
        known = [one for one in inputs if one is not None]
        first = len(known) + n_outside
        made = [*known, *[None] * n_outside, *(kind for step in steps for kind in step.kinds)]
        self.kinds = [None if number is None else made[number] for number in results]
        if any(kind is None and number is not None for kind, number in zip(self.kinds, results, strict=True)):
            raise ProgramFileError("a body gives a tensor from outside")
        plan_drops(steps, {number for number in results if number is not None}, first, first)
        inner = [body for step in steps for body in getattr(step.call, "all_bodies", ())]
        self.depth = 1 + max((body.depth for body in inner), default=0)
        self.weight = 1 + sum(body.weight for body in inner)

    @property
    def writes(self) -> bool:
        """Whether it may write to a tensor that was there before, or draw random numbers."""
        return any(step.writes for step in self.steps)

    def run(self, inputs: list[Any], outside: list[Tensor]) -> list[Any]:
        """Return its results. inputs: None for one that is not there.

        Raises what operations raise, and errors where its results are not what the file says.
        """
        values: list[Any] = [*(one for one in inputs if one is not None), *outside]
        for step in self.steps:
            found, seen = step.run(values)
            if seen:
                raise ProgramGuardError(f"{step.difference(seen)}: a file holds no Python function to go on with")
            values += found
            for number in step.drop:
                values[number] = None
        results = [None if number is None else values[number] for number in self.results]
        for one, kind in zip(results, self.kinds, strict=True):
            if one is not None and kind is not None and not has_geometry(one, kind):
                raise ProgramFileError("a body of a loop gives a tensor of another geometry than the file says")
        return results


def has_geometry(t: Tensor, kind: Geometry) -> bool:
    """Return whether a tensor has this dtype, shape and strides."""
    return t.dtype is kind.dtype and tuple(t.shape) == kind.shape and agree(t.stride(), kind.strides, kind.shape)


def has_rows(t: Tensor, kind: Geometry) -> bool:
    """Return whether the rows of a tensor have this geometry."""
    is_same = t.ndim > 0 and t.dtype is kind.dtype and tuple(t.shape)[1:] == kind.shape
    return is_same and agree(t.stride()[1:], kind.strides, kind.shape)


def is_alike(one: Geometry | None, other: Geometry | None, strides: bool = True) -> bool:
    """Return whether two geometries are the same, or both None. strides: whether these count."""
    if one is None or other is None:
        return one is other
    return (
        one.dtype is other.dtype
        and one.shape == other.shape
        and (not strides or agree(one.strides, other.strides, one.shape))
    )


def agree(strides: tuple[int, ...], others: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Return whether strides lead to the same elements."""
    return 0 in shape or all(n == 1 or a == b for n, a, b in zip(shape, strides, others, strict=True))
