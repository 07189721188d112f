from wengert_profiler.api.record_function import carried as carried
from wengert_profiler.api.record_function import record_function as record_function
from wengert_profiler.api.schedules import ProfilerAction as ProfilerAction
from wengert_profiler.api.schedules import schedule as schedule
from wengert_profiler.api.windows import profile as profile
from wengert_profiler.api.windows import supported_activities as supported_activities
from wengert_profiler.events.enums import DeviceType as DeviceType
from wengert_profiler.events.enums import ProfilerActivity as ProfilerActivity
from wengert_profiler.export.flame import export_flame_graph as export_flame_graph
from wengert_profiler.export.flame import export_speedscope as export_speedscope
from wengert_profiler.export.nvprof import TraceFileError as TraceFileError
from wengert_profiler.export.nvprof import load_nsys as load_nsys
from wengert_profiler.export.nvprof import load_nvprof as load_nvprof
from wengert_profiler.export.trace_files import load_chrome_trace as load_chrome_trace
from wengert_profiler.export.trace_handler import tensorboard_trace_handler as tensorboard_trace_handler
from wengert_profiler.torch_names.namespace import profile_program as profile_program
from wengert_profiler.torch_names.torch_compat import kineto_available as kineto_available
from wengert_profiler.views.compare import compare as compare
from wengert_profiler.views.saved_memory import saved_tensors as saved_tensors

__all__ = [
    "DeviceType", "ProfilerAction", "ProfilerActivity", "TraceFileError", "carried", "compare", "export_flame_graph",
    "export_speedscope", "kineto_available", "load_chrome_trace", "load_nsys", "load_nvprof", "profile",
    "profile_program", "record_function", "saved_tensors", "schedule", "supported_activities",
    "tensorboard_trace_handler",
]
