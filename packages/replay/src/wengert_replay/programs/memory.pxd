"""Memory of a program: where the memory of its first run is now. See memory.pyx."""
from wengert_core.extend cimport Pool, Tensor
from wengert_replay.memory.arena cimport Arena
from wengert_replay.trace.tables cimport Table
from wengert_replay.recording.tracing cimport Recording

cdef enum RegionKind:
    REGION_NONE = -1
    REGION_OWN = 0                     # a block of the first run, or one in place of it
    REGION_INPUT = 1                   # an argument
    REGION_OUTSIDE = 2                 # what was there before

cdef struct Region:
    size_t low                         # addresses in the first run
    size_t high
    char* moved                        # where ``low`` is now; NULL: not decided yet
    int kind                           # RegionKind
    int input                          # the number of the argument
    bint pooled                        # a block of the recording's pool
    bint lent                          # somebody uses it when the function has returned
    bint planned                       # an arena is planned for what happens there


cdef class Memory:
    cdef Region* regions               # by rising addresses
    cdef Py_ssize_t n
    cdef Table starts                  # the number of the region that begins at an address
    cdef Pool* pool                    # owned: blocks of the first run
    cdef Memory trunk                  # whose memory this uses too; or None
    cdef list blocks                   # (address, size class) of memory that was allocated for this
    cdef dict arrays                   # of NumPy, of which the function makes tensors: address -> bytes
    cdef dict input_blocks             # by the number of an argument: the address of its elements
    cdef dict geometries               # of results, while they are planned: tensors without memory
    cdef readonly Py_ssize_t nbytes    # that the program holds, without the trunk's

    cdef void add(self, size_t low, size_t high, int kind, Py_ssize_t number, bint pooled) noexcept
    cdef Region* find(self, char* address) noexcept
    cdef int relocate(self, char** address, Py_ssize_t low) noexcept      # its RegionKind
    cdef bint put(self, char* address, Py_ssize_t low, char* moved) except -1
    cdef bint has_array(self, char* address, Region* region) except -1
    cdef int settle(self, set live) except -1
    cdef int stay(self) except -1
    cdef int import_region(self, size_t address) except -1
    cdef int set_aside(self, Recording recording) except -1
    cdef void use(self, char* address) noexcept
    cdef Arena arena_of(self, Recording recording, set written)
    cdef int take_pool(self, Recording recording) except -1
    cdef int forget_regions(self) except -1
    cdef char* allocate_block(self, Py_ssize_t nbytes) except NULL


cdef Py_ssize_t last_stop(Recording recording) except -2     # the number of the last guard or call; -1
# The same, of those where a run may leave a program: calls that name their memory come back.
cdef Py_ssize_t last_fork(Recording recording) except -2
cdef int extent(Tensor t, Py_ssize_t* low, Py_ssize_t* high) except -1
