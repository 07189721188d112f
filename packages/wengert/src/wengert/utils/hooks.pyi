from wengert_engine.hooks import RemovableHandle as RemovableHandle
from wengert_engine.hooks import unserializable_hook as unserializable_hook
from wengert_engine.hooks import warn_if_has_hooks as warn_if_has_hooks

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]
