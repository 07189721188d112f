"""Schedule: which launches of a recording run, in which order, and which of them together.

Note [Passes]
    A pass changes the schedule, never a launch. Launches keep their numbers. Where a run stops, at a guard or a call of
    a driver, all memory may be read, and a driver may write all: nothing is moved across, and what memory holds there
    is what an eager run would have left. Of a loop that is so for its own memory (reach.pyx).
"""
cimport cython
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from wengert_core.extend cimport (LAUNCH_CALL, LAUNCH_COPY, LAUNCH_FILL, LAUNCH_GUARD, LAUNCH_MOVE, LAUNCH_POINTWISE,
                                  LAUNCH_PRODUCT, LAUNCH_REDUCE, LAUNCH_STORE, OPERAND_CONSTANT, OPERAND_WRITTEN,
                                  CopyLaunch, FillPlan, PointwisePlan, ProductPlan, dtype_facts)
from wengert_replay.passes.reach cimport Reach, reach_of
from wengert_replay.recording.value_map cimport OPERAND_BITS


@cython.binding(False)
cdef class Schedule:
    """The order in which launches run. Note [Passes]"""

    def __dealloc__(self):
        free(self.order)
        free(self.group)
        free(self.dropped)
        free(self.facts)
        free(self.whole)
        free(self.roles)
        free(self.wanted)
        free(self.begins)

    cdef int lay_out(self, Launch* launches, Py_ssize_t n, Ranges kept, dict reaches=None) except -1:
        """All launches, as they were recorded."""
        cdef Py_ssize_t i
        cdef Launch* launch
        cdef uint8_t* roles
        cdef Reach reach
        cdef int k
        self.launches, self.n, self.kept, self.cells, self.reaches = launches, n, kept, Cells(), reaches
        self.cells.lay_out(launches, n, kept, reaches)
        self.order, self.group = <int32_t*> malloc(4 * n + 4), <int32_t*> malloc(4 * n + 4)
        self.dropped, self.wanted = <uint8_t*> calloc(n + 1, 1), <uint8_t*> calloc(self.cells.n_operands + 1, 1)
        self.facts, self.whole = <uint8_t*> malloc(n + 1), <uint16_t*> malloc(2 * n + 2)
        self.roles = <uint8_t*> malloc(self.cells.n_operands + 1)
        self.begins = <uint8_t*> calloc(self.cells.n_operands + 1, 1)
        if self.order == NULL or self.group == NULL or self.dropped == NULL or self.wanted == NULL \
                or self.facts == NULL or self.whole == NULL or self.roles == NULL or self.begins == NULL:
            raise MemoryError()
        for i in range(n):
            launch, roles = &launches[i], self.roles + self.cells.operands[i]
            self.order[i], self.group[i], self.whole[i] = <int32_t> i, ALONE, 0
            for k in range(launch.n_operands):
                roles[k] = launch.role[k]
                if roles[k] == OPERAND_WRITTEN:
                    self.whole[i] |= writes_all(launch, k) << k
            self.facts[i] = facts_of(launch, self.whole[i])
            reach = reach_of(reaches, i) if launch.kind == LAUNCH_CALL else None
            if reach is not None:
                self.facts[i] = FACT_NAMES
                for k in range(reach.n):
                    roles[k] = reach.rows[k].role
        return 0

    cdef int note_first_writes(self, const Words* words, Py_ssize_t first) except -1:
        """Leave out those that another launch has overtaken, and that have overtaken one: parts of a block may be
        written in another order than they were recorded in.
        """
        cdef Py_ssize_t at, i, last = -1, k
        for k in range(words.n):
            i = <Py_ssize_t> (words.items[k] >> OPERAND_BITS) - first
            if i >= 0:
                self.begins[self.cells.operands[i] + (words.items[k] & (1 << OPERAND_BITS) - 1)] = True
        for at in range(self.n):
            i = self.order[at]
            if i != at or last > i:
                memset(self.begins + self.cells.operands[i], 0, self.cells.operands[i + 1] - self.cells.operands[i])
            last = max(last, i)
        return 0


cdef PointwisePlan* instruction_plan(Launch* launch) noexcept nogil:
    cdef PointwisePlan* plan = <PointwisePlan*> launch.plan
    return plan if launch.kind == LAUNCH_POINTWISE and plan.plain and plan.shape[0] <= MOST_COUNTED else NULL


cdef uint8_t facts_of(Launch* launch, uint16_t whole) noexcept nogil:
    cdef PointwisePlan* plan = instruction_plan(launch)
    cdef uint8_t facts = (FACT_STOPS if stops(launch) else 0) | (FACT_FAILS if launch.fail != NULL else 0)
    cdef bint small
    cdef int k
    if plan == NULL:
        return facts
    small = whole >> launch.n_operands - 1 & 1
    facts |= FACT_INSTRUCTION | (FACT_PARAMETERS if plan.loop.n_params else 0)
    for k in range(launch.n_operands):
        if launch.role[k] == OPERAND_CONSTANT:
            facts |= FACT_NUMBERS
        elif not is_small(launch, k):
            small = False
    return facts | (FACT_SMALL if small else 0)


cdef bint stops(Launch* launch) noexcept nogil:
    return launch.kind == LAUNCH_CALL or launch.kind == LAUNCH_GUARD


cdef bint is_dense(const Py_ssize_t* shape, const Py_ssize_t* strides, int ndim, Py_ssize_t itemsize) noexcept nogil:
    """Whether elements lie behind each other, the last dim innermost."""
    cdef int i
    for i in range(ndim - 1, -1, -1):
        if shape[i] != 1 and strides[i] != itemsize:
            return False
        itemsize *= shape[i]
    return True


cdef bint writes_all(Launch* launch, int k) noexcept nogil:
    """Whether a launch writes each byte of an operand that it does not read."""
    cdef PointwisePlan* pointwise
    cdef CopyLaunch* copied
    cdef FillPlan* filled
    cdef ProductPlan* product
    cdef Py_ssize_t shape[3]
    cdef Py_ssize_t strides[3]
    if launch.kind == LAUNCH_MOVE or launch.kind == LAUNCH_STORE or launch.kind == LAUNCH_REDUCE:
        return True
    if launch.kind == LAUNCH_POINTWISE:
        pointwise = <PointwisePlan*> launch.plan
        return is_dense(pointwise.shape, pointwise.strides[k], pointwise.ndim,
                        dtype_facts().itemsize[pointwise.dtypes[k]])
    if launch.kind == LAUNCH_COPY:
        copied = <CopyLaunch*> launch.plan
        return is_dense(copied.shape, copied.target, copied.ndim, dtype_facts().itemsize[copied.target_dtype])
    if launch.kind == LAUNCH_FILL:
        filled = <FillPlan*> launch.plan
        return is_dense(filled.shape, filled.strides, filled.ndim, dtype_facts().itemsize[filled.dtype])
    if launch.kind == LAUNCH_PRODUCT:
        product = <ProductPlan*> launch.plan
        shape[0], shape[1], shape[2] = product.sizes[0], product.sizes[1], product.sizes[3]
        strides[0], strides[1], strides[2] = product.steps[2], product.steps[7], product.steps[8]
        return is_dense(shape, strides, 3, dtype_facts().itemsize[product.code])
    return False
