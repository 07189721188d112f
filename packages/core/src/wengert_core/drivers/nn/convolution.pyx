"""The driver of convolutions in one to three dims, of their transposes, and of the gradient of the weight.

Note [Three functions, one another's derivatives]
    Convolution y = C(x, w) is linear in x and in w. Its transpose x = C'(y, w) is the gradient of the input, and what
    conv_transpose computes; w = W(x, y) is the gradient of the weight. The derivatives of each of the three are the
    others, so two ops (``convolution`` with its ``transposed``, and ``convolution_weight``) are all that derivatives of
    any order need. "wide" is the side of x, "narrow" that of y. Note [Convolution by tables] in
    kernels/nn/convolution.h says how each is computed.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.arguments cimport int_slot, ints_slot, scalar_name, sizes_list, tensor_name
from wengert_core.dispatch.keep_alive cimport any_large, hold_slots
from wengert_core.dispatch.op cimport Op, op_error
from wengert_core.drivers.nn.conv_gemm cimport convolve, transpose
from wengert_core.drivers.nn.conv_plan cimport Axis, Geometry, WITHOUT_GIL
from wengert_core.drivers.nn.conv_weight_grad cimport weight_gradient
from wengert_core.drivers.references cimport call_reference, result_into
from wengert_core.drivers.steps cimport record
from wengert_core.dtypes.dtypes cimport (
    BFLOAT16, BOOL, CAT_COMPLEX, CAT_FLOAT, CAT_INT, FLOAT16, FLOAT32, INT64, DTypeFacts, dtype_facts
)
from wengert_core.dtypes.dtypes import C_NAMES as _C_NAMES
from wengert_core.exchange.arrays cimport array_of, convert_copy, row_major_as
from wengert_core.exchange.device_memory cimport without_kernels
from wengert_core.exchange.restore_format cimport is_channels_last, with_channels_last
from wengert_core.geometry.size_math cimport mul_add
from wengert_core.runtime.launches cimport tell_complete
from wengert_core.runtime.state cimport WG_TELL
from wengert_core.tensors.tensor cimport Tensor, new_empty, shape_tuple

cdef enum:
    FARTHEST = 0x7fffffff              # that a table's offsets reach

cdef DTypeFacts* FACTS = dtype_facts()


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
        raise RuntimeError(f"expected {name} to be a single integer value or a list of {ndim} values to match the "
                           f"convolution dimensions, but got {name}={sizes_list(n, out)}")
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
        raise RuntimeError(f"{op.name}: expected an input of 3, 4 or 5 dimensions (images, channels, "
                           f"one to three more), got {ndim + 2}")
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
    cdef int i
    if x.code == BOOL or (transposed and FACTS.category[x.code] == CAT_INT and x.code != INT64):
        kernel = "slow_conv_transpose" if transposed else "slow_conv" if x.rank < 5 else "compute_columns"
        dims = f"{3 if x.rank == 5 else 2}d{'_out_cpu' if transposed else '' if x.rank == 5 else '_cpu'}"
        raise NotImplementedError(f"\"{kernel}{dims}\" not implemented for '{scalar_name(x.code)}'")
    shape = list(shape_tuple(w))
    given = f"groups={groups}" if not transposed or groups != 1 else "transposed=1"
    if w.rank != x.rank:
        raise RuntimeError(f"Expected {w.rank}-dimensional input for {w.rank}-dimensional weight {shape}, but got "
                           f"{x.rank}-dimensional input of size {list(shape_tuple(x))} instead")
    if w.dims[0] < groups:
        raise RuntimeError(f"Given {given}, expected weight to be at least {groups} at dimension 0, "
                           f"but got weight of size {shape} instead")
    if w.dims[0] % groups:
        raise RuntimeError(f"Given {given}, expected weight to be divisible by {groups} at dimension 0, but got weight "
                           f"of size [{shape}] instead")
    expected = w.dims[0] if transposed else w.dims[1] * groups
    if x.dims[1] != expected:
        raise RuntimeError(f"Given {given}, weight of size {shape}, expected input{list(shape_tuple(x))} to have "
                           f"{expected} channels, but got {x.dims[1]} channels instead")
    expected = w.dims[1] * groups if transposed else w.dims[0]
    if bias is not None and (bias.rank != 1 or bias.dims[0] != expected):
        raise RuntimeError(f"Given {'transposed=1, ' if transposed else ''}weight of size {shape}, expected bias to be "
                           f"1-dimensional with {expected} elements, "
                           f"but got bias of size {list(shape_tuple(bias))} instead")
    for i in range(2, w.rank):
        if w.dims[i] == 0:
            raise empty_kernel(w)
    if x.code != w.code:
        raise RuntimeError(f"Input type ({tensor_name(x.code)}) and weight type ({tensor_name(w.code)}) should be the "
                           "same: convolutions do not promote; convert one with .to()")
    if bias is not None and bias.code != x.code:
        raise RuntimeError(f"Input type ({_C_NAMES[x.code]}) and bias type ({_C_NAMES[bias.code]}) should be the same: "
                           "convolutions do not promote; convert one with .to()")
    return 0


cdef object empty_kernel(Tensor w):
    sizes = [w.dims[i] for i in range(2, w.rank)]
    if len(sizes) == 3:
        return RuntimeError(f"kernel size should be greater than zero, but got: {sizes[0]} x {sizes[1]} x {sizes[2]} "
                            "(TxHxW)")
    height = sizes[0] if len(sizes) == 2 else 1
    return RuntimeError(f"kernel size should be greater than zero, but got kernel_height: {height} kernel_width: "
                        f"{sizes[len(sizes) - 1]}")


cdef int set_steps(str op, Geometry* g) except -1:
    """Let steps that are never made be 1: a stride along dims with one position, a dilation with one tap. Tables are
    laid out by the steps, and these may be huge; RuntimeError where tables of int32 do not reach as far."""
    cdef int i
    cdef Axis* axis
    for i in range(3):
        axis = &g.axes[i]
        if axis.narrow <= 1:
            axis.stride = 1
        if axis.kernel <= 1:
            axis.dilation = 1
        check_reach(op, axis)
    return 0


cdef int check_reach(str op, Axis* axis) except -1:
    """RuntimeError for an axis that needs offsets beyond a table's."""
    if max(axis.padding, axis.stride) > FARTHEST or mul_add(op, axis.dilation, max(axis.kernel - 1, 0), 0) > FARTHEST:
        raise RuntimeError(f"{op}: a stride or padding, or a dilation times (kernel - 1), of more than 2**31 - 1 is "
                           f"not supported: got stride {axis.stride}, padding {axis.padding}, dilation "
                           f"{axis.dilation}, kernel {axis.kernel}")
    return 0


