"""Ranges of memory, and the cells that they cut memory into.

Note [Cells]
    Memory of a program is used again and again, and operands overlap: views, rows, blocks of a pool. All ends of all
    operands are edges, and the memory between two neighbors of them is a cell. So each operand is a run of cells, two
    operands overlap where they have a cell in common, and a pass looks at numbers of cells, not at addresses.
"""
cimport cython
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memset

from wengert_core.extend cimport LAUNCH_CALL, MOST_OPERANDS_OF_LAUNCH, OPERAND_CONSTANT
from wengert_replay.passes.reach cimport Reach, reach_of


@cython.binding(False)
cdef class Ranges:
    """Ranges of memory that matter when a run ends."""

    def __dealloc__(self):
        free(self.bounds)

    cdef int add(self, char* low, char* high) except -1:
        cdef size_t* grown
        if self.n == self.room:
            grown = <size_t*> realloc(self.bounds, 2 * sizeof(size_t) * (2 * self.room + 16))
            if grown == NULL:
                raise MemoryError()
            self.bounds, self.room = grown, 2 * self.room + 16
        if low < high:
            self.bounds[2 * self.n], self.bounds[2 * self.n + 1] = <size_t> low, <size_t> high
            self.n += 1
        return 0


cdef struct Edge:
    size_t address                     # 0: none
    size_t high                        # the end of the operand that began here last
    int32_t number                     # of the edge; until all are there, how many were before it
    int32_t high_number                # the number of ``high``

cdef struct Table:                     # edges by their addresses, at most half full
    Edge* edges
    size_t mask
    Py_ssize_t n


@cython.overflowcheck(False)            # the product wraps
cdef inline Edge* slot_of(Table* table, size_t address) noexcept nogil:
    """Return the slot of an edge, or the one that it would have."""
    cdef size_t at = ((address >> 2) * <size_t> 0x9e3779b97f4a7c15) >> 20 & table.mask
    while table.edges[at].address and table.edges[at].address != address:
        at = at + 1 & table.mask
    return &table.edges[at]


cdef int grow(Table* table, size_t size) except -1:
    cdef Table made
    cdef size_t i
    made.edges = <Edge*> calloc(size, sizeof(Edge))
    if made.edges == NULL:
        raise MemoryError()
    made.mask, made.n = size - 1, table.n
    for i in range(table.mask + 1 if table.edges != NULL else 0):
        if table.edges[i].address:
            slot_of(&made, table.edges[i].address)[0] = table.edges[i]
    free(table.edges)
    table[0] = made
    return 0


cdef inline Edge* find_or_add(Table* table, size_t address) except NULL:
    cdef Edge* edge = slot_of(table, address)
    if not edge.address:
        if 2 * <size_t> table.n > table.mask:
            grow(table, 4 * (table.mask + 1))
            edge = slot_of(table, address)
        edge.address, edge.number, edge.high = address, <int32_t> table.n, 0
        table.n += 1
    return edge


cdef int rising(const void* a, const void* b) noexcept nogil:
    return ((<const size_t*> a)[0] > (<const size_t*> b)[0]) - ((<const size_t*> a)[0] < (<const size_t*> b)[0])


cdef inline bint has_memory(Launch* launch, int k) noexcept nogil:
    return launch.role[k] != OPERAND_CONSTANT and launch.low[k] < launch.high[k]


