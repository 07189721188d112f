"""Launches: calls of kernels as data. Note [Launches] in launches.pxd."""
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

cdef extern from *:
    """
    #ifdef __linux__
    #include <sys/mman.h>
    #endif
    #include <stdint.h>
    static __thread void *wengert_recorder = 0;

    /* nbytes is a multiple of 8. */
    static size_t wengert_hash_words(const void *data, size_t nbytes) {
        const uint64_t *words = (const uint64_t *)data;
        uint64_t hash = nbytes;
        for (size_t i = 0; i < nbytes / 8; i++) hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15u, hash ^= hash >> 32;
        return (size_t)hash;
    }
    /* Let large memory be of large pages, which are faster to get. */
    static void wengert_use_large_pages(char *memory, size_t nbytes) {
    #if defined(__linux__) && defined(MADV_HUGEPAGE)
        size_t page = (size_t)2 << 20;
        uintptr_t first = ((uintptr_t)memory + page - 1) & ~(uintptr_t)(page - 1), last = (uintptr_t)memory + nbytes;
        if (first + page <= last) madvise((void *)first, last - first, MADV_HUGEPAGE);
    #endif
    }
    """
    void* wengert_recorder
    size_t wengert_hash_words(const void* data, size_t nbytes) noexcept nogil
    void wengert_use_large_pages(char* memory, size_t nbytes) noexcept nogil


cdef Recorder* recorder() noexcept nogil:
    return <Recorder*> wengert_recorder


cdef int N_RECORDERS = 0               # of all threads; the GIL protects it


cdef const int* count_recorders() noexcept nogil:
    return &N_RECORDERS


cdef void set_recorder(Recorder* own) noexcept nogil:
    global wengert_recorder, N_RECORDERS
    N_RECORDERS += (own != NULL) - (wengert_recorder != NULL)
    wengert_recorder = own


cdef Launch* add_launch(launch_fn run, int kind, void* plan) except NULL:
    cdef Recorder* own = recorder()
    cdef Launch* grown
    cdef Py_ssize_t room
    if own == NULL:
        free_plan(plan)
        raise RuntimeError("a launch was told in a thread without a recorder: it is a defect of wengert")
    if own.n == own.room:
        room = 2 * own.room if own.room else 256
        grown = <Launch*> realloc(own.launches, room * sizeof(Launch))
        if grown == NULL:
            free_plan(plan)
            raise MemoryError()
        wengert_use_large_pages(<char*> grown, room * sizeof(Launch))
        own.launches, own.room = grown, room
    cdef Launch* made = &own.launches[own.n]
    memset(made, 0, sizeof(Launch))
    made.run, made.kind, made.plan, made.step = run, <uint8_t> kind, plan, own.step
    own.n += 1
    return made


cdef void add_operand(Launch* launch, char* data, Py_ssize_t low, Py_ssize_t high, int role) noexcept:
    cdef int i = launch.n_operands
    launch.data[i], launch.low[i], launch.high[i], launch.role[i] = data, low, high, <uint8_t> role
    launch.n_operands += 1


cdef void add_strided(
    Launch* launch, char* data, int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides, Py_ssize_t itemsize,
    int role
) noexcept:
    cdef Py_ssize_t low = 0, high = itemsize
    cdef int i
    for i in range(ndim):
        if shape[i] == 0:
            low, high = 0, 0
            break
        if strides[i] < 0:
            low += (shape[i] - 1) * strides[i]
        else:
            high += (shape[i] - 1) * strides[i]
    add_operand(launch, data, low, high, role)


cdef void free_launch(Launch* launch) noexcept:
    free_plan(launch.plan)
    launch.plan = NULL


# ---- plans that launches share: a program of small operations has a few that differ, and tens of thousands of launches

cdef enum:
    SHARED_BYTES = 0x80000             # of all of them
    LEAST_SHARED = 256                 # bytes of a plan: smaller ones are made alone
    SHARED_SLOTS = 0x1000              # a power of two, twice as many as there can be

cdef struct PlanEntry:
    const char* plan
    size_t nbytes
    size_t hash

cdef char* SHARED_MEMORY = NULL
cdef size_t SHARED_USED = 0
cdef PlanEntry[SHARED_SLOTS] SHARED       # by hash; the GIL protects it