cdef int set_narrow(Geometry* g, Tensor x) except -1:
    """The output's sizes of a convolution."""
    cdef int i
    cdef Py_ssize_t padded, reach
    cdef Axis* axis
    cdef bint fits = True
    for i in range(3 - g.ndim, 3):
        axis = &g.axes[i]
        padded = mul_add("convolution", 2, axis.padding, axis.wide)
        reach = mul_add("convolution", axis.dilation, axis.kernel - 1, 1)
        fits = fits and padded >= reach
        axis.narrow = (padded - reach) // axis.stride + 1
    if not fits:
        around = " x ".join([str(g.axes[i].wide + 2 * g.axes[i].padding) for i in range(3 - g.ndim, 3)])
        kernels = " x ".join([str(g.axes[i].dilation * (g.axes[i].kernel - 1) + 1) for i in range(3 - g.ndim, 3)])
        raise RuntimeError(f"Calculated padded input size per channel: ({around}). Kernel size: ({kernels}). Kernel "
                           "size can't be greater than actual input size")
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
            raise RuntimeError("output padding must be smaller than either stride or dilation, but got output_padding "
                               f"{sizes_list(g.ndim, more)}, stride "
                               f"{[g.axes[k].stride for k in range(3 - g.ndim, 3)]}, dilation "
                               f"{[g.axes[k].dilation for k in range(3 - g.ndim, 3)]}")
        axis.wide = mul_add("convolution", axis.narrow - 1, axis.stride,
                            mul_add("convolution", axis.dilation, axis.kernel - 1, more[i] + 1))
        axis.wide = mul_add("convolution", -2, axis.padding, axis.wide)
        if axis.wide < 1:
            raise RuntimeError(f"{op.name}: an input of size {axis.narrow} along dim {i + 2} gives an output of size "
                               f"{axis.wide}, which is too small: kernel {axis.kernel}, stride {axis.stride}, padding "
                               f"{axis.padding}, dilation {axis.dilation}")
    return 0


# ---- running

cdef bint is_long(Geometry* g) noexcept:
    """Return whether a kernel on this geometry may give the GIL up."""
    cdef double work = <double> g.images * g.groups * g.wide_channels * g.narrow_channels
    cdef int i
    for i in range(3):
        work *= <double> g.axes[i].narrow * g.axes[i].kernel
    return work >= WITHOUT_GIL


cdef Tensor optional_tensor(Op op, PyObject** slots, int slot):
    if slots[slot] == <PyObject*> None:
        return None
    if not isinstance(<object> slots[slot], Tensor):
        raise op_error(op, slot, "Tensor", slots[slot])
    return <Tensor> slots[slot]


