"""Images of another size and images read at the places of a grid, by the kernels of kernels/nn/resizing.h and
grid_sampling.h.

Each function returns None for arguments that its kernel does not take: tensors of another dtype than float32 and
float64, of a device or a layout, and shapes that its caller refuses.

>>> from wengert_core import int32, tensor
>>> table = (tensor([[0, 1, 1]], dtype=int32), tensor([[1.0, 2.0, 3.0]]))
>>> resize_dims(tensor([[[5.0, 7.0]]]), [table], [3], False)
tensor([[[ 5., 14., 21.]]])
"""
from libc.stdint cimport int32_t
from libc.stdlib cimport malloc
from libc.string cimport memcpy

from wengert_core.dispatch.keep_alive cimport hold, in_pieces
from wengert_core.drivers.kernel_launch cimport add_tensor, tell_kernel
from wengert_core.dtypes.dtypes cimport FLOAT32, FLOAT64, INT32
from wengert_core.exchange.arrays cimport contiguous_copy, is_host_array, row_major
from wengert_core.exchange.device_memory cimport without_kernels
from wengert_core.runtime.launches cimport (LAUNCH_DONE, LAUNCH_KERNEL, OPERAND_READ, OPERAND_WRITTEN, Launch,
                                            add_launch, count_recorders)
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.runtime.thread_pool cimport LARGE, body_fn, parallel_for
from wengert_core.tensors.tensor cimport Tensor, new_empty

cdef extern from "wengert_core/kernels/nn/resizing.h" nogil:
    ctypedef struct wg_resize:
        Py_ssize_t size, made, inner, taps
        const int32_t* places
        const char* weights
        const char* source
        char* target
    void wg_resize_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_resize_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_resize_back_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_resize_back_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)

cdef extern from "wengert_core/kernels/nn/grid_sampling.h" nogil:
    ctypedef struct wg_sampling:
        int dims, mode, padding, align_corners
        Py_ssize_t channels, places
        Py_ssize_t size[3]
        Py_ssize_t pixels
        const char* input
        const char* grid
        const char* grad
        char* out
    enum:
        WG_PLACES, WG_CHANNELS, WG_BICUBIC
    void wg_sample_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_sample_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_sample_back_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_sample_back_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_sample_grid_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_sample_grid_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)

cdef enum:
    WORTH_A_THREAD = 0x4000            # elements that take about 20 us
    FARTHEST = 0x7fffffff              # that offsets of int32 reach
    LONGEST = 0xffffff                 # a dim whose places are numbers of float32

cdef const int* RECORDERS = count_recorders()

cdef body_fn RESIZE[2][2]              # (as they are, adjoint); float, double
RESIZE[0][0], RESIZE[0][1] = wg_resize_f32, wg_resize_f64
RESIZE[1][0], RESIZE[1][1] = wg_resize_back_f32, wg_resize_back_f64

cdef enum Way:
    READ = 0
    SCATTER = 1
    MOVE = 2

cdef body_fn SAMPLE[3][2]              # by way; float, double
SAMPLE[0][0], SAMPLE[0][1] = wg_sample_f32, wg_sample_f64
SAMPLE[1][0], SAMPLE[1][1] = wg_sample_back_f32, wg_sample_back_f64
SAMPLE[2][0], SAMPLE[2][1] = wg_sample_grid_f32, wg_sample_grid_f64

cdef struct Units:                     # of a kernel
    body_fn body
    Py_ssize_t n, grain
    bint large                         # several threads may share them


cdef void set_units(Units* u, body_fn body, Py_ssize_t n, Py_ssize_t work) noexcept:
    u.body, u.n, u.large = body, n, work >= LARGE
    u.grain = WORTH_A_THREAD * n // max(work, 1) + 1


cdef void run_units(Units* u, void* ctx) noexcept nogil:
    if u.large:
        parallel_for(u.n, u.grain, u.body, ctx)
    else:
        u.body(0, u.n, ctx)


# ---- other sizes

cdef struct ResizePlan:
    Units units
    wg_resize resize


