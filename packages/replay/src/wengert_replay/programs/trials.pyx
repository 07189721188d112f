"""Launches of a test, run as they are and as a stream.

Note [Trials]
    A trial has some bytes of memory, and launches on offsets in it: ``("add", n, a, b, out)``, ``("mul", ...)`` and
    ``("exp", n, a, out)`` on n float64; ``("scale", n, number, a, out)``; ``("sum", n, a, out)``; ``("move", nbytes,
    source, target)``; ``("store", bytes, target)``; ``("fill", n, number, target)``; ``("row", n, row, matrix)``;
    ``("spread", rows, columns, matrix, vector, vector_is_row, out)``, a sum of a matrix and a row or a column;
    ``("stop",)``, a call of a driver that changes nothing; ``("write", offset, bytes)``, one that writes. The states
    of memory at all stops and at the end are compared, at the end only what is kept.
    A fault is something that a pass with a wrong rule would do, so that a test can show that it is noticed.
"""
from libc.stdint cimport int32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

import numpy as np

from wengert_core.extend cimport (FLOAT64, LAUNCH_ADD_ROW, LAUNCH_CALL, LAUNCH_FILL, LAUNCH_MOVE, LAUNCH_POINTWISE,
                                  LAUNCH_REDUCE, LAUNCH_STORE, OPERAND_CONSTANT, OPERAND_READ, OPERAND_UPDATED,
                                  OPERAND_WRITTEN, AddRowPlan, FillPlan, Launch, PointwisePlan, ReducePlan,
                                  StorePlan, find_reduction, free_launch, npy_intp, resolve)
from wengert_replay.memory.arena cimport NO_SPAN, Arena, Span
from wengert_replay.passes.dead_code cimport drop_dead_code
from wengert_replay.passes.groups cimport form_groups
from wengert_replay.passes.ranges cimport Ranges
from wengert_replay.passes.schedule cimport Schedule
from wengert_replay.passes.slots cimport VALUE_STORED, Slots
from wengert_replay.programs.plans cimport see_addresses
from wengert_replay.programs.stream cimport STOP_END, Row, Stream

cdef dict PROVIDERS = {"add": [np.add], "mul": [np.multiply], "exp": ["exp", np.exp], "scale": [np.multiply]}


# ---- launches: what runs each, as a driver would

cdef int run_pointwise(Launch* launch) noexcept nogil:
    cdef PointwisePlan* plan = <PointwisePlan*> launch.plan
    cdef char* args[5]
    cdef npy_intp steps[5]
    cdef npy_intp n = plan.shape[0]
    cdef int k
    for k in range(plan.n_in + 1):
        args[k], steps[k] = launch.data[k], plan.strides[k][0]
    plan.loop.fn(args, &n, steps, plan.loop.data)
    return 0


cdef int run_rows(Launch* launch) noexcept nogil:
    cdef PointwisePlan* plan = <PointwisePlan*> launch.plan
    cdef char* args[3]
    cdef npy_intp steps[3]
    cdef npy_intp n = plan.shape[1]
    cdef Py_ssize_t i
    cdef int k
    for i in range(plan.shape[0]):
        for k in range(3):
            args[k], steps[k] = launch.data[k] + i * plan.strides[k][0], plan.strides[k][1]
        plan.loop.fn(args, &n, steps, plan.loop.data)
    return 0


cdef int run_sum(Launch* launch) noexcept nogil:
    cdef ReducePlan* plan = <ReducePlan*> launch.plan
    plan.fn(launch.data[0], 1, 0, plan.n, plan.stride, launch.data[1], 0)
    return 0


cdef int run_move(Launch* launch) noexcept nogil:
    memcpy(launch.data[1], launch.data[0], launch.high[0])
    return 0


cdef int run_store(Launch* launch) noexcept nogil:
    memcpy(launch.data[0], (<StorePlan*> launch.plan).bytes, (<StorePlan*> launch.plan).nbytes)
    return 0


