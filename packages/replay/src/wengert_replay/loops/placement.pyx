"""Placement: where the memory of a body lies, and of the loop around it. Note [A body's memory] in body.pyx

Note [The carry is moved early]
    What an iteration gives as its carry is the argument of the next one. Where it is moved there at the end, all of it
    is there twice: sums of gradients for each parameter of a network, and their terms. So a part is moved as soon as
    it is computed and nothing reads the old one any more, by a launch of the body: its memory is free for others then,
    and small values need no instruction for it. Where the last launch that reads the old one computes the new one
    element by element, or nothing reads it there, and nothing reads the new one, it is computed in place.
"""
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from wengert_core.extend cimport (BOOL, LAUNCH_CALL, LAUNCH_MOVE, LAUNCH_POINTWISE, OPERAND_CONSTANT, OPERAND_READ,
                                  OPERAND_WRITTEN, Launch, PointwisePlan, Tensor, add_operand, bytes_between,
                                  dtype_facts, itemsize_of, new_empty)
from wengert_replay.loops.body cimport Port
from wengert_replay.loops.course cimport is_alike, is_dense_port, is_row_of
from wengert_replay.loops.loop cimport IN_PLACE
from wengert_replay.memory.arena cimport AT_START, NO_SPAN, Fields, Span
from wengert_replay.memory.layout cimport NARROW, WIDE
from wengert_replay.passes.schedule cimport is_dense
from wengert_replay.programs.memory cimport extent
from wengert_replay.programs.plans cimport see_addresses
from wengert_replay.recording.calls cimport Call, on_captured_memory
from wengert_replay.recording.value_map cimport OPERAND_BITS

cdef enum:
    ADDRESS_BYTES = 16                 # copied in the time in which an address is written
    NOWHERE = -1


# ---- the carry, before a body's stream is written

cdef int run_move(Launch* launch) noexcept nogil:
    memcpy(launch.data[1], launch.data[0], launch.high[0])
    return 0


cdef bint may_move(Body body, Py_ssize_t k) except -1:
    """Whether a part of the carry has bytes of its own, and takes those of the argument in the same order."""
    cdef Port* source = &body.results[k]
    cdef Port* target = &body.inputs[k]
    cdef Tensor like = body.like_results[k]
    return source.nbytes and source.nbytes == target.nbytes and source.low == target.low and source.input < 0 \
        and not target.is_result and is_alike(like, body.like_inputs[k]) \
        and source.nbytes == like.count * itemsize_of(like)


cdef inline bint meets(Port* port, char* low, char* high) noexcept nogil:
    return low < port.data + port.nbytes and port.data < high


cdef bint is_used(Recording recording, Py_ssize_t i, Port* source, Port* target) except -1:
    """Whether a launch reads an argument, or writes a result."""
    cdef Launch* launch = &recording.recorder.launches[i]
    cdef Py_ssize_t low = 0, high = 0
    cdef Tensor t
    cdef int k
    for k in range(launch.n_operands):
        if launch.role[k] != OPERAND_CONSTANT \
                and (meets(target, launch.data[k] + launch.low[k], launch.data[k] + launch.high[k])
                     or launch.role[k] & OPERAND_WRITTEN
                     and meets(source, launch.data[k] + launch.low[k], launch.data[k] + launch.high[k])):
            return True
    for t in (<Call> recording.calls[i]).memory if launch.kind == LAUNCH_CALL else ():
        extent(t, &low, &high)
        if meets(target, t.data + low, t.data + high) or meets(source, t.data + low, t.data + high):
            return True
    return False


cdef Py_ssize_t last_use(Recording recording, Port* source, Port* target) except -2:
    """The launch behind which a part may be moved; NOWHERE: nothing writes it."""
    cdef Py_ssize_t i
    for i in range(recording.recorder.n - 1, -1, -1):
        if is_used(recording, i, source, target):
            return i
    return NOWHERE


cdef bint reads_after(Recording recording, Py_ssize_t at, Port* port) except -1:
    """Whether a launch behind one uses what a result lies in."""
    cdef Py_ssize_t i, low = 0, high = 0
    cdef Launch* launch
    cdef Tensor t
    cdef int k
    for i in range(at + 1, recording.recorder.n):
        launch = &recording.recorder.launches[i]
        for k in range(launch.n_operands):
            if launch.role[k] != OPERAND_CONSTANT \
                    and meets(port, launch.data[k] + launch.low[k], launch.data[k] + launch.high[k]):
                return True
        for t in (<Call> recording.calls[i]).memory if launch.kind == LAUNCH_CALL else ():
            extent(t, &low, &high)
            if meets(port, t.data + low, t.data + high):
                return True
    return False


