"""A pass over memory that reduces one dim, by one thread or several, and its launch. Note [How dims are reduced] in
reduce.pyx.
"""
from wengert_core.drivers.kernel_launch cimport add_tensor, tell_kernel
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.runtime.launches cimport (LAUNCH_REDUCE, OPERAND_READ, OPERAND_WRITTEN, Launch, add_strided,
                                            count_recorders, tell_opaque)
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.runtime.thread_pool cimport ENOUGH, GRAIN_SUM, LARGE, UNIT, dim_to_split, parallel_for
from wengert_core.tensors.tensor cimport new_empty

cdef enum:
    STRIP = 128                    # kept elements side by side, of which threads take several
    SECTION = 0x10000              # elements of a section, when it is one stretch

cdef struct Job:                       # one reduced dim, for several threads
    reduce_fn fn
    char* data
    char* target
    Axis* kept
    int n_kept
    int inner                          # the kept dim for the kernel
    int cut                            # the kept dim that is cut
    Py_ssize_t n                       # elements to reduce, ``stride`` bytes apart
    Py_ssize_t stride
    Py_ssize_t unit                    # of the dim that is cut, or of the reduced dim: the length of a section
    Py_ssize_t units
    Py_ssize_t row                     # bytes of the results of a section

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()


cdef void run_pass(
    reduce_fn fn, char* data, Axis* kept, int n_kept, int inner, Py_ssize_t n, Py_ssize_t stride, char* target
) noexcept nogil:
    """One reduced dim; one kept dim goes into the kernel, ``inner`` or the best one if that is -1; the others are a
    loop around it.
    """
    cdef Py_ssize_t index[65]
    cdef int i
    cdef Axis axis
    if n_kept == 0:
        fn(data, 1, 0, n, stride, target, 0)
        return
    if inner < 0:
        inner = inner_axis(kept, n_kept, stride)
    axis = kept[inner]
    for i in range(n_kept):
        index[i] = 0
    while True:
        fn(data, axis.size, axis.source, n, stride, target, axis.target)
        i = n_kept - 1
        while i >= 0:
            if i != inner:
                index[i] += 1
                data += kept[i].source
                target += kept[i].target
                if index[i] < kept[i].size:
                    break
                data -= kept[i].source * kept[i].size
                target -= kept[i].target * kept[i].size
                index[i] = 0
            i -= 1
        if i < 0:
            return


cdef int inner_axis(Axis* kept, int n, Py_ssize_t stride) noexcept nogil:
    """The kept dim for the kernel: the closest one if it is closer than the reduced dim, else the longest."""
    cdef int i, closest = 0, longest = 0
    for i in range(1, n):
        if magnitude(kept[i].source) < magnitude(kept[closest].source):
            closest = i
        if kept[i].size > kept[longest].size:
            longest = i
    return closest if n and magnitude(kept[closest].source) < magnitude(stride) else longest


# ---- on several threads. Note [The same result from any number of threads] in runtime/thread_pool.pxd

