from wengert_profiler.columns.event_names import MEMORY_EVENT_NAME as MEMORY_EVENT_NAME
from wengert_profiler.columns.event_names import OUT_OF_MEMORY_EVENT_NAME as OUT_OF_MEMORY_EVENT_NAME
from wengert_profiler.events.enums import DeviceType as DeviceType
from wengert_profiler.events.event_list import EventList as EventList
from wengert_profiler.events.event_sums import FunctionEventAvg as FunctionEventAvg
from wengert_profiler.events.events import FunctionEvent as FunctionEvent
from wengert_profiler.events.events import Interval as Interval
from wengert_profiler.events.events import Kernel as Kernel
from wengert_profiler.events.timing_mixin import FormattedTimesMixin as FormattedTimesMixin
from wengert_profiler.torch_names.torch_compat import MemRecordsAcc as MemRecordsAcc
from wengert_profiler.torch_names.torch_compat import StringTable as StringTable

__all__ = [
    "MEMORY_EVENT_NAME", "OUT_OF_MEMORY_EVENT_NAME", "DeviceType", "EventList", "FormattedTimesMixin", "FunctionEvent",
    "FunctionEventAvg", "Interval", "Kernel", "MemRecordsAcc", "StringTable",
]