cdef bint computes_in_place(Launch* launch, Port* source, Port* target) noexcept:
    """Whether a launch may write a result to the argument instead: each element where it reads the old one, if at all.
    """
    cdef PointwisePlan* plan = <PointwisePlan*> launch.plan
    cdef int out = launch.n_operands - 1, k, i
    cdef char* low
    cdef char* high
    if launch.kind != LAUNCH_POINTWISE or launch.role[out] != OPERAND_WRITTEN \
            or launch.data[out] + launch.low[out] != source.data \
            or launch.data[out] + launch.high[out] != source.data + source.nbytes \
            or not is_dense(plan.shape, plan.strides[out], plan.ndim, dtype_facts().itemsize[plan.dtypes[out]]):
        return False
    for k in range(out):
        low, high = launch.data[k] + launch.low[k], launch.data[k] + launch.high[k]
        if launch.role[k] == OPERAND_CONSTANT or not meets(target, low, high):
            continue
        if low != target.data or high != target.data + target.nbytes or plan.dtypes[k] != plan.dtypes[out]:
            return False
        for i in range(plan.ndim):
            if plan.strides[k][i] != plan.strides[out][i]:
                return False
    return True


cdef bint is_alone(Body body, Py_ssize_t k) noexcept:
    """Whether no other result lies in the memory of one."""
    cdef Py_ssize_t i
    for i in range(body.n_results):
        if i != k and body.results[i].nbytes \
                and meets(&body.results[k], body.results[i].data, body.results[i].data + body.results[i].nbytes):
            return False
    return True


cdef int move_carry_early(Body body, Recording recording, Py_ssize_t n_carry) except -1:
    cdef Py_ssize_t k
    cdef Port* source
    cdef Launch* launch
    cdef list parts = [], places = []
    for k in range(n_carry):
        if may_move(body, k):
            at = last_use(recording, &body.results[k], &body.inputs[k])
            if at != NOWHERE:
                parts.append((at, k))
    for at, k in parts:
        launch = &recording.recorder.launches[<Py_ssize_t> at]
        if computes_in_place(launch, &body.results[k], &body.inputs[k]) and is_alone(body, k) \
                and not reads_after(recording, at, &body.results[k]):
            launch.data[launch.n_operands - 1] += bytes_between(body.results[k].data, body.inputs[k].data)
        else:
            places.append((at, k))
    if places:
        insert_moves(body, recording, sorted(places))
    for _, k in parts:
        source = &body.results[k]
        source.data, source.input, source.offset = body.inputs[k].data, <int> k, 0
        body.inputs[k].is_result = True
    return 0


cdef int insert_moves(Body body, Recording recording, list places) except -1:
    """Insert launches behind others, which get new numbers. places: rising (number of the launch, part of the carry).
    """
    cdef Py_ssize_t n = recording.recorder.n, i, at = 0, m = 0, n_moves = len(places)
    cdef Launch* made = <Launch*> calloc(n + n_moves, sizeof(Launch))
    cdef uint32_t* numbers = <uint32_t*> malloc((n + 1) * sizeof(uint32_t))
    cdef uint32_t word
    if made == NULL or numbers == NULL:
        free(made)
        free(numbers)
        raise MemoryError()
    for i in range(n):
        numbers[i], made[at] = <uint32_t> at, recording.recorder.launches[i]
        at += 1
        while m < n_moves and <Py_ssize_t> places[m][0] == i:
            make_move(&made[at], body, places[m][1])
            made[at].step = recording.recorder.launches[i].step
            at, m = at + 1, m + 1
    free(recording.recorder.launches)
    recording.recorder.launches, recording.recorder.n, recording.recorder.room = made, at, at
    recording.calls = {numbers[<Py_ssize_t> number]: call for number, call in recording.calls.items()}
    for i in range(recording.first_writes.n):
        word = recording.first_writes.items[i]
        recording.first_writes.items[i] = numbers[word >> OPERAND_BITS] << OPERAND_BITS | word & (1 << OPERAND_BITS) - 1
    free(numbers)
    return 0


cdef int make_move(Launch* launch, Body body, Py_ssize_t k) except -1:
    cdef Py_ssize_t nbytes = body.inputs[k].nbytes
    memset(launch, 0, sizeof(Launch))
    launch.kind, launch.run = <uint8_t> LAUNCH_MOVE, run_move
    add_operand(launch, body.results[k].data, 0, nbytes, OPERAND_READ)
    add_operand(launch, body.inputs[k].data, 0, nbytes, OPERAND_WRITTEN)
    return 0


# ---- a body, when it is

cdef Fields fields_at(Arena arena, char* address):
    """The places that instructions name in the memory at an address, which a run has elsewhere; None: there are none.
    It is read, and then written, at most.
    """
    cdef int32_t region = arena.region_at(<size_t> address), first = arena.first[region], last = arena.last[region]
    cdef Fields fields = None
    if first != NO_SPAN and arena.spans[first].n_fields:
        fields = arena.move(first, <size_t> address)
    if last != NO_SPAN and last != first and arena.spans[last].n_fields:
        if fields is None:
            return arena.move(last, <size_t> address)
        arena.move_too(last)
    return fields


cdef bint stays(Body body, Arena arena, Py_ssize_t k) except -1:
    """Whether the memory of a result has nothing else in it, so that it may be a tensor's."""
    cdef Port* port = &body.results[k]
    cdef size_t low = <size_t> port.data, high = low + port.nbytes
    cdef int32_t region = arena.region_at(low)
    cdef Span* span = &arena.spans[arena.last[region]]
    cdef Tensor like = body.like_results[k]
    cdef Py_ssize_t i
    for i in range(body.n_results):
        if i != k and body.results[i].nbytes and arena.region_at(<size_t> body.results[i].data) == region:
            return False
    return span.begin != AT_START and low <= span.low and span.high <= high \
        and port.nbytes == like.count * itemsize_of(like)


