"""nonzero and masked_select: what is true in a mask is counted first, then collected in one walk without branches."""

import numpy as np

from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint8_t, uint32_t

from wengert_core.dispatch.arguments cimport scalar_name
from wengert_core.dispatch.keep_alive cimport hold_if_large
from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.index.index_iterator cimport as_vector
from wengert_core.drivers.memory_overlap cimport WRITES_APART
from wengert_core.drivers.out_argument cimport finish_result, into_out
from wengert_core.drivers.references cimport call_reference, check_kind, result_array, result_into, wrong_result
from wengert_core.drivers.steps cimport broadcast, prepare_given_out
from wengert_core.dtypes.dtypes cimport BOOL, INT64, DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport array_into, array_of, convert_copy, copy_into, row_major, tensor_of_result
from wengert_core.exchange.device_memory cimport runs_on_device, namespace
from wengert_core.kernels.index.index cimport count_true, select_true
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.tensors.memory_format cimport dense_strides
from wengert_core.tensors.tensor cimport Tensor, new_empty, same_shape

cdef extern from "Python.h":
    bint PyObject_IsTrue(object o) except -1

cdef DTypeFacts* FACTS = dtype_facts()


def configure(Op op, str what):
    """Make ``op`` nonzero or masked_select."""
    op.run = nonzero_run if what == "nonzero" else select_run
    op.flags |= WRITES_APART


# ---- nonzero

cdef void true_indices(const uint8_t* mask, Py_ssize_t wanted, int64_t* out) noexcept nogil:
    """The first ``wanted`` places of what is true; there are as many."""
    cdef Py_ssize_t i = 0, found = 0
    while found < wanted:
        out[found] = i
        found += mask[i] != 0
        i += 1


cdef void coordinates(int64_t* out, Py_ssize_t n, int rank, const Py_ssize_t* dims) noexcept nogil:
    """Places, which stand in the last column of ``rank`` columns, as one number for each dim."""
    cdef int64_t* places = out + (rank - 1) * n
    cdef int64_t rest
    cdef Py_ssize_t i
    cdef int d
    for i in range(n):
        rest = places[i]
        for d in range(rank - 1, -1, -1):
            out[d * n + i] = rest % dims[d]
            rest //= dims[d]


cdef Tensor indices_on_device(Tensor t):
    """nonzero by a device's functions: how many there are is known when it has computed them."""
    cdef Py_ssize_t shape[2]
    xp = namespace()
    array = array_of(t)
    if t.rank == 0:
        shape[0], shape[1] = bool(array), 0
        return new_empty(INT64, 2, shape)
    columns = xp.stack(xp.nonzero(array), axis=1)
    shape[0], shape[1] = columns.shape
    cdef Tensor out = new_empty(INT64, 2, shape)
    cdef int order[2]
    order[0], order[1] = 1, 0
    dense_strides(out, order)
    array_into(columns, out)
    return out


cdef object nonzero_run(Op op, PyObject** slots, uint32_t live):
    """nonzero(self, as_tuple): int64[n, rank], or one vector for each dim."""
    cdef Tensor t = <Tensor> slots[0], source, mask, out, asked
    cdef bint apart = PyObject_IsTrue(<object> slots[1])
    cdef Py_ssize_t shape[2]
    cdef int order[2]
    if apart and prepare_given_out(op, slots) != <PyObject*> None:
        raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
    t = hold_if_large(t)
    if runs_on_device():
        out = indices_on_device(as_vector(t) if apart else t)
        asked = None if apart else into_out(op, slots, out, live)
        return out.unbind(1) if apart else out if asked is None else asked
    source = row_major(as_vector(t) if apart else t)
    mask = source if source.code == BOOL else convert_copy(source, BOOL)
    shape[0], shape[1] = count_true(<uint8_t*> mask.data, mask.count), source.rank
    out = new_empty(INT64, 2, shape)
    order[0], order[1] = 1, 0
    dense_strides(out, order)          # a column for each dim
    if ONLY_REFERENCES and source.rank:
        array_into(np.stack(np.nonzero(array_of(source)), axis=1), out)
    elif source.rank:
        true_indices(<uint8_t*> mask.data, shape[0], <int64_t*> out.data + (source.rank - 1) * shape[0])
        if source.rank > 1:
            coordinates(<int64_t*> out.data, shape[0], source.rank, source.dims)
    if apart:
        return out.unbind(1)
    asked = into_out(op, slots, out, live)
    return out if asked is None else asked


# ---- masked_select

cdef Tensor broadcast_elements(Tensor t, int ndim, const Py_ssize_t* shape):
    """t's elements in that shape, row by row."""
    cdef Tensor out = new_empty(t.code, ndim, shape)
    copy_into(out, t)
    return out


cdef Tensor select_on_device(Op op, Tensor t, Tensor mask):
    """The elements by a device's functions, which alone know how many there are."""
    array = result_array(op, call_reference(op, [array_of(t), array_of(mask)]))
    check_kind(op, array, t.code, 0, 1)
    if len(array.shape) != 1:
        raise wrong_result(op, "a vector", f"an array of shape {list(array.shape)}")
    return tensor_of_result(array, t.code)


cdef object select_run(Op op, PyObject** slots, uint32_t live):
    """masked_select(self, mask): a vector."""
    cdef Tensor t = <Tensor> slots[0], mask = <Tensor> slots[1], out
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t wanted
    cdef int ndim = 0
    t, mask = hold_if_large(t), hold_if_large(mask)
    if mask.code != BOOL:
        raise RuntimeError("masked_select: expected BoolTensor for mask, got a mask of dtype "
                           f"{scalar_name(mask.code)}; compare with != 0 to make one")
    if same_shape(t, mask):
        t, mask = row_major(t), row_major(mask)
    else:
        broadcast(op, &ndim, shape, mask)
        broadcast(op, &ndim, shape, t)
        t, mask = broadcast_elements(t, ndim, shape), broadcast_elements(mask, ndim, shape)
    if runs_on_device():
        return finish_result(op, slots, select_on_device(op, t, mask), t.code, live)
    wanted = count_true(<uint8_t*> mask.data, mask.count)
    out = new_empty(t.code, 1, &wanted)
    if ONLY_REFERENCES:
        result_into(op, call_reference(op, [array_of(t), array_of(mask)]), out)
    else:
        select_true(out.data, t.data, <uint8_t*> mask.data, mask.count, wanted, FACTS.itemsize[t.code])
    return finish_result(op, slots, out, out.code, live)
