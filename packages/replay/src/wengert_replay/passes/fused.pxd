"""Fused groups: launches that run block by block, as one launch. See fused.pyx."""
from wengert_core.extend cimport Launch
from wengert_replay.passes.members cimport FusedPlan, Member, Side
from wengert_replay.passes.slots cimport Slots

# Make the launch of a group that begins at a place in the order. base: where slots begin.
cdef int fuse(Launch* into, Slots slots, Py_ssize_t at, char* base) except -1
cdef Py_ssize_t size_of_fused(Launch* launch) noexcept       # bytes of its plan
