"""Names that are mounted as ``wengert.profiler``: the profiler's names, and what torch's does not have."""

from wengert_profiler.api.profile import profile
from wengert_profiler.api.record_function import carried, record_function
from wengert_profiler.export.flame import export_flame_graph, export_speedscope
from wengert_profiler.export.nvprof import TraceFileError, load_nsys, load_nvprof
from wengert_profiler.export.trace_files import load_chrome_trace
from wengert_profiler.views.compare import compare
from wengert_profiler.views.saved_memory import saved_tensors


def profile_program(argv: list[str] | None = None) -> int:
    """``python -m wengert.profile``: profile the program that the arguments name; its exit code."""
    from wengert_profiler.api.cli import main

    return main(argv)


__all__ = [
    "TraceFileError",
    "carried",
    "compare",
    "export_flame_graph",
    "export_speedscope",
    "load_chrome_trace",
    "load_nsys",
    "load_nvprof",
    "profile",
    "profile_program",
    "record_function",
    "saved_tensors",
]
