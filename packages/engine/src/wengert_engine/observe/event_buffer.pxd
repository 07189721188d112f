"""Recording: what observed operations leave behind. Fixed records in chunks; no Python object is made for an event."""
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memset

from wengert_engine.observe.clock cimport Instant
from wengert_engine.observe.interned_shapes cimport InternedShapes

cdef enum RecordingOptions:
    RECORD_SHAPES = 1
    RECORD_RESULTS = 2                 # shapes of results, too
    RECORD_STACKS = 4
    RECORD_MEMORY = 8

cdef struct Event:                     # 64 bytes; the profiler's columns/records.py has the same fields
    PyObject* what                     # an op, a type of node, a label, ...: kept alive by the recording
    int64_t start, end                 # ticks, ns of the monotonic clock once it is read; end 0: still running
    int64_t sequence                   # of the node that it recorded, or that it is; -1: none
    int64_t memory                     # bytes that tensors took more when it ended than when it began
    uint32_t shapes                    # entry of words: the shapes of the arguments; 0: not recorded
    uint32_t result                    # ... of the result
    uint32_t stack                     # entry of frames; 0: not recorded
    int32_t parent                     # the event that was running in this thread when it began; -1: none
    uint16_t thread                    # in the order in which threads came
    uint16_t depth                     # how many were running
    uint8_t kind                       # EventKind
    uint8_t third                      # whether there is a third argument that is not None
    uint8_t reserved[2]

cdef enum:
    CHUNK = 8192                       # events


cdef class Recording:
    cdef readonly int options          # RecordingOptions
    cdef readonly int64_t serial
    cdef readonly int n_threads
    cdef readonly object timer         # what times operations on devices (device_times.py); or None
    cdef bint closed                   # it has been read: nothing is added any more
    cdef bint counter                  # what ticks are: see clock.pxd
    cdef readonly dict kept            # address -> what events are of
    cdef list codes                    # code objects in stacks
    cdef Event** chunks
    cdef Event* next_event                  # of the next event in the last chunk
    cdef Event* limit                  # that chunk's end
    cdef uint32_t n, n_chunks
    cdef InternedShapes words, frames
    cdef PyObject* known[1024]         # a few addresses that kept holds
    cdef Instant begin                 # when it was made
    cdef double slope                  # nanoseconds of a tick, once it is read

    cdef Event* at(self, uint32_t index) noexcept
    cdef bint add_chunk(self) noexcept
    cdef void add_timed(self, PyObject* what) noexcept
    cdef uint32_t stack(self) noexcept                     # the calls that are running
    cdef int64_t ns(self, int64_t ticks) noexcept


cdef inline Event* new_event(Recording recording) noexcept:
    """The next event, zeroed; NULL: there is no memory left, or the recording is closed."""
    cdef Event* event
    if recording.next_event == recording.limit and not recording.add_chunk():
        return NULL
    event = recording.next_event
    recording.next_event += 1
    recording.n += 1
    memset(event, 0, sizeof(Event))
    return event


cdef inline void keep(Recording recording, PyObject* what) noexcept:
    """Keep what an event is of alive."""
    if recording.known[<uint32_t> (<size_t> what >> 4) & 1023] != what:
        recording.add_timed(what)
