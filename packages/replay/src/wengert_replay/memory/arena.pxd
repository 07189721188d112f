"""Arena: where the values of a program lie, used again and again. See arena.pyx."""
from libc.stdint cimport int32_t, uint8_t, uint32_t

from wengert_replay.passes.slots cimport Slots

cdef enum:
    NO_SPAN = -1
    AT_START = -1                      # the place in the order of what a run begins with

cdef struct Span:                      # bytes of a region, from a place in the order to another
    size_t low                         # addresses in the first run: of what is used
    size_t high
    size_t start                       # an aligned address before them, which ``offset`` is the place of
    Py_ssize_t offset                  # in the arena
    int32_t begin                      # the place where it is written first; AT_START
    int32_t end                        # ... where it is used last
    int32_t n_fields                   # addresses in the stream that lie in it
    int32_t moving                     # the number of its Fields, where each run gives it memory; -1

cdef struct Field:                     # an address in the rows of a stream
    uint32_t at                        # bytes from their beginning
    uint32_t offset                    # from the beginning of what moves

cdef struct FarField:                  # any other
    char* where
    Py_ssize_t offset


cdef class Fields:                     # the addresses of a stream that lie in memory which each run gives
    cdef char* rows                    # borrowed
    cdef Field* items                  # owned
    cdef Py_ssize_t n
    cdef FarField* far                 # owned
    cdef Py_ssize_t n_far
    cdef size_t origin                 # the address of the beginning in the first run

    cdef int add(self, char* where, Py_ssize_t offset, Py_ssize_t n_bytes_of_rows) except -1
    cdef int shrink(self) except -1
    cdef void set_base(self, char* base) noexcept nogil
    cdef Py_ssize_t nbytes(self) noexcept


cdef class Arena:
    cdef size_t* bounds                # owned: low and high, high excluded, of each region, by rising addresses
    cdef uint8_t* pinned               # owned, by region: what it holds when a run begins and ends counts
    cdef int32_t* first                # owned, by region: its span when a run begins; NO_SPAN
    cdef int32_t* last                 # owned, by region: its span when a run ends; NO_SPAN
    cdef readonly Py_ssize_t n_regions
    cdef bint is_all                   # of the program's memory, and no run stops on the way
    cdef Span* spans                   # owned
    cdef readonly Py_ssize_t n
    cdef Py_ssize_t room
    cdef char** positions              # owned, by value of Slots: where it is loaded from or stored to
    cdef list moving                   # of Fields
    cdef Fields own                    # of all that does not move by itself, where the arena does; None
    cdef readonly Py_ssize_t nbytes
    cdef char* base                    # borrowed: nbytes
    cdef char* rows                    # borrowed: of the stream
    cdef Py_ssize_t n_bytes_of_rows
    # while it is laid out
    cdef int32_t* region               # by cell: the region that it lies in; -1
    cdef uint8_t* live                 # by cell: somebody reads what it holds
    cdef int32_t* n_live               # by region: such cells
    cdef int32_t* open                 # by region: the span that is in use
    cdef int32_t* span                 # by operand: NO_SPAN where it is not in memory of a region

    # Regions of memory by rising addresses, before ``lay_out``.
    cdef int add_region(self, size_t low, size_t high, bint pinned) except -1
    cdef int32_t region_at(self, size_t address) noexcept      # that an address lies in; -1
    # Find the spans of what launches use, and let the launches name places in them. All regions are there.
    cdef int lay_out(self, Slots slots) except -1
    # Count an address of the stream that names a place in a span, or write the address of its memory.
    cdef int see_field(self, char* where, bint counts) except -1
    cdef Fields move(self, int32_t span, size_t origin)        # each run gives its memory
    cdef void move_too(self, int32_t span) noexcept    # with the one that ``move`` got last
    cdef int pack(self) except -1                             # the spans that are used and do not move: nbytes
    cdef char* address_in(self, int32_t span, size_t address) noexcept    # where that of the first run is now

    cdef int allocate_tables(self, Slots slots) except -1
    cdef void free_tables(self) noexcept
    cdef int32_t touch(self, int32_t region, size_t low, size_t high, int32_t end) except -2
    cdef void forget(self, int32_t first, int32_t end) noexcept
    cdef int keep_ends(self, Slots slots) except -1
    cdef int see_launch(self, Slots slots, int32_t i, int32_t end) except -1
    cdef int see_call(self, Slots slots, int32_t i) except -1
    cdef void close_spans(self, Slots slots, int32_t i, int32_t begin) noexcept
    cdef int name_positions(self, Slots slots) except -1
    cdef int name_call(self, Slots slots, int32_t i) except -1
    cdef size_t name_of(self, int32_t span, size_t address) noexcept


# Let addresses in rows, and others, be those of memory that begins at ``base``.
cdef void set_fields(
    char* rows, const Field* items, Py_ssize_t n, const FarField* far, Py_ssize_t n_far, char* base
) noexcept nogil


cdef inline bint is_named(char* address) noexcept nogil:
    """Whether it is a place in a span, not in memory."""
    return <size_t> address >> 63 != 0
