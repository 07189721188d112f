"""Build sdists and wheels of all packages into dist/, look into them, and use them in an empty environment.

Each wheel is built from its sdist in an isolated environment, as a user's pip would build it.
"""

import os
import re
import shutil
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

from tools.workspace.packages import ROOT, Package, normal_name, outside_requirements, packages
from tools.workspace.toolchain import create_environment, python_of, run_or_stop, stop

DIST = ROOT / "dist"
NOT_IN_WHEELS = (".pyx", ".pxi", ".c", ".cpp")
NOT_IN_SDISTS = (".so", ".c", ".cpp", ".pyc")
NATIVE = "wengert_builder/native.c"
"""The one C file that is written by hand: the builder compiles it into each shared object."""
TRY = """
import wengert as wg
x = wg.tensor([1.0, 2.0, 3.0], requires_grad=True)
(x * x).sum().backward()
assert x.grad.tolist() == [2.0, 4.0, 6.0], x.grad
"""
TRY_ALL = """
import io
import numpy
import wengert as wg
x = wg.tensor([0.0], requires_grad=True)
wg.special.i1(x).sum().backward()
assert x.grad.tolist() == [0.5], x.grad
assert [step.name for step in wg.autograd.graph.walk(x.exp())] == ["ExpBackward0", "AccumulateGrad"]
assert wg.func.grad(wg.sin)(wg.tensor(0.0)).item() == 1.0
assert wg.compile(wg.sin)(wg.zeros(1)).item() == 0.0
assert [wg.capture(wg.cos)(wg.zeros(1)).item() for _ in range(2)] == [1.0, 1.0]
assert wg.autograd.gradcheck(wg.sin, wg.zeros(1, dtype=wg.float64, requires_grad=True))
assert numpy.exp(wg.zeros(1)).tolist() == [1.0]
model, file = wg.nn.Linear(1, 1), io.BytesIO()
optimizer = wg.optim.Adam(model.parameters())
for (batch,) in wg.utils.data.DataLoader(wg.utils.data.TensorDataset(wg.ones(4, 1)), batch_size=2):
    model(batch).sum().backward()
    optimizer.step()
wg.save(model.state_dict(), file)
file.seek(0)
assert wg.equal(wg.load(file)["weight"], model.weight)
assert wg.distributions.Normal(0.0, 1.0).sample().shape == ()
assert wg.as_torch().nn.Linear is wg.nn.Linear
wg.distributed.init_process_group("self")
wg.distributed.all_reduce(wg.ones(2))
wg.distributed.destroy_process_group()
with wg.autograd.profiler.profile() as prof:
    x.exp()
assert wg.eye(2).to_sparse().values().tolist() == [1.0, 1.0]
wg.profiler.export_flame_graph(prof, "/dev/null")
assert [row.key for row in prof.key_averages()] == ["aten::exp"]
"""
OPTIONAL = (
    "compat", "data", "distributed", "distributions", "functional", "gradcheck", "graph", "nn", "numpy", "optim",
    "profiler", "replay", "serialization", "sparse", "special",
)  # fmt: skip
"""The extras whose parts are built here: with them every wheel is installed."""


def say(text: str) -> None:
    print(f"build: {text}", flush=True)


def build(package: Package, work: Path) -> list[Path]:
    """The sdist and wheel of one package; those of the packages below it are taken from dist/."""
    start = time.perf_counter()
    links = " ".join(filter(None, [str(DIST), os.environ.get("PIP_FIND_LINKS", "")]))
    command = [sys.executable, "-m", "build", "--outdir", str(work), str(package.folder)]
    run_or_stop(command, f"{package.name} cannot be built", PIP_FIND_LINKS=links)
    files = sorted(work.iterdir())
    for file in files:
        inspect(file, package)
        if file.suffix == ".whl":
            pack_tighter(file)
        shutil.move(file, DIST / file.name)
    sizes = ", ".join(f"{file.name} {(DIST / file.name).stat().st_size / 1e3:.0f} kB" for file in files)
    say(f"{package.name}: {sizes} ({time.perf_counter() - start:.0f} s)")
    return [DIST / file.name for file in files]


