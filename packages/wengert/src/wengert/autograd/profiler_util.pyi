from wengert_profiler.event_list import EventList as EventList
from wengert_profiler.events import FunctionEvent as FunctionEvent
from wengert_profiler.events import FunctionEventAvg as FunctionEventAvg
from wengert_profiler.events import Interval as Interval
from wengert_profiler.events import Kernel as Kernel
from wengert_profiler.naming import MEMORY_EVENT_NAME as MEMORY_EVENT_NAME

__all__ = ["MEMORY_EVENT_NAME", "EventList", "FunctionEvent", "FunctionEventAvg", "Interval", "Kernel"]