@cython.binding(False)
cdef class Cells:
    """The cells that the operands of launches cut memory into. Note [Cells]"""

    def __dealloc__(self):
        free(self.edges)
        free(self.operands)
        free(self.first)
        free(self.end)

    cdef int lay_out(self, Launch* launches, Py_ssize_t n, Ranges kept, dict reaches) except -1:
        cdef Table table
        cdef Py_ssize_t i
        cdef size_t room = 64
        memset(&table, 0, sizeof(Table))
        try:
            while room < 2 * <size_t> n and room < 4096:
                room *= 2
            grow(&table, room)
            self.collect_edges(&table, launches, n, reaches)
            for i in range(2 * kept.n if kept is not None else 0):
                find_or_add(&table, kept.bounds[i])
            self.number_edges(&table)
        finally:
            free(table.edges)
        return 0

    cdef int collect_edges(self, void* edges, Launch* launches, Py_ssize_t n, dict reaches) except -1:
        """Give operands the numbers that their edges have for now: launches are looked at once."""
        cdef Py_ssize_t i, room = 0, n_most
        cdef Reach reach
        cdef int k
        self.operands = <int32_t*> malloc((n + 1) * sizeof(int32_t))
        if self.operands == NULL:
            raise MemoryError()
        for i in range(n):
            reach = reach_of(reaches, i) if launches[i].kind == LAUNCH_CALL else None
            n_most = max(MOST_OPERANDS_OF_LAUNCH, 0 if reach is None else reach.n)
            if self.n_operands + n_most > room:
                room = max(3 * n, 2 * room) + n_most
                self.make_room(room)
            self.operands[i] = <int32_t> self.n_operands
            for k in range(launches[i].n_operands):
                if has_memory(&launches[i], k):
                    self.add_operand(edges, <size_t> (launches[i].data[k] + launches[i].low[k]),
                                     <size_t> (launches[i].data[k] + launches[i].high[k]))
                else:
                    self.first[self.n_operands] = self.end[self.n_operands] = NO_CELL
                    self.n_operands += 1
            for k in range(0 if reach is None else reach.n):
                self.add_operand(edges, reach.rows[k].low, reach.rows[k].high)
        self.operands[n] = <int32_t> self.n_operands
        return self.make_room(self.n_operands + 1)

    cdef int add_operand(self, void* edges, size_t low, size_t high) except -1:
        cdef Table* table = <Table*> edges
        cdef Py_ssize_t at = self.n_operands
        cdef Edge* edge = find_or_add(table, low)
        self.first[at] = edge.number
        if edge.high != high:
            self.end[at] = find_or_add(table, high).number     # the table may have grown
            edge = slot_of(table, low)
            edge.high, edge.high_number = high, self.end[at]
        else:
            self.end[at] = edge.high_number
        self.n_operands += 1
        return 0

    cdef int make_room(self, Py_ssize_t n_operands) except -1:
        cdef int32_t* first = <int32_t*> realloc(self.first, n_operands * sizeof(int32_t))
        self.first = first if first != NULL else self.first
        cdef int32_t* end = <int32_t*> realloc(self.end, n_operands * sizeof(int32_t))
        self.end = end if end != NULL else self.end
        if first == NULL or end == NULL:
            raise MemoryError()
        return 0

    cdef int number_edges(self, void* edges) except -1:
        """Number the edges by rising addresses, and so the cells."""
        cdef Table* table = <Table*> edges
        cdef int32_t* numbers = <int32_t*> malloc((table.n + 1) * sizeof(int32_t))
        cdef size_t at
        cdef Py_ssize_t i
        self.edges = <size_t*> malloc((table.n + 1) * sizeof(size_t))
        if self.edges == NULL or numbers == NULL:
            free(numbers)
            raise MemoryError()
        for at in range(table.mask + 1):
            if table.edges[at].address:
                self.edges[self.n] = table.edges[at].address
                self.n += 1
        qsort(self.edges, self.n, sizeof(size_t), rising)
        for i in range(self.n):
            numbers[slot_of(table, self.edges[i]).number] = <int32_t> i
        for i in range(self.n_operands):
            if self.first[i] != NO_CELL:
                self.first[i], self.end[i] = numbers[self.first[i]], numbers[self.end[i]]
        free(numbers)
        return 0

    cdef int32_t cell_of(self, size_t address) noexcept:
        cdef Py_ssize_t low = 0, high = self.n, middle
        while low < high:
            middle = (low + high) // 2
            if self.edges[middle] < address:
                low = middle + 1
            else:
                high = middle
        return <int32_t> low
