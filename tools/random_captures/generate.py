"""Random programs of each kind. The same seed gives the same program.

Note [Statements that fail]
    A statement is kept where the function still runs without an error, so that programs get as far as their results.
    One of twenty is kept all the same: errors must be the same as those of the plain function, too.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from . import control, extras, plain, training, transforms
from .calls import add_calls, add_reload
from .program import Program

KINDS: dict[str, Callable[[random.Random, Program], None]] = {
    "plain": plain.fill, "training": training.fill, "transforms": transforms.fill, "control": control.fill,
    "extras": extras.fill, "saved": plain.fill,
}  # fmt: skip
"""Fill a program's ``outside``, ``body``, ``results``, ``arguments`` and ``inputs``."""
TO_FILES = ("plain", "training", "control")


def random_capture(seed: int, kind: str = "plain") -> Program:
    """Return a program of a kind."""
    rng = random.Random(f"{kind} {seed}")
    program = Program(kind, seed)
    KINDS[rng.choice(TO_FILES) if kind == "saved" else kind](rng, program)
    if kind == "saved":
        add_reload(rng, program)
    else:
        add_calls(rng, program)
    return program
