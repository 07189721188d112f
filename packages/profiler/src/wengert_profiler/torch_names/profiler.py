"""Names that are mounted as ``wengert.autograd.profiler``."""

from wengert_profiler.api.emit_nvtx import emit_itt, emit_nvtx
from wengert_profiler.api.profile import profile
from wengert_profiler.api.record_function import record_function
from wengert_profiler.columns.event_names import MEMORY_EVENT_NAME, OUT_OF_MEMORY_EVENT_NAME
from wengert_profiler.events.enums import ProfilerActivity
from wengert_profiler.events.event_list import EventList
from wengert_profiler.events.events import FunctionEvent
from wengert_profiler.export.nvprof import load_nvprof, parse_nvprof_trace
from wengert_profiler.torch_names.torch_compat import EnforceUnique, KinetoStepTracker, MemRecordsAcc, kineto_available

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
