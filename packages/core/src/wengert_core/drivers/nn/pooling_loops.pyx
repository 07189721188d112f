"""The loops of pooling ops over the planes of an input: means, extremes, and their adjoints."""
from libc.stdint cimport int64_t
from libc.stdlib cimport malloc
from libc.string cimport memcpy, memset

from wengert_core.drivers.kernel_launch cimport add_tensor
from wengert_core.drivers.nn.pooling_windows cimport GATHER, SCATTER, Kind, Pool
from wengert_core.dtypes.dtypes cimport FLOAT64
from wengert_core.runtime.launches cimport (LAUNCH_DONE, LAUNCH_FAILED, LAUNCH_KERNEL, OPERAND_READ, OPERAND_WRITTEN,
                                            Launch, add_launch)
from wengert_core.runtime.thread_pool cimport LARGE, body_fn, parallel_for

cdef extern from "wengert_core/kernels/nn/pooling.h" nogil:
    ctypedef struct wg_windows:
        Py_ssize_t first, stride
        Py_ssize_t count[3]
        Py_ssize_t step[3]
    enum:
        WG_OUTPUTS
    void wg_largest_f32(const float* x, const wg_windows* w, Py_ssize_t n, float* out, int64_t* index)
    void wg_largest_f64(const double* x, const wg_windows* w, Py_ssize_t n, double* out, int64_t* index)

cdef enum:
    WORTH_A_THREAD = 0x4000            # elements of windows that take about 20 us
    FARTHEST = 0x7fffffff              # that int32 counts

ctypedef fused real_t:
    float
    double


cdef void average(Py_ssize_t begin, Py_ssize_t end, Pool* p, real_t* unused) noexcept nogil:
    cdef Py_ssize_t plane, i, j, k, a, _b, c, width, rows
    cdef real_t total
    cdef real_t* x
    cdef real_t* row
    cdef real_t* out
    for plane in range(begin, end):
        x = <real_t*> p.source + plane * p.in_plane
        out = <real_t*> p.target + plane * p.out_plane
        for i in range(p.outside[0]):
            for j in range(p.outside[1]):
                rows = p.size[0][i] * p.size[1][j]
                for k in range(p.outside[2]):
                    total = 0
                    width = p.end[2][k] - p.begin[2][k]
                    for a in range(p.begin[0][i], p.end[0][i]):
                        row = x + (a * p.inside[1] + p.begin[1][j]) * p.inside[2] + p.begin[2][k]
                        for _b in range(p.end[1][j] - p.begin[1][j]):
                            for c in range(width):
                                total += row[c]
                            row += p.inside[2]
                    out[0] = total / <real_t> (p.divisor if p.divisor else rows * p.size[2][k])
                    out += 1


cdef void average_backward(Py_ssize_t begin, Py_ssize_t end, Pool* p, real_t* unused) noexcept nogil:
    """The adjoint of ``average``: source is what comes from above."""
    cdef Py_ssize_t plane, i, j, k, a, _b, c, width, rows
    cdef real_t share
    cdef real_t* x
    cdef real_t* row
    cdef real_t* grad
    for plane in range(begin, end):
        x = <real_t*> p.target + plane * p.in_plane
        grad = <real_t*> p.source + plane * p.out_plane
        memset(x, 0, p.in_plane * sizeof(real_t))
        for i in range(p.outside[0]):
            for j in range(p.outside[1]):
                rows = p.size[0][i] * p.size[1][j]
                for k in range(p.outside[2]):
                    share = grad[0] / <real_t> (p.divisor if p.divisor else rows * p.size[2][k])
                    grad += 1
                    width = p.end[2][k] - p.begin[2][k]
                    for a in range(p.begin[0][i], p.end[0][i]):
                        row = x + (a * p.inside[1] + p.begin[1][j]) * p.inside[2] + p.begin[2][k]
                        for _b in range(p.end[1][j] - p.begin[1][j]):
                            for c in range(width):
                                row[c] += share
                            row += p.inside[2]


cdef void largest_of(
    Pool* p, const real_t* x, Py_ssize_t i, Py_ssize_t j, Py_ssize_t first, Py_ssize_t last, real_t* out, int64_t* index
) noexcept nogil:
    """The first of the largest of the windows (i, j, first) to (i, j, last - 1), NaN above all."""
    cdef Py_ssize_t k, a, b, c, row, best
    cdef real_t most, one
    cdef bint better
    for k in range(first, last):
        best = (p.begin[0][i] * p.inside[1] + p.begin[1][j]) * p.inside[2] + p.begin[2][k]
        most = x[best]
        a = p.begin[0][i]
        while a < p.end[0][i]:
            b = p.begin[1][j]
            while b < p.end[1][j]:
                row = (a * p.inside[1] + b) * p.inside[2]
                c = p.begin[2][k]
                while c < p.end[2][k]:
                    one = x[row + c]
                    better = (one > most) | (one != one)
                    most = one if better else most
                    best = row + c if better else best
                    c += p.step[2]
                b += p.step[1]
            a += p.step[0]
        out[k], index[k] = most, best


