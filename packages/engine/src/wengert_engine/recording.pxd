"""Recording: what observed operations leave behind. Fixed records in chunks; no Python object is made for an event."""
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum RecordingOptions:
    RECORD_SHAPES = 1
    RECORD_RESULTS = 2                 # shapes of results, too
    RECORD_STACKS = 4
    RECORD_MEMORY = 8

cdef struct Event:                     # 64 bytes; the profiler's records.py has the same fields
    PyObject* what                     # an op, a type of node, a label, ...: kept alive by the recording
    int64_t start, end                 # ns of the monotonic clock; end 0: still running
    int64_t sequence                   # of the node that it recorded, or that it is; -1: none
    int64_t memory                     # bytes that tensors took more when it ended than when it began
    uint32_t shapes                    # entry of words: the shapes of the arguments; 0: not recorded
    uint32_t result                    # ... of the result
    uint32_t stack                     # entry of frames; 0: not recorded
    int32_t parent                     # the event that was running in this thread when it began; -1: none
    uint16_t thread                    # in the order in which threads came
    uint16_t depth                     # how many were running
    uint8_t kind                       # EventKind
    uint8_t reserved[3]

cdef struct Words:                     # sequences of numbers, each kept once: its length, then itself
    int64_t* data
    uint32_t n, room
    uint32_t* table                    # entries by hash; 0: free
    uint32_t table_size, used

cdef enum:
    CHUNK = 8192                       # events


cdef class Recording:
    cdef readonly int options          # RecordingOptions
    cdef readonly int64_t serial
    cdef readonly int n_threads
    cdef bint closed                   # it has been read: nothing is added any more
    cdef readonly dict kept            # address -> what events are of
    cdef list codes                    # code objects in stacks
    cdef Event** chunks
    cdef uint32_t n, n_chunks
    cdef Words words, frames
    cdef PyObject* known[1024]         # a few addresses that kept holds

    cdef Event* at(self, uint32_t index) noexcept
    cdef Event* add(self) noexcept                         # zeroed; NULL: there is no memory left
    cdef void keep(self, PyObject* what) noexcept
    cdef uint32_t intern(self, Words* words, const int64_t* items, int n) noexcept
    cdef uint32_t stack(self) noexcept                     # the calls that are running


cdef int64_t clock() noexcept nogil
