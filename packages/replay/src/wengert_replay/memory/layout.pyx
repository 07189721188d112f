"""Places of spans in an arena: as an allocator would give them in a run, or, of few, the largest first."""
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memmove

cdef enum:
    MOST_COMPARED = 512                # spans for which both ways are tried

cdef struct Gap:
    Py_ssize_t low
    Py_ssize_t high

cdef struct Gaps:                      # below the end of what is used
    Gap* items                         # by rising places; room for one more than there are spans
    Py_ssize_t n
    Py_ssize_t end


cdef inline Py_ssize_t alignment_of(Span* span) noexcept nogil:
    return WIDE if span.high - span.start >= WIDE else NARROW


cdef inline Py_ssize_t size_of(Span* span) noexcept nogil:
    cdef Py_ssize_t alignment = alignment_of(span)
    return <Py_ssize_t> (span.high - span.start + alignment - 1) & -alignment


cdef int rising(const void* a, const void* b) noexcept nogil:
    return ((<const uint64_t*> a)[0] > (<const uint64_t*> b)[0]) - ((<const uint64_t*> a)[0] < (<const uint64_t*> b)[0])


cdef void sort_numbers(uint64_t* keys, int32_t* numbers, Py_ssize_t n) noexcept nogil:
    """Bring numbers into the order of keys, whose lower half is free."""
    cdef Py_ssize_t i
    for i in range(n):
        keys[i] |= <uint64_t> numbers[i]
    qsort(keys, n, sizeof(uint64_t), rising)
    for i in range(n):
        numbers[i] = <int32_t> (keys[i] & 0x7fffffff)


cdef Py_ssize_t pack_spans(Span* spans, int32_t* numbers, Py_ssize_t n) except -1:
    cdef int32_t* ending = <int32_t*> malloc(4 * n + 4)
    cdef uint64_t* keys = <uint64_t*> malloc(8 * n + 8)
    cdef Py_ssize_t* offsets = <Py_ssize_t*> malloc(8 * n + 8)
    cdef Gaps gaps
    cdef Py_ssize_t i, nbytes
    gaps.items = <Gap*> malloc((2 * n + 2) * sizeof(Gap))
    if ending == NULL or keys == NULL or offsets == NULL or gaps.items == NULL:
        free(ending)
        free(keys)
        free(offsets)
        free(gaps.items)
        raise MemoryError()
    for i in range(n):
        ending[i], keys[i] = numbers[i], <uint64_t> (spans[numbers[i]].end + 1) << 32
    sort_numbers(keys, ending, n)
    for i in range(n):
        keys[i] = <uint64_t> (spans[numbers[i]].begin + 1) << 32
    sort_numbers(keys, numbers, n)
    nbytes = pack_in_time(spans, numbers, ending, n, &gaps)
    if n <= MOST_COMPARED:
        for i in range(n):
            offsets[i] = spans[numbers[i]].offset
            ending[i] = numbers[i]
        if pack_by_size(spans, ending, n, keys) < nbytes:
            nbytes = end_of(spans, numbers, n)
        else:
            for i in range(n):
                spans[numbers[i]].offset = offsets[i]
    free(ending)
    free(keys)
    free(offsets)
    free(gaps.items)
    return nbytes


