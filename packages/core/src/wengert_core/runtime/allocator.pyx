"""The caching allocator: fresh memory is the largest cost of big tensors, so buffers are kept by size class and reused.

Classes: multiples of 16 bytes up to 128, then four to each doubling (at most 25 % over what was asked). A released
buffer goes to the head of its class's list unless that would keep more than the limit. Blocks of 4 MiB and more are
aligned to 2 MiB and marked for huge pages. The GIL protects all of it.

Note [Pools]
    A thread that opens a pool allocates from it what it needs, and what it frees goes back to it: the memory of a
    program that can run again (packages/replay) is that of its first run, buffers reused as they were then. While any
    pool is open, the lists are put aside and the limit is below zero, so that ``allocate`` and ``release`` come to
    their slow ends by the tests that they have anyway, and these look whose the buffer is. A pool that pauses gives out
    nothing and still takes back what is freed: whoever goes on with it, in any thread, finds no block of its own in
    other hands. One that another thread closes (an exception that is dropped there has kept it open) stays a thread's
    until that one allocates again: its struct is freed then, and not before.

>>> from wengert_core import memory
>>> sorted(memory.stats())[:3]
['allocations', 'bytes_cached', 'bytes_in_use']
"""
cimport cython
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy, memset

from wengert_core.runtime.launches cimport Recorder, recorder


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


cdef char* LISTS[N_BINS]               # a kept block's first word points to the next one
cdef MemoryStats STATS

