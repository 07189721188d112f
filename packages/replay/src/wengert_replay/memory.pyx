"""Memory of a program: where the memory of its first run is now.

Note [Where a program's memory is]
    What the first run allocated and freed again is the program's, at the same addresses. What somebody still uses when
    the function has returned (results, gradients) is theirs; the program has a block of its own in its place. So have
    arguments, from which their elements are copied. What was there before, outside, is used where it is.
"""
cimport cython
from libc.stdlib cimport free, malloc

from wengert_core.extend cimport Storage, Tensor, allocate, itemsize_of, release, strides_of


cdef int extent(Tensor t, Py_ssize_t* low, Py_ssize_t* high) except -1:
    """The bytes before and behind a tensor's first element in which its elements lie."""
    cdef int i
    low[0], high[0] = 0, itemsize_of(t)
    for i in range(t.rank):
        if t.dims[i] == 0:
            low[0] = high[0] = 0
            return 0
        if strides_of(t)[i] < 0:
            low[0] += (t.dims[i] - 1) * strides_of(t)[i]
        else:
            high[0] += (t.dims[i] - 1) * strides_of(t)[i]
    return 0


@cython.binding(False)
cdef class Memory:
    """The regions of memory that a recording knows, and where each is now."""

    def __init__(self, Recording recording, set live):
        """live: the addresses of the blocks of the pool that others use. The pool is closed."""
        cdef list rows = []
        cdef Py_ssize_t i, low = 0, high = 0
        cdef Tensor t
        cdef Storage s
        self.blocks = []
        for i in range(recording.pool.n):
            address, nbytes = <size_t> recording.pool.blocks[i].address, recording.pool.blocks[i].nbytes
            moved = <size_t> self.allocate_block(nbytes) if address in live else address
            rows.append((address, address + nbytes, moved, REGION_OWN, -1))
            self.nbytes += 0 if address in live else nbytes
        for s in recording.foreign:
            rows.append((<size_t> s.data, <size_t> s.data + s.nbytes, <size_t> self.allocate_block(s.nbytes),
                         REGION_OWN, -1))
        for i, t in enumerate(recording.inputs):
            extent(t, &low, &high)
            rows.append((<size_t> t.data + low, <size_t> t.data + high, <size_t> self.allocate_block(high - low),
                         REGION_INPUT, i))
        for _, _, address, nbytes in recording.outside.values():
            rows.append((address, address + nbytes, address, REGION_OUTSIDE, -1))
        rows.sort()
        self.regions = <Region*> malloc(max(len(rows), 1) * sizeof(Region))
        if self.regions == NULL:
            raise MemoryError()
        for first, last, now, kind, number in rows:
            if first < last:
                self.regions[self.n].low, self.regions[self.n].high = first, last
                self.regions[self.n].moved = <char*> <size_t> now
                self.regions[self.n].kind, self.regions[self.n].input = kind, number
                self.n += 1

    def __dealloc__(self):
        free(self.regions)
        for address, size_class in self.blocks or ():
            release(<char*> <size_t> address, size_class)

    cdef char* allocate_block(self, Py_ssize_t nbytes) except NULL:
        cdef unsigned char size_class = 0
        cdef char* made = allocate(nbytes if nbytes > 0 else 1, &size_class)
        self.blocks.append((<size_t> made, size_class))
        self.nbytes += nbytes
        return made

    cdef Region* find(self, char* address) noexcept:
        """The region that an address lies in; NULL for none."""
        cdef Py_ssize_t low = 0, high = self.n, middle
        while low < high:
            middle = (low + high) // 2
            if self.regions[middle].low <= <size_t> address:
                low = middle + 1
            else:
                high = middle
        while low > 0:
            low -= 1
            if <size_t> address < self.regions[low].high:
                return &self.regions[low]
            if self.regions[low].kind != REGION_OUTSIDE:
                return NULL            # only storages outside overlap
        return NULL

    cdef int relocate(self, char** address, Py_ssize_t low) noexcept:
        """Replace an address of the first run by the one where that memory is now. low: where its elements begin."""
        cdef Region* region = self.find(address[0] + low)
        if region == NULL:
            return REGION_NONE
        address[0] = region.moved + (<size_t> address[0] - region.low)
        return region.kind
