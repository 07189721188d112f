from wengert_engine.graph.removable_handle import RemovableHandle as RemovableHandle
from wengert_engine.graph.removable_handle import unserializable_hook as unserializable_hook
from wengert_engine.graph.removable_handle import warn_if_has_hooks as warn_if_has_hooks

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]
