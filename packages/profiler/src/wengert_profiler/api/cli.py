"""``python -m wengert.profile script.py``: profile a whole program, and show where its time went."""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path
from typing import Any

from wengert_profiler.api.profile import profile
from wengert_profiler.views.tables import KEYS


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    made = argparse.ArgumentParser(
        prog="python -m wengert.profile", description="Profile a program and print a table of its operations."
    )
    made.add_argument("--sort-by", default="self_cpu_time_total", choices=KEYS)
    made.add_argument("--device", metavar="TYPE", help='time operations on devices of a type, such as "cuda", as well')
    made.add_argument("--rows", type=int, default=30, help="rows of the table; -1: all (default: 30)")
    made.add_argument("--shapes", action="store_true", help="group by input shapes")
    made.add_argument("--memory", action="store_true", help="show the memory that tensors took")
    made.add_argument("--flops", action="store_true", help="count floating point operations")
    made.add_argument("--stack", type=int, default=0, metavar="N", help="group by the innermost N lines of the program")
    made.add_argument(
        "--sink",
        action="append",
        default=[],
        metavar="NAME:TEXT",
        help="where else to send the profile: chrome:trace.json, flame:flame.html, speedscope:file.json, a plugin's",
    )
    made.add_argument("-m", dest="module", action="store_true", help="the program is a module")
    made.add_argument("program", help="a script, or with -m a module")
    made.add_argument("arguments", nargs=argparse.REMAINDER, help="the program's arguments")
    return made


def main(argv: list[str] | None = None) -> int:
    """Run the program with its arguments; its exit code. The table goes to standard error, at the end."""
    options = parser().parse_args(argv)
    if not options.module and not Path(options.program).is_file():
        print(f"python -m wengert.profile: there is no file {options.program}", file=sys.stderr)
        return 2
    try:
        prof = profile(
            use_device=options.device,
            record_shapes=options.shapes,
            profile_memory=options.memory,
            with_flops=options.flops,
            with_stack=options.stack > 0 or any(one.partition(":")[0] in ("flame",) for one in options.sink),
            sinks=options.sink,
        )
        prof.__enter__()
    except ValueError as error:  # no such sink
        print(f"python -m wengert.profile: {error}", file=sys.stderr)
        return 2
    code: Any = 0
    try:
        run(options)
    except SystemExit as end:
        code = end.code
    finally:  # a program that fails has a profile, too
        prof.__exit__(None, None, None)
        table = prof.key_averages(options.shapes, options.stack).table(options.sort_by, options.rows)
        print(table or "no operation of wengert was run", file=sys.stderr)
    if code is None or isinstance(code, int):
        return code or 0
    print(code, file=sys.stderr)
    return 1


def run(options: argparse.Namespace) -> None:
    """Run the program as Python would."""
    sys.argv = [options.program, *options.arguments]
    if options.module:
        sys.path.insert(0, "")
        runpy.run_module(options.program, run_name="__main__", alter_sys=True)
        return
    sys.path.insert(0, str(Path(options.program).resolve().parent))
    runpy.run_path(options.program, run_name="__main__")
