"""What is mounted as ``wengert.autograd.profiler``."""

from wengert_profiler.enums import ProfilerActivity
from wengert_profiler.event_list import EventList
from wengert_profiler.events import FunctionEvent
from wengert_profiler.helpers import EnforceUnique, KinetoStepTracker, MemRecordsAcc, kineto_available
from wengert_profiler.labels import record_function
from wengert_profiler.naming import MEMORY_EVENT_NAME, OUT_OF_MEMORY_EVENT_NAME
from wengert_profiler.nvprof import load_nvprof, parse_nvprof_trace
from wengert_profiler.profiling import profile
from wengert_profiler.ranges import emit_itt, emit_nvtx

__all__ = [
    "MEMORY_EVENT_NAME",
    "OUT_OF_MEMORY_EVENT_NAME",
    "EnforceUnique",
    "EventList",
    "FunctionEvent",
    "KinetoStepTracker",
    "MemRecordsAcc",
    "ProfilerActivity",
    "emit_itt",
    "emit_nvtx",
    "kineto_available",
    "load_nvprof",
    "parse_nvprof_trace",
    "profile",
    "record_function",
]
