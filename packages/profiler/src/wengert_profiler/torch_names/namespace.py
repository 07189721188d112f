"""Names that are mounted as ``wengert.profiler``: those of ``torch.profiler``, and what that does not have."""

from wengert_profiler.api.record_function import carried, record_function
from wengert_profiler.api.schedules import ProfilerAction, schedule
from wengert_profiler.api.windows import profile, supported_activities
from wengert_profiler.events.enums import DeviceType, ProfilerActivity
from wengert_profiler.export.flame import export_flame_graph, export_speedscope
from wengert_profiler.export.nvprof import TraceFileError, load_nsys, load_nvprof
from wengert_profiler.export.trace_files import load_chrome_trace
from wengert_profiler.export.trace_handler import tensorboard_trace_handler
from wengert_profiler.torch_names.torch_compat import kineto_available
from wengert_profiler.views.compare import compare
from wengert_profiler.views.saved_memory import saved_tensors


def profile_program(argv: list[str] | None = None) -> int:
    """``python -m wengert.profile``: profile the program that the arguments name; its exit code."""
    from wengert_profiler.api.cli import main

    return main(argv)


__all__ = [
    "DeviceType",
    "ProfilerAction",
    "ProfilerActivity",
    "TraceFileError",
    "carried",
    "compare",
    "export_flame_graph",
    "export_speedscope",
    "kineto_available",
    "load_chrome_trace",
    "load_nsys",
    "load_nvprof",
    "profile",
    "profile_program",
    "record_function",
    "saved_tensors",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]
