"""Set up a virtual environment with all packages of this repository, editable. Needs Python only.

    python3 -m tools.workspace.bootstrap                       packages and what the tests need, in .venv
    python3 -m tools.workspace.bootstrap --groups test docs    with other dependency groups of pyproject.toml

Nothing is done twice: what is up to date costs a few hashes. WENGERT_CHECKED=1 builds the checked modules.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - whoever has an older Python shall read this sentence
    workspace_spec = "%s is %d.%d" % (sys.executable, *sys.version_info[:2])  # noqa: UP031 - this must run on old Pythons
    sys.exit(
        "error: wengert needs Python 3.11 or newer, but "
        + workspace_spec
        + ". Name another: make PYTHON=python3.12 ..."
    )

import argparse
import json
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.workspace.packages import (
    ROOT,
    Package,
    digest,
    fingerprints,
    group,
    outside_requirements,
    packages,
    with_needs,
)
from tools.workspace.toolchain import check_compiler, create_environment, python_of, run_or_stop, stop

STATE = "wengert-bootstrap.json"
PIP = ["-m", "pip", "--disable-pip-version-check"]
ASK = """
import importlib.metadata, json, sysconfig
versions = {d.name: d.version for d in importlib.metadata.distributions()}
print(json.dumps({"suffix": sysconfig.get_config_var("EXT_SUFFIX"), "versions": versions}))
"""


def say(text: str) -> None:
    print(f"bootstrap: {text}", flush=True)


class Environment:
    """A virtual environment, and a note in it of what was installed there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = python_of(folder)
        self.note: dict[str, str] = {}
        self.lock = threading.Lock()  # of the note

    def prepare(self) -> None:
        """Create it, or again if its Python is another one or is gone."""
        version = sys.version.split()[0]
        state = self.folder / STATE
        if state.exists() and self.works():
            self.note = json.loads(state.read_text(encoding="utf-8"))
        if self.note.get("python") != version:
            say(f"making the virtual environment {relative_path(self.folder)} with Python {version}")
            create_environment(self.folder)
            self.note = {}
            self.remember("python", version)

    def works(self) -> bool:
        if not self.python.exists():
            return False
        return subprocess.run([self.python, "-c", "import pip"], capture_output=True, check=False).returncode == 0

    def remember(self, key: str, value: str) -> None:
        with self.lock:
            self.note[key] = value
            text = json.dumps(self.note, indent=1, sort_keys=True)
            (self.folder / STATE).write_text(text + "\n", encoding="utf-8")

    def install(self, requirements: list[str], what: str) -> None:
        """Install requirements from the package index, unless just these were installed before."""
        key, value = f"requirements {what}", digest([], requirements)
        if self.note.get(key) == value:
            return
        say(f"installing {what}: {', '.join(requirements)}")
        command = [str(self.python), *PIP, "install", "--quiet", *requirements]
        run_or_stop(command, f"pip could not install {what}; is the package index in reach?")
        self.remember(key, value)

    def ask(self) -> tuple[str, list[str]]:
        """The suffix of extension modules, and the versions of what the built modules depend on."""
        answer = json.loads(run_or_stop([str(self.python), "-c", ASK], "the environment's Python does not run"))
        names = ("Cython", "numpy", "setuptools")
        return answer["suffix"], [f"{name} {answer['versions'].get(name)}" for name in names]

    def is_current(self, package: Package, fingerprint: str, suffix: str) -> bool:
        """Whether a package is installed, and nothing it is built from has changed."""
        if self.note.get(package.name) != fingerprint:
            return False
        stamp = stamp_of(package, suffix)
        built = stamp.exists() and stamp.read_text(encoding="utf-8") == fingerprint and package.native(suffix).exists()
        return built or not package.modules

    def build(self, package: Package, fingerprint: str, suffix: str) -> None:
        """Install a package that has modules to compile."""
        say(f"{package.name}: building {len(package.modules)} modules into one shared object ...")
        stamp = stamp_of(package, suffix)
        stamp.unlink(missing_ok=True)
        self.install_editable([package], {package.name: fingerprint}, f"{package.name} cannot be built")
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(fingerprint, encoding="utf-8")

    def install_editable(self, some: list[Package], prints: dict[str, str], failure: str) -> None:
        """Install packages by one call of pip."""
        start = time.perf_counter()
        folders = [option for package in some for option in ("--editable", str(package.folder))]
        options = ["--quiet", "--no-build-isolation", "--no-deps", *folders]
        run_or_stop([str(self.python), *PIP, "install", *options], failure)
        for package in some:
            self.remember(package.name, prints[package.name])
        say(f"{', '.join(p.name for p in some)}: installed, editable ({time.perf_counter() - start:.1f} s)")


def stamp_of(package: Package, suffix: str) -> Path:
    """The file that says what the compiled modules of a package were built from."""
    return package.folder / "build" / f"editable{suffix}.stamp"


def relative_path(path: Path) -> str:
    """A path as a person in the repository would write it."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def bootstrap(folder: Path, groups: list[str], names: list[str]) -> None:
    """Bring the environment up to date with the working tree; names: the packages to install, none for all."""
    some = with_needs(names, packages()) if names else packages()
    if not some:
        raise stop(f"no packages under {ROOT}: is this the root of a clone?")
    environment = Environment(folder)
    environment.prepare()
    environment.install(outside_requirements(some), "what the packages are built from and run with")
    suffix, versions = environment.ask()
    prints = fingerprints(some, suffix, versions)
    if any(p.modules and environment.note.get(p.name) != prints[p.name] for p in some):
        check_compiler()
    old = [p for p in some if not environment.is_current(p, prints[p.name], suffix)]
    pure = [package for package in old if not package.modules]
    if pure:  # first: one of them builds the others
        environment.install_editable(pure, prints, "the packages of plain Python cannot be installed")
    with ThreadPoolExecutor(1) as beside:  # while the tools arrive over the network, the packages are built
        tools = beside.submit(install_tools, environment, groups)
        for package in some:
            for file in package.stray_modules():
                say(f"{package.name}: removing {relative_path(file)}, which is not built any more")
                file.unlink()
            if package not in old:
                say(f"{package.name}: up to date")
            elif package.modules:
                environment.build(package, prints[package.name], suffix)
        tools.result()


def install_tools(environment: Environment, groups: list[str]) -> None:
    for name in groups:
        environment.install(group(name), f"the tools of group {name}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="bootstrap", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--groups", nargs="*", default=["test"], help="dependency groups of pyproject.toml to install")
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv", help="folder of the environment (default: .venv)")
    parser.add_argument("--packages", nargs="*", default=[], help="these and what they need (default: all)")
    arguments = parser.parse_args()
    bootstrap(arguments.venv.resolve(), arguments.groups, arguments.packages)


if __name__ == "__main__":
    main()
