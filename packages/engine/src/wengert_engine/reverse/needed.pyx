"""The table of nodes that lead to the inputs that gradients were asked for, and the walk which fills it."""
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc, PyMem_Realloc
from libc.string cimport memcpy

from wengert_engine.graph.node cimport Edge, Node, edges_of

cdef enum:
    FIRST_BITS = 5
    SMALL = 32                         # nodes on the way down that need no memory of their own

cdef struct Frame:                     # a node on the way from an output down
    PyObject* node
    uint32_t next                      # its next edge


cdef ExecInfoEntry* add_needed(ExecInfo* table, PyObject* node) except NULL:
    """The place of a node in the table, a new one where it had none."""
    cdef ExecInfoEntry* found
    if 2 * table.count >= <uint32_t> 1 << table.bits or table.entries == NULL:
        enlarge(table)
    found = find_entry(table.entries, table.bits, node)
    if found.node == NULL:
        found.node, found.first, found.state = node, -1, 0
        table.count += 1
    return found


cdef int enlarge(ExecInfo* table) except -1:
    cdef uint32_t bits = FIRST_BITS if table.entries == NULL else table.bits + 1, i
    cdef ExecInfoEntry* entries = <ExecInfoEntry*> PyMem_Calloc(<size_t> 1 << bits, sizeof(ExecInfoEntry))
    if entries == NULL:
        raise MemoryError()
    if table.entries != NULL:
        for i in range(<uint32_t> 1 << table.bits):
            if table.entries[i].node != NULL:
                find_entry(entries, bits, table.entries[i].node)[0] = table.entries[i]
        PyMem_Free(table.entries)
    table.entries, table.bits = entries, bits
    return 0


cdef void free_needed(ExecInfo* table) noexcept:
    PyMem_Free(table.entries)
    PyMem_Free(table.inputs)


cdef int find_needed(ExecInfo* table, list roots, list inputs) except -1:
    """Fill a table. roots, inputs: lists of (node, output_nr). Nodes older than all inputs are not entered."""
    cdef uint64_t oldest = <uint64_t> -1
    cdef ExecInfoEntry* entry
    cdef int i, n = <int> len(inputs)
    table.inputs = <NeededInput*> PyMem_Malloc((n if n else 1) * sizeof(NeededInput))
    if table.inputs == NULL:
        raise MemoryError()
    for i in range(n):
        node, output_nr = inputs[i]
        entry = add_needed(table, <PyObject*> node)
        table.inputs[i].output_nr, table.inputs[i].next = output_nr, entry.first
        entry.first = i
        if (<Node> node).sequence < oldest:
            oldest = (<Node> node).sequence
    for node, _ in roots:
        walk(table, <PyObject*> node, oldest)
    return 0


cdef int walk(ExecInfo* table, PyObject* root, uint64_t oldest) except -1:
    """Find out which nodes behind an output lead to an input: a walk down without recursion, which goes back up with
    what it has found. No edge leads up.
    """
    cdef Frame small[SMALL]
    cdef Frame* frames = small
    cdef ExecInfoEntry* entry
    cdef uint32_t depth = 0, room = SMALL, state
    cdef PyObject* node = root
    try:
        while True:
            state = 0
            if node != NULL:                       # down, unless this node is known
                entry = add_needed(table, node)
                if entry.state & WANTED_WALKED:
                    state = entry.state
                else:
                    entry.state = WANTED_WALKED | (WANTED_LEADS if entry.first >= 0 else 0)
                    if depth == room:
                        frames = grow_frames(frames, &room, small)
                    frames[depth].node, frames[depth].next = node, 0
                    depth += 1
            else:                                  # up: all edges of the last node have been followed
                depth -= 1
                state = find_entry(table.entries, table.bits, frames[depth].node).state
            if depth == 0:
                return 0
            if state & WANTED_LEADS:
                find_entry(table.entries, table.bits, frames[depth - 1].node).state |= WANTED_LEADS
            node = next_of(&frames[depth - 1], oldest)
    finally:
        if frames != small:
            PyMem_Free(frames)


cdef PyObject* next_of(Frame* frame, uint64_t oldest) noexcept:
    """The node that the next edge of a node leads to, where it may lead to an input; NULL after the last."""
    cdef Edge* edges = edges_of(<Node> frame.node)
    cdef PyObject* node
    while frame.next < (<Node> frame.node).n_edges:
        node = edges[frame.next].node
        frame.next += 1
        if node != NULL and (<Node> node).sequence >= oldest:
            return node
    return NULL


cdef Frame* grow_frames(Frame* frames, uint32_t* room, Frame* small) except NULL:
    """Twice the room for frames."""
    cdef Frame* wide = <Frame*> PyMem_Realloc(frames if frames != small else NULL, 2 * room[0] * sizeof(Frame))
    if wide == NULL:
        raise MemoryError()
    if frames == small:
        memcpy(wide, small, room[0] * sizeof(Frame))
    room[0] *= 2
    return wide
