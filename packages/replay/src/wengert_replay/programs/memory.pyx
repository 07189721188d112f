"""Memory of a program: where the memory of its first run is now.

Note [Where a program's memory is]
    What was there before, outside, is used where it is. Where nobody looks at the rest while a program runs, it is
    planned anew (Note [Spans] in wengert_replay/memory/arena.pyx), and the blocks of the first run are given back. A
    program with guards or calls keeps those that it uses up to the last of them, because its branches and calls go on
    in its memory: what the first run allocated and freed again is the program's, at the same addresses. Only the blocks
    that come into use behind it are planned (``set_aside``). Loops are no such calls: they name what they use, and come
    back. What somebody still uses when the function has returned (results, gradients) is theirs; the program has a
    block of its own in its place. So have arguments, from which their elements are copied. A branch uses its trunk's
    memory for what both have done alike (``put``), and memory of its own for the rest. An array of NumPy of which the
    function makes a tensor lies elsewhere in each recording: where it has the same bytes, it is the trunk's.
"""
cimport cython
from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memcmp

from wengert_core.extend cimport (OPERAND_CONSTANT, Block, Launch, Storage, Tensor, allocate, free_pool, itemsize_of,
                                  release, strides_of)
from wengert_replay.recording.calls cimport Call
from wengert_replay.trace.tables cimport ABSENT, free_table
from wengert_replay.trace.tables cimport find as find_number
from wengert_replay.trace.tables cimport put as put_number

from wengert_replay.refusal import Refusal

cdef str TWO_OWNERS = "it reads memory that two tensors have"


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


cdef Py_ssize_t last_stop(Recording recording) except -2:
    return max(recording.last_guard, max(recording.calls, default=-1))


cdef Py_ssize_t last_fork(Recording recording) except -2:
    cdef Call call
    cdef Py_ssize_t last = recording.last_guard
    for number, call in recording.calls.items():
        if call.written is None:
            last = max(last, <Py_ssize_t> number)
    return last


cdef int rising(const void* a, const void* b) noexcept nogil:
    """By addresses; of regions that begin and end together, those from outside last, as ``find`` gives the last."""
    cdef const Region* left = <const Region*> a
    cdef const Region* right = <const Region*> b
    if left.low != right.low:
        return 1 if left.low > right.low else -1
    if left.high != right.high:
        return 1 if left.high > right.high else -1
    if left.kind != right.kind:
        return 1 if left.kind > right.kind else -1
    return (left.input > right.input) - (left.input < right.input)


