"""Structure: what launches do and where, to find out whether two recordings begin alike.

Note [Branches share a beginning]
    Where a guard differs, the function runs again from its start and is recorded, and what follows the guard becomes a
    branch. It can go on in the memory of the program that has stopped at the guard if both have done the same up to
    there: the same operations (``begins_like``) and kernels with the same numbers, on memory that corresponds. So a
    program with guards keeps a digest of each launch up to the last of them and the addresses of its operands, in the
    program's memory. The launches of the new recording are compared with them one by one, which also says where each
    block of the new recording lies in the program's memory.
    An element of memory that corresponds to two is a difference.
"""
cimport cython
from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport free, realloc

from wengert_core.extend cimport (LAUNCH_CALL, LAUNCH_POINTWISE, LAUNCH_STORE, OPERAND_CONSTANT, Launch,
                                  PointwisePlan, StorePlan, Tensor)
from wengert_replay.programs.memory cimport Memory, extent, last_fork
from wengert_replay.recording.tracing cimport Recording

cdef enum:
    MOST_OPERANDS = 255                # of a digest, whose lowest byte is their number


@cython.overflowcheck(False)            # the product wraps
cdef uint64_t mix(uint64_t digest, const void* data, Py_ssize_t nbytes) noexcept:
    """FNV-1a, 64 bits."""
    cdef Py_ssize_t i
    for i in range(nbytes):
        digest = (digest ^ (<const uint8_t*> data)[i]) * <uint64_t> 0x100000001B3
    return digest


cdef uint64_t digest_of(Launch* launch) noexcept:
    """A digest of what a launch does, addresses left out."""
    cdef uint64_t digest = <uint64_t> 0xCBF29CE484222325
    cdef PointwisePlan* plan
    cdef Py_ssize_t length
    cdef int k
    if launch.kind != LAUNCH_POINTWISE:    # whose plans differ with the way that a driver has taken
        digest = mix(digest, &launch.run, sizeof(launch.run))
    digest = mix(digest, &launch.kind, 1)
    digest = mix(digest, launch.role, launch.n_operands)
    for k in range(launch.n_operands):
        length = launch.high[k] - launch.low[k]
        digest = mix(digest, &length, sizeof(length))
        if launch.role[k] == OPERAND_CONSTANT and launch.data[k] != NULL:
            digest = mix(digest, launch.data[k], 16)
    if launch.kind == LAUNCH_POINTWISE:
        plan = <PointwisePlan*> launch.plan
        digest = mix(digest, &plan.loop.fn, sizeof(plan.loop.fn))
        digest = mix(digest, plan.params, plan.loop.n_params * sizeof(double))
    elif launch.kind == LAUNCH_STORE:  # not of guards: a branch sees something else
        digest = mix(digest, (<StorePlan*> launch.plan).bytes, (<StorePlan*> launch.plan).nbytes)
    return digest


cdef uint64_t with_count(uint64_t digest, Py_ssize_t n) noexcept:
    return digest & ~<uint64_t> MOST_OPERANDS | <uint64_t> min(n, <Py_ssize_t> MOST_OPERANDS)


cdef uint64_t digest_of_call(Recording recording, Py_ssize_t number, words) except? 0:
    """A digest of a call of a driver or of a Python function, from its words and the number of its tensors."""
    cdef bytes text = repr(words).encode("utf-8", "backslashreplace")
    return with_count(mix(<uint64_t> 0xCBF29CE484222325, <char*> text, len(text)), len(tensors_of(recording, number)))


cdef list tensors_of(Recording recording, Py_ssize_t number):
    """The tensors on captured memory of a call."""
    return (<list> recording.calls[number].memory)[:MOST_OPERANDS]


@cython.binding(False)
cdef class Structure:
    """Digests and addresses of launches, from a number on."""

    def __dealloc__(self):
        free(self.words)

    cdef int add(self, uint64_t word) except -1:
        cdef uint64_t* grown
        if self.n == self.room:
            self.room = 2 * self.room or 64
            grown = <uint64_t*> realloc(self.words, self.room * sizeof(uint64_t))
            if grown == NULL:
                raise MemoryError()
            self.words = grown
        self.words[self.n] = word
        self.n += 1
        return 0

    cdef Py_ssize_t agree(self, Recording recording, Py_ssize_t last, Memory memory) except -2:
        """Compare a recording with these launches, up to a number; put its regions where theirs are.

        Returns -1, or the number of the first launch that differs.
        """
        cdef Py_ssize_t i, at = 0, low = 0, high = 0, differs
        cdef Launch* launch
        cdef Tensor t
        cdef int k
        if self.before is not None:
            differs = self.before.agree(recording, min(last, self.first), memory)
            if differs >= 0 or last <= self.first:
                return differs
        if last > recording.recorder.n:
            return recording.recorder.n
        for i in range(self.first, last):
            launch = &recording.recorder.launches[i]
            if launch.kind == LAUNCH_CALL:
                if at >= self.n or self.words[at] != digest_of_call(recording, i, recording.calls[i].words()):
                    return i
                at += 1
                for t in tensors_of(recording, i):
                    extent(t, &low, &high)
                    if low < high and not memory.put(t.data, low, <char*> <size_t> self.words[at]):
                        return i
                    at += 1
                continue
            if at >= self.n or self.words[at] != with_count(digest_of(launch), launch.n_operands):
                return i
            at += 1
            for k in range(launch.n_operands):
                if launch.role[k] != OPERAND_CONSTANT and launch.low[k] < launch.high[k] \
                        and not memory.put(launch.data[k], launch.low[k], <char*> <size_t> self.words[at]):
                    return i
                at += 1
        return -1


cdef Structure structure_of(Recording recording, Py_ssize_t first, Memory memory, Structure before):
    """Note the launches of a recording from a number on. Its calls' tensors and its launches are not moved yet."""
    cdef Structure made = Structure.__new__(Structure)
    cdef Py_ssize_t i, low = 0, high = 0
    cdef Launch* launch
    cdef char* address
    cdef Tensor t
    cdef int k
    made.first, made.before = first, before
    for i in range(first, last_fork(recording)):       # a branch leaves there at the latest
        launch = &recording.recorder.launches[i]
        if launch.kind == LAUNCH_CALL:
            made.add(digest_of_call(recording, i, recording.calls[i].words()))
            for t in tensors_of(recording, i):
                extent(t, &low, &high)
                address = t.data
                if low < high:
                    memory.relocate(&address, low)
                made.add(<size_t> address)
            continue
        made.add(with_count(digest_of(launch), launch.n_operands))
        for k in range(launch.n_operands):
            address = launch.data[k]
            if launch.role[k] != OPERAND_CONSTANT and launch.low[k] < launch.high[k]:
                memory.relocate(&address, launch.low[k])
            made.add(<size_t> address)
    return made
