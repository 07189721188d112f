"""The driver of convolutions in one to three dims, of their transposes, and of the gradient of the weight.

Note [Three functions, one another's derivatives]
    Convolution y = C(x, w) is linear in x and in w. Its transpose x = C'(y, w) is the gradient of the input, and what
    conv_transpose computes; w = W(x, y) is the gradient of the weight. The derivatives of each of the three are the others, so two
    ops (``convolution`` with its ``transposed``, and ``convolution_weight``) are all that derivatives of any order need.
    "wide" is the side of x, "narrow" that of y. Note [Convolution by tables] in kernels/convolution.h says how each is computed.
"""
import os

import numpy as np
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, uint32_t
from libc.string cimport memset

from wengert_core.arrays cimport array_into, array_of, contiguous_copy, converted
from wengert_core.dims cimport int_slot, ints_slot, scalar_name, sizes_list, tensor_name
from wengert_core.driving cimport LIVE_INTERCEPT, intercepted, record
from wengert_core.dtypes cimport (BFLOAT16, CAT_COMPLEX, CAT_FLOAT, FLOAT16, FLOAT32, FLOAT64, DTypeFacts, dtype_facts)
from wengert_core.dtypes import C_NAMES as _C_NAMES
from wengert_core.op cimport Op, op_error
from wengert_core.scratch cimport Scratch, scratch
from wengert_core.state cimport thread_state
from wengert_core.tensor cimport TF_CONTIGUOUS, Tensor, new_empty, shape_tuple
from wengert_core.workers cimport body_fn, parallel_for

