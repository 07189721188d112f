from wengert_profiler.enums import DeviceType as DeviceType
from wengert_profiler.event_list import EventList as EventList
from wengert_profiler.event_sums import FunctionEventAvg as FunctionEventAvg
from wengert_profiler.events import FunctionEvent as FunctionEvent
from wengert_profiler.events import Interval as Interval
from wengert_profiler.events import Kernel as Kernel
from wengert_profiler.helpers import MemRecordsAcc as MemRecordsAcc
from wengert_profiler.helpers import StringTable as StringTable
from wengert_profiler.naming import MEMORY_EVENT_NAME as MEMORY_EVENT_NAME
from wengert_profiler.naming import OUT_OF_MEMORY_EVENT_NAME as OUT_OF_MEMORY_EVENT_NAME
from wengert_profiler.times import FormattedTimesMixin as FormattedTimesMixin

__all__ = [
    "MEMORY_EVENT_NAME", "OUT_OF_MEMORY_EVENT_NAME", "DeviceType", "EventList", "FormattedTimesMixin", "FunctionEvent",
    "FunctionEventAvg", "Interval", "Kernel", "MemRecordsAcc", "StringTable",
]
