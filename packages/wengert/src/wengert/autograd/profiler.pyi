from wengert_profiler.api.emit_nvtx import emit_itt as emit_itt
from wengert_profiler.api.emit_nvtx import emit_nvtx as emit_nvtx
from wengert_profiler.api.profile import profile as profile
from wengert_profiler.api.record_function import record_function as record_function
from wengert_profiler.columns.event_names import MEMORY_EVENT_NAME as MEMORY_EVENT_NAME
from wengert_profiler.columns.event_names import OUT_OF_MEMORY_EVENT_NAME as OUT_OF_MEMORY_EVENT_NAME
from wengert_profiler.events.enums import ProfilerActivity as ProfilerActivity
from wengert_profiler.events.event_list import EventList as EventList
from wengert_profiler.events.events import FunctionEvent as FunctionEvent
from wengert_profiler.export.nvprof import load_nvprof as load_nvprof
from wengert_profiler.export.nvprof import parse_nvprof_trace as parse_nvprof_trace
from wengert_profiler.torch_names.torch_compat import EnforceUnique as EnforceUnique
from wengert_profiler.torch_names.torch_compat import KinetoStepTracker as KinetoStepTracker
from wengert_profiler.torch_names.torch_compat import MemRecordsAcc as MemRecordsAcc
from wengert_profiler.torch_names.torch_compat import kineto_available as kineto_available

__all__ = [
    "MEMORY_EVENT_NAME", "OUT_OF_MEMORY_EVENT_NAME", "EnforceUnique", "EventList", "FunctionEvent", "KinetoStepTracker",
    "MemRecordsAcc", "ProfilerActivity", "emit_itt", "emit_nvtx", "kineto_available", "load_nvprof",
    "parse_nvprof_trace", "profile", "record_function",
]
