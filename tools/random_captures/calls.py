"""Statements around the calls of a function: new arguments, writes, replaced tensors, backward passes, modes."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

from .program import Program


@dataclass
class Calls:
    """The calls of a program.

    results: names of results, which may have a graph.   outside: names of what is seen besides.   may_replace: whether
    a tensor from outside may be replaced by another.   has_modes: whether calls may be under ``no_grad`` and the like.
    """

    rng: random.Random
    program: Program
    count: int = 0
    results: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    may_replace: bool = True
    has_modes: bool = True

    def add(self, line: str) -> None:
        self.program.calls.append(line)

    def clear(self) -> str:
        """Return a statement that gives up all results."""
        names, self.results = sorted({f"r{n}" for n in range(self.count)}), []
        return " = ".join([*names, "None"]) + "\n" if names else ""

    def see(self, *names: str) -> None:
        """See results, arguments and everything outside."""
        self.add(f"see({', '.join([*names, *self.program.arguments, *self.outside])})")

    def call(self, function: str = "f") -> None:
        """Call the function, under a mode rarely, see its result, and run backward of it now, later or never."""
        rng, name = self.rng, f"r{self.count}"
        self.count += 1
        line = f"{name} = call({', '.join([function, *self.program.arguments])})"
        if self.has_modes and rng.random() < 0.06:
            line = f"with wg.{rng.choice(('no_grad', 'inference_mode', 'enable_grad'))}():\n    {line}"
        self.add(line)
        self.see(name)
        self.results.append(name)
        self.use_results()

    def use_results(self) -> None:
        """Run backward of results, or write to them."""
        rng = self.rng
        if self.results and rng.random() < 0.6:
            name = self.results.pop(rng.randrange(max(len(self.results) - 2, 0), len(self.results)))
            leaves = ", ".join([*self.program.arguments, *self.outside])
            self.add(rng.choice((
                f"call(backward, {name})", f"call(backward, {name})", f"call(backward, {name}, retain_graph=True)",
                f"see(call(gradients, {name}, [{leaves}]))",
                f"see(call(gradients, {name}, [{leaves}], retain_graph=True))",
                "\n".join((f"g = call(gradients, {name}, [{leaves}], create_graph=True)", "see(g)",
                           f"see(nearly(call(gradients, g, [{leaves}])))", "g = None")),
            )))  # fmt: skip
            if "retain_graph" in self.program.calls[-1]:
                self.results.append(name)
            self.see(name)
        elif self.results and rng.random() < 0.2:
            name = rng.choice(self.results)
            self.add(f"call(write_results, {name})\n{self.clear()}".rstrip())  # a result may be an argument

    def change(self) -> None:
        """Change something between two calls; what has a graph from before is given up first."""
        rng, number = self.rng, self.rng.randrange(1, 9)
        tensors = [name for name in self.outside if name[0] in "wip"]
        choice = rng.random()
        argument = rng.choice(self.program.arguments) if self.program.arguments else ""
        if self.program.changes and self.may_replace and rng.random() < 0.4:
            self.add(self.clear() + rng.choice(self.program.changes))
            return
        if choice < 0.45 and argument:
            self.add(f"{argument} = call(renew, {argument}, {number})")
        elif choice < 0.55 and argument:
            self.add(f"{self.clear()}call(write, {argument}, {number})")
        elif choice < 0.72 and tensors:
            self.add(f"{self.clear()}call(write, {rng.choice(tensors)}, {number})")
        elif choice < 0.82 and tensors and self.may_replace:
            name = rng.choice(tensors)
            self.add(f"{self.clear()}{name} = call(renew, {name}, {number})")
        elif choice < 0.9 and tensors:
            self.add(f"{rng.choice(tensors)}.grad = None")
        elif choice < 0.93:
            self.add(f"wg.manual_seed({number})")
        elif choice < 0.96 and argument:
            self.add(f"{argument} = {argument}.detach().requires_grad_({argument}.is_floating_point())")


def names_made(lines: list[str]) -> list[str]:
    """Return the names of what is made outside, of tensors, modules and optimizers."""
    return [found.group(1) for line in lines for found in [re.match(r"([wipmosd]\d*) = ", line)] if found]


def add_calls(rng: random.Random, program: Program) -> None:
    """Add calls, and changes between them."""
    calls = Calls(rng, program, outside=names_made(program.outside))
    for _ in range(rng.randrange(4, 9) + 4 * (program.kind == "training")):  # the first make the optimizer's state
        calls.call()
        for _ in range(rng.choice((0, 1, 1, 2))):
            calls.change()


def add_reload(rng: random.Random, program: Program) -> None:
    """Add calls, save the program, and go on with the loaded one."""
    calls = Calls(rng, program, outside=names_made(program.outside), has_modes=False)
    for _ in range(3):
        calls.call()
        calls.change()
    tensors = [name for name in calls.outside if name[0] in "wip"]
    names = ", ".join(f'"{name}": {name}' for name in tensors)
    lines = [f"{calls.clear()}f, tensors = reload(f, {{{names}}})"]
    lines += [*(f'{name} = tensors["{name}"]' for name in tensors), "tensors = None"]
    calls.may_replace = False
    calls.add("\n".join(lines))
    for _ in range(4):
        calls.call()
        calls.change()
