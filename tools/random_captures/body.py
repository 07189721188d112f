"""A function that grows statement by statement, by the forms of tools/random_programs."""

from __future__ import annotations

import random

from tools.random_programs import forms, literals
from tools.random_programs import generate as programs

from .program import Program
from .run import fails

FAILING = 0.05  # the chance that a statement that fails is kept


class Body(programs.Program):
    """The statements of a program's function. Tensors that it finds outside have names w0, w1, arguments a0, a1."""

    def __init__(self, rng: random.Random, program: Program) -> None:
        super().__init__(rng)
        self.program = program
        self.lines = []

    def leaf(self, text: str, shape: tuple[int, ...], dtype: str, chance: float = 0.75) -> str:
        """Make a tensor outside, or an argument."""
        rng, program = self.rng, self.program
        is_argument = not program.body and rng.random() < 0.5
        names = program.arguments if is_argument else program.outside
        name = f"{'a' if is_argument else 'w'}{len(names)}"
        differentiable = dtype.startswith(("float", "bfloat", "complex")) and rng.random() < chance
        line = spell(f"{name} = {text}") + ".requires_grad_()" * differentiable
        if is_argument:
            program.arguments.append(name)
            program.inputs.append(line)
        else:
            program.outside.append(line)
        self.shapes[name] = shape
        if differentiable:
            self.leaves.append(name)
        return name

    def make_tensors(self, chance: float, dtypes: tuple[str, ...] = ()) -> None:
        """Make one argument at least, and some tensors of shapes that fit together. chance: to require a gradient."""
        rng, program = self.rng, self.program
        shape = rng.choice(programs.SHAPES)
        dtype = rng.choice(dtypes or (literals.FLOATING if rng.random() < 0.85 else literals.WHOLE))
        for number in range(rng.randrange(2, 5)):
            own = dtype if rng.random() < 0.8 else rng.choice(dtypes or literals.FLOATING + literals.WHOLE)
            fits = not number or rng.random() < 0.75
            size = shape if fits else rng.choice((shape[-1:], (1, *shape), rng.choice(programs.SHAPES)))
            self.leaf(literals.random_tensor(rng, size, own), size, own, chance)
        if not program.arguments:
            program.arguments.append("a0")
            program.inputs.append(spell(f"a0 = {literals.random_tensor(rng, shape, dtype)}"))
            self.shapes["a0"] = shape

    def add(self, line: str, *, wrapped: float = 0.0) -> bool:
        """Add a statement if the function runs with it. wrapped: the chance that it is put under a mode."""
        if self.rng.random() < wrapped:
            mode = spell(self.rng.choice(forms.MODES))
            line = f"with {mode}:\n" + "\n".join(f"    {part}" for part in line.split("\n"))
        self.program.body.append(spell(line))
        if fails(trial(self.program)) and self.rng.random() >= FAILING:
            self.program.body.pop()
            return False
        return True

    def assign_form(self, form: str, **words: str) -> bool:
        """Add a statement that gives a value a name."""
        text = self.fill(form, **words)
        name = self.name()
        if not self.add(f"{name} = {text}", wrapped=0.05):
            return False
        self.shapes[name] = next((shape for other, shape in self.shapes.items() if other in text), None)
        return True

    def add_forward(self, inner: str) -> bool:
        """Add a dual number that goes through a function. inner: the function's body, of t."""
        known = dict(self.shapes)
        dual, out, unpacked = self.name(), self.name(), self.name()
        form = forms.FORWARD.replace("{t}", self.rng.choice(programs.TANGENTS))
        if self.add(self.fill(form, d=dual, o=out, p=unpacked, f=inner)):
            self.shapes |= {f"{unpacked}_primal": None, f"{unpacked}_tangent": None}
            return True
        self.shapes = known
        return False

    def add_statement(self) -> bool:
        """Add a statement of tools/random_programs, of any kind but transforms."""
        known, outside, inputs = dict(self.shapes), list(self.program.outside), list(self.program.inputs)
        self.lines = []
        programs.statement(self)
        lines, self.lines = self.lines, []
        added = [self.add(line) for line in lines]
        if all(added):
            return True
        self.shapes = known
        self.program.outside, self.program.inputs = outside, inputs
        return False

    def return_some(self) -> None:
        """Return some values: late ones, rarely arguments and tensors from outside."""
        own = [name for name in self.shapes if name[0] == "v"]
        rng = self.rng
        names = own[-4:] if rng.random() < 0.9 else list(self.shapes)
        chosen = [name for name in names if rng.random() < 0.6] or names[-1:]
        self.program.results = chosen
        if fails(trial(self.program)):
            self.program.results = [name for name in chosen if not self.is_unbound(name)]

    def is_unbound(self, name: str) -> bool:
        """Return whether a variable has no value at the end."""
        self.program.results = [name]
        return bool(fails(trial(self.program)))


def spell(text: str) -> str:
    """Return a form's text with the names of wengert."""
    return text.replace("torch.", "wg.")


def trial(program: Program) -> str:
    """Return the text of one plain call."""
    once = program.copy()
    once.calls = [f"f({', '.join(program.arguments)})"]
    return once.text()
