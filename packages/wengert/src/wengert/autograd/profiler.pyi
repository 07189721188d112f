from wengert_profiler.enums import ProfilerActivity as ProfilerActivity
from wengert_profiler.event_list import EventList as EventList
from wengert_profiler.events import FunctionEvent as FunctionEvent
from wengert_profiler.helpers import EnforceUnique as EnforceUnique
from wengert_profiler.helpers import KinetoStepTracker as KinetoStepTracker
from wengert_profiler.helpers import MemRecordsAcc as MemRecordsAcc
from wengert_profiler.helpers import kineto_available as kineto_available
from wengert_profiler.labels import record_function as record_function
from wengert_profiler.naming import MEMORY_EVENT_NAME as MEMORY_EVENT_NAME
from wengert_profiler.naming import OUT_OF_MEMORY_EVENT_NAME as OUT_OF_MEMORY_EVENT_NAME
from wengert_profiler.nvprof import load_nvprof as load_nvprof
from wengert_profiler.nvprof import parse_nvprof_trace as parse_nvprof_trace
from wengert_profiler.profiling import profile as profile
from wengert_profiler.ranges import emit_itt as emit_itt
from wengert_profiler.ranges import emit_nvtx as emit_nvtx

__all__ = [
    "MEMORY_EVENT_NAME", "OUT_OF_MEMORY_EVENT_NAME", "EnforceUnique", "EventList", "FunctionEvent", "KinetoStepTracker",
    "MemRecordsAcc", "ProfilerActivity", "emit_itt", "emit_nvtx", "kineto_available", "load_nvprof",
    "parse_nvprof_trace", "profile", "record_function",
]