cdef Py_ssize_t end_of(Span* spans, int32_t* numbers, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, end = 0
    for i in range(n):
        end = max(end, spans[numbers[i]].offset + size_of(&spans[numbers[i]]))
    return end


# ---- as an allocator does

cdef Py_ssize_t pack_in_time(
    Span* spans, int32_t* numbers, int32_t* ending, Py_ssize_t n, Gaps* gaps
) noexcept nogil:
    """numbers: in the order in which spans begin; ending: in that in which they end."""
    cdef Py_ssize_t i, k = 0
    cdef Span* span
    gaps.n = gaps.end = 0
    for i in range(n):
        span = &spans[numbers[i]]
        while k < n and spans[ending[k]].end < span.begin:
            give_back(gaps, spans[ending[k]].offset, size_of(&spans[ending[k]]))
            k += 1
        span.offset = take(gaps, size_of(span), alignment_of(span))
    return gaps.end


cdef Py_ssize_t take(Gaps* gaps, Py_ssize_t size, Py_ssize_t alignment) noexcept nogil:
    """From the smallest gap that is large enough, else from the end."""
    cdef Py_ssize_t i, best = -1, low
    cdef Gap gap
    for i in range(gaps.n):
        gap = gaps.items[i]
        if (gap.low + alignment - 1 & -alignment) + size <= gap.high \
                and (best < 0 or gap.high - gap.low < gaps.items[best].high - gaps.items[best].low):
            best = i
    if best < 0:
        if not gaps.n or gaps.items[gaps.n - 1].high != gaps.end:
            gaps.items[gaps.n].low = gaps.items[gaps.n].high = gaps.end
            gaps.n += 1
        best = gaps.n - 1
        low = gaps.items[best].low + alignment - 1 & -alignment
        gaps.items[best].high = gaps.end = low + size
    gap = gaps.items[best]
    low = gap.low + alignment - 1 & -alignment
    gaps.n -= 1
    memmove(gaps.items + best, gaps.items + best + 1, (gaps.n - best) * sizeof(Gap))
    give_back(gaps, gap.low, low - gap.low)
    give_back(gaps, low + size, gap.high - low - size)
    return low


cdef void give_back(Gaps* gaps, Py_ssize_t low, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t first = 0, end = gaps.n, middle
    if not size:
        return
    while first < end:
        middle = (first + end) // 2
        if gaps.items[middle].low < low:
            first = middle + 1
        else:
            end = middle
    if first and gaps.items[first - 1].high == low:
        gaps.items[first - 1].high += size
        if first < gaps.n and gaps.items[first].low == low + size:
            gaps.items[first - 1].high = gaps.items[first].high
            gaps.n -= 1
            memmove(gaps.items + first, gaps.items + first + 1, (gaps.n - first) * sizeof(Gap))
    elif first < gaps.n and gaps.items[first].low == low + size:
        gaps.items[first].low = low
    else:
        memmove(gaps.items + first + 1, gaps.items + first, (gaps.n - first) * sizeof(Gap))
        gaps.items[first].low, gaps.items[first].high = low, low + size
        gaps.n += 1


# ---- the largest first

cdef Py_ssize_t pack_by_size(Span* spans, int32_t* numbers, Py_ssize_t n, uint64_t* keys) noexcept nogil:
    """numbers: in any order, which becomes that of offsets. Each span gets the smallest gap among those in its time."""
    cdef Py_ssize_t i, k, low, end = 0, size, alignment, best, least
    cdef Span* span
    cdef Span* other
    cdef int32_t number
    for i in range(n):
        keys[i] = <uint64_t> (0x7fffffff - min(size_of(&spans[numbers[i]]) // NARROW, <Py_ssize_t> 0x7fffffff)) << 32
    sort_numbers(keys, numbers, n)
    for i in range(n):
        number = numbers[i]
        span = &spans[number]
        size, alignment = size_of(span), alignment_of(span)
        low, best, least = 0, -1, 0
        for k in range(i):             # placed already, by rising offsets
            other = &spans[numbers[k]]
            if other.end < span.begin or span.end < other.begin:
                continue
            if other.offset - low >= size and (best < 0 or other.offset - low < least):
                best, least = low, other.offset - low
            low = max(low, other.offset + size_of(other) + alignment - 1 & -alignment)
        span.offset = low if best < 0 else best
        end = max(end, span.offset + size)
        k = i
        while k and spans[numbers[k - 1]].offset > span.offset:
            numbers[k] = numbers[k - 1]
            k -= 1
        numbers[k] = number
    return end
