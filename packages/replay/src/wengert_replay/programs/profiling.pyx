"""Profiles of replays: an event for a replay, and in it one for each operation or group of fused ones.

Note [A replay in a profile]
    Where a profile is all that observes a thread, a program is replayed, between marks of its stream (Mark in
    instructions/marks.pxd): each piece is an event with the names of the operations that it does. Calls that have no
    program run as usual, and cannot be recorded. Where anything else observes the thread, all calls run as usual.
"""
from wengert_core.extend cimport (WG_BATCHED, WG_CAST, WG_GUARD, WG_OBSERVE, WG_ON_DEVICE, WG_STRONG, WG_TELL,
                                  bytes_between, thread_state)
from wengert_replay.programs.stream cimport STOP_END, Stream

from wengert_engine.extend import begin_label, end_label, is_only_recorded

cdef enum:
    MOST_NAMES = 4                     # of operations in the name of a group
    UNUSUAL = WG_TELL | WG_BATCHED | WG_CAST | WG_STRONG | WG_ON_DEVICE | WG_GUARD


def profiled_modes():
    """The modes of a thread that nobody but a profile observes, without that; -1 for another thread."""
    cdef unsigned int modes = thread_state().modes
    if not modes & WG_OBSERVE or modes & UNUSUAL or not is_only_recorded():
        return -1
    return modes & ~(<unsigned int> WG_OBSERVE)


def replay_profiled(program, list inputs not None, str name not None):
    """Return what ``program.replay`` does, as an event with the function's name."""
    event = begin_label(f"replay of {name}")
    try:
        return program.replay(inputs)
    finally:
        end_label(event)


cdef char* run_profiled(Stream stream, list names, char* at, int* stop) except NULL:
    """Run a stream from a row on as ``Stream.run`` does, with an event for each mark."""
    cdef Py_ssize_t k
    stream.marks.open()
    k = mark_behind(stream, bytes_between(stream.rows, at))
    while True:
        event = begin_label(names[k - 1] if k > 0 else "operands")
        with nogil:
            if k < stream.marks.n:
                at = stream.run_until(at, stream.rows + stream.marks.items[k].at, stop)
            else:
                at = stream.run(at, stop)
        end_label(event)
        if stop[0] != STOP_END or k >= stream.marks.n:
            return at
        k += 1


cdef Py_ssize_t mark_behind(Stream stream, Py_ssize_t place) noexcept:
    """The number of the first mark behind a place in the rows."""
    cdef Py_ssize_t low = 0, high = stream.marks.n, middle
    while low < high:
        middle = (low + high) // 2
        if stream.marks.items[middle].at <= <size_t> place:
            low = middle + 1
        else:
            high = middle
    return low


cdef list names_of_marks(Stream stream, steps):
    """The name of the event of each mark: the operations from its own to that of the next one."""
    cdef Py_ssize_t k, first, last
    found = []
    stream.marks.open()
    for k in range(stream.marks.n):
        first = stream.marks.items[k].step
        last = <Py_ssize_t> stream.marks.items[k + 1].step if k + 1 < stream.marks.n else len(steps)
        names = [step.name for step in steps[first:max(last, first + 1)] if step.way == "launches"][:MOST_NAMES + 1]
        found.append("+".join(names[:MOST_NAMES]) + ("+..." if len(names) > MOST_NAMES else "") if names
                     else steps[first].name if first < len(steps) else "operands")
    return found