memset(LISTS, 0, sizeof(LISTS))
memset(&STATS, 0, sizeof(STATS))
STATS.limit = <Py_ssize_t> (wengert_physical_memory() // 8)


cdef MemoryStats* memory_stats() noexcept nogil:
    return &STATS


cdef void drop_cache() noexcept:
    """Give every kept block back to the system."""
    drop_lists(LISTS)
    drop_lists(ASIDE)
    STATS.cached = 0


cdef void drop_lists(char** lists) noexcept:
    cdef char* block
    cdef int i
    for i in range(N_BINS):
        while lists[i] != NULL:
            block = lists[i]
            lists[i] = (<char**> block)[0]
            free(block)


class AllocationError(MemoryError, RuntimeError):
    """There is no memory left: Python's exception for that, and the one that torch raises."""


cdef char* allocate_slowly(Py_ssize_t nbytes, Py_ssize_t size) except NULL:
    """A fresh block; under memory pressure the kept ones go first."""
    cdef char* block = NULL
    if 0 <= nbytes <= size and N_POOLS:
        return allocate_for_pool(nbytes, size)
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
        release_slowly(block, bin_, size)
        return
    (<char**> block)[0] = LISTS[bin_]
    LISTS[bin_] = block
    STATS.cached += size


cdef void release_slowly(char* block, unsigned char bin_, Py_ssize_t size) noexcept:
    """Give a block back to the system, or to the pool that it is of."""
    if N_POOLS and put_into_pool(block):
        return
    if N_POOLS and STATS.cached + size <= LIMIT:
        (<char**> block)[0] = ASIDE[bin_]
        ASIDE[bin_] = block
        STATS.cached += size
        return
    free(block)


# ---- pools. Note [Pools]

cdef extern from *:
    """
    static __thread void *wengert_pool = 0;
    """
    void* wengert_pool

cdef char* ASIDE[N_BINS]               # LISTS, while a pool is open
cdef Py_ssize_t LIMIT = 0              # STATS.limit, while a pool is open
cdef int N_POOLS = 0
cdef Pool* POOLS = NULL                # those that are open

memset(ASIDE, 0, sizeof(ASIDE))

cdef Pool* LEFT = NULL                 # those that another thread has closed, while their own allocates from them

cdef struct ThreadPool:                # what open_pool allocates
    Pool pool
    ThreadPool* outer                  # that the thread goes on with when this one is closed; NULL: none
    bint current                       # a thread allocates from it
    bint left                          # it is among LEFT
    bint freed                         # while it is


cdef void allocate_from(ThreadPool* pool) noexcept:
    """Let this thread allocate from a pool; NULL: from none."""
    global wengert_pool
    if wengert_pool != NULL:
        (<ThreadPool*> wengert_pool).current = False
    wengert_pool = <void*> pool
    if pool != NULL:
        pool.current = True


cdef void leave_closed() noexcept:
    """Let this thread allocate from no pool that another thread has closed."""
    cdef ThreadPool* pool = <ThreadPool*> wengert_pool
    cdef Pool** where
    while pool != NULL and pool.left:
        where = &LEFT
        while where[0] != <Pool*> pool:
            where = &where[0].next
        where[0] = (<Pool*> pool).next
        allocate_from(pool.outer)
        pool.left = False
        if pool.freed:
            free(pool)
        pool = <ThreadPool*> wengert_pool


cdef void pass_over(Pool* others, ThreadPool* pool) noexcept:
    """Let no pool of a list come back to one that is closed."""
    while others != NULL:
        if (<ThreadPool*> others).outer == pool:
            (<ThreadPool*> others).outer = pool.outer
        others = others.next


cdef Pool* open_pool() except NULL:
    """Open a pool for this thread. One that it has already gives out nothing until this one is closed."""
    global N_POOLS, POOLS, LIMIT
    cdef ThreadPool* made = <ThreadPool*> calloc(1, sizeof(ThreadPool))
    cdef Pool* pool = <Pool*> made
    if made == NULL:
        raise MemoryError()
    leave_closed()
    made.outer = <ThreadPool*> wengert_pool
    if not N_POOLS:
        memcpy(ASIDE, LISTS, sizeof(LISTS))
        memset(LISTS, 0, sizeof(LISTS))
        LIMIT, STATS.limit = STATS.limit, -1
    N_POOLS += 1
    pool.next, POOLS = POOLS, pool
    allocate_from(made)
    return pool


cdef void close_pool(Pool* pool) noexcept:
    """Allocate from it no more. Its blocks stay."""
    global N_POOLS, POOLS, LEFT
    cdef Pool** where = &POOLS
    cdef ThreadPool* own = <ThreadPool*> pool
    while where[0] != NULL and where[0] != pool:
        where = &where[0].next
    if where[0] == NULL:
        return
    where[0] = pool.next
    pass_over(POOLS, own)              # one inside of this may be open for longer
    pass_over(LEFT, own)
    if wengert_pool == <void*> pool:
        allocate_from(own.outer)
    elif own.current:
        own.left, pool.next, LEFT = True, LEFT, pool
    N_POOLS -= 1
    if not N_POOLS:
        memcpy(LISTS, ASIDE, sizeof(LISTS))
        memset(ASIDE, 0, sizeof(ASIDE))
        STATS.limit = LIMIT


cdef void pause_pool(Pool* pool) noexcept:
    """Let an open pool of this thread give out nothing until it is resumed. What is freed goes back to it."""
    if wengert_pool == <void*> pool:
        allocate_from((<ThreadPool*> pool).outer)


cdef void resume_pool(Pool* pool) noexcept:
    """Let this thread allocate from a pool that pauses."""
    leave_closed()
    (<ThreadPool*> pool).outer = <ThreadPool*> wengert_pool
    allocate_from(<ThreadPool*> pool)


cdef void free_pool(Pool* pool) noexcept:
    """Release the blocks of a closed pool that nobody uses; those in use are their owners'."""
    cdef Py_ssize_t i
    cdef Pool* left = LEFT
    for i in range(pool.n):
        if not pool.blocks[i].live:
            STATS.in_use += pool.blocks[i].nbytes
            release(pool.blocks[i].address, pool.blocks[i].bin_)
    free(pool.blocks)
    free(pool.table)
    while left != NULL and left != pool:
        left = left.next
    if left != NULL:
        (<ThreadPool*> pool).freed = True
    else:
        free(pool)


@cython.overflowcheck(False)            # the product wraps
cdef size_t hash_of(char* address) noexcept:
    """A hash of a block's address."""
    return (<size_t> address >> 4) * <size_t> 0x9E3779B97F4A7C15 >> 20


cdef Block* block_at(Pool* pool, char* address) noexcept:
    """The block that begins at an address; NULL where there is none."""
    cdef size_t at
    if not pool.n_table:
        return NULL
    at = hash_of(address) & (pool.n_table - 1)
    while pool.table[at]:
        if pool.blocks[pool.table[at] - 1].address == address:
            return &pool.blocks[pool.table[at] - 1]
        at = at + 1 & (pool.n_table - 1)
    return NULL


cdef void enter_block(Pool* pool, Py_ssize_t number) noexcept:
    """Let ``block_at`` find a block."""
    cdef size_t at = hash_of(pool.blocks[number].address) & (pool.n_table - 1)
    while pool.table[at]:
        at = at + 1 & (pool.n_table - 1)
    pool.table[at] = <int> number + 1


cdef void give_out(Pool* pool, Block* block) noexcept:
    """Note that somebody uses a block from now on."""
    cdef Recorder* own = recorder()
    block.live, block.written = True, False
    block.born, block.serial = own.n if own != NULL else 0, pool.n_allocated
    pool.n_allocated += 1


cdef Block* add_block(Pool* pool, char* address, Py_ssize_t nbytes, unsigned char bin_) noexcept:
    """A new block of a pool, in use; NULL when there is no memory to note it."""
    cdef Block* blocks
    cdef int* table
    cdef Py_ssize_t i
    if pool.n == pool.room:
        blocks = <Block*> realloc(pool.blocks, (2 * pool.room + 64) * sizeof(Block))
        if blocks == NULL:
            return NULL
        pool.blocks, pool.room = blocks, 2 * pool.room + 64
    if 2 * pool.n >= pool.n_table:
        table = <int*> calloc(4 * pool.n_table if pool.n_table else 256, sizeof(int))
        if table == NULL:
            return NULL
        free(pool.table)
        pool.table, pool.n_table = table, 4 * pool.n_table if pool.n_table else 256
        for i in range(pool.n):
            enter_block(pool, i)
    cdef Block* made = &pool.blocks[pool.n]
    made.address, made.nbytes, made.bin_ = address, nbytes, bin_
    give_out(pool, made)
    pool.n += 1
    enter_block(pool, pool.n - 1)
    return made


cdef char* allocate_for_pool(Py_ssize_t nbytes, Py_ssize_t size) except NULL:
    """A block from the thread's pool; from the lists that were put aside where it has none."""
    global N_POOLS
    leave_closed()
    cdef Pool* pool = <Pool*> wengert_pool
    cdef unsigned which = wengert_bin_of(nbytes)
    cdef char* block
    cdef int before = N_POOLS
    if pool != NULL and pool.lists[which] != NULL:
        block = pool.lists[which]
        pool.lists[which] = (<char**> block)[0]
        give_out(pool, block_at(pool, block))
        return block
    if ASIDE[which] != NULL:
        block = ASIDE[which]
        ASIDE[which] = (<char**> block)[0]
        STATS.cached -= size
    else:
        N_POOLS = 0                    # so that this is not called again
        try:
            block = allocate_slowly(nbytes, size)
        finally:
            N_POOLS = before
    if pool != NULL and add_block(pool, block, size, <unsigned char> which) == NULL:
        free(block)
        raise MemoryError()
    return block


cdef bint put_into_pool(char* address) noexcept:
    """Free a block of an open pool; False where it is of none."""
    cdef Pool* pool = POOLS
    cdef Block* entry
    while pool != NULL:
        entry = block_at(pool, address)
        if entry != NULL and entry.live:
            entry.live = False
            (<char**> address)[0] = pool.lists[entry.bin_]
            pool.lists[entry.bin_] = address
            return True
        pool = pool.next
    return False


def stats():
    """The allocator's figures: a dict of int.

    bytes_in_use, bytes_peak (of live buffers, rounded to their size class), bytes_cached (kept for reuse), bytes_limit
    (the most that is kept), allocations, reuses (allocations served from the cache), frees.
    """
    return {"bytes_in_use": STATS.in_use, "bytes_peak": STATS.peak, "bytes_cached": STATS.cached,
            "bytes_limit": LIMIT if N_POOLS else STATS.limit,
            "allocations": STATS.allocations, "reuses": STATS.reuses, "frees": STATS.frees}


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
    global LIMIT
    cdef Py_ssize_t before = LIMIT if N_POOLS else STATS.limit
    if N_POOLS:
        LIMIT = nbytes
    else:
        STATS.limit = nbytes
    if STATS.cached > nbytes:
        drop_cache()
    return before
