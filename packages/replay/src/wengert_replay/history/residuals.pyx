# cython: auto_pickle=False
"""Residuals: what the backward of a run reads of the program's memory, there or in a copy.

Note [Several runs before their backwards]
    A program has memory for one run. What the part behind the return point reads are the run's residuals: bytes of
    blocks that live there, and of arguments. Before another run writes there, they are copied aside, if somebody may
    still ask for that run's gradients: nobody has yet, and its node is there. The backward of such a run gets them
    back, and nothing is computed twice. All copies together are what the graphs of eager calls would hold.
    Nobody says before whether a graph is kept for several backwards, so the first one drops the copy. The second one
    finds that the function has to run again; from then on these residuals are copied each time and kept.
"""
cimport cython
from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from weakref import ref

from wengert_core.extend cimport LAUNCH_CALL, OPERAND_READ, Launch, Storage, Tensor, alias, allocate, release
from wengert_replay.programs.memory cimport extent
from wengert_replay.recording.calls cimport Call
from wengert_replay.trace.tables cimport ABSENT, find, free_table, put

from wengert_replay.history.outside import shares_memory


@cython.binding(False)
cdef class Residuals:
    """The bytes that the backward of one run reads. Note [Several runs before their backwards]"""

    def __dealloc__(self):
        self.drop()

    cdef void drop(self) noexcept:
        if self.copy != NULL:
            release(self.copy, self.size_class)
            self.copy = NULL


@cython.binding(False)
cdef class ResidualMemory:
    """The ranges of a program's memory that residuals lie in."""

    def __dealloc__(self):
        free(self.ranges)

    cdef int put_aside(self) except -1:
        """Copy what the memory has, where somebody may ask for it, before a run writes there."""
        cdef Residuals residuals = None if self.current is None else self.current()
        cdef Py_ssize_t i
        cdef char* at
        self.current = None
        if residuals is None or residuals.copy != NULL or residuals.uses == 1:
            return 0
        at = residuals.copy = allocate(self.nbytes, &residuals.size_class)
        for i in range(self.n):
            memcpy(at, self.ranges[i].address, self.ranges[i].nbytes)
            at += self.ranges[i].nbytes
        return 0

    cdef bint take_over(self, Residuals residuals) except -1:
        """Have the residuals of a run; False where they are gone."""
        cdef Py_ssize_t i
        cdef char* at = residuals.copy
        if self.current is not None and self.current() is residuals:
            return True
        if at == NULL:
            return False
        self.put_aside()
        for i in range(self.n):
            memcpy(self.ranges[i].address, at, self.ranges[i].nbytes)
            at += self.ranges[i].nbytes
        self.current = ref(residuals)
        return True

    cdef int use(self, Residuals residuals) except -1:
        """Note that a backward has read the residuals."""
        residuals.uses = min(residuals.uses + 1, 2)
        if residuals.uses == 1:
            residuals.drop()
        return 0


@cython.binding(False)
cdef class PartsBehind:
    """Parts of memory that launches behind a return point may read, and what they read of them."""

    def __dealloc__(self):
        free(self.parts)
        free_table(&self.starts)

    cdef int fill(self, list rows) except -1:
        """Take over (low, high, kind, number)."""
        self.parts = <Part*> calloc(len(rows) + 1, sizeof(Part))
        if self.parts == NULL:
            raise MemoryError()
        rows.sort()
        for low, high, kind, number in rows:
            if low < high:
                self.parts[self.n].low, self.parts[self.n].high = low, high
                self.parts[self.n].kind, self.parts[self.n].number = kind, number
                put(&self.starts, low, 0, <uint32_t> self.n)
                self.n += 1
        return 0

    cdef int read(self, size_t low, size_t high) noexcept:
        """Note that these bytes are read."""
        cdef Py_ssize_t first = 0, last = self.n, middle
        cdef uint32_t number = find(&self.starts, low, 0)
        cdef Part* part
        if number != ABSENT:           # as of most
            first = last = number + 1
        while first < last:
            middle = (first + last) // 2
            if self.parts[middle].low <= low:
                first = middle + 1
            else:
                last = middle
        while first > 0:
            first -= 1
            part = &self.parts[first]
            if low < part.high:
                part.first = min(low, part.first) if part.last else low
                part.last = max(high, part.last)
                return 0
            if part.kind != PART_OUTSIDE:
                return 0               # only storages outside overlap
        return 0

    cdef int read_tensor(self, Tensor t) except -1:
        cdef Py_ssize_t low = 0, high = 0
        extent(t, &low, &high)
        if low < high:
            self.read(<size_t> (t.data + low), <size_t> (t.data + high))
        return 0

    cdef list tensors_read(self, list leaves):
        cdef Py_ssize_t i
        found = [self.outside[self.parts[i].number] for i in range(self.n)
                 if self.parts[i].kind == PART_OUTSIDE and self.parts[i].last]
        return [alias(t) for t in found if not shares_memory(t, leaves)]


cdef PartsBehind parts_behind(Recording recording, Py_ssize_t return_point, bytes live, Py_ssize_t n_inputs):
    """Say what launches behind a return point read. live: ``live_marks`` there.   n_inputs: arguments."""
    cdef PartsBehind made = PartsBehind.__new__(PartsBehind)
    cdef Py_ssize_t i, low = 0, high = 0
    cdef list rows = []
    cdef Launch* launch
    cdef Storage s
    cdef Tensor t
    cdef int k
    for i in range(len(live)):
        if live[i]:
            address = <size_t> recording.pool.blocks[i].address
            rows.append((address, address + recording.pool.blocks[i].nbytes, PART_OWN, -1))
    for s in recording.foreign:
        rows.append((<size_t> s.data, <size_t> s.data + s.nbytes, PART_OWN, -1))
    for t in recording.inputs[:n_inputs]:
        extent(t, &low, &high)
        rows.append((<size_t> t.data + low, <size_t> t.data + high, PART_OWN, -1))
    made.outside = [row[0] for row in recording.outside.values()]
    for i, (_, _, address, nbytes) in enumerate(recording.outside.values()):
        rows.append((address, address + nbytes, PART_OUTSIDE, i))
    made.fill(rows)
    for i in range(return_point + 1, recording.recorder.n):
        launch = &recording.recorder.launches[i]
        if launch.kind == LAUNCH_CALL:
            for t in (<Call> recording.calls[i]).memory:
                made.read_tensor(t)
        for k in range(launch.n_operands):
            if launch.role[k] & OPERAND_READ and launch.low[k] < launch.high[k]:
                made.read(<size_t> (launch.data[k] + launch.low[k]), <size_t> (launch.data[k] + launch.high[k]))
    return made


cdef ResidualMemory residual_memory(PartsBehind parts, Memory memory):
    """Say where residuals lie in a program's memory."""
    cdef ResidualMemory made = ResidualMemory.__new__(ResidualMemory)
    cdef Py_ssize_t i
    cdef Part* part
    cdef Range* row
    made.ranges = <Range*> calloc(parts.n + 1, sizeof(Range))
    if made.ranges == NULL:
        raise MemoryError()
    for i in range(parts.n):
        part = &parts.parts[i]
        if part.kind == PART_OWN and part.last:
            row = &made.ranges[made.n]
            row.address, row.nbytes = <char*> part.first, part.last - part.first
            memory.relocate(&row.address, 0)
            made.n, made.nbytes = made.n + 1, made.nbytes + row.nbytes
    return made
