"""Build, install and uninstall all packages of a commit, for asv: its commands run this with the environment's Python.

python wheels.py build SOURCE WHEELS   wheels of the packages in the folder SOURCE, each after those it needs
python wheels.py install WHEELS        install them, and nothing else
python wheels.py uninstall             remove whatever of ours is installed
"""

import importlib.metadata
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tools.workspace.packages import packages

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
FROM_WHEELS = ["install", "--quiet", "--no-deps", "--force-reinstall", "--no-index"]


def pip(*arguments: str) -> None:
    subprocess.run([*PIP, *arguments], check=True)


def build(source: Path, wheels: Path) -> None:
    """Each package is installed before the next is built: a package is compiled against the .pxd files below it."""
    for package in packages(source):
        pip("wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels), str(package.folder))
        pip(*FROM_WHEELS, "--find-links", str(wheels), package.name)


def install(wheels: Path) -> None:
    files = sorted(str(file) for file in wheels.glob("*.whl"))
    pip(*FROM_WHEELS, *files)


def uninstall() -> None:
    names = {distribution.name for distribution in importlib.metadata.distributions()}
    own = sorted(name for name in names if name == "wengert" or name.startswith(("wengert-", "wengert_")))
    if own:
        pip("uninstall", "--quiet", "--yes", *own)


def main(command: str, *folders: str) -> None:
    commands: dict[str, Callable[..., None]] = {"build": build, "install": install, "uninstall": uninstall}
    commands[command](*map(Path, folders))


if __name__ == "__main__":
    main(*sys.argv[1:])
