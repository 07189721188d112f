"""Functions of operations, views, writes, out=, backward passes and gradients."""

from __future__ import annotations

import random

from .body import Body
from .program import Program


def fill(rng: random.Random, program: Program) -> None:
    """Fill a program with statements of tools/random_programs."""
    body = Body(rng, program)
    body.make_tensors(chance=rng.choice((0.0, 0.3, 0.8)))
    for _ in range(rng.randrange(2, 11)):
        body.add_statement()
    body.return_some()
