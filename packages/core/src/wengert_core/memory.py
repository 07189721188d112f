"""The allocator of tensors' buffers, with what it keeps for the next tensor. See runtime/allocator.pyx."""

from wengert_core.runtime.allocator import AllocationError, empty_cache, reset_peak, set_cache_limit, stats

__all__ = ["AllocationError", "empty_cache", "reset_peak", "set_cache_limit", "stats"]
