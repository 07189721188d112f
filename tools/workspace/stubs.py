"""Compare each stub (.pyi beside a .pyx) with the built module, by mypy's stubtest. Exit code 1 if they differ.

A module that only cimports and tests use has none: mypy says where Python imports one without a stub, this says which
stub nothing that mypy reads imports. Before that: whether what tools/generate/tensor_stub.py writes is up to date.
wengert is imported first, so that Tensor is compared with all that core and engine mount on it, and the modules of
wengert exist.
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


def unused_stubs(names: list[str]) -> list[str]:
    """Those of these modules that no source with types imports."""
    files = [file for package in packages() for file in package.sources((".py", ".pyi"))]
    files += [file for folder in ("tools", "asv_benchmarks") for file in (ROOT / folder).rglob("*.py")]
    texts = "\n".join(file.read_text(encoding="utf-8") for file in files)
    found = []
    for name in names:
        package, _, module = name.rpartition(".")
        once = rf"from {re.escape(package)} import (\([^)]*\b{module}\b|[^\n(]*\b{module}\b)"
        if not re.search(rf"(import|from) {re.escape(name)}\b|{once}", texts):
            found.append(name)
    return found


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
    for name in (unused := unused_stubs(names)):
        print(f"stubs: {name}: nothing that has types imports it: remove its .pyi")
    if names and not code and not unused:
        code = compare(names)
    code = code or bool(unused)
    print(f"stubs: {'agree' if code == 0 else 'differ'}")
    sys.exit(code)


if __name__ == "__main__":
    main()
