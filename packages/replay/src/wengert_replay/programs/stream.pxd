"""Stream: the instructions of a program, behind each other in memory. See stream.pyx."""
from libc.stdint cimport int32_t, uint32_t

from wengert_core.extend cimport Launch, PointwisePlan, loop_t, npy_intp
from wengert_replay.instructions.marks cimport Marks
from wengert_replay.instructions.own_plans cimport OwnPlans
from wengert_replay.memory.arena cimport Arena
from wengert_replay.passes.ranges cimport Ranges
from wengert_replay.passes.schedule cimport Schedule
from wengert_replay.passes.slots cimport Slots
from wengert_replay.recording.tracing cimport Recording

cdef enum Stop:                        # why a run stops
    STOP_END = 0
    STOP_CALL = 1                      # a driver is to be called
    STOP_GUARD = 2                     # a guard does not hold
    STOP_FAILED = 3                    # a launch met a value that its driver refuses

cdef struct Row:                       # an instruction where a run may stop; wg_row of machine.h
    int32_t handler
    uint32_t size                      # bytes of the row: the next instruction lies behind it
    npy_intp n                         # the number of the launch
    void* data                         # the Launch; NULL: a driver is called


cdef class Stream:
    cdef char* rows                    # owned
    cdef char* end
    cdef Py_ssize_t room               # bytes of rows
    cdef Launch* others                # owned: launches where a run may stop, and some that are no instructions
    cdef readonly Py_ssize_t n_others
    cdef OwnPlans plans                # of launches in rows
    cdef readonly Py_ssize_t n_groups
    cdef Marks marks
    cdef uint32_t* sites               # owned, while addresses may change: where they stand in rows
    cdef Py_ssize_t n_sites
    cdef Arena arena                   # which the addresses are names of places in; None
    cdef dict reaches                  # while addresses may change: of calls that name their memory; None
    cdef char* slots                   # owned: small values
    cdef readonly Py_ssize_t n_slot_bytes
    cdef void* kernels                 # owned: wg_kernel
    cdef readonly Py_ssize_t n_kernels
    cdef void* products                # owned: wg_product
    cdef readonly Py_ssize_t n_products
    cdef char* parameters              # owned: of kernels
    cdef Py_ssize_t n_parameters
    cdef Py_ssize_t first              # the number of the first launch
    cdef readonly Py_ssize_t n_instructions
    cdef readonly Py_ssize_t nbytes    # of all this but the slots

    # Take over the plans of a recording's launches. kept: what matters in memory when a run ends; None: all.
    # first: the number of the first launch that counts.   arena: plans memory anew: what is behind is in
    # pack_values of plans.pyx.   reaches: of calls that name their memory, by the number of the launch among these.
    cdef int fill(self, Recording recording, Ranges kept, Py_ssize_t first, Arena arena, dict reaches) except -1
    # The same, of launches that passes have looked at.
    cdef int take(self, Slots slots, Py_ssize_t first, Arena arena) except -1
    cdef int forget_sites(self) except -1
    # Run from a row on, and return the row where the run stops, the end of rows for STOP_END.
    cdef char* run(self, char* at, int* stop) noexcept nogil
    # The same, up to a mark at most, where it stops with STOP_END.
    cdef char* run_until(self, char* at, char* until, int* stop) noexcept nogil
    cdef dict facts(self)
    cdef int encode(self, Schedule schedule, Slots slots) except -1
    cdef int append_loads(self, Slots slots, int32_t i) except -1
    cdef int append_stores(self, Slots slots, int32_t i) except -1
    cdef int append_group(self, Slots slots, Py_ssize_t at) except -1
    cdef int encode_launch(self, Slots slots, int32_t i) except -1
    cdef uint32_t* append(self, int n_words) except NULL
    cdef int put_address(self, uint32_t* words, char* address) except -1
    cdef int align(self) except -1
    cdef int append_core(self, Slots slots, int32_t i) except -1
    cdef int append_move(self, Slots slots, int32_t i) except -1
    cdef int append_row(self, int operation, void* data, npy_intp n) except -1
    cdef int append_kernel(self, Slots slots, int32_t i, PointwisePlan* plan) except -1
    cdef int number_of_kernel(self, PointwisePlan* plan, int last) except -1
    cdef int append_product(self, Slots slots, int32_t i) except -1
    cdef int append_transfer(self, Slots slots, int32_t value, bint stores) except -1
    cdef int append_other(self, Slots slots, int32_t i, int operation) except -1
    cdef int fill_fixed(self, Slots slots, int32_t i) noexcept
    cdef char* location_of(self, Slots slots, int32_t i, int k) noexcept
