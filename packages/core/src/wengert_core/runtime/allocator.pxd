"""The caching allocator: buffers by size class, kept for reuse."""

cdef enum:
    FOREIGN_BIN = 255                  # the bin of memory that is not ours

cdef struct MemoryStats:
    Py_ssize_t in_use                  # bytes in live buffers, rounded to their size class
    Py_ssize_t peak                    # the most in_use has been since the last reset
    Py_ssize_t cached                  # bytes kept for reuse
    Py_ssize_t limit                   # bytes that may be kept
    Py_ssize_t allocations             # calls of allocate
    Py_ssize_t reuses                  # ... that were served from the cache
    Py_ssize_t frees                   # calls of release

cdef enum:
    N_BINS = 240

cdef struct Block:
    char* address
    Py_ssize_t nbytes                  # of its size class
    Py_ssize_t born                    # launches that the thread's recorder had when it was last allocated
    Py_ssize_t serial                  # the number of that allocation in the pool
    unsigned char bin_
    bint live                          # somebody uses it
    bint written                       # for whoever records: what it holds is computed again at each replay

cdef struct Pool:                      # Note [Pools] in allocator.pyx
    Block* blocks
    Py_ssize_t n
    Py_ssize_t room
    int* table                         # by hashed address: 1 + the block's number; 0: none
    Py_ssize_t n_table                 # a power of two
    Py_ssize_t n_allocated             # how often a block was
    char* lists[N_BINS]                # free blocks, as the allocator's
    Pool* next                         # that is open too

cdef Pool* open_pool() except NULL
cdef void close_pool(Pool* pool) noexcept
cdef void pause_pool(Pool* pool) noexcept
cdef void resume_pool(Pool* pool) noexcept
cdef void free_pool(Pool* pool) noexcept
cdef Block* block_at(Pool* pool, char* address) noexcept

cdef MemoryStats* memory_stats() noexcept nogil
cdef char* allocate(Py_ssize_t nbytes, unsigned char* bin_) except NULL
cdef void release(char* block, unsigned char bin_) noexcept
