"""roll: each rolled dim is two sections that change places, so that k of them are 2 ** k strided copies.

Without dims the elements are rolled as one dim, where they lie in one row; wrong arguments and other devices are the
reference's.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from wengert_core.dispatch.arguments cimport ints_slot
from wengert_core.dispatch.keep_alive cimport hold_if_large
from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.array_call cimport array_run
from wengert_core.drivers.kernel_launch cimport add_tensor, tell_kernel
from wengert_core.drivers.steps cimport record
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.kernels.pointwise.strided cimport copy_large, copy_strided
from wengert_core.runtime.launches cimport OPERAND_READ, OPERAND_WRITTEN, Launch, tell_complete
from wengert_core.runtime.state cimport WG_ON_DEVICE, WG_RECORD, WG_TELL
from wengert_core.runtime.thread_pool cimport LARGE
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, is_strided, new_empty, strides_of

cdef DTypeFacts* FACTS = dtype_facts()
cdef enum:
    MOST_ROLLED = 8                    # 256 copies


cdef struct Roll:
    int rank, itemsize, code
    bint is_large
    int n_rolled
    int dims[8]                        # those that are rolled
    Py_ssize_t shifts[64]              # by dim, 0 <= shift < size
    Py_ssize_t sizes[64]               # of the section at hand
    Py_ssize_t src_strides[64]
    Py_ssize_t dst_strides[64]


def configure(Op op):
    """Make ``op`` roll; it is configured for its reference already."""
    op.run = roll_run


cdef object roll_run(Op op, PyObject** slots, uint32_t live):
    cdef Roll roll
    cdef Py_ssize_t shifts[64]
    cdef Py_ssize_t dims[64]
    cdef int n = ints_slot(op, slots, 1, shifts)
    cdef int n_dims = 0 if slots[2] == <PyObject*> None else ints_slot(op, slots, 2, dims)
    cdef Tensor t = <Tensor> slots[0], out
    cdef Launch* made
    if live & WG_ON_DEVICE or t.device or not is_strided(t) or not t.count or not t.rank \
            or t.rank > 3 and not t.flags & TF_CONTIGUOUS:           # channels last stay so
        return array_run(op, slots, live)
    t = hold_if_large(t)
    roll.itemsize, roll.code, roll.is_large = FACTS.itemsize[t.code], t.code, t.count >= LARGE
    roll.n_rolled = 0
    if n_dims == 0 and n == 1 and t.flags & TF_CONTIGUOUS:
        out = new_empty(t.code, t.rank, t.dims)
        roll.rank, roll.sizes[0], roll.shifts[0] = 1, t.count, positive_remainder(shifts[0], t.count)
        roll.src_strides[0] = roll.dst_strides[0] = FACTS.itemsize[t.code]
        roll.dims[0], roll.n_rolled = 0, 1
    elif n != n_dims or not n or not read_shifts(&roll, t, n, shifts, dims):
        return array_run(op, slots, live)
    else:
        out = new_empty(t.code, t.rank, t.dims)
        memcpy(roll.src_strides, strides_of(t), t.rank * sizeof(Py_ssize_t))
        memcpy(roll.dst_strides, strides_of(out), t.rank * sizeof(Py_ssize_t))
    with nogil:
        copy_sections(&roll, 0, t.data, out.data)
    if live & WG_TELL:
        made = tell_kernel(run_launch, &roll, sizeof(Roll))
        add_tensor(made, t, OPERAND_READ)
        add_tensor(made, out, OPERAND_WRITTEN)
        tell_complete(<void*> op)
    if live & WG_RECORD:
        record(op, slots, out, live)
    return out


cdef inline Py_ssize_t positive_remainder(Py_ssize_t shift, Py_ssize_t size) noexcept:
    """The remainder in 0 .. size - 1; C's has the sign of the shift."""
    cdef Py_ssize_t rest = shift % size
    return rest + size if rest < 0 else rest


cdef bint read_shifts(Roll* roll, Tensor t, int n, Py_ssize_t* shifts, Py_ssize_t* dims) noexcept:
    """Add up the shifts of each dim; False for a dim that is not there, or too many."""
    cdef int i, dim
    roll.rank = t.rank
    for i in range(t.rank):
        roll.sizes[i], roll.shifts[i] = t.dims[i], 0
    for i in range(n):
        if dims[i] < -t.rank or dims[i] >= t.rank:
            return False
        dim = <int> (dims[i] + t.rank if dims[i] < 0 else dims[i])
        roll.shifts[dim] = (roll.shifts[dim] + positive_remainder(shifts[i], t.dims[dim])) % t.dims[dim]
    for dim in range(t.rank):
        if roll.shifts[dim]:
            if roll.n_rolled == MOST_ROLLED:
                return False
            roll.dims[roll.n_rolled] = dim
            roll.n_rolled += 1
    return True


cdef void copy_sections(Roll* roll, int k, char* src, char* dst) noexcept nogil:
    """Copy what is left to be cut along the rolled dims from the k-th on."""
    cdef int dim
    cdef Py_ssize_t size, shift
    if k == roll.n_rolled:
        if roll.is_large:
            copy_large(dst, roll.dst_strides, roll.code, src, roll.src_strides, roll.code, roll.sizes, roll.rank)
        else:
            copy_strided(dst, roll.dst_strides, src, roll.src_strides, roll.sizes, roll.rank, roll.itemsize)
        return
    dim = roll.dims[k]
    size, shift = roll.sizes[dim], roll.shifts[dim]
    roll.sizes[dim] = size - shift
    copy_sections(roll, k + 1, src, dst + shift * roll.dst_strides[dim])
    roll.sizes[dim] = shift
    if shift:
        copy_sections(roll, k + 1, src + (size - shift) * roll.src_strides[dim], dst)
    roll.sizes[dim] = size


cdef int run_launch(Launch* launch) noexcept nogil:
    copy_sections(<Roll*> launch.plan, 0, launch.data[0], launch.data[1])
    return 0
