"""Instructions of the paths that everyday calls take: counted by callgrind, so no noise of a machine is in them.

    python hot_paths.py [NAME ...]      what callgrind runs: each path in a shorter and a longer loop

Note [How instructions are counted]
    A path is looped FEWER and MORE times; the difference of the two counts, for each turn more, is the path's. What a
    first call loads, and what begins and ends a loop, falls out. Everything runs in one process: callgrind writes a
    part of its profile, and begins anew, whenever getppid() is called (--dump-before), which nothing else here does.
    One thread of BLAS, PYTHONHASHSEED=0 and nothing of the environment: then two runs of one build differ by less than
    1 in 100. Once in a dozen layouts of the heap two names share a place in Python's cache of methods, which costs some
    hundred instructions a turn; so a path that seems to have moved is counted again in another layout (PADDING).
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import timeit
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

FEWER, MORE = 200, 1200
NODES = 100
MARK = "getppid"
SETTINGS = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
            "PATH": os.defpath}
PADDING = "WENGERT_COUNTS_PADDING"
TOTALS = re.compile(r"^totals: (\d+)$", re.MULTILINE)

VALUES = """
import wengert as wg
F = wg.nn.functional
class Twice(wg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2.0
    @staticmethod
    def backward(ctx, grad):
        return grad * 2.0
apply = Twice.apply
x, y, m = wg.ones(4), wg.ones(4), wg.ones(8, 8)
r, p = wg.ones(4, requires_grad=True), wg.ones(8, 8, requires_grad=True)
index, mask = wg.tensor([0, 2]), wg.tensor([True, False, True, False])
row = wg.ones(8)
"""
"""The tensors that the paths name: x, y [4] and m [8, 8] plain; r [4] and p [8, 8] require gradients."""

STATEMENTS = """
x + y; x * y; x + 1.5; x.exp(); x.sum(); m @ m; x.add_(y); x > y; x[1]; m[:, 1:3]; x[index]; m[1] = 2.0
m.select(0, 1); m.view(64); x.detach(); x.clone(); x[0].item(); x.shape; wg.tensor([1.0]); wg.zeros(4)
wg.where(mask, x, y)
r + y; r * y; r * 1.5; r.exp(); r.sum(); p @ m; p[1]; p.select(0, 1); p[:, 1:3]; p.view(64); p.t(); r.detach()
F.relu(r); F.softmax(p, 1); F.linear(p, m, row); wg.cat([p, m]); apply(r); (r * y).sum().backward()
with wg.no_grad(): pass
"""
STEPS = {"add": "z + y", "mul": "z * y", "exp": "z.exp()", "select": "z[None][0]", "Function": "apply(z)"}
"""Chains of NODES steps whose gradient is asked for; select has two nodes in each."""


def names() -> list[str]:
    """All paths: statements, and the gradient of a step of a chain."""
    return [*(text.strip() for line in STATEMENTS.strip().splitlines() for text in line.split(";")), *map(label, STEPS)]


def label(step: str) -> str:
    return f"backward of {step}"


def loop_of(name: str) -> Callable[[int], Any]:
    """A function that runs a path as many times as it is told, with the cyclic garbage collector off."""
    step = next((text for key, text in STEPS.items() if label(key) == name), None)
    if step is None:
        return timeit.Timer(name, VALUES).timeit
    chain = f"z = r\nfor _ in range({NODES}): z = {step}\none = wg.ones(4)"
    return timeit.Timer("wg.autograd.grad(z, r, one, retain_graph=True)", f"{VALUES}\n{chain}").timeit


def main(some: Iterable[str]) -> None:
    """Run each path FEWER and MORE times, with a mark before and after."""
    padding = [f"padding {number}" for number in range(64 * int(os.environ.get(PADDING, "0")))]
    for name in some:
        run = loop_of(name)
        divided = NODES if name.startswith("backward") else 1
        run(20)
        for number in (FEWER, MORE):
            os.getppid()
            run(number // divided)
        os.getppid()
    del padding


def can_count() -> bool:
    """Whether valgrind is there."""
    return shutil.which("valgrind") is not None


def counts(some: Iterable[str] | None = None, layout: int = 0) -> dict[str, int]:
    """Instructions of one turn of each path. RuntimeError with what valgrind said where it cannot run.

    layout: another number puts the process's objects at other addresses.
    """
    some = list(names() if some is None else some)
    valgrind = shutil.which("valgrind") or "valgrind"
    variables = {**SETTINGS, PADDING: str(layout)}
    with tempfile.TemporaryDirectory() as folder:
        parts = Path(folder) / "part"
        command = [valgrind, "--tool=callgrind", f"--callgrind-out-file={parts}", f"--dump-before={MARK}",
                   sys.executable, str(Path(__file__).resolve()), *some]
        result = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
        if result.returncode:
            raise RuntimeError(f"valgrind ended with exit code {result.returncode}:\n{result.stderr[-2000:]}")
        totals = [total_of(Path(f"{parts}.{number}")) for number in range(1, 3 * len(some) + 1)]
    # Three marks for each path: before the shorter loop, before the longer one, at the end.
    pairs = [(totals[i + 1], totals[i + 2]) for i in range(0, len(totals), 3)]
    return {name: round((more - fewer) / (MORE - FEWER)) for name, (fewer, more) in zip(some, pairs, strict=True)}


def total_of(part: Path) -> int:
    """The instructions of one part of a profile."""
    found = TOTALS.search(part.read_text(encoding="utf-8"))
    if found is None:
        raise RuntimeError(f"callgrind wrote no totals into {part}")
    return int(found[1])


if __name__ == "__main__":
    main(sys.argv[1:] or names())
