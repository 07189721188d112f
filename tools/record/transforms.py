"""Ask PyTorch for transforms of random functions and write tests/torch_parity/recorded/transforms.jsonl.

Run it with a Python that has torch 2.13: ``python -m tools.record transforms [N]``. What PyTorch refuses is
not written: messages have tests of their own.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

from tools.record.random_functions import random_function, random_transform

ORACLE = Path(__file__).resolve().parents[2] / "tests" / "torch_parity" / "recorded"
sys.path.insert(0, str(ORACLE))


def answered(torch: Any, seed: int) -> str | None:
    """A line of the file: [shape, function, transform, answer]; None for what PyTorch refuses or is not finite."""
    from oracle_transforms import run  # type: ignore[import-not-found,unused-ignore]

    rng = random.Random(seed)
    shape, source = random_function(rng)
    transform = random_transform(rng, source)
    answer = run(torch, shape, source, transform)
    text = json.dumps([list(shape), source, transform, answer], separators=(",", ":"))
    return None if isinstance(answer, str) or "NaN" in text or "Infinity" in text or len(text) > 4000 else text


def main() -> None:
    import torch

    n, seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1000, 0
    lines: list[str] = []
    while len(lines) < n:
        line = answered(torch, seed)
        lines += [line] if line is not None else []
        seed += 1
    (ORACLE / "transforms.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"transforms.jsonl: {n} of {seed} programs")


if __name__ == "__main__":
    main()
