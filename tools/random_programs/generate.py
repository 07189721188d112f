"""Random programs: lines that make leaves, and statements over them. The same seed gives the same programs.

>>> from random_programs.generate import random_program
>>> random_program(0) == random_program(0)
True
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from . import forms
from .calls import arrays, call_text, table
from .literals import FLOATING, WHOLE, random_tensor, tensor_of

SHAPES = (
    (2, 3), (2, 3), (2, 3), (3, 3), (3, 3), (3,), (4,), (), (2, 1, 3), (2, 3, 2), (1, 3), (1,), (0, 3), (1, 2, 3, 2)
)
KINDS = ("pointwise", "view", "reduced", "in place", "backward", "gradient", "call", "transform", "forward")
TANGENTS = ("torch.ones_like({a})", "{a}.detach()", "{b}", "{b} * 2", "torch.full_like({a}, 0.5)")


@dataclass
class Program:
    """A program that grows. shapes: of its tensors, as far as they are known; leaves: those that require gradients."""

    rng: random.Random
    lines: list[str] = field(default_factory=list)
    shapes: dict[str, tuple[int, ...] | None] = field(default_factory=dict)
    leaves: list[str] = field(default_factory=list)
    count: int = 0

    def name(self) -> str:
        """A new name."""
        self.count += 1
        return f"v{self.count}"

    def leaf(self, text: str, shape: tuple[int, ...], dtype: str, chance: float = 0.75) -> str:
        """The name of a new leaf with this text; it may require a gradient."""
        name = f"x{len(self.shapes)}"
        differentiable = dtype.startswith(("float", "bfloat", "complex")) and self.rng.random() < chance
        self.lines.append(f"{name} = {text}" + ".requires_grad_()" * differentiable)
        self.shapes[name] = shape
        if differentiable:
            self.leaves.append(name)
        return name

    def pick(self) -> str:
        """A tensor of the program, a late one mostly."""
        names = list(self.shapes)
        return self.rng.choice(names[-3:] if self.rng.random() < 0.6 else names)

    def fill(self, form: str, **words: str) -> str:
        """A form with tensors in its places."""
        first = self.pick()
        shape = self.shapes[first]
        alike = [name for name, other in self.shapes.items() if other == shape]
        second = self.rng.choice(alike) if self.rng.random() < 0.75 else self.pick()
        return form.format(a=first, b=second, l=self.rng.choice(self.leaves or [first]), **words)

    def assign(self, text: str, shape: tuple[int, ...] | None = None) -> None:
        """A statement that gives a value a name."""
        name = self.name()
        self.lines.append(f"{name} = {text}")
        self.shapes[name] = shape


def random_program(seed: int) -> list[str]:
    """The lines of a program; a statement of several lines is one entry."""
    rng = random.Random(seed)
    program = Program(rng)
    shape, dtype = rng.choice(SHAPES), rng.choice(FLOATING if rng.random() < 0.85 else WHOLE)
    for number in range(rng.randrange(1, 4)):
        own = dtype if rng.random() < 0.8 else rng.choice(FLOATING + WHOLE)
        size = shape
        if number and rng.random() >= 0.75:
            size = rng.choice((shape[-1:], shape[1:], (1, *shape), rng.choice(SHAPES)))
        program.leaf(random_tensor(rng, size, own), size, own)
    for _ in range(rng.randrange(2, 9)):
        statement(program)
    return program.lines


def statement(program: Program) -> None:
    """Append one statement."""
    rng = program.rng
    kind = rng.choices(KINDS, (18, 16, 13, 17, 12, 7, 22, 6, 5))[0]
    start = len(program.lines)
    if kind == "pointwise":
        text = program.fill(rng.choice(forms.POINTWISE))
        program.assign(text)
        program.shapes[f"v{program.count}"] = next((s for n, s in program.shapes.items() if n in text), None)
    elif kind in ("view", "reduced"):
        program.assign(program.fill(rng.choice(forms.VIEWS if kind == "view" else forms.REDUCED)))
    elif kind in ("in place", "backward"):
        program.lines.append(program.fill(rng.choice(forms.IN_PLACE if kind == "in place" else forms.BACKWARD)))
    elif kind == "gradient":
        program.assign(program.fill(rng.choice(forms.GRADIENTS)))
    elif kind == "call":
        sampled_call(program)
    elif kind == "transform":
        inner = rng.choice(forms.INNER).format(b=program.pick())
        program.assign(f"first({program.fill(rng.choice(forms.TRANSFORMS), f=inner)})")
    else:
        forward_mode(program)
    if kind not in ("forward",) and rng.random() < 0.07:
        body = program.lines.pop()
        assert len(program.lines) >= start
        program.lines.append(f"with {rng.choice(forms.MODES)}:\n    {body}")


def forward_mode(program: Program) -> None:
    """Append a statement with a dual number in it, or a dual level around a plain call."""
    dual, out, unpacked = program.name(), program.name(), program.name()
    inner = program.rng.choice(forms.INNER).format(b=program.pick())
    body = forms.FORWARD.replace("{t}", program.rng.choice(TANGENTS))
    program.lines.append(program.fill(body, d=dual, o=out, p=unpacked, f=inner))
    program.shapes |= {f"{unpacked}_primal": None, f"{unpacked}_tangent": None}


def sampled_call(program: Program) -> None:
    """Append a call of an operation, with a row of the table of samples."""
    rng = program.rng
    path, samples = rng.choice(table())
    sample = rng.choice(samples)
    names: dict[int, str] = {}
    dtype = rng.choice(FLOATING) if rng.random() < 0.3 else "float64"
    chance = rng.choice((0.0, 0.8, 1.0))
    for array in in_order(sample):
        names[id(array)] = argument(program, array, dtype, chance)
    out = None
    if rng.random() < 0.08:
        empty = f"torch.empty(0, dtype=torch.{dtype})"
        out = program.leaf(empty, (0,), dtype, 0.1) if rng.random() < 0.5 else program.pick()
    if rng.random() < 0.08:
        sample = spoil_sample(rng, sample)
    text = call_text(rng, path, sample, names, out)
    for number, wrong in enumerate(forms.WRONG):
        text = text.replace(repr(Wrong(number)), wrong)
    program.assign(f"first({text})")


class Wrong:
    """Stands for a wrong argument in a sample."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __repr__(self) -> str:
        return f"<wrong {self.number}>"


def spoil_sample(rng: random.Random, sample: Any) -> Any:
    """A sample with one argument replaced by a wrong one, or with one more."""
    args, words = list(sample[0]), dict(sample[1])
    wrong = Wrong(rng.randrange(len(forms.WRONG)))
    if words and rng.random() < 0.4:
        words[rng.choice(sorted(words))] = wrong
    elif args and rng.random() < 0.9:
        args[rng.randrange(len(args))] = wrong
    else:
        args.append(wrong)
    return tuple(args), words


def in_order(value: Any) -> list[Any]:
    """The arrays of a sample."""
    found: list[Any] = arrays(value)
    return found


def argument(program: Program, array: Any, dtype: str, chance: float) -> str:
    """The name of a tensor for an array of a sample: one that the program has, or a new leaf."""
    rng = program.rng
    if array.dtype.kind == "f":
        alike = [name for name, shape in program.shapes.items() if shape == array.shape]
        if alike and rng.random() < 0.7:
            return rng.choice(alike)
        if rng.random() < 0.12:
            return program.pick()
    own = dtype if array.dtype.kind == "f" else array.dtype.name
    return program.leaf(tensor_of(rng, array, own), array.shape, own, chance)
