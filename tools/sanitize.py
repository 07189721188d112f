"""Run the tests under AddressSanitizer and UndefinedBehaviorSanitizer, those with threads under ThreadSanitizer.

    python3 -m tools.sanitize                         all parts: address, fuzz, thread
    python3 -m tools.sanitize --parts address --tests packages/core/tests

Modules for a sanitizer are built in a copy of the working tree, with an environment of its own, in .venv-sanitize/:
the .venv beside it and what is built in src/ stay as they are. What the sanitizers said goes to
.venv-sanitize/reports/; its summary is printed, and the exit code is 1 where there is a report or a test fails.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tools.sanitizer_reports import summary
from tools.workspace.packages import ROOT
from tools.workspace.toolchain import DEBIAN, compiler, python_of, stop
from tools.workspace.working_copy import make_copy

HOME = ROOT / ".venv-sanitize"
REPORTS = HOME / "reports"
SUPPRESSIONS = ROOT / "tools" / "sanitize-thread.txt"
THREADS = """
packages/core/tests/test_workers.py packages/core/tests/test_blas.py packages/core/tests/test_memory_taken_away.py
packages/engine/tests/test_threads.py packages/engine/tests/test_loading.py packages/engine/tests/test_anomaly.py
packages/engine/tests/test_observing.py packages/engine/tests/test_saved_hooks.py
packages/profiler/tests/test_threads.py packages/functional/tests/test_functional_vmap.py
packages/graph/tests/test_graph_checkpoint.py tests/test_first_use.py
tests/torch_parity/reference/test_threads_and_faults.py tests/torch_parity/reference/test_grad_modes.py
tests/torch_parity/reference/test_inference_mode.py
tests/devices/test_default_device.py
""".split()
"""Tests with several threads."""
UNFIT = {
    "address": {
        "tests/test_leaks.py": "measures the memory of the process: the sanitizer keeps what is freed",
        "packages/core/tests/test_wrong_arguments.py::test_memory_that_is_missing_names_bytes_call_and_shapes":
            "limits the addresses of a process: the sanitizer takes terabytes of them",
        "tests/torch_parity/recorded/test_snippets.py::test_does_what_torch_does[nn/convolution-conv2d_complex]":
            "rounds otherwise: a build for the sanitizer does not vectorize",
        "tests/torch_parity/recorded/test_snippets.py::test_does_what_torch_does[nn/normalization-batch_norm_second_order]":
            "rounds otherwise: a build for the sanitizer does not vectorize",
        "tests/test_hostile_calls.py": "the part fuzz does the same, and it limits the addresses of its processes",
    },
    "thread": {
        "packages/core/tests/test_workers.py::test_no_thread_before_a_large_kernel_and_as_many_as_asked_then":
            "counts the threads of the process: the sanitizer has one of its own",
    },
}  # fmt: skip
"""Tests that a sanitizer's own doing makes fail, with the reason."""
OPTIONS = {
    "address": {
        # CPython frees nothing at its end; a huge request is a MemoryError in Python, not the end of the process.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb={megabytes}:"
        "log_path={log}:detect_odr_violation=0",
        "UBSAN_OPTIONS": "print_stacktrace=1:log_path={log}",
        "PYTHONMALLOC": "malloc",  # CPython's own pools would hide what is read behind an object's end
    },
    "thread": {
        "TSAN_OPTIONS": "log_path={log}:suppressions={suppressions}:exitcode=0:die_after_fork=0",
        "OPENBLAS_NUM_THREADS": "1",  # BLAS is not built for the sanitizer: its own threads would be reported
    },
}
PARTS = ["address", "fuzz", "thread"]
LIBRARIES = {"address": ["libasan.so", "libstdc++.so.6"], "thread": ["libtsan.so"]}


def say(text: str) -> None:
    """Tell what is done."""
    print(f"sanitize: {text}", flush=True)


