"""Whether two recordings have done the same up to a step: what kernels do is in part known to their drivers alone."""
from libc.stdint cimport uint32_t
from libc.string cimport memcmp

from numpy import generic, ndarray

from wengert_replay.trace.packed cimport NUMBER_MASK, TAG_CONSTANT, TAG_SHIFT, Row
from wengert_replay.trace.steps cimport Steps

cdef tuple PLAIN = (bool, int, float, complex, str, bytes)


cdef bint begins_like(Steps steps, Steps other, Py_ssize_t n) except -1:
    cdef Row a, b
    cdef Py_ssize_t i
    if n > steps.n or n > other.n:
        return False
    for i in range(n):
        if i:
            steps.rows.read_next(&a)
            other.rows.read_next(&b)
        else:
            steps.rows.read(0, &a)
            other.rows.read(0, &b)
        if not is_same_step(steps, &a, other, &b):
            return False
    return True


cdef bint is_same_step(Steps steps, Row* a, Steps other, Row* b) except -1:
    cdef Py_ssize_t at = a.words, there = b.words
    cdef uint32_t i
    if steps.ops[a.op] != other.ops[b.op] or a.given != b.given or a.way != b.way or a.n_results != b.n_results:
        return False
    while at < a.types:
        if there >= b.types or not is_same_word(steps, steps.rows.take_word(a, &at), other,
                                                other.rows.take_word(b, &there)):
            return False
    for i in range(a.n_results):
        if not is_same_type(steps, steps.type_of_result(a, a.first + i), other, other.type_of_result(b, b.first + i)):
            return False
    return there >= b.types


cdef bint is_same_word(Steps steps, uint32_t word, Steps other, uint32_t theirs) except -1:
    """Whether two words mean the same. Values have the same numbers if all before them is the same."""
    if word >> TAG_SHIFT != TAG_CONSTANT or theirs >> TAG_SHIFT != TAG_CONSTANT:
        return word == theirs
    mine, their = steps.constants[word & NUMBER_MASK], other.constants[theirs & NUMBER_MASK]
    return mine is their or has_same_value(mine, their)


cdef bint has_same_value(mine, their) except -1:
    """Whether two constants are equal in each bit. A tuple has numbers alone, so torch's Size of them is the same."""
    if isinstance(mine, tuple) and isinstance(their, tuple):
        return repr(tuple(mine)) == repr(tuple(their))
    if type(mine) is not type(their):
        return False
    if isinstance(mine, (generic, ndarray)):
        return mine.dtype == their.dtype and not mine.dtype.hasobject and mine.shape == their.shape \
            and mine.tobytes() == their.tobytes()
    for kind in PLAIN:
        if isinstance(mine, kind):     # of a subclass the value alone, whose words may be anything
            return kind.__repr__(mine) == kind.__repr__(their)
    return False


cdef bint is_same_type(Steps steps, uint32_t number, Steps other, uint32_t theirs) noexcept:
    cdef Py_ssize_t* mine = steps.geometry + steps.types.items[number]
    cdef Py_ssize_t* their = other.geometry + other.types.items[theirs]
    if not number or not theirs:
        return number == theirs
    return mine[1] == their[1] and memcmp(mine, their, (2 + 2 * mine[1]) * sizeof(Py_ssize_t)) == 0