cdef extern from "wengert_core/kernels/convolution.h" nogil:
    ctypedef struct wg_tiles:
        int rows
        int vectors
    ctypedef struct wg_conv:
        const wg_tiles* tiles
        Py_ssize_t images, groups, m, channels, taps, places, row
        const char* source
        const char* limit
        Py_ssize_t source_image, source_channel
        const int32_t* base
        const int32_t* tap
        const char* weights
        const char* bias
        char* out
        Py_ssize_t out_image, out_channel
        const int32_t* place
        Py_ssize_t panels, column_blocks, m_block, m_blocks, row_block, row_blocks, chunk, chunks
        int failed
    ctypedef struct wg_border:
        const char* from_ "from"
        char* to
        Py_ssize_t inside[3]
        Py_ssize_t outside[3]
        Py_ssize_t before[3]
        Py_ssize_t item, split
    ctypedef struct wg_turner:
        wg_border border
        Py_ssize_t channels
    ctypedef struct wg_weigher:
        const wg_tiles* tiles
        Py_ssize_t images, places, groups, m, channels, taps
        const char* source
        const char* grad
        Py_ssize_t source_image
        const int32_t* base
        const int32_t* run
        Py_ssize_t runs, run_taps, lane_blocks, m_block, m_blocks, chunk, chunks
        char* parts
        int failed
    enum:
        WG_DEEP, WG_WIDE, WG_SLACK
    const wg_tiles* wg_find_tiles(bint wide)
    void wg_pad_planes(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_turn_rows(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_weigh_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_weigh_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_pack_weights_f32(const wg_conv* p, const float* source, Py_ssize_t group_step, Py_ssize_t m_step, Py_ssize_t channel_step,
                             const int32_t* chosen, float* to)
    void wg_pack_weights_f64(const wg_conv* p, const double* source, Py_ssize_t group_step, Py_ssize_t m_step, Py_ssize_t channel_step,
                             const int32_t* chosen, double* to)
    void wg_fill_bias_f32(const wg_conv* p)
    void wg_fill_bias_f64(const wg_conv* p)
    void wg_conv_units_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_conv_units_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_conv_direct_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_conv_direct_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_conv_weight_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_conv_weight_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)

cdef enum:
    WORTH_A_THREAD = 0x200000          # multiplications that take about 20 us
    WITHOUT_GIL = 0x10000              # multiplications from which on the GIL is released
    PANEL_BYTES = 0x40000              # of a unit's panels: they stay in the second-level cache
    ENOUGH_UNITS = 24                  # units to share out, where there is work for so many
    LEAST_CHANNELS = 96                # of a unit: filling a panel is worth it

cdef struct Axis:                      # one dim of a convolution; those in front that are not there have sizes 1
    Py_ssize_t wide                    # size of the input of a convolution
    Py_ssize_t narrow                  # size of its output
    Py_ssize_t kernel, stride, padding, dilation

cdef struct Geometry:
    int ndim                           # 1 to 3
    Axis axes[3]                       # the last ndim of them
    Py_ssize_t images, groups
    Py_ssize_t wide_channels, narrow_channels      # of a group

cdef struct Reading:                   # how one dim of a source is read for a row of positions
    Py_ssize_t positions, step         # positions, and how far they are apart in the source
    Py_ssize_t taps
    Py_ssize_t first, between          # of position 0 in the result, and from one to the next
    int32_t* offset                    # of each tap in the source, before padding
    int32_t* chosen                    # the tap's number in the kernel

cdef DTypeFacts* FACTS = dtype_facts()
cdef bint ONLY_REFERENCES = os.environ.get("WENGERT_KERNELS", "") == "python"
cdef const wg_tiles* TILES = wg_find_tiles(True)


def use_tiles(bint wide):
    """Compute with the widest registers of this machine, or as on a machine that has them not: for tests."""
    global TILES
    TILES = wg_find_tiles(wide)



def configure(Op op, impl, bint weight):
    """Make ``op`` a convolution, or (``weight``) the gradient of its weight. impl: the function for complex tensors."""
    op.impl = impl
    op.run = weight_run if weight else convolution_run


# ---- arguments

cdef int sizes_of(Op op, PyObject** slots, int slot, str name, int ndim, Py_ssize_t* out) except -1:
    """ndim numbers, or one for all of them."""
    cdef int i, n = ints_slot(op, slots, slot, out)
    if n == 1:
        for i in range(1, ndim):
            out[i] = out[0]
    elif n != ndim:
        raise RuntimeError(f"expected {name} to be a single integer value or a list of {ndim} values to match the convolution dimensions, "
                           f"but got {name}={sizes_list(n, out)}")
    return 0


cdef int read_geometry(Op op, PyObject** slots, int first, int ndim, Geometry* g) except -1:
    """stride, padding and dilation, which stand in slots from ``first`` on."""
    cdef Py_ssize_t stride[64]
    cdef Py_ssize_t padding[64]
    cdef Py_ssize_t dilation[64]
    cdef int i
    cdef Axis* axis
    g.ndim = ndim
    if ndim < 1 or ndim > 3:
        raise RuntimeError(f"{op.name}: expected an input of 3, 4 or 5 dimensions (images, channels, one to three more), got {ndim + 2}")
    sizes_of(op, slots, first, "stride", ndim, stride)
    sizes_of(op, slots, first + 1, "padding", ndim, padding)
    sizes_of(op, slots, first + 2, "dilation", ndim, dilation)
    for i in range(3):
        axis = &g.axes[i]
        axis.wide = axis.narrow = axis.kernel = axis.stride = axis.dilation = 1
        axis.padding = 0
    for i in range(ndim):
        axis = &g.axes[3 - ndim + i]
        axis.stride, axis.padding, axis.dilation = stride[i], padding[i], dilation[i]
        if padding[i] < 0:
            raise RuntimeError(f"negative padding is not supported: {op.name} got {sizes_list(ndim, padding)}")
        if stride[i] <= 0:
            raise RuntimeError(f"non-positive stride is not supported: {op.name} got {sizes_list(ndim, stride)}")
        if dilation[i] <= 0:
            raise RuntimeError(f"non-positive dilation is not supported: {op.name} got {sizes_list(ndim, dilation)}")
    if g.groups <= 0:
        raise RuntimeError(f"non-positive groups is not supported: {op.name} got {g.groups}")
    return 0


cdef int check_tensors(Tensor x, Tensor w, Tensor bias, bint transposed, Py_ssize_t groups) except -1:
    """The channels of input, weight and bias, and their dtypes."""
    cdef Py_ssize_t expected
    shape = list(shape_tuple(w))
    given = f"groups={groups}" if not transposed or groups != 1 else "transposed=1"
    if w.rank != x.rank:
        raise RuntimeError(f"Expected {w.rank}-dimensional input for {w.rank}-dimensional weight {shape}, but got {x.rank}-dimensional input "
                           f"of size {list(shape_tuple(x))} instead")
    if w.dims[0] < groups:
        raise RuntimeError(f"Given {given}, expected weight to be at least {groups} at dimension 0, but got weight of size {shape} instead")
    if w.dims[0] % groups:
        raise RuntimeError(f"Given {given}, expected weight to be divisible by {groups} at dimension 0, but got weight of size [{shape}] instead")
    expected = w.dims[0] if transposed else w.dims[1] * groups
    if x.dims[1] != expected:
        raise RuntimeError(f"Given {given}, weight of size {shape}, expected input{list(shape_tuple(x))} to have {expected} channels, but got "
                           f"{x.dims[1]} channels instead")
    expected = w.dims[1] * groups if transposed else w.dims[0]
    if bias is not None and (bias.rank != 1 or bias.dims[0] != expected):
        raise RuntimeError(f"Given {'transposed=1, ' if transposed else ''}weight of size {shape}, expected bias to be 1-dimensional with "
                           f"{expected} elements, but got bias of size {list(shape_tuple(bias))} instead")
    if x.code != w.code:
        raise RuntimeError(f"Input type ({tensor_name(x.code)}) and weight type ({tensor_name(w.code)}) should be the same: convolutions "
                           "do not promote; convert one with .to()")
    if bias is not None and bias.code != x.code:
        raise RuntimeError(f"Input type ({_C_NAMES[x.code]}) and bias type ({_C_NAMES[bias.code]}) should be the same: convolutions do not "
                           "promote; convert one with .to()")
    return 0


cdef int set_narrow(Geometry* g, Tensor x) except -1:
    """The output's sizes of a convolution."""
    cdef int i
    cdef Axis* axis
    cdef bint fits = True
    for i in range(3 - g.ndim, 3):
        axis = &g.axes[i]
        fits = fits and axis.wide + 2 * axis.padding >= axis.dilation * (axis.kernel - 1) + 1
        axis.narrow = (axis.wide + 2 * axis.padding - axis.dilation * (axis.kernel - 1) - 1) // axis.stride + 1
    if not fits:
        padded = " x ".join([str(g.axes[i].wide + 2 * g.axes[i].padding) for i in range(3 - g.ndim, 3)])
        reach = " x ".join([str(g.axes[i].dilation * (g.axes[i].kernel - 1) + 1) for i in range(3 - g.ndim, 3)])
        raise RuntimeError(f"Calculated padded input size per channel: ({padded}). Kernel size: ({reach}). Kernel size can't be greater than "
                           "actual input size")
    return 0


cdef int set_wide(Geometry* g, Op op, PyObject** slots, int slot) except -1:
    """The output's sizes of a transposed convolution; ``slot`` is output_padding."""
    cdef Py_ssize_t more[64]
    cdef int i
    cdef Axis* axis
    sizes_of(op, slots, slot, "output_padding", g.ndim, more)
    for i in range(g.ndim):
        axis = &g.axes[3 - g.ndim + i]
        if more[i] < 0:
            raise RuntimeError(f"negative output_padding is not supported: {op.name} got {sizes_list(g.ndim, more)}")
        if more[i] >= axis.stride and more[i] >= axis.dilation:
            raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got output_padding {sizes_list(g.ndim, more)}"
                               f", stride {[g.axes[k].stride for k in range(3 - g.ndim, 3)]}, dilation "
                               f"{[g.axes[k].dilation for k in range(3 - g.ndim, 3)]}")
        axis.wide = (axis.narrow - 1) * axis.stride - 2 * axis.padding + axis.dilation * (axis.kernel - 1) + more[i] + 1
        if axis.wide < 1:
            raise RuntimeError(f"{op.name}: an input of size {axis.narrow} along dim {i + 2} gives an output of size {axis.wide}, which is too "
                               f"small: kernel {axis.kernel}, stride {axis.stride}, padding {axis.padding}, dilation {axis.dilation}")
    return 0