cdef int run_fill(Launch* launch) noexcept nogil:
    cdef Py_ssize_t i
    for i in range((<FillPlan*> launch.plan).shape[0]):
        memcpy(launch.data[0] + 8 * i, (<FillPlan*> launch.plan).number, 8)
    return 0


cdef int run_row(Launch* launch) noexcept nogil:
    cdef Py_ssize_t i
    for i in range((<AddRowPlan*> launch.plan).n):
        (<double*> launch.data[1])[i] += (<double*> launch.data[0])[i]
    return 0


cdef void add(Launch* launch, char* data, Py_ssize_t nbytes, int role) noexcept:
    cdef int k = launch.n_operands
    launch.data[k], launch.high[k], launch.role[k] = data, nbytes, <unsigned char> role
    launch.n_operands += 1


cdef int make_pointwise(Launch* launch, char* memory, tuple words) except -1:
    cdef PointwisePlan* plan = <PointwisePlan*> calloc(1, sizeof(PointwisePlan))
    cdef int k
    launch.plan, launch.kind, launch.run = plan, LAUNCH_POINTWISE, run_pointwise
    plan.n_in, plan.shape[0], plan.plain = len(words) - 3, words[1], True
    plan.ndim = plan.shape[0] != 1
    resolve(&plan.loop, PROVIDERS[words[0]], FLOAT64, plan.n_in, -1, -1)
    for k in range(plan.n_in + 1):
        plan.dtypes[k] = FLOAT64
        plan.strides[k][0] = 8 if plan.ndim else 0
        if words[0] == "scale" and k == 0:
            (<double*> plan.numbers[0])[0] = words[2]
            plan.strides[0][0] = 0
            add(launch, <char*> plan.numbers[0], 16, OPERAND_CONSTANT)
        else:
            add(launch, memory + <Py_ssize_t> words[2 + k], 8 * plan.shape[0],
                OPERAND_WRITTEN if k == plan.n_in else OPERAND_READ)
    return 0


cdef int make_strided(Launch* launch, char* memory, tuple words) except -1:
    cdef PointwisePlan* plan = <PointwisePlan*> calloc(1, sizeof(PointwisePlan))
    cdef Py_ssize_t rows = words[1], columns = words[2]
    cdef int k
    launch.plan, launch.kind, launch.run = plan, LAUNCH_POINTWISE, run_rows
    plan.n_in, plan.ndim, plan.shape[0], plan.shape[1] = 2, 2, rows, columns
    resolve(&plan.loop, [np.add], FLOAT64, 2, -1, -1)
    for k in range(3):
        plan.dtypes[k], plan.strides[k][0], plan.strides[k][1] = FLOAT64, 8 * columns, 8
    plan.strides[1][0], plan.strides[1][1] = (0, 8) if words[5] else (8, 0)
    add(launch, memory + <Py_ssize_t> words[3], 8 * rows * columns, OPERAND_READ)
    add(launch, memory + <Py_ssize_t> words[4], 8 * (columns if words[5] else rows), OPERAND_READ)
    add(launch, memory + <Py_ssize_t> words[6], 8 * rows * columns, OPERAND_WRITTEN)
    return 0


cdef int make_bytes(Launch* launch, char* memory, tuple words) except -1:
    cdef StorePlan* stored
    cdef FillPlan* filled
    cdef double number
    if words[0] == "store":
        stored = <StorePlan*> malloc(sizeof(StorePlan) + len(words[1]))
        stored.nbytes = len(words[1])
        memcpy(stored.bytes, <char*> <bytes> words[1], stored.nbytes)
        launch.plan, launch.kind, launch.run = stored, LAUNCH_STORE, run_store
        add(launch, memory + <Py_ssize_t> words[2], stored.nbytes, OPERAND_WRITTEN)
    else:
        filled, number = <FillPlan*> calloc(1, sizeof(FillPlan)), words[2]
        filled.ndim, filled.dtype, filled.shape[0], filled.strides[0] = 1, FLOAT64, words[1], 8
        memcpy(filled.number, &number, 8)
        launch.plan, launch.kind, launch.run = filled, LAUNCH_FILL, run_fill
        add(launch, memory + <Py_ssize_t> words[3], 8 * filled.shape[0], OPERAND_WRITTEN)
    return 0


