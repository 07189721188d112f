"""What a machine must have before anything is built: each missing tool is named in a sentence that says what to do."""

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

DEBIAN = "(Debian, Ubuntu: apt-get install {})"


def stop(message: str) -> SystemExit:
    """The exception that ends a tool with one sentence."""
    return SystemExit(f"error: {message}")


def compiler() -> list[str]:
    """The C compiler's command, as setuptools would choose it."""
    return shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "gcc")


def check_compiler() -> None:
    """Compile one line that needs the compiler, the C library's headers and Python's headers."""
    command = compiler()
    if shutil.which(command[0]) is None:
        raise stop(
            f"no C compiler: {command[0]!r} is not on the PATH. Install gcc {DEBIAN.format('build-essential')}, "
            "or name another compiler in the variable CC."
        )
    include = Path(sysconfig.get_path("include"))
    if not (include / "Python.h").exists():
        raise stop(
            f"the headers of Python {sys.version_info.major}.{sys.version_info.minor} are missing: there is no "
            f"{include / 'Python.h'}. Install them {DEBIAN.format('python3-dev')}."
        )
    program = "#include <Python.h>\n#include <math.h>\n"
    test = [*command, "-fsyntax-only", f"-I{include}", "-x", "c", "-"]
    result = subprocess.run(test, input=program, capture_output=True, text=True, check=False)
    if result.returncode:
        raise stop(
            f"the C compiler {command[0]!r} cannot compile a line that includes Python.h; are the C library's headers "
            f"installed {DEBIAN.format('libc6-dev')}? It said:\n{result.stderr.strip()[-2000:]}"
        )


def create_environment(folder: Path) -> None:
    """Make a virtual environment with pip in it; without ensurepip (Debian's python3) through the pip outside."""
    if importlib.util.find_spec("venv") is None:
        raise stop(f"this Python ({sys.executable}) has no module venv. Install it {DEBIAN.format('python3-venv')}.")
    if folder.exists() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").exists():
        raise stop(f"{folder} is no virtual environment and not empty: it is left alone. Name another folder.")
    shutil.rmtree(folder, ignore_errors=True)
    if importlib.util.find_spec("ensurepip") is not None:
        run_or_stop([sys.executable, "-m", "venv", str(folder)], f"the virtual environment {folder} cannot be made")
        return
    if importlib.util.find_spec("pip") is None:
        raise stop(
            f"this Python ({sys.executable}) has neither ensurepip nor pip. Install one of them "
            f"{DEBIAN.format('python3-venv')}."
        )
    run_or_stop(
        [sys.executable, "-m", "venv", "--without-pip", str(folder)], f"the virtual environment {folder} cannot be made"
    )
    run_or_stop(
        [sys.executable, "-m", "pip", "--python", str(python_of(folder)), "install", "--quiet", "pip"],
        f"pip cannot be installed into {folder}",
    )


def python_of(folder: Path) -> Path:
    """The interpreter of a virtual environment."""
    return folder / "bin" / "python"


def run_or_stop(command: list[str], failure: str, folder: Path | None = None, **variables: str) -> str:
    """Run a command quietly and return its output; if it fails, show all it said and end with a sentence."""
    environment = {**os.environ, **variables}
    result = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if result.returncode:
        print(result.stdout, file=sys.stderr)
        raise stop(f"{failure} (exit code {result.returncode}): the output of '{shlex.join(command)}' is above.")
    return result.stdout
