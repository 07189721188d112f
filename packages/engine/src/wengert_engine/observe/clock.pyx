"""Ticks: the cheapest clock there is. See clock.pxd."""

cdef bint COUNTER = wengert_has_counter()
cdef Instant FIRST = instant()

cdef enum:
    MILLISECOND = 1000000


def now():
    """Nanoseconds of the monotonic clock."""
    return wengert_now()


cdef bint has_counter() noexcept nogil:
    return COUNTER


cdef Instant instant() noexcept nogil:
    """This moment: of three looks the one between whose ends the least time went by."""
    cdef Instant found
    cdef int64_t before, ns, after, least = 0
    cdef int i
    for i in range(3):
        before = wengert_ticks(COUNTER)
        ns = wengert_now()
        after = wengert_ticks(COUNTER)
        if i == 0 or after - before < least:
            least = after - before
            found.ticks, found.ns = before + least // 2, ns
    if not COUNTER:
        found.ticks = found.ns
    return found


cdef double slope(Instant begin, Instant end) noexcept nogil:
    if not COUNTER:
        return 1.0
    if end.ns - begin.ns < MILLISECOND and begin.ns - FIRST.ns > 0:
        begin = FIRST
    return <double> (end.ns - begin.ns) / <double> (end.ticks - begin.ticks) if end.ticks > begin.ticks else 1.0
