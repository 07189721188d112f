"""Nodes: the ways of a program from a file. A program without guards has one node.

Note [Ways of a program from a file]
    A node is a list of steps. Where a number that Python read when the program was recorded differs, or the shape of a
    result, a run goes on in the branch that was recorded for it: another node, which begins with the same step, where
    something else is seen. Until there both have done the same, so that the tensors have the same numbers in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from wengert_core.extend import Tensor

from wengert_replay.exporting.errors import ProgramGuardError
from wengert_replay.exporting.instructions import Instruction, plan_drops


class GradientRule(NamedTuple):
    """The gradient of a leaf: what it must be before a run, and what it is afterwards."""

    leaf: int
    """Its number among all tensors of the program."""
    before: bool
    """Whether it must have a gradient before a call."""
    uses: int | None
    """The tensor that this gradient must be: the program reads it or adds to it."""
    changes: bool
    """Whether a call replaces it."""
    after: int | None
    """The tensor that is its gradient then."""


class Guard:
    """A step at which Python read numbers."""

    __slots__ = ("count", "drop", "kinds", "line", "number", "signature")

    def __init__(self, number: int, expected: list[Any], line: str) -> None:
        self.number = number
        self.count = len(expected)
        self.signature = repr(expected)
        self.line = line
        self.kinds: list[Any] = []
        self.drop: list[int] = []

    def slots(self) -> Iterator[int]:
        """Give the number of the tensor that is read."""
        yield self.number

    def run(self, values: list[Any]) -> tuple[list[Tensor], str]:
        """Return no results, and the numbers as a text where they are not the recorded ones, else "".

        The text is equal for the same numbers alone.
        """
        t = values[self.number]
        if t.ndim != 1 or t.numel() != self.count or not t.is_contiguous():
            t = t.as_strided((self.count,), (1,), t.storage_offset())
        seen = repr(t.tolist())
        return [], seen if seen != self.signature else ""

    def difference(self, seen: str) -> str:
        """Return words for other numbers than the recorded ones."""
        where = f" ({self.line})" if self.line else ""
        return (f"a number that Python read when the program was recorded{where} is {seen[1:-1]:.60}, and was "
                f"{self.signature[1:-1]:.60}")  # fmt: skip


RESULT_FORMS: dict[str, Callable[[Any], Any]] = {
    "detached": lambda t: t.detach(),
    "data": lambda t: t.data,
    "leaf": lambda t: t.detach().requires_grad_(),
}
"""Results that are made of the tensor of a step, of an argument or from outside."""


class Node:
    """A way of a program, from its beginning or from a step on where it differs from another."""

    def __init__(self, at: int, steps: list[Instruction | Guard], result: Any) -> None:
        self.at = at
        self.steps = steps
        self.result = result
        self.results: list[int] = []
        self.forms: list[str] = []  # names of RESULT_FORMS, or "", of each result
        self.rules: list[GradientRule] = []
        self.branches: dict[int, dict[str, Node]] = {}

    def may_write_before_guard(self) -> bool:
        """Return whether a call that ends with an error at a guard of this node may have written to something before.

        What the ways to this node write is theirs.
        """
        writes = False
        for i, step in enumerate(self.steps):
            if writes and (isinstance(step, Guard) or step.stops or self.at + i in self.branches):
                return True
            writes = writes or (isinstance(step, Instruction) and step.writes)
        return False

    def run(self, values: list[Any], first: int = 0) -> Node:
        """Run the steps from number ``first`` on, and those of branches; return the node at whose end the run is.

        values: the tensors so far, to which results are added. Raises what operations raise, and ProgramGuardError.
        """
        node, i = self, first
        while i < len(node.steps):
            step = node.steps[i]
            found, seen = step.run(values)
            values += found
            if seen:
                node, i = node.branch(step, node.at + i, seen), 1
                continue
            for number in step.drop:
                values[number] = None
            i += 1
        return node

    def branch(self, step: Instruction | Guard, at: int, seen: str) -> Node:
        """Return the branch for what a step sees. Raises ProgramGuardError where there is none."""
        found = self.branches.get(at, {}).get(seen)
        if found is None:
            raise ProgramGuardError(f"{step.difference(seen)}: a file holds no Python function to go on with")
        return found

    def ends(self) -> set[int]:
        """Return the numbers of the tensors that are used when the run has ended."""
        return {*self.results, *(rule.after for rule in self.rules if rule.after is not None)}

    def uses(self) -> set[int]:
        """Return the numbers of the tensors that its own steps use."""
        return {number for step in self.steps for number in step.slots()}

    def children(self) -> list[Node]:
        """Return the branches."""
        return [node for nodes in self.branches.values() for node in nodes.values()]

    def with_branches(self) -> Iterator[Node]:
        """Give this node, its branches, and theirs."""
        left = [self]
        while left:
            node = left.pop()
            yield node
            left += node.children()

    def results_of(self, values: list[Any]) -> list[Any]:
        """Return the results."""
        pairs = zip(self.results, self.forms, strict=True)
        return [RESULT_FORMS[form](values[number]) if form else values[number] for number, form in pairs]

    def set_gradients(self, values: list[Any]) -> None:
        """Give leaves their gradients."""
        for rule in self.rules:
            if rule.changes:
                values[rule.leaf].grad = None if rule.after is None else values[rule.after]

    def check_gradients(self, values: list[Tensor], names: list[str]) -> None:
        """Raise ProgramGuardError where a leaf has a gradient and had none, or the other way round."""
        for rule in self.rules:
            grad = values[rule.leaf].grad
            if (grad is not None) != rule.before:
                had, now = ("a", "give it one") if rule.before else ("no", "set its grad to None")
                raise ProgramGuardError(
                    f"{names[rule.leaf]} had {had} gradient when the program was recorded: {now} before a call"
                )
            if rule.uses is not None and grad is not values[rule.uses]:
                raise ProgramGuardError(
                    f"the gradient of {names[rule.leaf]}, which the program adds to, is another tensor than before: "
                    "write to it in place"
                )


def plan_all_drops(nodes: Sequence[Node], first: int, n_before: dict[int, int]) -> None:
    """Let each step say which tensors nobody uses behind it.

    nodes: each behind its trunk.   first: the number of the first result.   n_before: the tensors before the first step
    of each node, by its id.
    """
    uses: dict[int, set[int]] = {}  # of nodes with their branches
    for node in reversed(nodes):
        kept: set[int] = set()
        for one in node.children():
            smaller, kept = sorted((kept, uses.pop(id(one))), key=len)
            kept |= smaller
        kept |= node.ends()
        plan_drops(node.steps, kept, first, n_before[id(node)])
        kept |= node.uses()
        uses[id(node)] = kept
