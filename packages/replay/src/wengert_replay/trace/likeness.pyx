"""Whether two recordings have done the same up to a step: what kernels do is in part known to their drivers alone."""
from libc.stdint cimport uint32_t
from libc.string cimport memcmp

from wengert_replay.trace.steps cimport NUMBER_MASK, TAG_CONSTANT, TAG_SHIFT, Record, Steps

cdef frozenset PLAIN = frozenset((int, float, complex, bool, str, bytes, tuple, type(None)))


cdef bint begins_like(Steps steps, Steps other, Py_ssize_t n) except -1:
    cdef Record* a
    cdef Record* b
    cdef Py_ssize_t i, n_words, n_results
    if n > steps.n or n > other.n:
        return False
    n_words = steps.records[n].word if n < steps.n else steps.words.n
    n_results = steps.records[n].result if n < steps.n else steps.results.n
    if n_words > other.words.n or n_results > other.results.n:
        return False
    for i in range(n):
        a, b = &steps.records[i], &other.records[i]
        if steps.ops[a.op] != other.ops[b.op] or a.given != b.given or a.word != b.word or a.result != b.result \
                or (a.line_and_way ^ b.line_and_way) & 15:
            return False
    for i in range(n_words):
        if not is_same_word(steps, steps.words.items[i], other, other.words.items[i]):
            return False
    for i in range(n_results):
        if not is_same_type(steps, steps.results.items[i], other, other.results.items[i]):
            return False
    return True


cdef bint is_same_word(Steps steps, uint32_t word, Steps other, uint32_t theirs) except -1:
    """Whether two words mean the same. Values have the same numbers if all before them is the same."""
    if word >> TAG_SHIFT != TAG_CONSTANT or theirs >> TAG_SHIFT != TAG_CONSTANT:
        return word == theirs
    mine, their = steps.constants[word & NUMBER_MASK], other.constants[theirs & NUMBER_MASK]
    if mine is their:
        return True
    return type(mine) is type(their) and type(mine) in PLAIN and repr(mine) == repr(their)


cdef bint is_same_type(Steps steps, uint32_t number, Steps other, uint32_t theirs) noexcept:
    cdef Py_ssize_t* mine = steps.geometry + steps.types.items[number]
    cdef Py_ssize_t* their = other.geometry + other.types.items[theirs]
    if not number or not theirs:
        return number == theirs
    return mine[1] == their[1] and memcmp(mine, their, (2 + 2 * mine[1]) * sizeof(Py_ssize_t)) == 0