cdef int make_launch(Launch* launch, char* memory, tuple words) except -1:
    cdef ReducePlan* reduced
    cdef AddRowPlan* row
    memset(launch, 0, sizeof(Launch))
    if words[0] in PROVIDERS:
        make_pointwise(launch, memory, words)
    elif words[0] == "spread":
        make_strided(launch, memory, words)
    elif words[0] in ("store", "fill"):
        make_bytes(launch, memory, words)
    elif words[0] == "move":
        launch.kind, launch.run = LAUNCH_MOVE, run_move
        add(launch, memory + <Py_ssize_t> words[2], words[1], OPERAND_READ)
        add(launch, memory + <Py_ssize_t> words[3], words[1], OPERAND_WRITTEN)
    elif words[0] == "sum":
        reduced = <ReducePlan*> calloc(1, sizeof(ReducePlan))
        reduced.fn, reduced.n, reduced.stride = find_reduction("sum", FLOAT64, FLOAT64), words[1], 8
        reduced.code = FLOAT64
        launch.plan, launch.kind, launch.run = reduced, LAUNCH_REDUCE, run_sum
        add(launch, memory + <Py_ssize_t> words[2], 8 * reduced.n, OPERAND_READ)
        add(launch, memory + <Py_ssize_t> words[3], 8, OPERAND_WRITTEN)
    elif words[0] == "row":
        row = <AddRowPlan*> calloc(1, sizeof(AddRowPlan))
        row.m, row.n, row.code = 1, words[1], FLOAT64
        launch.plan, launch.kind, launch.run = row, LAUNCH_ADD_ROW, run_row
        add(launch, memory + <Py_ssize_t> words[2], 8 * row.n, OPERAND_READ)
        add(launch, memory + <Py_ssize_t> words[3], 8 * row.n, OPERAND_UPDATED)
    else:
        launch.kind = LAUNCH_CALL
    return 0


# ---- a trial

cdef int inject(Schedule schedule, Slots slots, str kind, int32_t which) except -1:
    """Do what a wrong pass would do; ``which``: to which launch, or value, of those that there are."""
    cdef int32_t k, n = 0
    if kind == "drop":                 # a launch that somebody needs
        for k in range(<int32_t> schedule.n):
            if not schedule.dropped[k] and schedule.launches[k].kind != LAUNCH_CALL:
                if n == which:
                    schedule.dropped[k] = True
                n += 1
    elif kind == "exchange":           # two launches that depend on each other
        schedule.order[which], schedule.order[which + 1] = schedule.order[which + 1], schedule.order[which]
    elif kind == "forget":             # a value that memory must have
        for k in range(slots.n):
            if slots.values[k].flags & VALUE_STORED:
                if n == which:
                    slots.values[k].flags &= ~(<unsigned char> VALUE_STORED)
                n += 1
    elif kind == "reuse":              # a slot that is still read
        for k in range(1, slots.n):
            if k == which:
                slots.values[k].slot = slots.values[k - 1].slot
    return n


cdef int plan_memory(Stream stream, Arena arena, list own) except -1:
    """Place all spans; the last of ``own`` is the arena's memory."""
    see_addresses(stream, arena, True)
    arena.pack()
    own.append(bytearray(arena.nbytes + 64))
    arena.base = <char*> <bytearray> own[len(own) - 1]
    arena.base += 64 - <size_t> arena.base % 64
    see_addresses(stream, arena, False)
    return 0