@cython.binding(False)
cdef class Memory:
    """The regions of memory that a recording knows, and where each is now."""

    def __init__(self, Recording recording not None, Memory trunk or None):
        """Note the regions; ``settle`` decides where they are. trunk: the memory of a program with the same beginning.
        """
        cdef Py_ssize_t i, low = 0, high = 0
        cdef Region* region
        cdef size_t address
        cdef Tensor t
        cdef Storage s
        self.blocks, self.trunk, self.input_blocks, self.geometries, self.arrays = [], trunk, {}, {}, {}
        i = recording.pool.n + len(recording.foreign) + len(recording.inputs) + len(recording.outside)
        self.regions = <Region*> calloc(i + 1, sizeof(Region))
        if self.regions == NULL:
            raise MemoryError()
        for i in range(recording.pool.n):
            address = <size_t> recording.pool.blocks[i].address
            self.add(address, address + recording.pool.blocks[i].nbytes, REGION_OWN, -1, True)
        for s in recording.foreign:
            self.add(<size_t> s.data, <size_t> s.data + s.nbytes, REGION_OWN, -1, False)
        for i, t in enumerate(recording.inputs):
            extent(t, &low, &high)
            self.add(<size_t> t.data + low, <size_t> t.data + high, REGION_INPUT, i, False)
        for storage, (_, _, address, nbytes) in recording.outside.items():
            self.add(address, address + nbytes, REGION_OUTSIDE, -1, False)
            if storage in recording.arrays:
                self.arrays[address] = nbytes
        qsort(self.regions, self.n, sizeof(Region), rising)
        for i in range(self.n):
            region = &self.regions[i]
            if region.kind == REGION_OUTSIDE:
                if trunk is None or region.low not in self.arrays:
                    region.moved = <char*> region.low
            elif region.kind == REGION_INPUT and trunk is not None and region.input in trunk.input_blocks:
                region.moved = <char*> <size_t> trunk.input_blocks[region.input]
            put_number(&self.starts, region.low, 0, <uint32_t> i)

    cdef void add(self, size_t low, size_t high, int kind, Py_ssize_t number, bint pooled) noexcept:
        """Note a region, for which there is room."""
        cdef Region* region = &self.regions[self.n]
        if low < high:
            region.low, region.high, region.kind, region.input, region.pooled = low, high, kind, <int> number, pooled
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
        for address in live:
            region = self.find(<char*> <size_t> address)
            if region != NULL and region.low == <size_t> address:
                region.lent = True
        for i in range(self.n):
            region = &self.regions[i]
            if region.moved != NULL:
                continue
            if region.kind == REGION_OUTSIDE:
                region.moved = <char*> region.low
            elif region.pooled and not region.lent:
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
            self.regions[i].planned = self.regions[i].kind != REGION_OUTSIDE
        return 0

    cdef int import_region(self, size_t address) except -1:
        """Behind ``stay``: plan memory from outside, too, which begins there, as some that moves. Raises Refusal."""
        cdef Region* region = self.find(<char*> address)
        cdef Py_ssize_t i
        cdef size_t high = 0
        if region == NULL or region.kind != REGION_OUTSIDE or region.low != address:
            raise Refusal(TWO_OWNERS)
        region.planned = True
        for i in range(self.n):
            if self.regions[i].planned:
                if self.regions[i].low < high:
                    raise Refusal(TWO_OWNERS)
                high = self.regions[i].high
        return 0

    cdef int set_aside(self, Recording recording) except -1:
        """Before ``settle``: let blocks stay where they were that nothing uses up to the last guard or call, loops
        left out.
        """
        cdef Py_ssize_t i
        cdef Launch* launch
        cdef Call call
        cdef Tensor t
        cdef int k
        for call in recording.calls.values():
            if type(call) is not Call and call.written is None:    # others use memory that they do not name
                return 0
        for i in range(self.n):
            self.regions[i].planned = self.regions[i].pooled
        for i in range(last_fork(recording) + 1):
            launch = &recording.recorder.launches[i]
            for k in range(launch.n_operands):
                if launch.role[k] != OPERAND_CONSTANT:
                    self.use(launch.data[k] + launch.low[k])
        for number, call in recording.calls.items():
            for t in call.memory if number <= last_fork(recording) else ():
                self.use(t.data)
        for i in range(self.n):
            if self.regions[i].planned:
                self.regions[i].moved = <char*> self.regions[i].low
        return 0

    cdef void use(self, char* address) noexcept:
        """No arena is planned for the region of an address."""
        cdef Region* region = self.find(address)
        if region != NULL:
            region.planned = False

    cdef Arena arena_of(self, Recording recording, set written):
        """Return what plans memory anew. written: the numbers of such arguments."""
        cdef Arena arena = Arena()
        cdef Py_ssize_t i
        cdef Region* region
        for i in range(self.n):
            region = &self.regions[i]
            if region.planned:
                arena.add_region(region.low, region.high, region.kind == REGION_INPUT and region.input in written)
        return arena

    cdef int take_pool(self, Recording recording) except -1:
        """Own the blocks of the first run; give back those for which an arena is planned."""
        cdef Pool* planned = <Pool*> calloc(1, sizeof(Pool))
        cdef Pool* pool = recording.pool
        cdef Region* region
        cdef Py_ssize_t i, n = 0
        if planned != NULL:
            planned.blocks = <Block*> malloc((pool.n + 1) * sizeof(Block))
        if planned == NULL or planned.blocks == NULL:
            free(planned)
            raise MemoryError()
        self.pool, recording.pool = pool, NULL
        for i in range(pool.n):
            region = self.find(pool.blocks[i].address)
            if region != NULL and region.planned:
                planned.blocks[planned.n] = pool.blocks[i]
                planned.n += 1
            else:
                pool.blocks[n] = pool.blocks[i]
                n += 1
        pool.n = n
        free_pool(planned)
        if not n:
            self.pool = NULL
            free_pool(pool)
        return 0

    cdef int forget_regions(self) except -1:
        """Nothing is moved or planned any more."""
        free(self.regions)
        free_table(&self.starts)
        self.regions, self.n, self.geometries = NULL, 0, None
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

    cdef bint put(self, char* address, Py_ssize_t low, char* moved) except -1:
        """Let the region of an address lie where it does in the trunk; False where it lies elsewhere already."""
        cdef Region* region = self.find(address + low)
        cdef bint is_elsewhere
        cdef char* first
        if region == NULL:
            return False
        first = moved - (<size_t> address - region.low)
        if region.moved == NULL:
            is_elsewhere = region.kind == REGION_OUTSIDE and not self.trunk.has_array(first, region)
            region.moved = <char*> region.low if is_elsewhere else first
        return region.moved == first

    cdef bint has_array(self, char* address, Region* region) except -1:
        """Whether an array lies there that this, or its trunk, has made a tensor of, with the bytes of a region."""
        cdef size_t nbytes = region.high - region.low
        if self.arrays.get(<size_t> address) == nbytes:
            return memcmp(address, <char*> region.low, nbytes) == 0
        return self.trunk is not None and self.trunk.has_array(address, region)