cdef Py_ssize_t find_alike(Pool* p, Py_ssize_t* behind) noexcept nogil:
    """The first window along the last dim from which on they are of one size and distance, and where that ends."""
    cdef Py_ssize_t n = p.outside[2], first = n // 2, last = first, stride
    cdef Py_ssize_t* begin = p.begin[2]
    cdef Py_ssize_t* end = p.end[2]
    behind[0] = 0
    if n < WG_OUTPUTS or p.in_plane > FARTHEST:
        return 0
    stride = begin[first + 1] - begin[first]
    while first and begin[first] - begin[first - 1] == stride and end[first] - end[first - 1] == stride:
        first -= 1
    while last + 1 < n and begin[last + 1] - begin[last] == stride and end[last + 1] - end[last] == stride:
        last += 1
    if last + 1 - first < WG_OUTPUTS:
        return 0
    behind[0] = last + 1
    return first


cdef void largest(Py_ssize_t begin, Py_ssize_t end, Pool* p, real_t* unused) noexcept nogil:
    cdef Py_ssize_t plane, i, j, first, last = 0, n = p.outside[2]
    cdef real_t* x
    cdef real_t* out
    cdef int64_t* index
    cdef wg_windows w
    first = find_alike(p, &last)
    w.stride = p.begin[2][first + 1] - p.begin[2][first] if last else 0
    w.step[0], w.step[1], w.step[2] = p.step[0] * p.inside[1] * p.inside[2], p.step[1] * p.inside[2], p.step[2]
    w.count[2] = (p.end[2][first] - p.begin[2][first] + p.step[2] - 1) // p.step[2]
    for plane in range(begin, end):
        x = <real_t*> p.source + plane * p.in_plane
        out = <real_t*> p.target + plane * p.out_plane
        index = p.indices + plane * p.out_plane
        for i in range(p.outside[0]):
            w.count[0] = (p.end[0][i] - p.begin[0][i] + p.step[0] - 1) // p.step[0]
            for j in range(p.outside[1]):
                if last:
                    largest_of(p, x, i, j, 0, first, out, index)
                    w.count[1] = (p.end[1][j] - p.begin[1][j] + p.step[1] - 1) // p.step[1]
                    w.first = (p.begin[0][i] * p.inside[1] + p.begin[1][j]) * p.inside[2] + p.begin[2][first]
                    if real_t is float:
                        wg_largest_f32(x, &w, last - first, out + first, index + first)
                    else:
                        wg_largest_f64(x, &w, last - first, out + first, index + first)
                largest_of(p, x, i, j, last, n, out, index)
                out += n
                index += n


cdef void scatter(Py_ssize_t begin, Py_ssize_t end, Pool* p, real_t* unused) noexcept nogil:
    cdef Py_ssize_t plane, k
    cdef real_t* x
    cdef real_t* grad
    cdef int64_t* index_data
    for plane in range(begin, end):
        x = <real_t*> p.target + plane * p.in_plane
        grad = <real_t*> p.source + plane * p.out_plane
        index_data = p.indices + plane * p.out_plane
        memset(x, 0, p.in_plane * sizeof(real_t))
        for k in range(p.out_plane):
            x[index_data[k]] += grad[k]


cdef void gather(Py_ssize_t begin, Py_ssize_t end, Pool* p, real_t* unused) noexcept nogil:
    cdef Py_ssize_t plane, k
    cdef real_t* x
    cdef real_t* out
    cdef int64_t* index_data
    for plane in range(begin, end):
        x = <real_t*> p.source + plane * p.in_plane
        out = <real_t*> p.target + plane * p.out_plane
        index_data = p.indices + plane * p.out_plane
        for k in range(p.out_plane):
            out[k] = x[index_data[k]]


cdef void average_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    average[float](begin, end, <Pool*> ctx, NULL)

cdef void average_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    average[double](begin, end, <Pool*> ctx, NULL)

cdef void average_backward_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    average_backward[float](begin, end, <Pool*> ctx, NULL)

cdef void average_backward_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    average_backward[double](begin, end, <Pool*> ctx, NULL)

cdef void largest_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    largest[float](begin, end, <Pool*> ctx, NULL)

