"""Names that are mounted as ``wengert.autograd.profiler_util``."""

from wengert_profiler.columns.event_names import MEMORY_EVENT_NAME, OUT_OF_MEMORY_EVENT_NAME
from wengert_profiler.events.enums import DeviceType
from wengert_profiler.events.event_list import EventList
from wengert_profiler.events.event_sums import FunctionEventAvg
from wengert_profiler.events.events import FunctionEvent, Interval, Kernel
from wengert_profiler.events.timing_mixin import FormattedTimesMixin
from wengert_profiler.torch_names.torch_compat import MemRecordsAcc, StringTable

__all__ = [
    "MEMORY_EVENT_NAME",
    "OUT_OF_MEMORY_EVENT_NAME",
    "DeviceType",
    "EventList",
    "FormattedTimesMixin",
    "FunctionEvent",
    "FunctionEventAvg",
    "Interval",
    "Kernel",
    "MemRecordsAcc",
    "StringTable",
]
