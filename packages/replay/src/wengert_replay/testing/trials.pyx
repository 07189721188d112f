"""Launches of a test, run as they are and as a stream.

Note [Trials]
    A trial has some bytes of memory, and launches on offsets in it (launches.pyx). ``("stop",)`` is a call of a driver
    that changes nothing, ``("write", offset, bytes)`` one that writes; ``("loop", ...)`` names its memory
    (named_calls.pyx). The states of memory at all stops and at the end are compared, at the end only what is kept.
    A fault is something that a pass with a wrong rule would do, so that a test can show that it is noticed.
"""
from libc.stdint cimport int32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from wengert_core.extend cimport LAUNCH_CALL, Launch, free_launch
from wengert_replay.memory.arena cimport NO_SPAN, Arena, Span
from wengert_replay.passes.dead_code cimport drop_dead_code
from wengert_replay.passes.groups cimport form_groups
from wengert_replay.passes.ranges cimport Ranges
from wengert_replay.passes.reach cimport Reach
from wengert_replay.passes.schedule cimport Schedule
from wengert_replay.passes.slots cimport VALUE_STORED, Slots
from wengert_replay.programs.plans cimport see_addresses
from wengert_replay.programs.stream cimport STOP_END, Row, Stream
from wengert_replay.testing.launches cimport make_launch
from wengert_replay.testing.named_calls cimport NamedCall


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
    stops but calls that name their memory, and ``kept`` is what counts.
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
    cdef dict named = {}
    cdef Reach reach
    cdef int k
    try:
        memcpy(base, <char*> memory, len(memory))
        for i in range(n):
            make_launch(&made[i], base, launches[i])
        for i in range(n):
            if launches[i][0] == "loop":
                named[i] = NamedCall(<size_t> base, launches[i])
                (<NamedCall> named[i]).run()
            elif made[i].kind == LAUNCH_CALL:
                plain.append(base[:len(memory)])
                call(base, launches[i])
            else:
                made[i].run(&made[i])
        plain.append(base[:len(memory)])
        if kept is not None:
            ranges = Ranges()
            for low, high in kept:
                ranges.add(base + low, base + high)
        reaches = {i: (<NamedCall> one).reach_of() for i, one in named.items()}
        if fault is not None and fault[0] == "name":           # a part of a call that it does not name
            reach = reaches[fault[1]]
            for k in range(<int> fault[2], reach.n - 1):
                reach.rows[k] = reach.rows[k + 1]
            reach.n -= 1
        schedule.lay_out(made, n, ranges, reaches)
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
            replayed.append(replay(stream, base, len(memory), launches, named))
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


cdef list replay(Stream stream, char* base, Py_ssize_t nbytes, list launches, dict named):
    cdef list states = []
    cdef char* at = stream.rows
    cdef int stop = STOP_END
    while True:
        at = stream.run(at, &stop)
        if stop != STOP_END and (<Row*> at).n in named:
            (<NamedCall> named[(<Row*> at).n]).run()
        else:
            states.append(base[:nbytes])
            if stop == STOP_END:
                return states
            call(base, launches[(<Row*> at).n])
        at += (<Row*> at).size


cdef int call(char* base, tuple words) except -1:
    if words[0] == "write":
        memcpy(base + <Py_ssize_t> words[1], <char*> <bytes> words[2], len(words[2]))
    return 0
