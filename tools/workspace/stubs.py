"""Compare each stub (.pyi beside a .pyx) with the built module, by mypy's stubtest. Exit code 1 if they differ.

A module that only cimports use needs none: mypy says where Python imports one without a stub. Before that: whether what
tools/generate/tensor_stub.py writes is up to date. wengert is imported first, so that Tensor is
compared with all that core and engine mount on it, and the modules of wengert exist.
"""

import re
import subprocess
import sys

from tools.generate.tensor_stub import written_names
from tools.workspace.packages import ROOT, packages

ALLOWED = ROOT / "tools" / "workspace" / "stubs-allowlist.txt"
ALSO_ALLOWED = ROOT / ".mypy_cache" / "stubs-allowlist.txt"
COMPARE = "import sys, wengert; from mypy import stubtest; sys.exit(stubtest.main())"
MOUNTED = [
    f"wengert.{name}"
    for name in (
        "amp", "autograd", "backends", "compiler", "cpu.amp", "func", "jit", "linalg", "nn", "overrides", "random",
        "return_types", "testing", "utils", "version",
    )
]


def stubbed_modules() -> list[str]:
    """Names of the compiled modules that have a stub."""
    return [
        ".".join(module.with_suffix("").parts)
        for package in packages()
        for module in package.modules
        if module.suffix == ".pyx" and (package.folder / "src" / module).with_suffix(".pyi").exists()
    ]  # compiled Python has its types in it


def compare(names: list[str]) -> int:
    """Run stubtest; returns its exit code."""
    print(f"stubs: comparing {len(names)} stubs with the built modules", flush=True)
    ALSO_ALLOWED.parent.mkdir(exist_ok=True)
    ALSO_ALLOWED.write_text("".join(re.escape(name) + "\n" for name in written_names()), encoding="utf-8")
    allowed = ["--allowlist", str(ALLOWED), "--allowlist", str(ALSO_ALLOWED), "--ignore-unused-allowlist"]
    options = ["--ignore-disjoint-bases", "--concise", "--mypy-config-file", str(ROOT / "pyproject.toml")]
    command = [sys.executable, "-c", COMPARE, *names, *MOUNTED, *allowed, *options]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def main() -> None:
    names = stubbed_modules()
    generated = [sys.executable, "-m", "tools.generate.tensor_stub", "--check"]
    code = subprocess.run(generated, cwd=ROOT, check=False).returncode
    if names and not code:
        code = compare(names)
    print(f"stubs: {'agree' if code == 0 else 'differ'}")
    sys.exit(code)


if __name__ == "__main__":
    main()
