"""Stream: launches as rows behind each other in memory, in the order in which they run.

Note [Rows]
    A launch of a pointwise loop that is one call of its kernel becomes a row with just what the kernel gets: 64 bytes
    for one input, 80 for two. A program of tens of thousands of small operations is then read from memory in one
    stretch, and stays in the second-level cache. All other launches stay as they are, and a row leads to each.
"""
cimport cython
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from wengert_core.extend cimport LAUNCH_POINTWISE, OPERAND_CONSTANT, PointwisePlan, free_launch
from wengert_core.extend cimport dtype_facts


cdef inline PointwisePlan* plan_of(Launch* launch) noexcept:
    """The plan of a launch that becomes a row with a kernel; NULL for another."""
    cdef PointwisePlan* plan = <PointwisePlan*> launch.plan
    return plan if launch.kind == LAUNCH_POINTWISE and plan.plain and not plan.loop.n_params else NULL


cdef Py_ssize_t size_of(Launch* launch) noexcept:
    """The bytes of a launch's row."""
    return sizeof(Row) + (16 * launch.n_operands if plan_of(launch) != NULL else 0)


@cython.binding(False)
cdef class Stream:
    """Launches in the order in which they run."""

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.n_others):
            free_launch(&self.others[i])
        free(self.others)
        free(self.rows)
        free(self.numbers)

    cdef int fill(self, Launch* launches, Py_ssize_t n) except -1:
        """Take over the plans of launches. The addresses of operands are where they will be when they run."""
        cdef Py_ssize_t i, nbytes = 0, n_numbers = 0, n_others = 0
        cdef int k
        for i in range(n):
            nbytes += size_of(&launches[i])
            n_others += plan_of(&launches[i]) == NULL
            for k in range(launches[i].n_operands if plan_of(&launches[i]) != NULL else 0):
                n_numbers += launches[i].role[k] == OPERAND_CONSTANT
        self.rows, self.others = <char*> malloc(nbytes + 1), <Launch*> calloc(n_others + 1, sizeof(Launch))
        self.numbers = <double*> malloc(16 * n_numbers + 1)
        if self.rows == NULL or self.others == NULL or self.numbers == NULL:
            raise MemoryError()
        self.end = self.rows
        self.nbytes = nbytes + n_others * <Py_ssize_t> sizeof(Launch) + 16 * n_numbers
        n_numbers = 0
        for i in range(n):
            if plan_of(&launches[i]) != NULL:
                n_numbers = self.add_row(&launches[i], n_numbers)
                free_launch(&launches[i])
            else:
                self.add_other(&launches[i], i)
        return 0

    cdef Py_ssize_t add_row(self, Launch* launch, Py_ssize_t n_numbers) noexcept:
        """Append a launch of a kernel; return how many numbers there are now."""
        cdef PointwisePlan* plan = plan_of(launch)
        cdef Row* row = <Row*> self.end
        cdef char** args = <char**> (self.end + sizeof(Row))
        cdef npy_intp* steps = <npy_intp*> (args + launch.n_operands)
        cdef int k
        row.fn, row.data, row.n, row.n_args = plan.loop.fn, plan.loop.data, plan.shape[0], launch.n_operands
        row.size = <uint32_t> size_of(launch)
        for k in range(launch.n_operands):
            args[k], steps[k] = launch.data[k], plan.strides[k][0]
            if launch.role[k] == OPERAND_CONSTANT:
                memcpy(self.numbers + 2 * n_numbers, launch.data[k], 16)
                args[k] = <char*> (self.numbers + 2 * n_numbers)
                n_numbers += 1
            elif plan.ndim == 0:       # as the eager call of one element
                steps[k] = dtype_facts().itemsize[plan.dtypes[k]]
        self.end += row.size
        return n_numbers

    cdef void add_other(self, Launch* launch, Py_ssize_t number) noexcept:
        cdef Row* row = <Row*> self.end
        self.others[self.n_others] = launch[0]
        launch.plan = NULL
        row.fn, row.data, row.n, row.n_args, row.size = NULL, &self.others[self.n_others], number, 0, sizeof(Row)
        self.n_others += 1
        self.end += row.size

    cdef char* run(self, char* at) noexcept nogil:
        cdef Row* row
        cdef char** args
        cdef Launch* launch
        while at < self.end:
            row = <Row*> at
            if row.fn != NULL:
                args = <char**> (at + sizeof(Row))
                row.fn(args, &row.n, <npy_intp*> (args + row.n_args), row.data)
            else:
                launch = <Launch*> row.data
                if launch.run == NULL:
                    return at
                if launch.run(launch):
                    return NULL
            at += row.size
        return self.end
