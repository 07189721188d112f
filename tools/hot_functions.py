"""Write hot.txt of each package that has one: the functions that everyday calls run.

What it is for: Note [Hot functions] in wengert_builder/options.py.

    python3 -m tools.hot_functions

A day's calls are run under callgrind (Debian: valgrind), once with rounds and once without, in a copy of the working
tree that is built with the names of functions (.venv-symbols/). Worth doing where the paths of calls have changed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tools.workspace.packages import ROOT
from tools.workspace.toolchain import DEBIAN, python_of, stop
from tools.workspace.working_copy import make_copy

HOME = ROOT / ".venv-symbols"
ROUNDS = 400
LEAST = 10
"""Instructions of a round from which on a function is hot."""
LINE = re.compile(r"\s*([\d,]+) \(.*?\)\s+\S*?:(\S+) \[.*/(wengert_\w+)/_native[^/]*\]$")
PROGRAM = """
import sys
import wengert as wg

F = wg.nn.functional
r, m = wg.ones(8, 8, requires_grad=True), wg.ones(8, 8)
x, y, z = wg.ones(4), wg.ones(4), wg.zeros(4)
index, mask = wg.tensor([0, 2]), wg.tensor([True, False, True, False])

def recorded():
    a = ((r + m) * 2.0 * m - 1.5).exp() @ m / 2
    f = a.reshape(64)
    parts = [a.select(0, 1), a[1], a[1:3], a[:, 1:3], f, a.transpose(0, 1), a.t(), f.view(8, 8), a.sum(), a.sum(0),
             a.mean(1), a.permute(1, 0).unsqueeze(0).squeeze(0), a.tanh().sigmoid(), F.relu(a), F.softmax(a, 1),
             a.log_softmax(1), wg.cat([a, m]), wg.stack([a, m]), a.clone(), -a, a.pow(2), a.expand(8, 8)]
    total = a.detach().sum()
    for part in parts:
        total = total + part.sum()
    total.backward()
    r.grad = None

def plain():
    z.add_(y), z.copy_(y), z.zero_(), z.fill_(1.0), x.add(y), x * y, x + 1.5, x * 1.5, x.exp(), x > y, x == y
    m[1], m.select(0, 1), m[1:3], m @ m, m.view(64), m.contiguous(), x[index], wg.where(mask, x, y), x[0].item()
    wg.zeros(4), wg.tensor([1.0]), x.size(0), x.shape
    z[1] = 2.0
    x.masked_fill(mask, 0.0), x.gather(0, index), x.detach(), x.argmax(), m.cumsum(0), wg.add(x, y, out=z)

for _ in range(int(sys.argv[1])):
    recorded()
    with wg.no_grad():
        plain()
"""


def instructions(python: Path, rounds: int) -> dict[tuple[str, str], int]:
    """Instructions of each function of ours, by package and name."""
    data = HOME / f"callgrind.{rounds}"
    settings = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={data}", str(python), "-c", PROGRAM, str(rounds)]
    subprocess.run(command, env=settings, check=True, capture_output=True)
    command = ["callgrind_annotate", "--threshold=100", "--auto=no", str(data)]
    table = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {(found[3], found[2].partition("'")[0]): int(found[1].replace(",", ""))
            for found in map(LINE.match, table.splitlines()) if found}  # fmt: skip


def hot(python: Path) -> dict[str, list[str]]:
    """Names of hot functions by package, the busiest first, without helpers that Cython writes into every module."""
    every, none = instructions(python, ROUNDS), instructions(python, 0)
    costs = {key: count - none.get(key, 0) for key, count in every.items() if not key[1].startswith("__Pyx")}
    names: dict[str, list[str]] = {}
    for (package, name), cost in sorted(costs.items(), key=lambda pair: -pair[1]):
        if cost >= LEAST * ROUNDS:
            names.setdefault(package, []).append(name)
    return names


def main() -> int:
    """Build, run, write."""
    if not shutil.which("valgrind"):
        raise stop(f"there is no valgrind {DEBIAN.format('valgrind')}")
    tree = make_copy(HOME / "tree")
    for file in tree.glob("packages/*/hot.txt"):
        file.write_text("", encoding="utf-8")  # valgrind knows no package of what lies in a section of its own
    command = [sys.executable, "-m", "tools.workspace.bootstrap", "--venv", str(tree / ".venv"), "--groups", "test"]
    subprocess.run(command, cwd=tree, env={**os.environ, "WENGERT_SYMBOLS": "1"}, check=True)
    for package, names in hot(python_of(tree / ".venv")).items():
        file = ROOT / "packages" / package.removeprefix("wengert_") / "hot.txt"
        if not file.exists():
            continue
        file.write_text("\n".join(names) + "\n", encoding="utf-8")
        print(f"hot_functions: {len(names)} of {package}, in {file.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
