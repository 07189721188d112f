"""The compiled face for extenders: what a package that is written in Cython cimports of wengert-engine. As of
extend.py, its names stay; other .pxd files may move. docs/plugin-reference.md describes each of them.
"""
from wengert_engine.anomaly.anomaly cimport ANOMALY_ON, anomaly_flags
from wengert_engine.function.apply cimport record_function
from wengert_engine.anomaly.frames cimport (Frame, frame_code, frame_instruction, innermost_frame, line_at,
                                            outer_frame)
from wengert_engine.graph.tensor_hooks cimport numbered_hooks
from wengert_engine.observe.tracers cimport Tracer