def library(name: str) -> str:
    """The path of a library of the compiler."""
    command = [*compiler(), f"-print-file-name={name}"]
    path = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    if not Path(path).is_absolute():
        raise stop(f"the compiler has no {name}: sanitizers need gcc with its libraries {DEBIAN.format('gcc')}")
    return str(Path(path).resolve())


def variables(mode: str, fuzz: bool) -> dict[str, str]:
    """The environment in which modules for a sanitizer run: its library comes before all others."""
    megabytes = 1536 if fuzz else 4096  # as hostile/worker.py has it: a call may have what it can fill in its time
    texts = {"log": REPORTS / mode, "suppressions": SUPPRESSIONS, "megabytes": megabytes}
    options = {name: text.format(**texts) for name, text in OPTIONS[mode].items()}
    return {**os.environ, **options, "LD_PRELOAD": " ".join(map(library, LIBRARIES[mode])), "WENGERT_SANITIZE": mode}


def build_tree(mode: str) -> Path:
    """A tree with modules for a sanitizer."""
    tree = make_copy(HOME / mode)
    command = [sys.executable, "-m", "tools.workspace.bootstrap", "--venv", str(tree / ".venv"), "--groups", "test"]
    if subprocess.run(command, cwd=tree, env={**os.environ, "WENGERT_SANITIZE": mode}, check=False).returncode:
        raise stop(f"modules for the {mode} sanitizer cannot be built: see above")
    return tree


def run(mode: str, tree: Path, *arguments: str) -> int:
    """Run Python in a tree, under its sanitizer; returns the exit code."""
    # Addresses are not shuffled: ThreadSanitizer keeps its tables at fixed ones, and a report is the same twice.
    prefix = ["setarch", os.uname().machine, "-R"] if shutil.which("setarch") else []
    start = time.monotonic()
    command = [*prefix, str(python_of(tree / ".venv")), *arguments]
    code = subprocess.run(command, cwd=tree, env=variables(mode, "tools.fuzz" in arguments), check=False).returncode
    say(f"{mode}: {' '.join(arguments)[:100]}: exit code {code} after {time.monotonic() - start:.0f} s")
    return code


def tests(mode: str, tree: Path, paths: list[str]) -> int:
    """Run tests under a sanitizer. ``address``: several processes, as memory allows; ``thread``: one."""
    spread = ["-n", "auto", "--maxprocesses", "8", "--dist", "worksteal"] if mode == "address" else ["-p", "no:xdist"]
    return run(mode, tree, "-m", "pytest", "-q", *spread, *(f"--deselect={name}" for name in UNFIT[mode]), *paths)


def main() -> int:
    """Run the parts that the command line names."""
    parser = argparse.ArgumentParser(prog="sanitize", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--parts", nargs="*", default=PARTS, choices=PARTS)
    parser.add_argument("--tests", nargs="*", default=[], help="of the part address: tests; default: the whole suite")
    parser.add_argument("--calls", default="20000", help="of the part fuzz: hostile calls")
    parser.add_argument("--seed", default="0", help="of the part fuzz")
    given = parser.parse_args()
    shutil.rmtree(REPORTS, ignore_errors=True)
    REPORTS.mkdir(parents=True)
    codes = {}
    if "address" in given.parts:
        codes["address"] = tests("address", build_tree("address"), given.tests)
    if "fuzz" in given.parts:
        fuzz = ["-m", "tools.fuzz", "--calls", given.calls, "--seed", given.seed]
        codes["fuzz"] = run("address", build_tree("address"), *fuzz)
    if "thread" in given.parts:
        codes["thread"] = tests("thread", build_tree("thread"), THREADS)
    text, count = summary(REPORTS)
    (HOME / "summary.txt").write_text(text, encoding="utf-8")
    print(text)
    say(f"{count} reports; exit codes {codes}; all of it: {HOME.relative_to(ROOT)}/")
    return 1 if count or any(codes.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
