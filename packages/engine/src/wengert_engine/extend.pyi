from wengert_engine.forward.dual import enter as _enter
from wengert_engine.forward.dual import get as _get
from wengert_engine.forward.dual import is_open as _is_open
from wengert_engine.forward.dual import primal_of as primal_of
from wengert_engine.forward.dual_levels import LevelTaken as _LevelTaken
from wengert_engine.forward.dual_levels import TransformLevel as _TransformLevel
from wengert_engine.graph.formula_lookup import defect_of as _defect_of
from wengert_engine.graph.node import accumulated_leaf as accumulated_leaf
from wengert_engine.graph.tensor_attributes import edge_of as _edge_of
from wengert_engine.messages.errors import implicit_real as _implicit_real
from wengert_engine.observe.clock import now as _now
from wengert_engine.observe.device_times import DeviceTime as DeviceTime
from wengert_engine.observe.device_times import DeviceTimes as DeviceTimes
from wengert_engine.observe.event_buffer import Recording as Recording
from wengert_engine.observe.event_layout import EVENT_DTYPE as EVENT_DTYPE
from wengert_engine.observe.event_layout import RECORD_MEMORY as RECORD_MEMORY
from wengert_engine.observe.event_layout import RECORD_RESULTS as RECORD_RESULTS
from wengert_engine.observe.event_layout import RECORD_SHAPES as RECORD_SHAPES
from wengert_engine.observe.event_layout import RECORD_STACKS as RECORD_STACKS
from wengert_engine.observe.observers import OpCall as OpCall
from wengert_engine.observe.observing import begin_label as begin_label
from wengert_engine.observe.observing import current_recording as _recorded
from wengert_engine.observe.observing import current_tracer as current_tracer
from wengert_engine.observe.observing import end as _end
from wengert_engine.observe.observing import is_observed as is_observed
from wengert_engine.observe.observing import is_only_recorded as is_only_recorded
from wengert_engine.observe.observing import listen as _listen
from wengert_engine.observe.observing import pop_interceptor as pop_interceptor
from wengert_engine.observe.observing import push_interceptor as push_interceptor
from wengert_engine.observe.observing import resume as _resume
from wengert_engine.observe.observing import start as _start
from wengert_engine.observe.observing import stop as _stop
from wengert_engine.observe.observing import trace as _trace
from wengert_engine.observe.tracers import Tracer as Tracer
from wengert_engine.record.node_probe import input_names as input_names
from wengert_engine.record.node_probe import is_released as is_released
from wengert_engine.record.node_probe import metadata_of as _metadata_of
from wengert_engine.record.node_probe import outputs as _outputs
from wengert_engine.record.node_probe import reachable_leaves as reachable_leaves
from wengert_engine.record.node_probe import saved_values as saved_values
from wengert_engine.record.node_probe import zero_inputs as zero_inputs
from wengert_engine.reverse.launch import run_number as _run_number
from wengert_engine.reverse.pullback import node_gradients as node_gradients
from wengert_engine.reverse.pullback import pullback as pullback
from wengert_engine.reverse.streams import set_leaf_stream as set_leaf_stream
from wengert_engine.vmap.batched_attributes import unsupported_error as _refused
from wengert_engine.vmap.batched_tensor import level_of as _level_of
from wengert_engine.vmap.level_stack import depth as _depth
from wengert_engine.vmap.level_stack import vmap_level as vmap_level
from wengert_engine.vmap.levels import add_batch_dim as add_batch_dim
from wengert_engine.vmap.levels import debug_unwrap as debug_unwrap
from wengert_engine.vmap.levels import lift_to_levels as lift_to_levels
from wengert_engine.vmap.levels import remove_batch_dim as remove_batch_dim
from wengert_engine.vmap.levels import unwrap_batched as unwrap_batched
from wengert_engine.vmap.transform import STATE as _STATE
from wengert_engine.vmap.transform import Transform as Transform

NAMES: dict[str, tuple[str, str]]
DualLevelTaken = _LevelTaken
TransformDualLevel = _TransformLevel
batch_level = _level_of
clock_ns = _now
current_recording = _recorded
current_vmap_level = _depth
end_label = _end
formula_defect = _defect_of
gradient_edge = _edge_of
graph_task_id = _run_number
implicit_grad_error = _implicit_real
is_dual_level_open = _is_open
node_metadata = _metadata_of
node_outputs = _outputs
open_dual_level = _enter
refused_in_transform = _refused
resume_recording = _resume
set_listener = _listen
set_tracer = _trace
start_recording = _start
stop_recording = _stop
tangent_of = _get
transforms_of_thread = _STATE