cdef Py_ssize_t kept_units(
    Axis* kept, int n_kept, int inner, Py_ssize_t stride, Py_ssize_t* units, Py_ssize_t* unit
) noexcept nogil:
    """Fill in units of each kept dim and the elements in one of the inner dim; return the number of kept elements."""
    cdef Py_ssize_t count = 1
    cdef int i
    unit[0] = 1
    for i in range(n_kept):
        units[i] = kept[i].size
        count *= kept[i].size
    # Kept elements side by side: whole strips, and the last takes the rest.
    if n_kept and magnitude(kept[inner].source) < magnitude(stride):
        unit[0] = STRIP
        units[inner] = max(kept[inner].size // STRIP, 1)
    return count


cdef void run_large_pass(
    reduce_fn fn, char* data, Axis* kept, int n_kept, Py_ssize_t n, Py_ssize_t stride, char* target
) noexcept nogil:
    """run, with the kept elements shared out."""
    cdef Job job
    cdef Py_ssize_t units[65]
    cdef Py_ssize_t count
    if n_kept == 0:
        fn(data, 1, 0, n, stride, target, 0)
        return
    job.fn, job.data, job.target, job.kept, job.n_kept, job.n, job.stride = fn, data, target, kept, n_kept, n, stride
    job.inner = inner_axis(kept, n_kept, stride)
    count = kept_units(kept, n_kept, job.inner, stride, units, &job.unit)
    job.cut = dim_to_split(n_kept, units)
    job.units = units[job.cut]
    if job.cut != job.inner:
        job.unit = 1
    parallel_for(job.units, GRAIN_SUM * job.units // (count * n), reduce_units, &job)


cdef void reduce_units(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    """Units of one kept dim."""
    cdef Job* job = <Job*> ctx
    cdef Axis kept[65]
    cdef Py_ssize_t first = begin * job.unit
    cdef int i
    for i in range(job.n_kept):
        kept[i] = job.kept[i]
    kept[job.cut].size = (kept[job.cut].size if end == job.units else end * job.unit) - first
    run_pass(job.fn, job.data + first * kept[job.cut].source, kept, job.n_kept, job.inner, job.n, job.stride,
             job.target + first * kept[job.cut].target)


cdef bint is_long(Axis* kept, int n_kept, Py_ssize_t stride, Py_ssize_t n, Py_ssize_t work) noexcept nogil:
    """Whether to reduce in sections: too few kept elements to share out, and two sections at least."""
    cdef Py_ssize_t units[65]
    cdef Py_ssize_t unit, count
    cdef int i, inner = inner_axis(kept, n_kept, stride)
    count = kept_units(kept, n_kept, inner, stride, units, &unit)
    for i in range(n_kept):
        if units[i] >= ENOUGH:
            return False
    return n >= 2 * section_length(count)


cdef inline Py_ssize_t section_length(Py_ssize_t n_kept_elements) noexcept nogil:
    """Whole blocks of the kernels."""
    return (SECTION // n_kept_elements + UNIT - 1) // UNIT * UNIT if n_kept_elements < SECTION else UNIT


cdef int in_sections(
    reduce_fn fn, reduce_fn again, char* data, int code, int target, Axis* kept, int n_kept, Py_ssize_t n,
    Py_ssize_t stride, Tensor out
) except -1:
    """Reduce each section of a long dim, then the results of the sections."""
    cdef Py_ssize_t unit = section_length(out.count)
    cdef Py_ssize_t count = (n + unit - 1) // unit * out.count, item = FACTS.itemsize[target]
    cdef Tensor partial = new_empty(target, 1, &count)
    with nogil:
        run_sections(fn, again, data, kept, n_kept, n, stride, out.count, item, partial.data, out.data)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_sections(fn, again, data, code, kept, n_kept, n, stride, partial, out)
    return 0


cdef void run_sections(
    reduce_fn fn, reduce_fn again_fn, char* data, Axis* kept, int n_kept, Py_ssize_t n, Py_ssize_t stride,
    Py_ssize_t out_count, Py_ssize_t item, char* partial, char* out
) noexcept nogil:
    """out_count: how many results there are, of ``item`` bytes; those of one section lie behind each other."""
    cdef Job job
    cdef Axis again[65]
    cdef int i
    job.unit = section_length(out_count)
    job.units = (n + job.unit - 1) // job.unit
    job.row = out_count * item
    job.fn, job.data, job.target = fn, data, partial
    job.kept, job.n_kept, job.n, job.stride = kept, n_kept, n, stride
    for i in range(n_kept):
        again[i].size, again[i].source, again[i].target = kept[i].size, kept[i].target, kept[i].target
    parallel_for(job.units, GRAIN_SUM // (job.unit * out_count), reduce_sections, &job)
    run_pass(again_fn, partial, again, n_kept, -1, job.units, job.row, out)


cdef int run_sections_launch(Launch* launch) noexcept nogil:
    cdef ReducePlan* plan = <ReducePlan*> launch.plan
    run_sections(plan.fn, plan.again, launch.data[0], plan.kept, plan.n_kept, plan.n, plan.stride, plan.out_count,
                 plan.item, launch.data[2], launch.data[1])
    return 0


cdef int tell_sections(
    reduce_fn fn, reduce_fn again, char* data, int code, Axis* kept, int n_kept, Py_ssize_t n, Py_ssize_t stride,
    Tensor partial, Tensor out
) except -1:
    cdef ReducePlan plan
    cdef Launch* made
    if n_kept > MOST_REDUCE_DIMS:
        tell_opaque()
        return 0
    plan.fn, plan.n, plan.stride, plan.code, plan.large = fn, n, stride, code, True
    plan.section, plan.again = section_length(out.count), again
    plan.out_count, plan.item = out.count, FACTS.itemsize[partial.code]
    set_kept(&plan, kept, n_kept)
    made = tell_kernel(run_sections_launch, &plan, sizeof(ReducePlan))
    made.kind = LAUNCH_REDUCE
    add_sides(made, &plan, data, out)
    add_tensor(made, partial, OPERAND_WRITTEN)
    return 0


cdef void reduce_sections(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    cdef Job* job = <Job*> ctx
    cdef Py_ssize_t i, first
    for i in range(begin, end):
        first = i * job.unit
        run_pass(job.fn, job.data + first * job.stride, job.kept, job.n_kept, -1, min(job.unit, job.n - first),
                 job.stride, job.target + i * job.row)


# ---- launches

cdef int run_launch(Launch* launch) noexcept nogil:
    cdef ReducePlan* plan = <ReducePlan*> launch.plan
    if plan.large:
        run_large_pass(plan.fn, launch.data[0], plan.kept, plan.n_kept, plan.n, plan.stride, launch.data[1])
    else:
        run_pass(plan.fn, launch.data[0], plan.kept, plan.n_kept, -1, plan.n, plan.stride, launch.data[1])
    return 0


cdef int tell_pass(
    reduce_fn fn, char* data, int code, Axis* kept, int n_kept, Py_ssize_t n, Py_ssize_t stride, Tensor out,
    Py_ssize_t work
) except -1:
    """Tell a pass over the memory; one of many dims is opaque."""
    cdef ReducePlan plan
    cdef Launch* made
    if n_kept > MOST_REDUCE_DIMS:
        tell_opaque()
        return 0
    plan.fn, plan.n, plan.stride, plan.code, plan.large = fn, n, stride, code, work >= LARGE
    plan.section = 0
    set_kept(&plan, kept, n_kept)
    made = tell_kernel(run_launch, &plan, sizeof(ReducePlan))
    made.kind = LAUNCH_REDUCE
    add_sides(made, &plan, data, out)
    return 0


cdef void set_kept(ReducePlan* plan, Axis* kept, int n_kept) noexcept:
    cdef int i
    plan.n_kept = n_kept
    for i in range(n_kept):
        plan.kept[i] = kept[i]


cdef void add_sides(Launch* launch, ReducePlan* plan, char* data, Tensor out) noexcept:
    """Add what is reduced, and the result."""
    cdef Py_ssize_t sizes[MOST_REDUCE_DIMS + 1]
    cdef Py_ssize_t steps[MOST_REDUCE_DIMS + 1]
    cdef int i, n_kept = plan.n_kept
    for i in range(n_kept):
        sizes[i], steps[i] = plan.kept[i].size, plan.kept[i].source
    sizes[n_kept], steps[n_kept] = plan.n, plan.stride
    add_strided(launch, data, n_kept + 1, sizes, steps, FACTS.itemsize[plan.code], OPERAND_READ)
    add_tensor(launch, out, OPERAND_WRITTEN)
