"""What is mounted as ``wengert.autograd.profiler_util``."""

from wengert_profiler.enums import DeviceType
from wengert_profiler.event_list import EventList
from wengert_profiler.event_sums import FunctionEventAvg
from wengert_profiler.events import FunctionEvent, Interval, Kernel
from wengert_profiler.helpers import MemRecordsAcc, StringTable
from wengert_profiler.naming import MEMORY_EVENT_NAME, OUT_OF_MEMORY_EVENT_NAME
from wengert_profiler.times import FormattedTimesMixin

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