cdef void free_plan(void* plan) noexcept:
    if SHARED_MEMORY == NULL or <size_t> plan < <size_t> SHARED_MEMORY \
            or <size_t> plan >= <size_t> SHARED_MEMORY + SHARED_BYTES:
        free(plan)


cdef void* share_plan(const void* plan, size_t nbytes) noexcept:
    global SHARED_MEMORY, SHARED_USED
    cdef size_t hash_ = wengert_hash_words(plan, nbytes), at = hash_ & (SHARED_SLOTS - 1)
    cdef char* made
    while SHARED[at].plan != NULL:
        if SHARED[at].hash == hash_ and SHARED[at].nbytes == nbytes and memcmp(SHARED[at].plan, plan, nbytes) == 0:
            return <void*> SHARED[at].plan
        at = at + 1 & (SHARED_SLOTS - 1)
    if SHARED_MEMORY == NULL:
        SHARED_MEMORY = <char*> malloc(SHARED_BYTES)
    if SHARED_MEMORY == NULL or SHARED_USED + nbytes > SHARED_BYTES or nbytes < LEAST_SHARED:
        return NULL
    made = SHARED_MEMORY + SHARED_USED
    SHARED_USED += nbytes
    memcpy(made, plan, nbytes)
    SHARED[at].plan, SHARED[at].nbytes, SHARED[at].hash = made, nbytes, hash_
    return made


cdef void tell_complete(const void* op) noexcept:
    if recorder() != NULL:
        recorder().complete = op


cdef void tell_opaque() noexcept:
    if recorder() != NULL:
        recorder().opaque += 1


cdef int tell_outside(char* data, Py_ssize_t nbytes, object holder) except -1:
    cdef Recorder* own = recorder()
    if own != NULL and own.use_outside != NULL:
        return own.use_outside(own.owner, data, nbytes, holder)
    tell_opaque()
    return 0


cdef bint defer_work(object op, object reference, list inputs, object out) except -1:
    cdef Recorder* own = recorder()
    return False if own == NULL or own.defer == NULL else own.defer(own.owner, op, reference, inputs, out)


cdef int do_deferred_work() except -1:
    cdef Recorder* own = recorder()
    return 0 if own == NULL or own.do_deferred == NULL else own.do_deferred(own.owner)


def note_effect() -> None:
    """Tell a recording of this thread that something happens which no launch does again."""
    tell_opaque()


# ---- bytes

cdef StorePlan* plan_of_bytes(char* data, Py_ssize_t nbytes) except NULL:
    cdef StorePlan* plan = <StorePlan*> malloc(sizeof(StorePlan) + nbytes)
    if plan == NULL:
        raise MemoryError()
    plan.nbytes = nbytes
    memcpy(plan.bytes, data, nbytes)
    return plan


cdef int run_guard(Launch* launch) noexcept nogil:
    cdef StorePlan* plan = <StorePlan*> launch.plan
    return memcmp(launch.data[0], plan.bytes, plan.nbytes) != 0


cdef int run_store(Launch* launch) noexcept nogil:
    cdef StorePlan* plan = <StorePlan*> launch.plan
    memcpy(launch.data[0], plan.bytes, plan.nbytes)
    return 0


cdef int run_move(Launch* launch) noexcept nogil:
    memcpy(launch.data[1], launch.data[0], launch.high[0])
    return 0


cdef int tell_read(char* data, Py_ssize_t nbytes) except -1:
    cdef Recorder* own = recorder()
    if own == NULL:
        return 0
    if own.depth:
        own.opaque += 1
        return 0
    add_operand(add_launch(run_guard, LAUNCH_GUARD, plan_of_bytes(data, nbytes)), data, 0, nbytes, OPERAND_READ)
    return 0 if own.see_read == NULL else own.see_read(own.owner)


cdef int tell_store(char* data, Py_ssize_t nbytes) except -1:
    add_operand(add_launch(run_store, LAUNCH_STORE, plan_of_bytes(data, nbytes)), data, 0, nbytes, OPERAND_WRITTEN)
    return 0


cdef int tell_move(char* target, char* source, Py_ssize_t nbytes) except -1:
    cdef Launch* made = add_launch(run_move, LAUNCH_MOVE, NULL)
    add_operand(made, source, 0, nbytes, OPERAND_READ)
    add_operand(made, target, 0, nbytes, OPERAND_WRITTEN)
    return 0
