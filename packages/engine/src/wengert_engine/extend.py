"""The face for extenders: what a package above the engine imports of its inside. Its names are promised to stay.

Names for users stand in ``wengert_engine`` itself and in ``wengert_engine.namespaces``, which ``wengert.autograd`` is
made of; all other modules may move. A name is loaded when it is imported, so that a package pays for what it uses.
docs/plugin-reference.md describes each.

>>> import wengert as wg
>>> from wengert_engine.extend import gradient_edge, saved_values
>>> node, number = gradient_edge(wg.ones(2, requires_grad=True).exp())
>>> [(name, kind) for name, kind, _ in saved_values(node)], number
([('result', 'output')], 0)
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

NAMES = {
    # The graph
    "gradient_edge": ("graph.tensor_attributes", "edge_of"),
    "accumulated_leaf": ("graph.node", "accumulated_leaf"),
    "saved_values": ("record.node_probe", "saved_values"),
    "input_names": ("record.node_probe", "input_names"),
    "zero_inputs": ("record.node_probe", "zero_inputs"),
    "node_outputs": ("record.node_probe", "outputs"),
    "node_metadata": ("record.node_probe", "metadata_of"),
    "is_released": ("record.node_probe", "is_released"),
    "reachable_leaves": ("record.node_probe", "reachable_leaves"),
    "formula_defect": ("graph.formula_lookup", "defect_of"),
    # Gradients and tangents
    "pullback": ("reverse.pullback", "pullback"),
    "node_gradients": ("reverse.pullback", "node_gradients"),
    "graph_task_id": ("reverse.launch", "run_number"),
    "set_leaf_stream": ("reverse.streams", "set_leaf_stream"),
    "tangent_of": ("forward.dual", "get"),
    "primal_of": ("forward.dual", "primal_of"),
    "is_dual_level_open": ("forward.dual", "is_open"),
    "open_dual_level": ("forward.dual", "enter"),
    "TransformDualLevel": ("forward.dual_levels", "TransformLevel"),
    "DualLevelTaken": ("forward.dual_levels", "LevelTaken"),
    # Transforms of functions
    "Transform": ("vmap.transform", "Transform"),
    "transforms_of_thread": ("vmap.transform", "STATE"),
    "vmap_level": ("vmap.level_stack", "vmap_level"),
    "current_vmap_level": ("vmap.level_stack", "depth"),
    "batch_level": ("vmap.batched_tensor", "level_of"),
    "add_batch_dim": ("vmap.levels", "add_batch_dim"),
    "remove_batch_dim": ("vmap.levels", "remove_batch_dim"),
    "debug_unwrap": ("vmap.levels", "debug_unwrap"),
    "unwrap_batched": ("vmap.levels", "unwrap_batched"),
    "lift_to_levels": ("vmap.levels", "lift_to_levels"),
    # Observation
    "Recording": ("observe.event_buffer", "Recording"),
    "RECORD_SHAPES": ("observe.event_layout", "RECORD_SHAPES"),
    "RECORD_RESULTS": ("observe.event_layout", "RECORD_RESULTS"),
    "RECORD_STACKS": ("observe.event_layout", "RECORD_STACKS"),
    "RECORD_MEMORY": ("observe.event_layout", "RECORD_MEMORY"),
    "EVENT_DTYPE": ("observe.event_layout", "EVENT_DTYPE"),
    "start_recording": ("observe.observing", "start"),
    "resume_recording": ("observe.observing", "resume"),
    "stop_recording": ("observe.observing", "stop"),
    "current_recording": ("observe.observing", "current_recording"),
    "set_listener": ("observe.observing", "listen"),
    "Tracer": ("observe.tracers", "Tracer"),
    "set_tracer": ("observe.observing", "trace"),
    "current_tracer": ("observe.observing", "current_tracer"),
    "is_observed": ("observe.observing", "is_observed"),
    "is_only_recorded": ("observe.observing", "is_only_recorded"),
    "OpCall": ("observe.observers", "OpCall"),
    "push_interceptor": ("observe.observing", "push_interceptor"),
    "pop_interceptor": ("observe.observing", "pop_interceptor"),
    "begin_label": ("observe.observing", "begin_label"),
    "end_label": ("observe.observing", "end"),
    "clock_ns": ("observe.clock", "now"),
    "DeviceTimes": ("observe.device_times", "DeviceTimes"),
    "DeviceTime": ("observe.device_times", "DeviceTime"),
    # Errors
    "implicit_grad_error": ("messages.errors", "implicit_real"),
    "refused_in_transform": ("vmap.batched_attributes", "unsupported_error"),
}
"""The names of this face: the module below wengert_engine that has each, and its name there."""


def __getattr__(name: str) -> Any:
    """A name of the face, loaded now."""
    if name not in NAMES:
        known = ", ".join(sorted(NAMES))
        raise AttributeError(f"module 'wengert_engine.extend' has no attribute '{name}'; it has {known}")
    module, there = NAMES[name]
    found = globals()[name] = getattr(import_module(f"wengert_engine.{module}"), there)
    return found


def __dir__() -> list[str]:
    return sorted(NAMES)
