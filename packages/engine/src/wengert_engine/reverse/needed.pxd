"""Which nodes lead to the inputs that gradients were asked for: a table by address, asked for each edge of a run.

Nodes are borrowed: the caller's inputs and outputs keep their graph alive while it is run.
"""
cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, uint32_t, uint64_t


cdef enum NeededState:
    WANTED_WALKED = 1                  # the walk has been here
    WANTED_LEADS = 2                   # it leads to an input, or is one

cdef struct ExecInfoEntry:
    PyObject* node                     # NULL: the place is free
    int32_t first                      # the first input that is an output of this node; -1: none
    uint32_t state                     # WantedState bits

cdef struct NeededInput:
    uint32_t output_nr                 # of its node
    int32_t next                       # the next input that is an output of the same node; -1: none

cdef struct ExecInfo:
    ExecInfoEntry* entries                 # 2**bits of them; NULL: no inputs were given, all nodes run
    NeededInput* inputs                # in the order of the results
    uint32_t bits, count

cdef int find_needed(ExecInfo* table, list roots, list inputs) except -1
cdef void free_needed(ExecInfo* table) noexcept


@cython.overflowcheck(False)            # the product wraps
cdef inline ExecInfoEntry* find_entry(ExecInfoEntry* entries, uint32_t bits, PyObject* node) noexcept:
    """Where a node is, or the free place where it would be."""
    cdef uint64_t mixed = (<uint64_t> <size_t> node) * <uint64_t> 0x9E3779B97F4A7C15
    cdef uint32_t i = <uint32_t> (mixed >> (64 - bits))
    while entries[i].node != NULL and entries[i].node != node:
        i = (i + 1) & ((1 << bits) - 1)
    return &entries[i]


cdef inline bint leads_on(ExecInfo* table, PyObject* node) noexcept:
    """Whether a gradient for this node is needed."""
    return table.entries == NULL or find_entry(table.entries, table.bits, node).state & WANTED_LEADS != 0


cdef inline int32_t first_needed(ExecInfo* table, PyObject* node) noexcept:
    """The first input that is an output of a node; -1: none."""
    cdef ExecInfoEntry* entry
    if table.entries == NULL:
        return -1
    entry = find_entry(table.entries, table.bits, node)
    return entry.first if entry.node != NULL else -1
