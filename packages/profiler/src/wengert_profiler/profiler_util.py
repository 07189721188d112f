"""What is mounted as ``wengert.autograd.profiler_util``."""

from wengert_profiler.event_list import EventList
from wengert_profiler.events import FunctionEvent, FunctionEventAvg, Interval, Kernel
from wengert_profiler.naming import MEMORY_EVENT_NAME

__all__ = ["MEMORY_EVENT_NAME", "EventList", "FunctionEvent", "FunctionEventAvg", "Interval", "Kernel"]
