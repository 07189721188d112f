"""The caching allocator: fresh memory is the largest cost of big tensors, so buffers are kept by size class and reused.

Classes: multiples of 16 bytes up to 128, then four to each doubling (at most 25 % over what was asked). A released
buffer goes to the head of its class's list unless that would keep more than the limit. Blocks of 4 MiB and more are
aligned to 2 MiB and marked for huge pages. The GIL protects all of it.

>>> from wengert_core import memory
>>> sorted(memory.stats())[:3]
['allocations', 'bytes_cached', 'bytes_in_use']
"""
from libc.stdlib cimport free
from libc.string cimport memset


cdef extern from *:
    """
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    #ifdef __linux__
    #include <sys/mman.h>
    #endif

    /* A block of nbytes, aligned for its size; NULL when there is none. */
    static char *wengert_fresh_block(size_t nbytes) {
        if (nbytes < 64) return (char *)malloc(nbytes);
        size_t alignment = nbytes >= ((size_t)4 << 20) ? ((size_t)2 << 20) : 64;
        size_t rounded = (nbytes + alignment - 1) & ~(alignment - 1);
        char *block = rounded < nbytes ? NULL : (char *)aligned_alloc(alignment, rounded);
    #if defined(__linux__) && defined(MADV_HUGEPAGE)
        if (block && nbytes >= ((size_t)4 << 20)) madvise(block, rounded, MADV_HUGEPAGE);
    #endif
        return block;
    }
    static size_t wengert_physical_memory(void) {
        long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
        return pages > 0 && size > 0 ? (size_t)pages * (size_t)size : (size_t)4 << 30;
    }
    /* Class 0..7: 16, 32, ..., 128 bytes; then 160, 192, 224, 256, 320, ... */
    static inline unsigned wengert_bin_of(size_t nbytes) {
        if (nbytes <= 128) return nbytes ? (unsigned)((nbytes - 1) >> 4) : 0;
        unsigned top = 63 - __builtin_clzll((unsigned long long)(nbytes - 1));
        return 8 + (top - 7) * 4 + (unsigned)(((nbytes - 1) >> (top - 2)) & 3);
    }
    static inline size_t wengert_bin_bytes(unsigned bin) {
        if (bin < 8) return (size_t)(bin + 1) << 4;
        unsigned top = 7 + (bin - 8) / 4, quarter = (bin - 8) % 4;
        return ((size_t)1 << top) + ((size_t)(quarter + 1) << (top - 2));
    }
    """
    char* wengert_fresh_block(size_t nbytes) noexcept nogil
    size_t wengert_physical_memory() noexcept
    unsigned wengert_bin_of(size_t nbytes) noexcept nogil
    size_t wengert_bin_bytes(unsigned bin_) noexcept nogil


cdef enum:
    N_BINS = 240

cdef char* LISTS[N_BINS]               # a kept block's first word points to the next one
cdef MemoryStats STATS

memset(LISTS, 0, sizeof(LISTS))
memset(&STATS, 0, sizeof(STATS))
STATS.limit = <Py_ssize_t> (wengert_physical_memory() // 8)


cdef MemoryStats* memory_stats() noexcept nogil:
    return &STATS


cdef void drop_cache() noexcept:
    """Give every kept block back to the system."""
    cdef char* block
    cdef int i
    for i in range(N_BINS):
        while LISTS[i] != NULL:
            block = LISTS[i]
            LISTS[i] = (<char**> block)[0]
            free(block)
    STATS.cached = 0


class AllocationError(MemoryError, RuntimeError):
    """There is no memory left: Python's exception for that, and the one that torch raises."""


cdef char* allocate_slowly(Py_ssize_t nbytes, Py_ssize_t size) except NULL:
    """A fresh block; under memory pressure the kept ones go first."""
    cdef char* block = NULL
    if 0 <= nbytes <= size:
        block = wengert_fresh_block(size)
        if block == NULL:
            drop_cache()
            block = wengert_fresh_block(size)
    if block == NULL:
        raise AllocationError(
            f"DefaultCPUAllocator: can't allocate memory: you tried to allocate {nbytes} bytes; {STATS.in_use} bytes "
            "are in use by tensors. Free some, or work on smaller pieces (see docs/errors/out-of-memory)")
    return block


cdef char* allocate(Py_ssize_t nbytes, unsigned char* bin_) except NULL:
    cdef unsigned which
    cdef Py_ssize_t size
    cdef char* block
    if nbytes < 0 or nbytes > <Py_ssize_t> 1 << 47:
        return allocate_slowly(nbytes, -1)
    which = wengert_bin_of(nbytes)
    size = wengert_bin_bytes(which)
    block = LISTS[which]
    if block != NULL:
        LISTS[which] = (<char**> block)[0]
        STATS.cached -= size
        STATS.reuses += 1
    else:
        block = allocate_slowly(nbytes, size)
    bin_[0] = which
    STATS.allocations += 1
    STATS.in_use += size
    if STATS.in_use > STATS.peak:
        STATS.peak = STATS.in_use
    return block


cdef void release(char* block, unsigned char bin_) noexcept:
    cdef Py_ssize_t size = wengert_bin_bytes(bin_)
    STATS.in_use -= size
    STATS.frees += 1
    if STATS.cached + size > STATS.limit:
        free(block)
        return
    (<char**> block)[0] = LISTS[bin_]
    LISTS[bin_] = block
    STATS.cached += size


def stats():
    """The allocator's figures: a dict of int.

    bytes_in_use, bytes_peak (of live buffers, rounded to their size class), bytes_cached (kept for reuse), bytes_limit
    (the most that is kept), allocations, reuses (allocations served from the cache), frees.
    """
    return {"bytes_in_use": STATS.in_use, "bytes_peak": STATS.peak, "bytes_cached": STATS.cached,
            "bytes_limit": STATS.limit, "allocations": STATS.allocations, "reuses": STATS.reuses, "frees": STATS.frees}


def reset_peak():
    """Let ``bytes_peak`` start again from what is in use now."""
    STATS.peak = STATS.in_use


def empty_cache():
    """Give the kept buffers back to the system; live tensors are not touched."""
    drop_cache()


def set_cache_limit(Py_ssize_t nbytes):
    """Keep at most ``nbytes`` for reuse (default: an eighth of the machine's memory). Returns the limit before.

    Raises ValueError for a negative size.
    """
    if nbytes < 0:
        raise ValueError(f"set_cache_limit: expected a size in bytes of at least 0, got {nbytes}")
    cdef Py_ssize_t before = STATS.limit
    STATS.limit = nbytes
    if STATS.cached > nbytes:
        drop_cache()
    return before