cdef object convolution_run(Op op, PyObject** slots, uint32_t live):
    """convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)."""
    cdef Tensor x = <Tensor> slots[0], w = <Tensor> slots[1], bias = optional_tensor(op, slots, 2), out
    cdef bint transposed = <object> slots[6]
    cdef PyObject* kept[16]
    cdef PyObject** own = slots
    cdef Geometry g
    cdef Py_ssize_t shape[5]
    cdef int i, ndim = x.rank - 2
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
    set_steps(op.name, &g)
    if FACTS.category[x.code] == CAT_COMPLEX:
        return op.impl(<object> slots[0], <object> slots[1], <object> slots[2],
                       *[<object> slots[i] for i in range(3, 9)])
    shape[0], shape[1] = g.images, (g.wide_channels if transposed else g.narrow_channels) * g.groups
    for i in range(ndim):
        shape[2 + i] = g.axes[3 - ndim + i].wide if transposed else g.axes[3 - ndim + i].narrow
    g.held = any_large(op, slots) or is_long(&g)
    if g.held:
        _holds, own = hold_slots(op, slots, kept), kept
        x, w, bias = <Tensor> own[0], <Tensor> own[1], optional_tensor(op, own, 2)
    if without_kernels() or FACTS.category[x.code] != CAT_FLOAT:
        out = by_reference(op, own, x.code, ndim + 2, shape)
    else:
        out = new_empty(computing_code(x.code), ndim + 2, shape)
        if out.count:
            x, w, bias = computable(x), computable(w), None if bias is None else computable(bias)
            if transposed:
                transpose(&g, x, w, bias, out)
            else:
                convolve(&g, x, w, bias, out)
        if out.code != (<Tensor> own[0]).code:
            out = convert_copy(out, (<Tensor> own[0]).code)
    if is_channels_last(<Tensor> own[0]) or is_channels_last(<Tensor> own[1]):
        out = with_channels_last(out)
    if live:
        if live & WG_TELL:
            tell_complete(<void*> op)
        record(op, slots, out, live)
    return out


cdef object weight_run(Op op, PyObject** slots, uint32_t live):
    """convolution_weight(input, grad_output, kernel_size, stride, padding, dilation, groups)."""
    cdef Tensor x = <Tensor> slots[0], y = <Tensor> slots[1], out
    cdef PyObject* kept[16]
    cdef PyObject** own = slots
    cdef Geometry g
    cdef Py_ssize_t kernel[64]
    cdef Py_ssize_t shape[5]
    cdef int i, ndim = x.rank - 2
    cdef Axis* axis
    g.groups = int_slot(op, slots, 6)
    read_geometry(op, slots, 3, ndim, &g)
    sizes_of(op, slots, 2, "kernel_size", ndim, kernel)
    if x.code != y.code or y.rank != x.rank or x.dims[0] != y.dims[0] or x.dims[1] % g.groups or y.dims[1] % g.groups:
        raise RuntimeError(f"convolution_weight: an input of {scalar_name(x.code)}{list(shape_tuple(x))} and a "
                           f"gradient of {scalar_name(y.code)}{list(shape_tuple(y))} do not belong together, "
                           f"with groups={g.groups}")
    g.images, g.wide_channels, g.narrow_channels = x.dims[0], x.dims[1] // g.groups, y.dims[1] // g.groups
    shape[0], shape[1] = y.dims[1], g.wide_channels
    for i in range(ndim):
        axis = &g.axes[3 - ndim + i]
        axis.kernel = shape[2 + i] = kernel[i]
        axis.wide, axis.narrow = x.dims[2 + i], y.dims[2 + i]
        if mul_add(op.name, axis.narrow - 1, axis.stride, mul_add(op.name, axis.kernel - 1, axis.dilation, 0)) \
                >= mul_add(op.name, 2, axis.padding, axis.wide):
            raise RuntimeError(f"convolution_weight: a gradient of size {axis.narrow} along dim {2 + i} is too large "
                               f"for an input of size {axis.wide} (kernel {axis.kernel}, stride {axis.stride}, padding "
                               f"{axis.padding}, dilation {axis.dilation})")
    set_steps(op.name, &g)
    if FACTS.category[x.code] == CAT_COMPLEX:
        return op.impl(<object> slots[0], <object> slots[1], *[<object> slots[i] for i in range(2, 7)])
    g.held = any_large(op, slots) or is_long(&g)
    if g.held:
        _holds, own = hold_slots(op, slots, kept), kept
        x, y = <Tensor> own[0], <Tensor> own[1]
    if without_kernels() or FACTS.category[x.code] != CAT_FLOAT:
        out = by_reference(op, own, x.code, ndim + 2, shape)
    else:
        out = new_empty(computing_code(x.code), ndim + 2, shape)
        if out.count:
            x, y = computable(x), computable(y)
            weight_gradient(&g, x, y, out)
        if out.code != (<Tensor> own[0]).code:
            out = convert_copy(out, (<Tensor> own[0]).code)
    if live:
        if live & WG_TELL:
            tell_complete(<void*> op)
        record(op, slots, out, live)
    return out


cdef inline int computing_code(int code) noexcept:
    return FLOAT32 if code == FLOAT16 or code == BFLOAT16 else code


cdef inline Tensor computable(Tensor t):
    """Contiguous; low precision as float32."""
    return row_major_as(t, computing_code(t.code))


cdef Tensor by_reference(Op op, PyObject** slots, int code, int ndim, Py_ssize_t* shape):
    cdef Tensor out = new_empty(code, ndim, shape)
    cdef int i
    arguments = []
    for i in range(op.n_params):
        value = <object> slots[i]
        if isinstance(value, Tensor):
            value = array_of(convert_copy(value, FLOAT32) if (<Tensor> value).code in (FLOAT16, BFLOAT16) else value)
        arguments.append(value)
    result_into(op, call_reference(op, arguments), out)
    return out