cdef void largest_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    largest[double](begin, end, <Pool*> ctx, NULL)

cdef void scatter_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    scatter[float](begin, end, <Pool*> ctx, NULL)

cdef void scatter_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    scatter[double](begin, end, <Pool*> ctx, NULL)

cdef void gather_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    gather[float](begin, end, <Pool*> ctx, NULL)

cdef void gather_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    gather[double](begin, end, <Pool*> ctx, NULL)

cdef body_fn BODIES[8][2]              # by kind; float, double
BODIES[0][0], BODIES[0][1] = average_f32, average_f64
BODIES[1][0], BODIES[1][1] = largest_f32, largest_f64
BODIES[2][0], BODIES[2][1] = average_f32, average_f64
BODIES[3][0], BODIES[3][1] = largest_f32, largest_f64
BODIES[4][0], BODIES[4][1] = average_backward_f32, average_backward_f64
BODIES[5][0], BODIES[5][1] = average_backward_f32, average_backward_f64
BODIES[6][0], BODIES[6][1] = scatter_f32, scatter_f64
BODIES[7][0], BODIES[7][1] = gather_f32, gather_f64


cdef void run_planes(body_fn body, Pool* p, Py_ssize_t work, bint large) noexcept nogil:
    if large:
        parallel_for(p.planes, WORTH_A_THREAD * p.planes // work + 1, body, p)
    else:
        body(0, p.planes, p)


cdef int run(Pool* p, Kind kind, int code, Py_ssize_t work, bint held) except -1:
    cdef body_fn body = BODIES[<int> kind][code == FLOAT64]
    if held and work >= LARGE:
        with nogil:
            run_planes(body, p, work, True)
    else:
        run_planes(body, p, work, False)
    return 0


cdef Py_ssize_t find_invalid(Pool* p) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(p.planes * p.out_plane):
        if p.indices[i] < 0 or p.indices[i] >= p.in_plane:
            return i
    return -1


cdef int raise_invalid(str name, Pool* p, Py_ssize_t at) except -1:
    raise IndexError(f"{name}: found an invalid index {p.indices[at]}, a plane has {p.in_plane} elements")


# ---- launches

cdef struct PoolPlan:
    Pool pool
    body_fn body
    Py_ssize_t work
    bint large
    bint has_places                    # indices are read: they are checked
    Py_ssize_t tables[1]               # of the windows


cdef int run_launch(Launch* launch) noexcept nogil:
    cdef PoolPlan* plan = <PoolPlan*> launch.plan
    cdef Pool* p = &plan.pool
    p.source, p.target, p.indices = launch.data[0], launch.data[1], <int64_t*> launch.data[2]
    if plan.has_places and find_invalid(p) >= 0:
        return LAUNCH_FAILED
    run_planes(plan.body, p, plan.work, plan.large)
    return LAUNCH_DONE


cdef int fail_launch(Launch* launch) except -1:
    cdef Pool* p = &(<PoolPlan*> launch.plan).pool
    return raise_invalid("pooling", p, find_invalid(p))


cdef int tell_pool(
    Pool* p, Kind kind, Py_ssize_t work, bint held, Tensor source, Tensor target, Tensor indices
) except -1:
    cdef Py_ssize_t entries = 3 * (p.outside[0] + p.outside[1] + p.outside[2]) if p.begin[0] != NULL else 0
    cdef Py_ssize_t nbytes = sizeof(PoolPlan) + entries * <Py_ssize_t> sizeof(Py_ssize_t)
    cdef PoolPlan* plan = <PoolPlan*> malloc(nbytes)
    cdef Py_ssize_t* memory
    cdef Launch* made
    cdef int axis
    if plan == NULL:
        raise MemoryError()
    plan.pool, plan.body, plan.work = p[0], BODIES[<int> kind][target.code == FLOAT64], work
    plan.large, plan.has_places = held and work >= LARGE, kind == SCATTER or kind == GATHER
    memory = plan.tables
    if entries:
        memcpy(memory, p.begin[0], entries * sizeof(Py_ssize_t))
        for axis in range(3):          # as set_up_tables lays them out
            plan.pool.begin[axis], plan.pool.end[axis] = memory, memory + p.outside[axis]
            plan.pool.size[axis] = memory + 2 * p.outside[axis]
            memory += 3 * p.outside[axis]
    made = add_launch(run_launch, LAUNCH_KERNEL, plan)
    made.fail = fail_launch
    add_tensor(made, source, OPERAND_READ)
    add_tensor(made, target, OPERAND_WRITTEN)
    add_tensor(made, indices, OPERAND_READ if plan.has_places else OPERAND_WRITTEN)
    return 0