cdef void move_ends(Arena arena, int32_t* ends, bint begins) noexcept:
    """Copy what a run begins with into the arena, or what it ends with out of it."""
    cdef Span* span
    cdef Py_ssize_t k
    for k in range(arena.n_regions):
        if ends[k] == NO_SPAN or not arena.spans[ends[k]].n_fields:
            continue
        span = &arena.spans[ends[k]]
        if begins:
            memcpy(arena.address_in(ends[k], span.low), <char*> span.low, span.high - span.low)
        else:
            memcpy(<char*> span.low, arena.address_in(ends[k], span.low), span.high - span.low)


def run_trial(bytes memory not None, list launches not None, list kept or None, tuple fault=None, list regions=None):
    """Run launches in their order and as a stream. Returns the states of memory of both, and the stream's facts.

    regions: (first byte, byte behind the last) of blocks whose memory is planned anew, by rising places; then nothing
    stops, and ``kept`` is what counts.
    """
    cdef Py_ssize_t n = len(launches), i, low, high
    cdef int _again
    cdef char* own = <char*> malloc(len(memory) + 64)
    cdef char* base = own + (64 - <size_t> own % 64)
    cdef Launch* made = <Launch*> calloc(n + 1, sizeof(Launch))
    cdef Schedule schedule = Schedule()
    cdef Slots slots = Slots()
    cdef Stream stream = Stream()
    cdef Ranges ranges = None
    cdef Arena arena = None
    cdef list plain = [], replayed = [], own_memory = []
    try:
        memcpy(base, <char*> memory, len(memory))
        for i in range(n):
            make_launch(&made[i], base, launches[i])
        for i in range(n):
            if made[i].kind == LAUNCH_CALL:
                plain.append(base[:len(memory)])
                call(base, launches[i])
            else:
                made[i].run(&made[i])
        plain.append(base[:len(memory)])
        if kept is not None:
            ranges = Ranges()
            for low, high in kept:
                ranges.add(base + low, base + high)
        schedule.lay_out(made, n, ranges)
        form_groups(schedule)
        if fault is not None and fault[0] == "exchange":
            inject(schedule, slots, fault[0], fault[1])
        drop_dead_code(schedule)
        if fault is not None and fault[0] == "drop":
            inject(schedule, slots, fault[0], fault[1])
        slots.lay_out(schedule)
        if fault is not None and fault[0] in ("forget", "reuse"):
            inject(schedule, slots, fault[0], fault[1])
        if regions is not None:
            arena = Arena()
            for low, high in regions:
                arena.add_region(<size_t> (base + low), <size_t> (base + high), False)
        stream.take(slots, 0, arena)
        if arena is not None:
            if fault is not None and fault[0] == "shorten" and fault[1] < arena.n:
                arena.spans[<Py_ssize_t> fault[1]].end = arena.spans[<Py_ssize_t> fault[1]].begin
            plan_memory(stream, arena, own_memory)
        for _again in range(2):        # the second run begins with what the first has left
            memcpy(base, <char*> memory, len(memory))
            if arena is not None:
                move_ends(arena, arena.first, True)
            replayed.append(replay(stream, base, len(memory), launches))
            if arena is not None:
                move_ends(arena, arena.last, False)
                replayed[len(replayed) - 1] = [base[:len(memory)]]
    finally:
        for i in range(n):
            free_launch(&made[i])
        free(made)
        free(own)
    facts = stream.facts()
    return plain, replayed, facts if arena is None else facts | {"arena": arena.nbytes, "spans": arena.n}


cdef list replay(Stream stream, char* base, Py_ssize_t nbytes, list launches):
    cdef list states = []
    cdef char* at = stream.rows
    cdef int stop = STOP_END
    while True:
        at = stream.run(at, &stop)
        states.append(base[:nbytes])
        if stop == STOP_END:
            return states
        call(base, launches[(<Row*> at).n])
        at += (<Row*> at).size


cdef int call(char* base, tuple words) except -1:
    if words[0] == "write":
        memcpy(base + <Py_ssize_t> words[1], <char*> <bytes> words[2], len(words[2]))
    return 0
