from wengert_profiler.event_list import EventList as EventList
from wengert_profiler.events import FunctionEvent as FunctionEvent
from wengert_profiler.labels import record_function as record_function
from wengert_profiler.naming import MEMORY_EVENT_NAME as MEMORY_EVENT_NAME
from wengert_profiler.nvprof import load_nvprof as load_nvprof
from wengert_profiler.nvprof import parse_nvprof_trace as parse_nvprof_trace
from wengert_profiler.profiling import profile as profile
from wengert_profiler.ranges import emit_itt as emit_itt
from wengert_profiler.ranges import emit_nvtx as emit_nvtx

__all__ = [
    "MEMORY_EVENT_NAME", "EventList", "FunctionEvent", "emit_itt", "emit_nvtx", "load_nvprof", "parse_nvprof_trace",
    "profile", "record_function",
]
