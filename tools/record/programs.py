"""Run random programs of `wengert_testing.programs` in PyTorch and write what they gave.

The file is tests/torch_parity/recorded/programs.jsonl.

Run it with a Python that has torch 2.13 and NumPy, with shared/testing/src on its path:
``PYTHONPATH=shared/testing/src python -m tools.record programs [N]``.
Each program runs in a process of its own: a few crash PyTorch, which is recorded as null.
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path
from typing import Any

from wengert_testing.programs import Step, random_program, run

RARE = (101_849,)  # seeds of programs with an error that the first ones do not meet: an input in the written memory
FILE = Path(__file__).resolve().parents[2] / "tests" / "torch_parity" / "recorded" / "programs.jsonl"


def recorded(steps: list[Step]) -> Any:
    """The record of a program; None when the process dies of it."""
    import torch

    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with os.fdopen(writer, "w") as pipe:
                json.dump(run(torch, steps, dtype=torch.float64), pipe)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def main() -> None:
    """Write one line for each program: [steps, record]."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    lines = []
    for seed in (*range(n), *RARE):
        steps = random_program(random.Random(seed))
        lines.append(json.dumps([steps, recorded(steps)], separators=(",", ":")))
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{FILE.name}: {len(lines)} programs, {sum(line.endswith(',null]') for line in lines)} crash PyTorch")


if __name__ == "__main__":
    main()
