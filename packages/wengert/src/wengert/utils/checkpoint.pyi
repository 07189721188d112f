from wengert_graph.checkpoint import CheckpointError as CheckpointError
from wengert_graph.checkpoint import CheckpointFunction as CheckpointFunction
from wengert_graph.checkpoint import check_backward_validity as check_backward_validity
from wengert_graph.checkpoint import checkpoint as checkpoint
from wengert_graph.checkpoint import checkpoint_sequential as checkpoint_sequential
from wengert_graph.checkpoint import detach_variable as detach_variable
from wengert_graph.checkpoint import noop_context_fn as noop_context_fn
from wengert_graph.checkpoint import set_checkpoint_debug_enabled as set_checkpoint_debug_enabled
from wengert_graph.checkpoint import set_checkpoint_early_stop as set_checkpoint_early_stop
from wengert_graph.selective import SAC_IGNORED_OPS as SAC_IGNORED_OPS
from wengert_graph.selective import CheckpointPolicy as CheckpointPolicy
from wengert_graph.selective import SelectiveCheckpointContext as SelectiveCheckpointContext
from wengert_graph.selective import create_selective_checkpoint_contexts as create_selective_checkpoint_contexts

__all__ = ["SAC_IGNORED_OPS", "CheckpointError", "CheckpointFunction", "CheckpointPolicy", "SelectiveCheckpointContext",
           "check_backward_validity", "checkpoint", "checkpoint_sequential", "create_selective_checkpoint_contexts",
           "detach_variable", "noop_context_fn", "set_checkpoint_debug_enabled", "set_checkpoint_early_stop"]