def pack_tighter(file: Path) -> None:
    """Compress a wheel's files as far as zip can: setuptools stops a little before."""
    packed = file.with_suffix(".packed")
    with zipfile.ZipFile(file) as wheel, zipfile.ZipFile(packed, "w") as target:
        for entry in wheel.infolist():
            target.writestr(entry, wheel.read(entry), zipfile.ZIP_DEFLATED, 9)
    packed.replace(file)


def inspect(file: Path, package: Package) -> None:
    """Stop if a distribution holds what it must not hold, or lacks a file of the source tree."""
    is_wheel = file.suffix == ".whl"
    if is_wheel:
        with zipfile.ZipFile(file) as wheel:
            held = wheel.namelist()
    else:
        with tarfile.open(file) as sdist:
            held = [name.partition("/")[2] for name in sdist.getnames()]
    unwanted = [name for name in held if name.endswith(NOT_IN_WHEELS if is_wheel else NOT_IN_SDISTS)]
    unwanted = [name for name in unwanted if not name.endswith(NATIVE)]
    missing = sorted(set(expected_files(package, is_wheel)) - set(held))
    if unwanted or missing:
        raise stop(f"{file.name}: should not hold {unwanted}; lacks {missing}")
    built = [name for name in held if name.endswith(".so")]
    if is_wheel and len(built) != bool(package.modules):
        raise stop(f"{file.name}: holds the shared objects {built}, not one for all compiled modules")


def expected_files(package: Package, is_wheel: bool) -> list[str]:
    """Files of the source tree that a distribution must hold, by their names in it."""
    suffixes = (".py", ".pyi", ".pxd") if is_wheel else (".py", ".pyi", ".pxd", ".h", ".pyx", ".pxi")
    base = package.folder / "src" if is_wheel else package.folder
    files = [*package.sources(suffixes), *(package.folder / "src").glob("*/py.typed")]
    files += headers_of(package.sources((".pxd",)), base) if is_wheel else []
    files += (package.folder / "src").glob(NATIVE)
    files += [] if is_wheel else package.folder.glob("hot.txt")
    return [str(file.relative_to(base)) for file in files]


def headers_of(declarations: Sequence[Path], base: Path) -> list[Path]:
    """Headers that .pxd files name, and what these include: whoever compiles with the .pxd files needs them."""
    found: list[Path] = []
    files = list(declarations)
    for file in files:
        for name in re.findall(r'(?:extern from|#include) "([^"]+)"', file.read_text(encoding="utf-8")):
            header = next((path for path in (file.parent / name, base / name) if path.exists()), None)
            if header is not None and header not in found:
                found.append(header)
                files.append(header)
    return found


def required_packages(name: str, some: list[Package]) -> list[Package]:
    """A package and those of ours that it needs to run."""
    found = {package.name: package for package in some}
    names = [name]
    for one in names:
        names += [n for text in found[one].requirements if (n := normal_name(text)) in found and n not in names]
    return [package for package in some if package.name in names]


def try_in_empty_environment(some: list[Package]) -> None:
    """Install wengert from dist/ alone, beside what it needs from outside, and differentiate something; then all."""
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder) / "venv"
        create_environment(environment)
        python = str(python_of(environment))
        pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        for wanted, those, program in (("wengert", required_packages("wengert", some), TRY),
                                       (f"wengert[{','.join(OPTIONAL)}]", some, TRY_ALL)):
            tools = {"setuptools", "cython"}
            outside = [text for text in outside_requirements(those) if normal_name(text) not in tools]
            run_or_stop([*pip, *outside], "the outside requirements cannot be installed")
            own = ["--no-index", "--find-links", str(DIST), wanted]
            run_or_stop([*pip, *own], f"{wanted} cannot be installed from dist/ alone")
            run_or_stop([python, "-c", program], f"{wanted} does not work in an empty environment", folder=Path(folder))


def main() -> None:
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    some = packages()
    say(f"sdists and wheels of {len(some)} packages, in {DIST.name}/")
    for package in some:
        with tempfile.TemporaryDirectory() as work:
            build(package, Path(work))
    try_in_empty_environment(some)
    wheels = sum(file.stat().st_size for file in DIST.glob("*.whl")) / 1e6
    say(f"wengert installs from {DIST.name}/ alone beside NumPy, and works; all wheels: {wheels:.2f} MB")


if __name__ == "__main__":
    main()
