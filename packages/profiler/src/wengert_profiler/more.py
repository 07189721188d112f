"""What is mounted as ``wengert.profiler``: the profiler's names, and what torch's does not have."""

from wengert_profiler.comparing import compare
from wengert_profiler.flame import export_flame_graph, export_speedscope
from wengert_profiler.labels import carried, record_function
from wengert_profiler.nvprof import TraceFileError, load_nsys, load_nvprof
from wengert_profiler.profiling import profile
from wengert_profiler.timeline import saved_tensors
from wengert_profiler.trace_files import load_chrome_trace


def profile_program(argv: list[str] | None = None) -> int:
    """``python -m wengert.profile``: profile the program that the arguments name; its exit code."""
    from wengert_profiler.program import main

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