# ---- running

cdef Tensor optional_tensor(Op op, PyObject** slots, int slot):
    if slots[slot] == <PyObject*> None:
        return None
    if not isinstance(<object> slots[slot], Tensor):
        raise op_error(op, slot, "Tensor", slots[slot])
    return <Tensor> slots[slot]


cdef object convolution_run(Op op, PyObject** slots):
    """convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)."""
    cdef Tensor x = <Tensor> slots[0], w = <Tensor> slots[1], bias = optional_tensor(op, slots, 2), out
    cdef uint32_t live = x.flags | w.flags
    cdef bint transposed = <object> slots[6]
    cdef Geometry g
    cdef Py_ssize_t shape[5]
    cdef int i, ndim = x.rank - 2
    if bias is not None:
        live |= bias.flags
    live &= thread_state().modes
    if live & LIVE_INTERCEPT:
        return intercepted(op, slots, live)
    g.groups = int_slot(op, slots, 8)
    read_geometry(op, slots, 3, ndim, &g)
    check_tensors(x, w, bias, transposed, g.groups)
    g.images = x.dims[0]
    for i in range(ndim):
        g.axes[3 - ndim + i].kernel = w.dims[2 + i]
        if transposed:
            g.axes[3 - ndim + i].narrow = x.dims[2 + i]
        else:
            g.axes[3 - ndim + i].wide = x.dims[2 + i]
    if transposed:
        set_wide(&g, op, slots, 7)
        g.narrow_channels, g.wide_channels = x.dims[1] // g.groups, w.dims[1]
    else:
        set_narrow(&g, x)
        g.narrow_channels, g.wide_channels = w.dims[0] // g.groups, w.dims[1]
    if FACTS.category[x.code] == CAT_COMPLEX:
        return op.impl(x, w, bias, *[<object> slots[i] for i in range(3, 9)])
    shape[0], shape[1] = g.images, (g.wide_channels if transposed else g.narrow_channels) * g.groups
    for i in range(ndim):
        shape[2 + i] = g.axes[3 - ndim + i].wide if transposed else g.axes[3 - ndim + i].narrow
    if ONLY_REFERENCES or FACTS.category[x.code] != CAT_FLOAT:
        out = by_reference(op, slots, x.code, ndim + 2, shape)
    else:
        out = new_empty(computing_code(x.code), ndim + 2, shape)
        if out.count:
            x, w, bias = computable(x), computable(w), None if bias is None else computable(bias)
            if transposed:
                transpose(&g, x, w, bias, out)
            else:
                convolve(&g, x, w, bias, out)
        if out.code != (<Tensor> slots[0]).code:
            out = converted(out, (<Tensor> slots[0]).code)
    if live:
        record(op, slots, out, live)
    return out