cdef int lay_out_body(Body body, Arena arena, Py_ssize_t n_carry, bint in_place) except -1:
    """Place what the body computes, and note where its instructions name it, arguments, and memory around."""
    cdef Py_ssize_t i
    cdef Port* port
    cdef Fields fields
    see_addresses(body.stream, arena, True)
    body.own = arena.own = Fields.__new__(Fields)
    body.own.rows = arena.rows
    body.import_fields = [fields_at(arena, body.imports[i].data) for i in range(body.n_imports)]
    body.input_fields = [None if body.inputs[i].nbytes == 0 else fields_at(arena, body.inputs[i].data)
                         for i in range(body.n_inputs)]
    body.result_fields = []
    for i in range(body.n_results):
        port = &body.results[i]
        fields = None
        if port.nbytes and port.input < 0:
            span = arena.last[arena.region_at(<size_t> port.data)]
            if (in_place or i < n_carry and body.like_inputs[i] is None) and stays(body, arena, i):
                fields = arena.move(span, <size_t> port.data)
            else:
                arena.spans[<Py_ssize_t> span].n_fields += 1       # it is looked at behind a run
        body.result_fields.append(fields)
    arena.pack()
    body.arena_nbytes = arena.nbytes
    see_addresses(body.stream, arena, False)
    for fields in [body.own, *arena.moving]:
        fields.shrink()
    for i in range(body.n_results):
        port = &body.results[i]
        if port.nbytes and port.input < 0 and body.result_fields[i] is None:
            span = arena.last[arena.region_at(<size_t> port.data)]
            port.offset = arena.spans[<Py_ssize_t> span].offset \
                + <Py_ssize_t> (<size_t> port.data - arena.spans[<Py_ssize_t> span].start)
        port.data = NULL
    for i in range(body.n_inputs):
        body.inputs[i].data = NULL
    for i in range(body.n_imports):
        body.imports[i].data = NULL
    return 0


# ---- a loop

cdef Py_ssize_t take_room(Py_ssize_t* at, Py_ssize_t nbytes) noexcept:
    """Return where these bytes begin, and let ``at`` be where they end."""
    cdef Py_ssize_t alignment = WIDE if nbytes >= WIDE else NARROW
    cdef Py_ssize_t offset = at[0] + alignment - 1 & -alignment
    at[0] = offset + nbytes
    return offset


cdef bint is_in_place(Loop loop, Py_ssize_t number, Py_ssize_t k) except -1:
    """Whether an argument of a body lies in no memory of its own: a part of the carry where the loop gives it, if
    the body runs until the end; a row where it is.
    """
    cdef Body body = loop.bodies[number]
    cdef Port* port = &body.inputs[k]
    cdef Py_ssize_t n_carry = len(loop.carry)
    cdef Fields fields = body.input_fields[k]
    cdef Tensor like = body.like_inputs[k]
    if k < n_carry:
        return loop.following[number] == number and port.nbytes and is_alike(loop.outputs[k], like)
    if k >= n_carry + len(loop.rows) or port.is_result:
        return False
    if fields is None:
        return True                # nobody reads it
    return is_row_of(loop.rows[k - n_carry], like) \
        and (port.nbytes >= ADDRESS_BYTES * (fields.n + fields.n_far) or not is_dense_port(port, like))


cdef int take_scratch(Loop loop) except -1:
    """Take memory for what bodies need, from the recording's pool."""
    cdef Py_ssize_t at = 0, arenas = 0, number, k
    cdef Body body
    loop.input_offsets, loop.result_offsets = [], []
    for number, body in enumerate(loop.bodies or loop.tests):
        offsets = []
        for k in range(body.n_inputs):
            offsets.append(take_room(&at, body.inputs[k].nbytes)
                           if not loop.bodies or not is_in_place(loop, number, k) else IN_PLACE)
        loop.input_offsets.append(offsets)
        loop.result_offsets.append([take_room(&at, body.results[k].nbytes)
                                    if k < len(loop.carry) and body.result_fields[k] is not None
                                    and not is_alike(loop.outputs[k], body.like_results[k]) else IN_PLACE
                                    for k in range(body.n_results)])
    loop.ending_offsets = []
    if loop.bodies and len(loop.tests) > len(loop.bodies):
        body = loop.tests[len(loop.bodies)]
        loop.ending_offsets = [take_room(&at, body.inputs[k].nbytes) for k in range(body.n_inputs)]
    for body in loop.all_bodies():
        arenas = max(arenas, body.arena_nbytes)
    loop.arena_offset = take_room(&at, arenas)
    loop.holder = new_empty(BOOL, 1, &at)
    loop.scratch = on_captured_memory(loop.holder)
    loop.memory.append(loop.scratch)
    loop.written = [*loop.outputs, loop.scratch]
    return 0
