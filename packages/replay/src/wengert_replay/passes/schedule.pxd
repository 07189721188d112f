"""Schedule: which launches of a recording run, in which order, and which of them together. See schedule.pyx."""
cimport cython
from libc.stdint cimport int32_t, uint8_t, uint16_t

from wengert_core.extend cimport Launch, PointwisePlan
from wengert_replay.passes.ranges cimport Cells, Ranges
from wengert_replay.trace.tables cimport Words

cdef enum:
    ALONE = -1
    MOST_COUNTED = 0x7fffffff          # elements of an instruction
    MOST_BYTES = 512                   # of a small value

cdef enum Fact:                        # of a launch: what passes ask of its plan, which is read once
    FACT_INSTRUCTION = 1               # it is one call of its kernel
    FACT_NUMBERS = 2                   # ... some of whose operands are numbers
    FACT_PARAMETERS = 4                # ... and whose kernel takes parameters
    FACT_SMALL = 8                     # ... whose operands in memory are small, and whose last one is written whole
    FACT_STOPS = 16                    # whoever runs next may look at all memory
    FACT_FAILS = 32                    # it may refuse a value
    FACT_NAMES = 64                    # a call that uses the memory of its Reach only


@cython.final
cdef class Schedule:
    cdef Launch* launches              # of the recording, which outlives this
    cdef readonly Py_ssize_t n
    cdef Ranges kept                   # what matters when a run ends; None: all memory
    cdef dict reaches                  # of calls that name their memory, by number: Reach; None: there are none
    cdef Cells cells
    cdef int32_t* order                # owned: the numbers of the launches, as they run
    cdef int32_t* group                # owned, by number: the number of the first launch of its group; ALONE
    cdef uint8_t* facts                # owned, by number: Fact
    cdef uint16_t* whole               # owned, by number: a bit for each operand that is overwritten whole
    cdef uint8_t* roles                # owned, by operand: OperandRole
    cdef uint8_t* dropped              # owned, by number: it does not run
    cdef uint8_t* wanted               # owned, by operand: of a written one of a group, whether memory must have it
    cdef uint8_t* begins               # owned, by operand: nothing that was in its block before counts

    cdef int lay_out(self, Launch* launches, Py_ssize_t n, Ranges kept, dict reaches=*) except -1
    # Note the first writes behind an allocation: their launches and operands, as ValueMap has them. The order is final.
    cdef int note_first_writes(self, const Words* words, Py_ssize_t first) except -1


cdef inline bint overwrites(Schedule schedule, int32_t i, int k) noexcept:
    """Whether launch ``i`` writes each byte of an operand, without reading any."""
    return schedule.whole[i] >> k & 1


cdef inline bint is_small(Launch* launch, int k) noexcept nogil:
    return 0 < launch.high[k] - launch.low[k] <= MOST_BYTES


cdef PointwisePlan* instruction_plan(Launch* launch) noexcept nogil    # of one that is one call of its kernel; NULL
cdef bint stops(Launch* launch) noexcept nogil               # a run stops there
cdef bint is_dense(const Py_ssize_t* shape, const Py_ssize_t* strides, int ndim, Py_ssize_t itemsize) noexcept nogil