cdef object weight_run(Op op, PyObject** slots):
    """convolution_weight(input, grad_output, kernel_size, stride, padding, dilation, groups)."""
    cdef Tensor x = <Tensor> slots[0], y = <Tensor> slots[1], out
    cdef uint32_t live = (x.flags | y.flags) & thread_state().modes
    cdef Geometry g
    cdef Py_ssize_t kernel[64]
    cdef Py_ssize_t shape[5]
    cdef int i, ndim = x.rank - 2
    cdef Axis* axis
    if live & LIVE_INTERCEPT:
        return intercepted(op, slots, live)
    g.groups = int_slot(op, slots, 6)
    read_geometry(op, slots, 3, ndim, &g)
    sizes_of(op, slots, 2, "kernel_size", ndim, kernel)
    if x.code != y.code or y.rank != x.rank or x.dims[0] != y.dims[0] or x.dims[1] % g.groups or y.dims[1] % g.groups:
        raise RuntimeError(f"convolution_weight: an input of {scalar_name(x.code)}{list(shape_tuple(x))} and a gradient of "
                           f"{scalar_name(y.code)}{list(shape_tuple(y))} do not belong together, with groups={g.groups}")
    g.images, g.wide_channels, g.narrow_channels = x.dims[0], x.dims[1] // g.groups, y.dims[1] // g.groups
    shape[0], shape[1] = y.dims[1], g.wide_channels
    for i in range(ndim):
        axis = &g.axes[3 - ndim + i]
        axis.kernel = shape[2 + i] = kernel[i]
        axis.wide, axis.narrow = x.dims[2 + i], y.dims[2 + i]
        if (axis.narrow - 1) * axis.stride + (axis.kernel - 1) * axis.dilation - 2 * axis.padding >= axis.wide:
            raise RuntimeError(f"convolution_weight: a gradient of size {axis.narrow} along dim {2 + i} is too large for an input of size "
                               f"{axis.wide} (kernel {axis.kernel}, stride {axis.stride}, padding {axis.padding}, dilation {axis.dilation})")
    if FACTS.category[x.code] == CAT_COMPLEX:
        return op.impl(x, y, *[<object> slots[i] for i in range(2, 7)])
    if ONLY_REFERENCES or FACTS.category[x.code] != CAT_FLOAT:
        out = by_reference(op, slots, x.code, ndim + 2, shape)
    else:
        out = new_empty(computing_code(x.code), ndim + 2, shape)
        if out.count:
            x, y = computable(x), computable(y)
            weight_gradient(&g, x, y, out)
        if out.code != (<Tensor> slots[0]).code:
            out = converted(out, (<Tensor> slots[0]).code)
    if live:
        record(op, slots, out, live)
    return out


cdef inline int computing_code(int code) noexcept:
    return FLOAT32 if code == FLOAT16 or code == BFLOAT16 else code


cdef inline Tensor computable(Tensor t):
    """Contiguous; low precision as float32."""
    if t.code != computing_code(t.code):
        return converted(t, FLOAT32)
    return t if t.flags & TF_CONTIGUOUS else contiguous_copy(t)


cdef Tensor by_reference(Op op, PyObject** slots, int code, int ndim, Py_ssize_t* shape):
    cdef Tensor out = new_empty(code, ndim, shape)
    cdef int i
    arguments = []
    for i in range(op.n_params):
        value = <object> slots[i]
        if isinstance(value, Tensor):
            value = array_of(converted(value, FLOAT32) if (<Tensor> value).code in (FLOAT16, BFLOAT16) else value)
        arguments.append(value)
    with np.errstate(all="ignore"):
        array_into(op.reference(np, *arguments), out)
    return out


# ---- the tables: Note [Convolution by tables] in kernels/convolution.h

cdef void wide_reading(Axis* a, Reading* r) noexcept nogil:
    """The wide side, read for positions of the narrow one."""
    cdef Py_ssize_t t
    r.positions, r.step, r.taps, r.first, r.between = a.narrow, a.stride, a.kernel, 0, 1
    for t in range(a.kernel):
        r.offset[t] = <int32_t> (t * a.dilation - a.padding)
        r.chosen[t] = <int32_t> t


