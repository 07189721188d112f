"""Memory of a program: where the memory of its first run is now.

Note [Where a program's memory is]
    What was there before, outside, is used where it is. Where nobody looks at the rest while a program runs, it is
    planned anew (Note [Spans] in wengert_replay/memory/arena.pyx), and the blocks of the first run are given back. A
    program with guards or calls keeps them, because its branches and calls go on in its memory: what the first run
    allocated and freed again is the program's, at the same addresses. What somebody still uses when the function has
    returned (results, gradients) is theirs; the program has a block of its own in its place. So have arguments, from
    which their elements are copied. A branch uses its trunk's memory for what both have done alike (``put``), and
    memory of its own for the rest.
"""
cimport cython
from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free

from wengert_core.extend cimport Storage, Tensor, allocate, free_pool, itemsize_of, release, strides_of
from wengert_replay.trace.tables cimport ABSENT, free_table
from wengert_replay.trace.tables cimport find as find_number
from wengert_replay.trace.tables cimport put as put_number


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

    def __init__(self, Recording recording not None, Memory trunk or None):
        """Note the regions; ``settle`` decides where they are. trunk: the memory of a program with the same beginning.
        """
        cdef list rows = []
        cdef Py_ssize_t i, low = 0, high = 0
        cdef Tensor t
        cdef Storage s
        self.blocks, self.trunk, self.input_blocks = [], trunk, {}
        for i in range(recording.pool.n):
            address = <size_t> recording.pool.blocks[i].address
            rows.append((address, address + recording.pool.blocks[i].nbytes, REGION_OWN, -1, True))
        for s in recording.foreign:
            rows.append((<size_t> s.data, <size_t> s.data + s.nbytes, REGION_OWN, -1, False))
        for i, t in enumerate(recording.inputs):
            extent(t, &low, &high)
            rows.append((<size_t> t.data + low, <size_t> t.data + high, REGION_INPUT, i, False))
        for _, _, address, nbytes in recording.outside.values():
            rows.append((address, address + nbytes, REGION_OUTSIDE, -1, False))
        rows.sort()
        self.regions = <Region*> calloc(len(rows) + 1, sizeof(Region))
        if self.regions == NULL:
            raise MemoryError()
        for first, last, kind, number, pooled in rows:
            if first < last:
                region = &self.regions[self.n]
                region.low, region.high, region.kind, region.input, region.pooled = first, last, kind, number, pooled
                if kind == REGION_OUTSIDE:
                    region.moved = <char*> <size_t> first
                elif kind == REGION_INPUT and trunk is not None and number in trunk.input_blocks:
                    region.moved = <char*> <size_t> trunk.input_blocks[number]
                put_number(&self.starts, first, 0, <uint32_t> self.n)
                self.n += 1

    def __dealloc__(self):
        free(self.regions)
        free_table(&self.starts)
        if self.pool != NULL:
            free_pool(self.pool)
        for address, size_class in self.blocks or ():
            release(<char*> <size_t> address, size_class)

    cdef int settle(self, set live) except -1:
        """Decide where the regions are for which ``put`` has not. live: addresses of the blocks that others use."""
        cdef Py_ssize_t i
        cdef Region* region
        for i in range(self.n):
            region = &self.regions[i]
            if region.moved != NULL:
                continue
            if region.pooled and region.low not in live:
                region.moved = <char*> region.low
                self.nbytes += region.high - region.low
            else:
                region.moved = self.allocate_block(region.high - region.low)
        for i in range(self.n):
            if self.regions[i].kind == REGION_INPUT:
                self.input_blocks[self.regions[i].input] = <size_t> self.regions[i].moved
        return 0

    cdef int stay(self) except -1:
        """In place of ``settle``: all is where it was, until an arena is planned."""
        cdef Py_ssize_t i
        for i in range(self.n):
            self.regions[i].moved = <char*> self.regions[i].low
        return 0

    cdef Arena arena_of(self, Recording recording, set written):
        """Return what plans all memory anew that is not from outside. written: the numbers of such arguments."""
        cdef Arena arena = Arena()
        cdef Py_ssize_t i
        cdef Region* region
        for i in range(self.n):
            region = &self.regions[i]
            if region.kind != REGION_OUTSIDE:
                arena.add_region(region.low, region.high, region.kind == REGION_INPUT and region.input in written)
        arena.first_writes = &recording.first_writes
        return arena

    cdef int take_pool(self, Recording recording) except -1:
        """Own the blocks of the first run, as ``settle`` has assumed."""
        self.pool, recording.pool = recording.pool, NULL
        return 0

    cdef int drop_pool(self, Recording recording) except -1:
        """Give back the blocks of the first run, of which nothing is used any more."""
        self.take_pool(recording)
        free_pool(self.pool)
        self.pool = NULL
        return 0

    cdef int forget_regions(self) except -1:
        """Nothing is moved any more."""
        free(self.regions)
        free_table(&self.starts)
        self.regions, self.n = NULL, 0
        return 0

    cdef char* allocate_block(self, Py_ssize_t nbytes) except NULL:
        cdef unsigned char size_class = 0
        cdef char* made = allocate(nbytes if nbytes > 0 else 1, &size_class)
        self.blocks.append((<size_t> made, size_class))
        self.nbytes += nbytes
        return made

    cdef Region* find(self, char* address) noexcept:
        """The region that an address lies in; NULL for none."""
        cdef Py_ssize_t low = 0, high = self.n, middle
        cdef uint32_t number = find_number(&self.starts, <size_t> address, 0)
        if number != ABSENT:           # as most do
            return &self.regions[number]
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

    cdef bint put(self, char* address, Py_ssize_t low, char* moved) noexcept:
        """Let the region of an address lie where it does in the trunk; False where it lies elsewhere already."""
        cdef Region* region = self.find(address + low)
        if region == NULL:
            return False
        first = moved - (<size_t> address - region.low)
        if region.moved == NULL:
            region.moved = first
        return region.moved == first
