"""What a batching rule gets, and where rules are kept.

A rule is a function of a ``Call``: the op, and its arguments with the batch in dim 0 where they have one. It gives the
op's outputs with the batch in dim 0, by other ops on those arguments: they are recorded, and may be batched again.

    @rule("sum", "mean")
    def reduced(call): ...                      # for ops by name; of an in-place op also without the last "_"

    @family("softmax")
    def along(call): ...                        # for the ops of a family that have no rule of their own

A rule that is just a name of a kind ("broadcast") is run by the engine without Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Rule = Callable[["Call"], Any] | str
RULES: dict[str, Rule] = {}
FAMILIES: dict[str, Rule] = {}


class Call:
    """A call of an op with batched arguments, of one level of vmap.

    op, name: of the op.   size: of the batch.
    values: the arguments by parameter name; tensors that are batched have the batch in dim 0, the rest is as it was
    given. A list for a sequence of tensors, and for a sequence of objects with a batched one among them.
    batched: for each parameter whether it is batched; for such a list a list of that.
    randomness: "error", "different" or "same", for random ops.
    """

    __slots__ = ("batched", "name", "op", "randomness", "size", "values")

    def __init__(self, op: Any, size: int, values: dict[str, Any], batched: dict[str, Any],
                 randomness: str = "error") -> None:
        self.op, self.name, self.size, self.values, self.batched = op, op.name, size, values, batched
        self.randomness = randomness

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def rank(self, name: str) -> int:
        """The rank of a tensor argument without the batch."""
        rank: int = self.values[name].dim() - self.batched[name]
        return rank

    def expanded(self, name: str) -> Any:
        """A tensor argument with the batch in dim 0, expanded when it had none."""
        value = self.values[name]
        return value if self.batched[name] else self.expand(value)

    def expand(self, value: Any) -> Any:
        """A tensor that is not batched, expanded to the batch in a new dim 0."""
        return value.unsqueeze(0).expand(self.size, *value.shape)

    def run(self, /, **changes: Any) -> Any:
        """The op on the values as they are, but for the changes."""
        return self.op(**{**self.values, **changes})

    def dim(self, value: int, rank: int) -> int:
        """A dim of a tensor of that rank as the dim of its batch. IndexError when out of range."""
        span = max(rank, 1)
        if not -span <= value < span:
            raise IndexError("Dimension out of range (expected to be in range of "
                             f"[{-span}, {span - 1}], but got {value})")
        return value % span + 1

    def dims(self, values: Any, rank: int) -> list[int]:
        """Several dims, or one, as those of the batch."""
        if isinstance(values, int):
            return [self.dim(values, rank)]
        return [self.dim(value, rank) for value in values]


class Plain:
    """Around what a rule gives that is not batched."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def rule(*names: str) -> Callable[[Callable[[Call], Any]], Callable[[Call], Any]]:
    """Make a function the rule of these ops."""
    def keep(function: Callable[[Call], Any]) -> Callable[[Call], Any]:
        for name in names:
            RULES[name] = function
        return function

    return keep


def family(name: str) -> Callable[[Callable[[Call], Any]], Callable[[Call], Any]]:
    """Make a function the rule of all ops of a family that have none of their own."""
    def keep(function: Callable[[Call], Any]) -> Callable[[Call], Any]:
        FAMILIES[name] = function
        return function

    return keep