cdef void narrow_reading(Axis* a, Py_ssize_t residue, Reading* r) noexcept nogil:
    """The narrow side, read for those positions of the wide one that have this residue by the stride."""
    cdef Py_ssize_t t, distance
    r.positions = (a.wide - residue + a.stride - 1) // a.stride if residue < a.wide else 0
    r.step, r.taps, r.first, r.between = 1, 0, residue, a.stride
    for t in range(a.kernel):
        distance = residue + a.padding - t * a.dilation
        if distance % a.stride == 0:
            r.offset[r.taps] = <int32_t> (distance // a.stride)
            r.chosen[r.taps] = <int32_t> t
            r.taps += 1


cdef class Source:
    """A padded copy of a tensor of images, or the tensor itself where no padding is needed."""
    cdef Tensor tensor                 # that is read; None: ``copy`` is
    cdef Scratch copy
    cdef char* data
    cdef Py_ssize_t before[3]
    cdef Py_ssize_t size[3]            # padded
    cdef Py_ssize_t channel            # elements
    cdef Py_ssize_t split              # rows are laid out by residues of this: the stride in the last dim
    cdef char* limit                   # the end of what may be read

    cdef int widen(self, int axis, Py_ssize_t inside, Reading* r) noexcept:
        """Make room for what a reading needs along an axis."""
        cdef Py_ssize_t t, last
        for t in range(r.taps if r.positions else 0):
            last = (r.positions - 1) * r.step + r.offset[t]
            if -r.offset[t] > self.before[axis]:
                self.before[axis] = -r.offset[t]
            if last >= self.size[axis]:
                self.size[axis] = last + 1           # counted from the first element inside; before[] is added in the end
        return 0

    cdef int fill(self, Tensor t, Py_ssize_t* inside, bint slack) except -1:
        """Copy the tensor where there is a border, or where ``slack`` behind it is wanted."""
        cdef wg_border b
        cdef int i
        cdef Py_ssize_t planes = t.dims[0] * t.dims[1], item = FACTS.itemsize[t.code]
        cdef bint same = not slack and self.split == 1
        self.channel = 1
        self.size[2] += (self.split - (self.size[2] + self.before[2]) % self.split) % self.split
        for i in range(3):
            self.size[i] += self.before[i]
            same = same and self.size[i] == inside[i]
            self.channel *= self.size[i]
            b.inside[i], b.outside[i], b.before[i] = inside[i], self.size[i], self.before[i]
        if self.channel > 0x7fffffff:
            raise RuntimeError(f"convolution: a channel of {self.channel} elements is more than 2**31 - 1")
        if same:
            self.tensor, self.data, self.limit = t, t.data, t.data + t.count * item
            return 0
        self.copy = scratch(planes * self.channel * item + WG_SLACK)
        self.data = self.copy.data
        self.limit = self.data + planes * self.channel * item + WG_SLACK
        b.from_, b.to, b.item, b.split = t.data, self.data, item, self.split
        with nogil:
            memset(self.data + planes * self.channel * item, 0, WG_SLACK)
            parallel_for(planes, 0x20000 // (self.channel + 1) + 1, wg_pad_planes, &b)
        return 0


cdef void fill_tables(wg_conv* p, Reading* r, Py_ssize_t* size, Py_ssize_t* before, Py_ssize_t* kernel, Py_ssize_t* target, int32_t* base,
                      int32_t* place, int32_t* tap, int32_t* chosen) noexcept nogil:
    """Offsets of positions in the source (base) and in the result (place), of taps in the source (tap) and the kernel (chosen).

    A step in the last dim is 1 within the elements of one residue, which a tap chooses.
    """
    cdef Py_ssize_t i, j, k, last, split = r[2].step, n = 0
    for i in range(r[0].positions):
        for j in range(r[1].positions):
            for k in range(r[2].positions):
                base[n] = <int32_t> (((i * r[0].step + before[0]) * size[1] + j * r[1].step + before[1]) * size[2] + k)
                place[n] = <int32_t> (((r[0].first + i * r[0].between) * target[1] + r[1].first + j * r[1].between) * target[2]
                                      + r[2].first + k * r[2].between)
                n += 1
    n = 0
    for i in range(r[0].taps):
        for j in range(r[1].taps):
            for k in range(r[2].taps):
                last = r[2].offset[k] + before[2]
                tap[n] = <int32_t> ((r[0].offset[i] * size[1] + r[1].offset[j]) * size[2] + last % split * (size[2] // split) + last // split)
                chosen[n] = <int32_t> ((r[0].chosen[i] * kernel[1] + r[1].chosen[j]) * kernel[2] + r[2].chosen[k])
                n += 1
    p.base, p.tap, p.place = base, tap, place
    p.row = r[2].positions


cdef Py_ssize_t at_least(Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    return a if a > b else b


cdef void cut(wg_conv* p, Py_ssize_t item) noexcept nogil:
    """Units of the product: as many panels as the cache holds, fewer where there would not be work for all threads."""
    cdef Py_ssize_t lanes = p.tiles.vectors * 64 // item, k = p.channels * p.taps, total = p.images * p.places, wanted
    cdef Py_ssize_t panel = (k if k < WG_DEEP else WG_DEEP) * lanes * item
    p.panels = min(at_least(PANEL_BYTES // panel, 1), 8)
    wanted = min(ENOUGH_UNITS, at_least(total * k * p.m * p.groups // WORTH_A_THREAD, 1))
    p.panels = min(p.panels, at_least(total * p.groups // (lanes * wanted), 1))
    p.column_blocks = (total + p.panels * lanes - 1) // (p.panels * lanes)
    p.m_blocks = (wanted + p.column_blocks * p.groups - 1) // (p.column_blocks * p.groups)
    p.m_block = at_least((p.m + p.m_blocks - 1) // p.m_blocks, LEAST_CHANNELS)
    p.m_block = (p.m_block + p.tiles.rows - 1) // p.tiles.rows * p.tiles.rows
    p.m_blocks = (p.m + p.m_block - 1) // p.m_block


cdef int multiply(wg_conv* p, Py_ssize_t item) except -1:
    """The product: straight from the source for groups of one or two channels, else through panels."""
    cdef Py_ssize_t work = p.images * p.places * p.groups * p.m * p.channels * p.taps, units
    cdef body_fn body
    if p.m <= 2 and p.row >= 4:
        body = wg_conv_direct_f32 if item == 4 else wg_conv_direct_f64
        units = p.images * p.groups
        work *= 8                      # what is read is not used again
    else:
        cut(p, item)
        body = wg_conv_units_f32 if item == 4 else wg_conv_units_f64
        units = p.groups * p.column_blocks * p.m_blocks
    p.failed = 0
    share_out(body, units, work, p)
    if p.failed:
        raise MemoryError()
    return 0


cdef int convolve(Geometry* g, Tensor x, Tensor w, Tensor bias, Tensor out) except -1:
    """out = C(x, w) + bias."""
    return product(g, x, w, bias, out, False)


cdef int transpose(Geometry* g, Tensor y, Tensor w, Tensor bias, Tensor out) except -1:
    """out = C'(y, w) + bias, one residue of the stride after the other."""
    return product(g, y, w, bias, out, True)


cdef int product(Geometry* g, Tensor x, Tensor w, Tensor bias, Tensor out, bint transposed) except -1:
    cdef Py_ssize_t inside[3]
    cdef Py_ssize_t target[3]
    cdef Py_ssize_t kernel[3]
    cdef Py_ssize_t residues[3]
    cdef Py_ssize_t positions = 1, taps = 1, i, a, b, c, item = FACTS.itemsize[x.code], kernels, most = 0
    cdef Source source = Source.__new__(Source)
    cdef Reading readings[3]
    cdef wg_conv p
    cdef Scratch tables, weights
    cdef int32_t* numbers
    cdef char* packed
    for i in range(3):
        kernel[i], residues[i] = g.axes[i].kernel, g.axes[i].stride if transposed else 1
        inside[i], target[i] = g.axes[i].narrow if transposed else g.axes[i].wide, g.axes[i].wide if transposed else g.axes[i].narrow
        source.size[i], source.before[i] = inside[i], 0
        positions *= (target[i] + residues[i] - 1) // residues[i]
        taps *= kernel[i]
        most += kernel[i]
    kernels = taps
    memset(&p, 0, sizeof(p))
    p.tiles, p.images, p.groups = TILES, g.images, g.groups
    p.m, p.channels = g.narrow_channels, g.wide_channels
    if transposed:
        p.m, p.channels = g.wide_channels, g.narrow_channels
    tables = scratch((2 * most + 2 * taps + 2 * positions) * sizeof(int32_t))
    weights = scratch(p.groups * p.m * p.channels * taps * item)
    packed = weights.data
    numbers = <int32_t*> tables.data
    for i in range(3):
        readings[i].offset, readings[i].chosen = numbers, numbers + kernel[i]
        numbers += 2 * kernel[i]
        for a in range(residues[i]):
            read(&g.axes[i], transposed, a, &readings[i])
            source.widen(<int> i, inside[i], &readings[i])
    source.split = readings[2].step
    source.fill(x, inside, p.m <= 2)
    p.source, p.limit, p.source_channel = source.data, source.limit, source.channel
    p.source_image = p.source_channel * p.groups * p.channels
    p.bias = NULL if bias is None else bias.data
    p.out, p.out_channel = out.data, target[0] * target[1] * target[2]
    p.out_image, p.weights = p.out_channel * p.groups * p.m, packed
    if some_untouched(g, transposed) or p.channels == 0:
        if item == 4:
            wg_fill_bias_f32(&p)
        else:
            wg_fill_bias_f64(&p)
    for a in range(residues[0]):
        read(&g.axes[0], transposed, a, &readings[0])
        for b in range(residues[1]):
            read(&g.axes[1], transposed, b, &readings[1])
            for c in range(residues[2]):
                read(&g.axes[2], transposed, c, &readings[2])
                p.taps = readings[0].taps * readings[1].taps * readings[2].taps
                p.places = readings[0].positions * readings[1].positions * readings[2].positions
                if not p.places or not p.taps or not p.channels:
                    continue
                fill_tables(&p, readings, source.size, source.before, kernel, target, numbers, numbers + positions,
                            numbers + 2 * positions, numbers + 2 * positions + taps)
                pack(&p, <char*> w.data, kernels, transposed, numbers + 2 * positions + taps, packed, item)
                if residues[0] * residues[1] * residues[2] == 1:
                    p.place = NULL
                multiply(&p, item)
    return 0


cdef bint some_untouched(Geometry* g, bint transposed) noexcept nogil:
    """Whether a transposed convolution has places that no tap meets."""
    cdef int i
    for i in range(3):
        if transposed and g.axes[i].stride > 1 and (g.axes[i].kernel < g.axes[i].stride or g.axes[i].dilation > 1):
            return True
    return False


cdef inline void read(Axis* axis, bint transposed, Py_ssize_t residue, Reading* r) noexcept nogil:
    if transposed:
        narrow_reading(axis, residue, r)
    else:
        wide_reading(axis, r)


cdef void pack(wg_conv* p, char* weights, Py_ssize_t kernels, bint transposed, int32_t* chosen, char* packed, Py_ssize_t item) noexcept nogil:
    """The weights of the chosen taps, [narrow channels of all groups][wide channels][kernel], for the tiles."""
    cdef Py_ssize_t group = p.m * p.channels * kernels, m_step = p.channels * kernels, channel_step = kernels
    if transposed:
        m_step, channel_step = kernels, p.m * kernels
    if item == 4:
        wg_pack_weights_f32(p, <float*> weights, group, m_step, channel_step, chosen, <float*> packed)
    else:
        wg_pack_weights_f64(p, <double*> weights, group, m_step, channel_step, chosen, <double*> packed)


cdef int weight_gradient(Geometry* g, Tensor x, Tensor y, Tensor out) except -1:
    """out = W(x, y)."""
    cdef Axis* last = &g.axes[2]
    cdef bint merged = g.groups == 1 and last.dilation == 1
    if y.count and g.wide_channels * (last.kernel if merged else 1) >= 8:
        return channels_last(g, x, y, out, merged)
    return gathered_columns(g, x, y, out)


cdef Scratch turned(Tensor t, Py_ssize_t* inside, Py_ssize_t* outside, Py_ssize_t* before, bint border):
    """A channels-last copy, with a border of zeros and room behind it."""
    cdef wg_turner turner
    cdef Py_ssize_t i, pixels = outside[0] * outside[1] * outside[2], item = FACTS.itemsize[t.code], units
    cdef Py_ssize_t size = t.dims[0] * t.dims[1] * pixels * item
    cdef Scratch made = scratch(size + WG_SLACK)
    cdef char* copy = made.data
    for i in range(3):
        turner.border.inside[i], turner.border.outside[i], turner.border.before[i] = inside[i], outside[i], before[i]
    turner.border.from_, turner.border.to, turner.border.item, turner.border.split = t.data, copy, item, 1
    turner.channels = t.dims[1]
    units = t.dims[0] * inside[0] * inside[1]
    with nogil:
        memset(copy + (0 if border else size), 0, WG_SLACK + (size if border else 0))
        parallel_for(units, 0x8000 // (inside[2] * t.dims[1] + 1) + 1, wg_turn_rows, &turner)
    return made


cdef int channels_last(Geometry* g, Tensor x, Tensor y, Tensor out, bint merged) except -1:
    """The weight's gradient from channels-last copies. merged: the taps of a row of the kernel are one run."""
    cdef Py_ssize_t inside[3]
    cdef Py_ssize_t outside[3]
    cdef Py_ssize_t before[3]
    cdef Py_ssize_t narrow[3]
    cdef Py_ssize_t none[3]
    cdef Py_ssize_t i, j, k, n = 0, item = FACTS.itemsize[x.code], work
    cdef wg_weigher p
    cdef Axis* a = g.axes
    cdef Scratch source, grad, tables, parts = None
    cdef int32_t* base
    cdef bint border = False
    for i in range(3):
        inside[i], before[i], narrow[i], none[i] = a[i].wide, a[i].padding, a[i].narrow, 0
        outside[i] = at_least(a[i].wide + a[i].padding, (a[i].narrow - 1) * a[i].stride + (a[i].kernel - 1) * a[i].dilation + 1)
        border = border or outside[i] != inside[i]
    memset(&p, 0, sizeof(p))
    p.tiles, p.images, p.groups, p.m, p.channels = TILES, g.images, g.groups, g.narrow_channels, g.wide_channels
    p.places, p.taps = a[0].narrow * a[1].narrow * a[2].narrow, a[0].kernel * a[1].kernel * a[2].kernel
    p.run_taps = a[2].kernel if merged else 1
    p.runs = p.taps // p.run_taps
    p.source_image = outside[0] * outside[1] * outside[2] * p.groups * p.channels
    work = p.images * p.places * p.groups * p.m * p.channels * p.taps
    cut_runs(&p, item, work)
    if outside[0] * outside[1] * outside[2] > 0x7fffffff:
        raise RuntimeError(f"convolution: a channel of {outside[0] * outside[1] * outside[2]} elements is more than 2**31 - 1")
    tables = scratch((p.places + p.runs) * sizeof(int32_t))
    base = <int32_t*> tables.data
    source, grad = turned(x, inside, outside, before, border), turned(y, narrow, narrow, none, False)
    for i in range(a[0].narrow):
        for j in range(a[1].narrow):
            for k in range(a[2].narrow):
                base[n] = <int32_t> ((i * a[0].stride * outside[1] + j * a[1].stride) * outside[2] + k * a[2].stride)
                n += 1
    for i in range(a[0].kernel):
        for j in range(a[1].kernel):
            for k in range(1 if merged else a[2].kernel):
                base[n] = <int32_t> ((i * a[0].dilation * outside[1] + j * a[1].dilation) * outside[2] + k * a[2].dilation)
                n += 1
    p.source, p.grad, p.base, p.run, p.parts = source.data, grad.data, base, base + p.places, out.data
    if p.chunks > 1:
        parts = scratch(p.chunks * out.count * item)
        p.parts = parts.data
    share_out(wg_weigh_f32 if item == 4 else wg_weigh_f64, p.chunks * p.groups * p.runs * p.lane_blocks * p.m_blocks, work, &p)
    if p.failed:
        raise MemoryError()
    sum_parts(p.parts, p.chunks, out, item)
    return 0


cdef void cut_runs(wg_weigher* p, Py_ssize_t item, Py_ssize_t work) noexcept nogil:
    """Blocks of a run's elements and of output channels, and chunks of columns where these are too few units for all threads."""
    cdef Py_ssize_t lanes = p.tiles.vectors * 64 // item, total = p.images * p.places, units
    cdef Py_ssize_t wanted = min(ENOUGH_UNITS, at_least(work // WORTH_A_THREAD, 1))
    p.lane_blocks = (p.run_taps * p.channels + lanes - 1) // lanes
    p.m_block = min(p.m, 64 // p.tiles.rows * p.tiles.rows)
    p.m_blocks = (p.m + p.m_block - 1) // p.m_block
    units = p.groups * p.runs * p.lane_blocks * p.m_blocks
    p.chunks = at_least(min((wanted + units - 1) // units, total // (2 * WG_DEEP)), 1)
    p.chunk = (total + p.chunks - 1) // p.chunks
    p.chunk = (p.chunk + WG_DEEP - 1) // WG_DEEP * WG_DEEP
    p.chunks = (total + p.chunk - 1) // p.chunk


cdef int share_out(body_fn body, Py_ssize_t units, Py_ssize_t work, void* ctx) noexcept:
    if work < WITHOUT_GIL:
        body(0, units, ctx)
    else:
        with nogil:
            parallel_for(units, WORTH_A_THREAD * units // work, body, ctx)
    return 0


cdef int gathered_columns(Geometry* g, Tensor x, Tensor y, Tensor out) except -1:
    """The weight's gradient of groups with few channels: rows of taps times what comes from above."""
    cdef Py_ssize_t inside[3]
    cdef Py_ssize_t target[3]
    cdef Py_ssize_t kernel[3]
    cdef Py_ssize_t positions = 1, taps = 1, most = 0, i, total, units, work, item = FACTS.itemsize[x.code]
    cdef Source source = Source.__new__(Source)
    cdef Reading readings[3]
    cdef wg_conv p
    cdef Scratch tables, parts = None
    cdef int32_t* numbers
    for i in range(3):
        kernel[i], inside[i], target[i] = g.axes[i].kernel, g.axes[i].wide, g.axes[i].narrow
        source.size[i], source.before[i] = inside[i], 0
        positions *= target[i]
        taps *= kernel[i]
        most += kernel[i]
    memset(&p, 0, sizeof(p))
    p.tiles, p.images, p.groups, p.m, p.channels, p.taps, p.places = TILES, g.images, g.groups, g.narrow_channels, g.wide_channels, taps, positions
    total = p.images * positions
    if total == 0:
        memset(out.data, 0, out.count * item)
        return 0
    tables = scratch((2 * most + 2 * taps + 2 * positions) * sizeof(int32_t))
    numbers = <int32_t*> tables.data
    for i in range(3):
        readings[i].offset, readings[i].chosen = numbers, numbers + kernel[i]
        numbers += 2 * kernel[i]
        wide_reading(&g.axes[i], &readings[i])
        source.widen(<int> i, inside[i], &readings[i])
    source.split = readings[2].step
    source.fill(x, inside, False)
    fill_tables(&p, readings, source.size, source.before, kernel, target, numbers, numbers + positions, numbers + 2 * positions,
                numbers + 2 * positions + taps)
    p.source, p.limit, p.source_channel, p.place = source.data, source.limit, source.channel, NULL
    p.source_image = p.source_channel * p.groups * p.channels
    p.out, p.out_channel = y.data, positions
    p.out_image = positions * p.groups * p.m
    work = total * p.groups * p.m * p.channels * taps
    cut_weight(&p, total, work)
    p.weights = out.data
    if p.chunks > 1:
        parts = scratch(p.chunks * out.count * item)
        p.weights = parts.data
    units = p.chunks * p.groups * p.m_blocks * p.row_blocks
    share_out(wg_conv_weight_f32 if item == 4 else wg_conv_weight_f64, units, work, &p)
    if p.failed:
        raise MemoryError()
    sum_parts(<char*> p.weights, p.chunks, out, item)
    return 0


cdef void cut_weight(wg_conv* p, Py_ssize_t total, Py_ssize_t work) noexcept nogil:
    """Blocks of output channels and of k, and chunks of columns where these are too few units for all threads."""
    cdef Py_ssize_t k = p.channels * p.taps, wanted = min(ENOUGH_UNITS, at_least(work // WORTH_A_THREAD, 1)), units
    p.m_block, p.row_block = min(p.m, 64 // p.tiles.rows * p.tiles.rows), min(k, 48)
    p.m_blocks, p.row_blocks = (p.m + p.m_block - 1) // p.m_block, (k + p.row_block - 1) // p.row_block
    units = p.groups * p.m_blocks * p.row_blocks
    p.chunks = at_least(min((wanted + units - 1) // units, total // (4 * WG_WIDE)), 1)
    p.chunk = (total + p.chunks - 1) // p.chunks
    p.chunk = (p.chunk + WG_WIDE - 1) // WG_WIDE * WG_WIDE
    p.chunks = (total + p.chunk - 1) // p.chunk


cdef void sum_parts(char* parts, Py_ssize_t n, Tensor out, Py_ssize_t item) noexcept:
    """The results of the chunks, in their order; nothing where there is but one."""
    if n > 1 and item == 4:
        add_parts[float](<float*> parts, n, out.count, <float*> out.data)
    elif n > 1:
        add_parts[double](<double*> parts, n, out.count, <double*> out.data)


ctypedef fused real_t:
    float
    double


cdef void add_parts(real_t* parts, Py_ssize_t n, Py_ssize_t count, real_t* out) noexcept nogil:
    cdef Py_ssize_t i, k
    for k in range(count):
        out[k] = parts[k]
    for i in range(1, n):
        for k in range(count):
            out[k] += parts[i * count + k]