def resize_dims(Tensor x not None, list tables not None, object sizes, bint adjoint):
    """Images x [N, C, ...] with other ``sizes`` of the last dims: weighted sums of neighbors, or the adjoint of that.

    tables: for each dim None, where it stays as it is, or the neighbors of each new place (of the adjoint, of each
    place that x has), int32[neighbors, places], which are within the dim, and their weights in x's dtype.
    """
    cdef Py_ssize_t size
    cdef int i, n = <int> len(tables), d
    cdef Tensor source = x
    if not is_host_array(x, FLOAT32) and not is_host_array(x, FLOAT64) or without_kernels() or not x.count:
        return None
    for i in range(n):
        d = i if adjoint else n - 1 - i
        if tables[d] is not None:
            size = sizes[d]
            x = resize_dim(x, x.rank - n + d, tables[d][0], tables[d][1], size, adjoint)
    return x if x is not source else contiguous_copy(x)


cdef Tensor resize_dim(Tensor x, int dim, Tensor places, Tensor weights, Py_ssize_t size, bint adjoint):
    cdef ResizePlan plan
    cdef wg_resize* r = &plan.resize
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t before = 1
    cdef Tensor out
    cdef int i
    x, r.inner = row_major(x), 1
    for i in range(x.rank):
        shape[i] = size if i == dim else x.dims[i]
        if i < dim:
            before *= x.dims[i]
        elif i > dim:
            r.inner *= x.dims[i]
    r.taps, r.made = places.dims[0], places.dims[1]
    r.size = size if adjoint else x.dims[dim]
    if places.code != INT32 or weights.code != x.code or r.made != (x.dims[dim] if adjoint else size) \
            or r.size > FARTHEST or weights.count != places.count:
        raise RuntimeError(f"resize_dims: neighbors {list(places.shape)} do not fit dim {dim} of {list(x.shape)}, "
                           f"which gets {size} elements")
    out = new_empty(x.code, x.rank, shape)
    if not out.count:
        return out
    set_units(&plan.units, RESIZE[adjoint][x.code == FLOAT64], before, (x.count + out.count) * r.taps)
    x, places, weights = hold(x), row_major(places), row_major(weights)
    r.places, r.weights = <int32_t*> places.data, weights.data
    r.source, r.target = x.data, out.data
    in_pieces(before, plan.units.grain, plan.units.body, r, plan.units.large)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_resize(&plan, x, out, places.count * <Py_ssize_t> sizeof(int32_t),
                    weights.count * (8 if x.code == FLOAT64 else 4))
    return out


cdef int run_resize_launch(Launch* launch) noexcept nogil:
    cdef ResizePlan* plan = <ResizePlan*> launch.plan
    plan.resize.source, plan.resize.target = launch.data[0], launch.data[1]
    run_units(&plan.units, &plan.resize)
    return LAUNCH_DONE


cdef int tell_resize(ResizePlan* plan, Tensor x, Tensor out, Py_ssize_t places, Py_ssize_t weights) except -1:
    """A launch whose plan has copies of the tables behind it, the weights first."""
    cdef char* own = <char*> malloc(sizeof(ResizePlan) + places + weights)
    cdef char* tables = own + sizeof(ResizePlan)
    cdef Launch* made
    if own == NULL:
        raise MemoryError()
    memcpy(tables, plan.resize.weights, weights)
    memcpy(tables + weights, plan.resize.places, places)
    memcpy(own, plan, sizeof(ResizePlan))
    (<ResizePlan*> own).resize.weights = tables
    (<ResizePlan*> own).resize.places = <int32_t*> (tables + weights)
    made = add_launch(run_resize_launch, LAUNCH_KERNEL, own)
    add_tensor(made, x, OPERAND_READ)
    add_tensor(made, out, OPERAND_WRITTEN)
    return 0


# ---- the places of a grid

cdef struct SamplePlan:
    Units units
    wg_sampling sampling


def sample_grid(Tensor input not None, Tensor grid not None, int mode, int padding, bint align_corners):
    """Images input [N, C, ...] at the places of a grid [N, ..., 2 or 3]: [N, C, ...].

    mode, padding: of MODES and PADDING of ops/nn/grid_sample_primitives.py, by number.
    """
    cdef Py_ssize_t shape[5]
    cdef int i
    if input.rank != grid.rank:
        return None
    for i in range(min(input.rank, 5)):
        shape[i] = input.dims[i] if i < 2 else grid.dims[i - 1]
    return sample(READ, None, input, grid, input.dims, shape, mode, padding, align_corners)


def sample_grid_back(
    Tensor grad not None, Tensor grid not None, tuple input_size not None, int mode, int padding, bint align_corners
):
    """The gradient [N, C, *input_size] of the images, of what was read: the adjoint of reading."""
    cdef Py_ssize_t shape[5]
    cdef int i, n = <int> len(input_size)
    if n + 2 != grad.rank or grad.rank != grid.rank or n > 3:
        return None
    for i in range(grad.rank):
        shape[i] = grad.dims[i] if i < 2 else input_size[i - 2]
    return sample(SCATTER, grad, None, grid, shape, shape, mode, padding, align_corners)


