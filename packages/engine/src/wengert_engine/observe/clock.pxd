"""Ticks: the cheapest clock there is. A processor's counter that runs evenly on all cores, else the system's clock.

Note [Ticks and nanoseconds]
    An event takes two readings, and the system's clock takes three times as long to read as the counter. Ticks become
    nanoseconds of the monotonic clock when a recording is read: both clocks are looked at when it begins and when it is
    read, and one line goes through the two points. Where less than a millisecond lies between them, the slope is that
    since this module was loaded.
"""
from libc.stdint cimport int64_t

cdef extern from *:
    """
    #include <time.h>
    #if defined(__x86_64__)
    #include <cpuid.h>
    /* Whether the counter runs at one rate, whatever the processor does. */
    static inline int wengert_has_counter(void) {
        unsigned a, b, c, d;
        return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d >> 8 & 1);
    }
    static inline int64_t wengert_counter(void) { return (int64_t)__builtin_ia32_rdtsc(); }
    #else
    static inline int wengert_has_counter(void) { return 0; }
    static inline int64_t wengert_counter(void) { return 0; }
    #endif
    static inline int64_t wengert_now(void) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    }
    static inline int64_t wengert_ticks(int counter) { return counter ? wengert_counter() : wengert_now(); }
    """
    bint wengert_has_counter() noexcept nogil
    int64_t wengert_now() noexcept nogil
    int64_t wengert_ticks(bint counter) noexcept nogil

cdef struct Instant:                   # one moment on both clocks
    int64_t ticks, ns

cdef bint has_counter() noexcept nogil
cdef Instant instant() noexcept nogil
cdef double slope(Instant begin, Instant end) noexcept nogil       # nanoseconds of a tick
