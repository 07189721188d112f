"""Dead code: launches whose results are overwritten, or forgotten, before anything reads them."""
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from wengert_core.extend cimport OPERAND_READ, OPERAND_WRITTEN
from wengert_replay.passes.ranges cimport NO_CELL
from wengert_replay.passes.schedule cimport ALONE, FACT_FAILS, FACT_NAMES, FACT_STOPS, Schedule, overwrites


cdef int drop_dead_code(Schedule schedule) except -1:
    """Drop them, and say which written operands of groups memory must have."""
    cdef char* live = <char*> malloc(schedule.cells.n + 1)
    if live == NULL:
        raise MemoryError()
    mark_kept(schedule, live)
    walk_back(schedule, live)
    free(live)
    return 0


cdef void mark_kept(Schedule schedule, char* live) noexcept:
    cdef Py_ssize_t i
    cdef int32_t first, end
    memset(live, schedule.kept is None, schedule.cells.n + 1)
    for i in range(schedule.kept.n if schedule.kept is not None else 0):
        first = schedule.cells.cell_of(schedule.kept.bounds[2 * i])
        end = schedule.cells.cell_of(schedule.kept.bounds[2 * i + 1])
        memset(live + first, 1, end - first)


cdef void walk_back(Schedule schedule, char* live) noexcept:
    cdef Py_ssize_t at
    cdef int32_t i, group = ALONE
    for at in range(schedule.n - 1, -1, -1):
        i = schedule.order[at]
        if schedule.group[i] != group:
            group = schedule.group[i]
            if group != ALONE:
                note_wanted(schedule, at, live)
        if schedule.facts[i] & FACT_STOPS:
            memset(live, 1, schedule.cells.n + 1)
        elif schedule.facts[i] & FACT_NAMES:
            note_call(schedule, i, live)
        elif is_wanted(schedule, i, live):
            note_launch(schedule, i, live)
        else:
            schedule.dropped[i] = True


cdef bint has_live_cell(Schedule schedule, int32_t operand, const char* live) noexcept:
    cdef int32_t cell
    if schedule.cells.first[operand] != NO_CELL:
        for cell in range(schedule.cells.first[operand], schedule.cells.end[operand]):
            if live[cell]:
                return True
    return False


cdef void note_wanted(Schedule schedule, Py_ssize_t last, const char* live) noexcept:
    """Note what memory must have behind a group, which ends at a place in the order."""
    cdef int32_t i, group = schedule.group[schedule.order[last]], operand
    while last >= 0 and schedule.group[schedule.order[last]] == group:
        i = schedule.order[last]
        for operand in range(schedule.cells.operands[i], schedule.cells.operands[i + 1]):
            if schedule.roles[operand] & OPERAND_WRITTEN:
                schedule.wanted[operand] = has_live_cell(schedule, operand, live)
        last -= 1


cdef bint is_wanted(Schedule schedule, int32_t i, const char* live) noexcept:
    """Whether somebody reads what a launch writes. One that writes nothing, or may fail, has another reason."""
    cdef bint writes = False
    cdef int32_t operand
    for operand in range(schedule.cells.operands[i], schedule.cells.operands[i + 1]):
        if schedule.roles[operand] & OPERAND_WRITTEN:
            writes = True
            if has_live_cell(schedule, operand, live):
                return True
    return not writes or schedule.facts[i] & FACT_FAILS


cdef inline void mark(Schedule schedule, int32_t operand, char* live, char is_live) noexcept:
    cdef int32_t cell = schedule.cells.first[operand], end = schedule.cells.end[operand]
    if end == cell + 1:                # as of most
        live[cell] = is_live
    elif cell != NO_CELL:
        memset(live + cell, is_live, end - cell)


cdef void note_launch(Schedule schedule, int32_t i, char* live) noexcept:
    """Note a launch: what it overwrites is not read from before it; what it reads is."""
    cdef int32_t operand, first = schedule.cells.operands[i], end = schedule.cells.operands[i + 1]
    for operand in range(first, end):
        if overwrites(schedule, i, operand - first) or schedule.begins[operand]:
            mark(schedule, operand, live, False)
    for operand in range(first, end):
        if schedule.roles[operand] & OPERAND_READ:
            mark(schedule, operand, live, True)


cdef void note_call(Schedule schedule, int32_t i, char* live) noexcept:
    """Note a call that names its memory, and runs whoever reads what it writes: what it overwrites is not read from
    before it, what it reads is.
    """
    cdef int32_t operand, first = schedule.cells.operands[i], end = schedule.cells.operands[i + 1]
    for operand in range(first, end):
        if schedule.roles[operand] == OPERAND_WRITTEN:
            mark(schedule, operand, live, False)
    for operand in range(first, end):
        if schedule.roles[operand] & OPERAND_READ:
            mark(schedule, operand, live, True)