def sample_grid_move(
    Tensor grad not None, Tensor input not None, Tensor grid not None, int mode, int padding, bint align_corners
):
    """The gradient [N, ..., 2 or 3] of the grid, of what was read of the images."""
    if input.rank != grid.rank or grad.rank != grid.rank or mode == 1:
        return None
    return sample(MOVE, grad, input, grid, input.dims, grid.dims, mode, padding, align_corners)


cdef Tensor sample(
    Way way, Tensor grad, Tensor input, Tensor grid, const Py_ssize_t* whole, const Py_ssize_t* shape, int mode,
    int padding, bint align_corners
):
    """whole: the shape of the images.   shape: of the result."""
    cdef SamplePlan plan
    cdef wg_sampling* s = &plan.sampling
    cdef Py_ssize_t images = grid.dims[0]
    cdef Tensor out
    if not sizes_fit(s, grad, input, grid, whole, mode, padding):
        return None
    s.mode, s.padding, s.align_corners = mode, padding, align_corners
    out = new_empty(grid.code, grid.rank, shape)
    if not out.count or not s.places or not s.channels:
        return None
    grid = hold(row_major(grid))
    grad, input = None if grad is None else hold(row_major(grad)), None if input is None else hold(row_major(input))
    s.grid, s.out = grid.data, out.data
    s.grad, s.input = NULL if grad is None else grad.data, NULL if input is None else input.data
    set_units(&plan.units, SAMPLE[<int> way][grid.code == FLOAT64],
              images * ((s.channels + WG_CHANNELS - 1) // WG_CHANNELS if way == SCATTER
                        else (s.places + WG_PLACES - 1) // WG_PLACES),
              images * (s.places * (s.channels + 4) * 4 + (s.channels * s.pixels if way == SCATTER else 0)))
    in_pieces(plan.units.n, plan.units.grain, plan.units.body, s, plan.units.large)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_sample(&plan, grad, input, grid, out)
    return out


cdef bint sizes_fit(
    wg_sampling* s, Tensor grad, Tensor input, Tensor grid, const Py_ssize_t* whole, int mode, int padding
) noexcept:
    """Set the sizes. False where the kernels do not take them, or what the others have does not fit to them."""
    cdef int i, code = grid.code
    s.dims = grid.rank - 2
    if without_kernels() or code != FLOAT32 and code != FLOAT64 or s.dims != 2 and s.dims != 3 \
            or not 0 <= mode <= 2 or not 0 <= padding <= 2 or mode == WG_BICUBIC and s.dims == 3 \
            or not is_host_array(grid, code) or grad is not None and not is_host_array(grad, code) \
            or input is not None and not is_host_array(input, code):
        return False
    if grid.dims[grid.rank - 1] != s.dims or whole[0] != grid.dims[0] \
            or grad is not None and (grad.dims[0] != whole[0] or grad.dims[1] != whole[1]):
        return False
    s.channels, s.places, s.pixels = whole[1], 1, 1
    for i in range(s.dims):
        s.size[i] = whole[2 + i]
        if not 1 <= s.size[i] <= min(LONGEST, FARTHEST // s.pixels) \
                or grad is not None and grad.dims[2 + i] != grid.dims[1 + i]:
            return False
        s.pixels *= s.size[i]
        s.places *= grid.dims[1 + i]
    return True


cdef int run_sample_launch(Launch* launch) noexcept nogil:
    cdef SamplePlan* plan = <SamplePlan*> launch.plan
    cdef wg_sampling* s = &plan.sampling
    s.grad, s.input, s.grid, s.out = launch.data[0], launch.data[1], launch.data[2], launch.data[3]
    run_units(&plan.units, s)
    return LAUNCH_DONE


cdef int tell_sample(SamplePlan* plan, Tensor grad, Tensor input, Tensor grid, Tensor out) except -1:
    cdef Launch* made = tell_kernel(run_sample_launch, plan, sizeof(SamplePlan))
    add_tensor(made, grad, OPERAND_READ)
    add_tensor(made, input, OPERAND_READ)
    add_tensor(made, grid, OPERAND_READ)
    add_tensor(made, out, OPERAND_WRITTEN)
    return 0
