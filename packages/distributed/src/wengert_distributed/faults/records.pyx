"""Records of collectives in memory that ranks share, written and compared in a few nanoseconds.

Note [Records of collectives]
    Each rank has a page with a ring of the collectives that it began last. A record is four integers, the sequence
    number last. Who writes a record takes the old number away, writes the rest, and then the new number; who reads one
    looks at the number before and after, so that a record counts only where it is whole. Ranks that call the same
    collective with the same reduction, root, dtype and size write the same 32 bytes.

    A rank writes its record before it looks at its neighbors', with a full barrier between: of two neighbors at least
    one sees the other's record, and does not start a collective that the other calls otherwise.
"""
import cython
from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t

cdef extern from *:
    """
    static inline int64_t wg_load(const int64_t* at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
    static inline int64_t wg_load_after(const int64_t* at) {
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        return __atomic_load_n(at, __ATOMIC_RELAXED);
    }
    static inline void wg_store(int64_t* at, int64_t value) { __atomic_store_n(at, value, __ATOMIC_RELEASE); }
    static inline void wg_take_away(int64_t* at) {
        __atomic_store_n(at, 0, __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_RELEASE);
    }
    static inline void wg_barrier(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
    """
    int64_t load "wg_load"(const int64_t* at) noexcept nogil
    int64_t load_after "wg_load_after"(const int64_t* at) noexcept nogil
    void store "wg_store"(int64_t* at, int64_t value) noexcept nogil
    void take_away "wg_take_away"(int64_t* at) noexcept nogil
    void barrier "wg_barrier"() noexcept nogil

cdef enum:
    WORD = 8                           # bytes of an integer
    PAGE_WORDS = 512
    FINISHED_WORD = 2
    RING_WORD = 8
    SLOT_COUNT = 32
    FIELDS = 4                         # signature, elements, number, sequence
    MOST_RANKS = 0x100000

PAGE = PAGE_WORDS * WORD
"""The bytes of a rank."""
FINISHED = FINISHED_WORD * WORD
"""The offset, in a page, of the highest sequence number of an ended collective."""
RING, SLOTS, SLOT = RING_WORD * WORD, SLOT_COUNT, FIELDS * WORD
"""The offset of the records in a page, their number, and the bytes of each."""


cdef inline int64_t* slot_of(int64_t* ring, int64_t sequence) noexcept:
    return ring + sequence % SLOT_COUNT * FIELDS


cdef bint is_other(int64_t* mine, int64_t* other, int64_t sequence) noexcept:
    """Whether another rank's record has this sequence number and differs from this rank's."""
    cdef bint same
    if load(other + 3) != sequence:
        return False
    same = other[0] == mine[0] and other[1] == mine[1] and other[2] == mine[2]
    return not same and load_after(other + 3) == sequence


@cython.binding(False)
cdef class Records:
    """The records of all ranks of one machine, as one of them sees them.

    memory: a writable buffer with a page for each rank.   index: this rank's place in it.   count: how many ranks.
    Raises ValueError for an index outside of them, and for memory that is too small for them.
    """

    def __cinit__(self, memory, Py_ssize_t index, Py_ssize_t count):
        cdef Py_ssize_t other
        if not 0 < count <= MOST_RANKS or not 0 <= index < count:
            raise ValueError(f"a board of {count} ranks has no rank {index}")
        PyObject_GetBuffer(memory, &self.buffer, PyBUF_WRITABLE)
        if self.buffer.len < count * PAGE_WORDS * WORD or <size_t> self.buffer.buf % WORD:
            raise ValueError(f"a board of {count} ranks needs {count * PAGE} bytes, but has {self.buffer.len}")
        self.words = <int64_t*> self.buffer.buf
        self.index, self.count = index, count
        self.own = self.words + index * PAGE_WORDS + RING_WORD
        for other in sorted({(index + count - 1) % count, (index + 1) % count} - {index}):
            self.neighbors[self.neighbor_count] = self.words + other * PAGE_WORDS + RING_WORD
            self.neighbor_count += 1

    def __dealloc__(self):
        PyBuffer_Release(&self.buffer)

    cdef int64_t write(self, int64_t signature, int64_t elements, int64_t number) noexcept:
        """Write a record and return its sequence number; 0 where a neighbor has begun something else."""
        cdef int64_t sequence = self.sequence + 1
        cdef int64_t* mine = slot_of(self.own, sequence)
        cdef int i
        self.sequence = sequence
        take_away(mine + 3)
        mine[0], mine[1], mine[2] = signature, elements, number
        store(mine + 3, sequence)
        barrier()
        for i in range(self.neighbor_count):
            if is_other(mine, slot_of(self.neighbors[i], sequence), sequence):
                return 0
        return sequence

    cdef void end(self, int64_t sequence) noexcept:
        if sequence > self.ended:      # collectives in the background may end in another order
            self.ended = sequence
            store(self.words + self.index * PAGE_WORDS + FINISHED_WORD, sequence)

    def begin(self, int64_t signature, int64_t elements, int64_t number):
        """Write a record and return its sequence number; 0 where a neighbor is known to have begun something else.

        Each rank compares itself with two others. Of two neighbors the later one sees the record of the earlier, and
        does not start its collective: mismatched ones would overwrite memory.
        """
        return self.write(signature, elements, number)

    def finish(self, int64_t sequence):
        """Write that a collective has ended."""
        self.end(sequence)

    def differs(self, Py_ssize_t index, int64_t sequence):
        """Return whether a rank began another collective with this sequence number than this rank did."""
        if not 0 <= index < self.count or sequence <= 0:
            raise ValueError(f"a board of {self.count} ranks has no collective {sequence} of rank {index}")
        mine = slot_of(self.own, sequence)
        other = slot_of(self.words + index * PAGE_WORDS + RING_WORD, sequence)
        return mine[3] == sequence and is_other(mine, other, sequence)
