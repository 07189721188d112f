"""The tensors of empty, zeros, ones and full, and of those like a tensor."""

from cpython.ref cimport PyObject
from libc.string cimport memset

from wengert_core.dispatch.op cimport Op, op_error
from wengert_core.drivers.create.factory cimport F_FULL, F_ONES, F_ZEROS, FactoryRow, option
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport fill_number
from wengert_core.exchange.copy_launch cimport tell_fill, tell_zeros
from wengert_core.exchange.device_memory cimport fill_on_device
from wengert_core.exchange.elements cimport store_checked
from wengert_core.exchange.from_data cimport scalar_code
from wengert_core.kernels.pointwise.strided cimport fill_large, fill_strided
from wengert_core.runtime.launches cimport count_recorders, tell_opaque
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.runtime.thread_pool cimport GRAIN, LARGE, parallel_for
from wengert_core.tensors.memory_format cimport (FORMAT_CONTIGUOUS, FORMAT_PRESERVE, Format, format_of, lay_out,
                                                 new_preserved)
from wengert_core.tensors.requires_grad cimport requires_grad
from wengert_core.tensors.tensor cimport Tensor, new_empty, new_like

cdef extern from "Python.h":
    bint PyIndex_Check(PyObject* o) noexcept
    bint PyBool_Check(PyObject* o) noexcept
    bint PyLong_CheckExact(PyObject* o) noexcept

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()
cdef object ONE = 1
cdef enum:
    WITHOUT_GIL = 0x8000


cdef Py_ssize_t read_size(Op op, object size, Py_ssize_t position) except? -1:
    if position == 0 and PyBool_Check(<PyObject*> size) or not PyIndex_Check(<PyObject*> size):
        if position == 0:
            raise TypeError(f"{op.name}(): argument 'size' (position 1) must be tuple of ints, but found element of "
                            f"type {type(size).__name__} at pos 0")
        raise TypeError(f"{op.name}(): argument 'size' failed to unpack the object at pos {position + 1} with error "
                        f"\"type must be tuple of ints,but got {type(size).__name__}\"")
    try:
        return size.__index__()
    except OverflowError:
        raise TypeError(f"{op.name}(): argument 'size' failed to unpack the object at pos {position + 1} with error "
                        f"\"Overflow when unpacking long long\": {size!r}") from None


cdef int read_sizes(Op op, object sizes, Py_ssize_t* shape) except -1:
    cdef int ndim = 0, i
    if PyLong_CheckExact(<PyObject*> sizes) or PyIndex_Check(<PyObject*> sizes):
        shape[0] = read_size(op, sizes, 0)
        ndim = 1
    else:
        for size in sizes:
            if ndim == 64:
                raise RuntimeError(f"{op.name}: a tensor has at most 64 dimensions, got {len(sizes)}")
            shape[ndim] = read_size(op, size, ndim)
            ndim += 1
    for i in range(ndim):
        if shape[i] < 0:
            raise RuntimeError(f"{op.name}: Dimension size must be non-negative. Trying to create tensor with negative "
                               f"dimension {shape[i]}: {[shape[k] for k in range(ndim)]}")
    return ndim


cdef int fill(Tensor t, PyObject* value) except -1:
    cdef char number[16]
    store_checked(value, t.code, number)
    if t.device:
        return fill_on_device(t, number)
    if t.count < WITHOUT_GIL:
        fill_strided(t.data, t.dims + t.rank, t.dims, t.rank, FACTS.itemsize[t.code], number)
    else:
        with nogil:
            fill_large(t.data, t.dims + t.rank, t.dims, t.rank, t.code, number)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        if isinstance(<object> value, Tensor):
            tell_opaque()              # it has been read
        tell_fill(t.data, t.dims + t.rank, t.dims, t.rank, t.code, number)
    return 0


cdef void clear(char* data, Py_ssize_t nbytes) noexcept:
    """Zeros, by several threads where that is much."""
    if nbytes < 4 * LARGE:
        memset(data, 0, nbytes)
    else:
        with nogil:
            parallel_for(nbytes, 4 * GRAIN, clear_part, data)


cdef void clear_part(Py_ssize_t begin, Py_ssize_t end, void* data) noexcept nogil:
    memset(<char*> data + begin, 0, end - begin)


cdef Tensor make_uninitialized(Op op, FactoryRow* row, PyObject** slots, int code):
    """An uninitialized tensor of the sizes asked for, or of the shape of the tensor to be like."""
    cdef Py_ssize_t shape[64]
    cdef int ndim
    cdef Format form
    cdef Tensor t
    if row.sizes >= 0:
        form = format_of(option(slots, row.memory_format), FORMAT_CONTIGUOUS)
        if form == FORMAT_PRESERVE:
            raise RuntimeError(f"unsupported memory format Preserve: {op.name} has no tensor to be like")
        ndim = read_sizes(op, <object> slots[row.sizes], shape)
        t = new_empty(code, ndim, shape)
    else:
        form = format_of(option(slots, row.memory_format), FORMAT_PRESERVE)
        if form == FORMAT_PRESERVE:
            return new_preserved(<Tensor> slots[row.like], code)
        t = new_like(<Tensor> slots[row.like], code)
    if form != FORMAT_CONTIGUOUS:
        lay_out(t, form)
    return t


cdef bint has_grad(PyObject* value):
    """Whether a number is a tensor that requires grad: its history would be lost."""
    return isinstance(<object> value, Tensor) and requires_grad(<Tensor> value)


cdef Tensor make_filled(Op op, FactoryRow* row, PyObject** slots, int code):
    """The tensors of kinds empty to full; code -1: the dtype of the tensor to be like, of the value, or the default."""
    cdef int number = 0
    if row.kind == F_FULL:
        if row.sizes >= 0 and PyIndex_Check(slots[row.sizes]):
            raise op_error(op, row.sizes, "tuple of ints", slots[row.sizes])
        number = scalar_code(slots[row.value])
        if number < 0 or has_grad(slots[row.value]):
            raise op_error(op, row.value, "Number", slots[row.value])
    if code < 0:
        if row.like >= 0:
            code = (<Tensor> slots[row.like]).code
        else:
            code = number if row.kind == F_FULL else FACTS.default_float
    cdef Tensor t = make_uninitialized(op, row, slots, code)
    if row.kind == F_ZEROS:
        if t.device:
            fill_number(t, 0)
        else:
            clear(t.data, t.count * FACTS.itemsize[code])
            if RECORDERS[0] and thread_state().modes & WG_TELL:
                tell_zeros(t)
    elif row.kind == F_ONES:
        fill(t, <PyObject*> ONE)
    elif row.kind == F_FULL:
        fill(t, slots[row.value])
    return t
