"""The text of the i-th call of a seed: a plausible one with hostile arguments in it, or a random one."""

from __future__ import annotations

import re
from functools import cache
from random import Random

from tools.hostile import words
from tools.hostile.rows import Arguments, parameters, samples
from tools.hostile.targets import Target
from tools.hostile.values import MADE as INSTANCES

NAMES = "abcdefgh"
OPERATORS = {
    "getitem": "index", "setitem": "index_put", "truediv": "div", "rtruediv": "div", "itruediv": "div",
    "floordiv": "floor_divide", "mod": "remainder", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift", "invert": "bitwise_not", "divmod": "div",
}  # fmt: skip
"""The op of an operator, where it is not called like that."""
AROUND = """
after({0})
after({0})
repr({0})
copy.copy({0})
copy.deepcopy({0})
pickle_round_trip({0})
items({0})
bool({0})
inside(wengert.inference_mode(), lambda: {0})
inside(wengert.autograd.profiler.profile(), lambda: {0})
inside(wengert.autograd.graph.save_on_cpu(), lambda: {0})
inside(wengert.device('sim'), lambda: {0})
""".strip().splitlines()
"""Expressions around a call."""
TRANSFORMS = """
wengert.vmap(lambda v, *w: {0})(T(2, 3), T(2, 3))
wengert.func.grad(lambda v, *w: {0})(T(2, 3), T(2, 3))
wengert.func.jvp(lambda v, *w: {0}, (T(2, 3),), (T(2, 3),))
""".strip().splitlines()
"""Expressions around a call whose first argument is ``v``."""
INTEGER = re.compile(r"(?<![\w.'*-])-?\d+(?![\w.'*])")
KEYWORDS = ["dtype", "device", "dim", "generator", "requires_grad", "keepdim", "size"]


class Writer:
    """Writes calls of the targets."""

    def __init__(self, targets: list[Target]) -> None:
        self.targets = targets
        self.samples = samples()
        self.parameters = cache(parameters)
        self.weights = [weight(target) for target in targets]

    def source(self, seed: int, i: int) -> tuple[Target, str]:
        """The i-th call of a seed: always the same."""
        random = Random(f"{seed} {i}")
        target = random.choices(self.targets, self.weights)[0]
        if target.kind == "half" and random.random() < 0.5:
            return target, self.wrap_call(random, target.text, [])
        given = self.plausible(random, target) if random.random() < 0.9 else self.arbitrary(random, target)
        names = list(NAMES[: max(len(given.args), 1)])
        for _ in range(random.choice([0, 1, 1, 1, 2, 3])):
            self.spoil(random, given, names)
        args = [f"({name} := {text})" for text, name in zip(given.args, NAMES, strict=False)]
        args += given.args[len(NAMES) :]
        args += [f"{name}={text}" for name, text in given.kwargs.items()]
        return target, self.wrap_call(random, target.text, args)

    def wrap_call(self, random: Random, target: str, args: list[str]) -> str:
        """The call, sometimes inside of another one."""
        call = f"{target}({', '.join(args)})" if args or not target.startswith("half(") else target
        if random.random() > 0.15 or not args:
            return call
        if random.random() < 0.7:
            return random.choice(AROUND).format(call)
        return random.choice(TRANSFORMS).format(f"{target}({', '.join(['v', *args[1:]])})")

    def plausible(self, random: Random, target: Target) -> Arguments:
        """Arguments of a sample, else by the names of the parameters."""
        known = self.known_samples(target.op)
        if known and (target.kind == "function" or target.owner == "Tensor"):
            sample = random.choice(known)
            return Arguments(list(sample.args), dict(sample.kwargs))
        given = Arguments()
        if target.kind in ("method", "property"):
            given.args.append(self.receiver(random, target))
        if target.kind == "property":
            if not target.text.endswith(("__get__", "__delete__")):
                given.args.append(words.hostile(random, list(NAMES[:1])))
            return given
        listed = self.parameters(target.text)
        for name, needed in listed[1 if target.kind == "method" else 0 :]:
            if needed or random.random() < 0.3:
                if needed:
                    given.args.append(words.plain(random, name))
                else:
                    given.kwargs[name] = words.plain(random, name)
        if not listed:
            given.args += [words.plain(random, "") for _ in range(random.randrange(3))]
        return given

    def known_samples(self, op: str) -> list[Arguments] | None:
        """The samples of an op; an in-place one and an operator have those of the op itself."""
        plain = op.strip("_")
        return next(filter(None, map(self.samples.get, (op, plain, OPERATORS.get(plain, ""), plain[1:]))), None)

    def arbitrary(self, random: Random, target: Target) -> Arguments:
        """Any number of anything."""
        given = Arguments()
        if target.kind in ("method", "property") and random.random() < 0.7:
            given.args.append(self.receiver(random, target))
        given.args += [words.hostile(random, list(NAMES[:3])) for _ in range(random.choice([0, 1, 1, 2, 2, 3, 4, 6]))]
        return given

    def receiver(self, random: Random, target: Target) -> str:
        """Return the text of ``self``: most often of the right class."""
        half = f"half({target.of})"
        if random.random() < 0.1:
            return random.choice([words.hostile(random, []), half])
        if target.owner == "Tensor":
            return words.tensor(random) if random.random() < 0.6 else words.plain(random, "self")
        return f"instance({target.owner!r})" if target.owner in INSTANCES else half

    def spoil(self, random: Random, given: Arguments, names: list[str]) -> None:
        """Replace, remove or add an argument."""
        kind = random.random()
        if kind < 0.15:
            self.oversize(random, given)
        elif kind < 0.7 and given.args:
            i = random.randrange(len(given.args))
            given.args[i] = self.other(random, given.args[i], names)
        elif kind < 0.78 and given.args:
            given.args.pop(random.randrange(len(given.args)))
        elif kind < 0.85:
            given.args.append(words.hostile(random, names))
        elif kind < 0.93:
            one = names[0] if given.args else "T(2)"
            given.kwargs["out"] = random.choice([one, f"transposed_view({one})", words.tensor(random)])
        elif given.kwargs:
            name = random.choice(list(given.kwargs))
            given.kwargs[name] = self.other(random, given.kwargs[name], names)
        else:
            given.kwargs[random.choice(KEYWORDS)] = words.hostile(random, names)

    def oversize(self, random: Random, given: Arguments) -> None:
        """Put one hostile size in the place of most ints: what overflows is a sum or a product of two of them."""
        size = random.choice(words.SIZES)

        def large(text: str) -> str:
            if "nested" in text or "'" in text or (not text.startswith(("(", "[", "-")) and not text[:1].isdigit()):
                return text  # how deep a list is nested is no size (a loop makes it), nor is a digit in a string
            return INTEGER.sub(lambda found: size if random.random() < 0.8 else found[0], text)

        given.args[:] = map(large, given.args)
        given.kwargs.update({name: large(text) for name, text in given.kwargs.items()})

    def other(self, random: Random, text: str, names: list[str]) -> str:
        """Return the text that takes an argument's place: most often of its kind."""
        return words.kin(random, text, names) if random.random() < 0.75 else words.hostile(random, names)


def weight(target: Target) -> float:
    """Return the frequency of a target's calls, beside the others: most have many half-made objects' attributes."""
    if target.kind == "function":
        return 20
    if target.owner == "Tensor" and target.kind == "method":
        return 8
    if target.owner not in INSTANCES or target.kind == "half":
        return 0.5
    return 1 if target.op.startswith("__") and target.kind == "method" else 4
