"""wengert.utils.hooks: handles of hooks."""

from wengert_engine.graph.removable_handle import RemovableHandle, unserializable_hook, warn_if_has_hooks

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]
