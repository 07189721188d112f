"""Random programs of views, writes, hooks, detached aliases, no_grad blocks and several backward passes, and their
record on an engine: `wengert`, torch, or `wengert_testing.naive`.

A program is a list of steps (name, first operand, second operand, choice): numbers that are taken modulo what there is
when the step is run. What a step does follows from shapes alone, so that all engines do the same; an error is part of
the record.
"""

from __future__ import annotations

from typing import Any

import numpy as np

UNARY = ("sin", "tanh", "clone")
BINARY = ("add", "sub", "mul")
WRITES = ("add_", "mul_", "copy_", "sin_", "tanh_", "zero_")
VIEWS = ("select", "narrow", "t", "unsqueeze", "expand", "unbind", "detach")
STEPS = (*UNARY, *BINARY, *BINARY, *WRITES, *WRITES, *VIEWS, *VIEWS, "hook", "hook", "retain_grad", "quiet_write",
         "quiet_view", "backward", "backward")
KINDS = (  # a part of the message: what the record says
    ("modified by an inplace operation", "saved tensor modified"), ("a second time", "freed"),
    ("its base or another view", "dead view"), ("is being modified inplace", "write to view"),
    ("a view of a leaf", "view of leaf"), ("a leaf", "leaf"), ("more than one element", "overlap"),
    ("some elements of the input", "input overlaps"),
    ("does not have a grad_fn", "no history"), ("retain_grad", "no grad to retain"), ("register a hook", "no hook"))
LAST = {"saved tensor modified", "freed"}  # raised halfway: what has run until then is not told

Step = tuple[str, int, int, int]


def random_program(rng: Any) -> list[Step]:
    """A program drawn from a `random.Random`."""
    steps = [(rng.choice(STEPS), rng.randrange(100), rng.randrange(100), rng.randrange(100))
             for _ in range(rng.randrange(4, 25))]
    return [*steps, ("backward", 0, rng.randrange(100), 1)]


class Record:
    """A run of a program on an engine: tensors made, what hooks saw, errors, gradients."""

    def __init__(self, engine: Any, options: dict[str, Any]) -> None:
        values = np.linspace(-0.9, 0.8, 12)
        self.engine = engine
        self.leaves = [engine.tensor(values[:6].reshape(2, 3).tolist(), requires_grad=True, **options),
                       engine.tensor(values[6:9].tolist(), requires_grad=True, **options)]
        self.scalar = engine.tensor(0.7, **options)
        self.make = [*self.leaves, engine.tensor(values[6:].reshape(2, 3).tolist(), **options)]
        self.wide: set[int] = set()  # numbers of tensors with elements that share memory
        self.retained: list[Any] = []
        self.seen: list[Any] = []
        self.errors: list[str] = []

    def step(self, name: str, first: int, second: int, choice: int) -> None:
        i, j = first % len(self.make), second % len(self.make)
        t, other = self.make[i], self.make[j]
        if name in UNARY:
            self.keep(getattr(t, name)())
        elif name in BINARY:
            self.keep(getattr(t, name)(self.fitting(t, other, choice)))
        elif name in WRITES:
            self.write(name, i, t, other, choice)
        elif name == "quiet_write":
            with self.engine.no_grad():
                self.write(WRITES[second % len(WRITES)], i, t, other, choice)
        elif name == "quiet_view" and len(t.shape) > 0:
            with self.engine.no_grad():
                view = t.unbind(0)[0] if choice % 2 else t.select(0, 0)
            self.write("zero_", i, view, other, choice)
        elif name in VIEWS:
            self.view(name, i, t, choice)
        else:
            self.follow(name, t, other, choice)

    def follow(self, name: str, t: Any, other: Any, choice: int) -> None:
        """Hooks and backward."""
        if name == "hook":
            t.register_hook(self.hook(choice % 2 == 1))
        elif name == "retain_grad":
            t.retain_grad()
            if not any(t is one for one in [*self.retained, *self.leaves]):
                self.retained.append(t)
        elif name == "backward":
            total = other.sum()
            for one in self.make[-3:]:
                total = total.add(one.sum())
            total.backward(retain_graph=choice % 2 == 0)

    def hook(self, doubling: bool) -> Any:
        def hook(g: Any) -> Any:
            if g is None:  # torch calls hooks of one of several outputs without a gradient, too
                return None
            self.seen.append(round_values(g))
            return g * 2 if doubling else None

        return hook

    def fitting(self, t: Any, other: Any, choice: int) -> Any:
        """An operand for t: of its shape, or a number."""
        if tuple(other.shape) == tuple(t.shape):
            return other
        return other.sum() if choice % 3 else self.scalar

    def write(self, name: str, number: int, t: Any, other: Any, choice: int) -> None:
        if (name == "zero_" and number in self.wide) or (name == "copy_" and other is t):
            return  # allowed on elements that share memory, as long as no gradient has to pass: of no interest here
        getattr(t, name)(*([] if name in ("sin_", "tanh_", "zero_") else [self.fitting(t, other, choice)]))

    def view(self, name: str, i: int, t: Any, choice: int) -> None:
        rank, wide = len(t.shape), i in self.wide
        if name == "t" and rank == 2:
            self.keep(t.t(), wide)
        elif name == "unsqueeze" and rank < 2:
            self.keep(t.unsqueeze(0), wide)
        elif name == "expand" and rank == 1:
            self.keep(t.expand(2, t.shape[0]), True)
        elif name == "detach":
            self.keep(t.detach(), wide)
        elif rank and name == "select":
            self.keep(t.select(choice % rank, choice % t.shape[choice % rank]), wide)
        elif rank and name == "narrow" and t.shape[choice % rank] > 1:
            self.keep(t.narrow(choice % rank, 1, t.shape[choice % rank] - 1), wide)
        elif rank and name == "unbind":
            for part in t.unbind(0):
                self.keep(part, wide)

    def keep(self, t: Any, wide: bool = False) -> None:
        if wide:
            self.wide.add(len(self.make))
        self.make.append(t)

    def as_lists(self) -> dict[str, Any]:
        """The record as lists of numbers and strings. Whether a leaf's hooks come early or late is the engine's."""
        return {"errors": self.errors, "hooks": sorted(self.seen, key=str),
                "values": [round_values(t.detach()) for t in self.make[:4]],
                "grads": [grad_of(t) for t in [*self.leaves, *self.retained]]}


def round_values(t: Any) -> Any:
    """The numbers of a tensor, to six places; a zero has no sign."""
    return (np.round(np.array(t.tolist(), float), 6) + 0.0).tolist()


def grad_of(t: Any) -> Any:
    """The numbers of a tensor's gradient; None when it has none."""
    return None if t.grad is None else round_values(t.grad)


def kind_of(error: RuntimeError) -> str:
    """What the record says of an error; the error itself when it is none of those that programs may meet."""
    for phrase, kind in KINDS:
        if phrase in str(error):
            return kind
    raise error


def run(engine: Any, steps: list[Step], **options: Any) -> dict[str, Any]:
    """The record of a program; it ends where backward fails."""
    record = Record(engine, options)
    for number, step in enumerate(steps):
        try:
            record.step(*step)
        except RuntimeError as error:
            record.errors.append(f"{number} {step[0]}: {kind_of(error)}")
            if kind_of(error) in LAST or (step[0] == "backward" and kind_of(error) == "dead view"):
                return {"errors": record.errors}
    return record.as_lists()
