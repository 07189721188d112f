"""Ranges of memory, and the cells that they cut memory into.

Note [Cells]
    Memory of a program is used again and again, and operands overlap: views, rows, blocks of a pool. All ends of all
    operands are edges, and the memory between two neighbors of them is a cell. So each operand is a run of cells, two
    operands overlap where they have a cell in common, and a pass looks at numbers of cells, not at addresses.
"""
cimport cython
from libc.stdlib cimport free, malloc, qsort, realloc
from libc.string cimport memset

from wengert_core.extend cimport OPERAND_CONSTANT


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


cdef struct Table:                     # addresses, and their numbers
    size_t* keys
    int32_t* numbers
    size_t mask
    Py_ssize_t n


@cython.overflowcheck(False)            # the product wraps
cdef inline size_t slot_of(Table* table, size_t key) noexcept nogil:
    """The position where a key stands, or would stand."""
    cdef size_t at = ((key >> 2) * <size_t> 0x9e3779b97f4a7c15) >> 20 & table.mask
    while table.keys[at] and table.keys[at] != key:
        at = at + 1 & table.mask
    return at


cdef int grow(Table* table, size_t size) except -1:
    cdef Table made
    cdef size_t i
    made.keys, made.numbers = <size_t*> malloc(size * sizeof(size_t)), <int32_t*> malloc(size * sizeof(int32_t))
    if made.keys == NULL or made.numbers == NULL:
        free(made.keys)
        free(made.numbers)
        raise MemoryError()
    memset(made.keys, 0, size * sizeof(size_t))
    made.mask, made.n = size - 1, table.n
    for i in range(table.mask + 1 if table.keys != NULL else 0):
        if table.keys[i]:
            made.keys[slot_of(&made, table.keys[i])] = table.keys[i]
    free(table.keys)
    free(table.numbers)
    table[0] = made
    return 0


cdef inline int add_edge(Table* table, size_t key) except -1:
    cdef size_t at = slot_of(table, key)
    if not table.keys[at]:
        table.keys[at] = key
        table.n += 1
        if 2 * <size_t> table.n > table.mask:
            grow(table, 4 * (table.mask + 1))
    return 0


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

    cdef int lay_out(self, Launch* launches, Py_ssize_t n, Ranges kept) except -1:
        cdef Table table
        memset(&table, 0, sizeof(Table))
        try:
            grow(&table, 4096)
            self.collect_edges(&table, launches, n, kept)
            self.number_operands(&table, launches, n)
        finally:
            free(table.keys)
            free(table.numbers)
        return 0

    cdef int collect_edges(self, void* keys, Launch* launches, Py_ssize_t n, Ranges kept) except -1:
        cdef Table* table = <Table*> keys
        cdef Py_ssize_t i
        cdef size_t at
        cdef int k
        for i in range(n):
            self.n_operands += launches[i].n_operands
            for k in range(launches[i].n_operands):
                if has_memory(&launches[i], k):
                    add_edge(table, <size_t> (launches[i].data[k] + launches[i].low[k]))
                    add_edge(table, <size_t> (launches[i].data[k] + launches[i].high[k]))
        for i in range(2 * kept.n if kept is not None else 0):
            add_edge(table, kept.bounds[i])
        self.edges = <size_t*> malloc((table.n + 1) * sizeof(size_t))
        if self.edges == NULL:
            raise MemoryError()
        for at in range(table.mask + 1):
            if table.keys[at]:
                self.edges[self.n] = table.keys[at]
                self.n += 1
        qsort(self.edges, self.n, sizeof(size_t), rising)
        for i in range(self.n):
            table.numbers[slot_of(table, self.edges[i])] = <int32_t> i
        return 0

    cdef int number_operands(self, void* keys, Launch* launches, Py_ssize_t n) except -1:
        cdef Table* table = <Table*> keys
        cdef Py_ssize_t i
        cdef int32_t at = 0
        cdef int k
        self.operands = <int32_t*> malloc((n + 1) * sizeof(int32_t))
        self.first = <int32_t*> malloc((self.n_operands + 1) * sizeof(int32_t))
        self.end = <int32_t*> malloc((self.n_operands + 1) * sizeof(int32_t))
        if self.operands == NULL or self.first == NULL or self.end == NULL:
            raise MemoryError()
        for i in range(n):
            self.operands[i] = at
            for k in range(launches[i].n_operands):
                self.first[at] = self.end[at] = NO_CELL
                if has_memory(&launches[i], k):
                    self.first[at] = table.numbers[slot_of(table, <size_t> (launches[i].data[k] + launches[i].low[k]))]
                    self.end[at] = table.numbers[slot_of(table, <size_t> (launches[i].data[k] + launches[i].high[k]))]
                    self.covered += self.end[at] - self.first[at]
                at += 1
        self.operands[n] = at
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
