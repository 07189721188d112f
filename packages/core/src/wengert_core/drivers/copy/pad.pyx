"""The driver of padding by a number: torch's order, pairs (before, after) from the last dim on; a negative one cuts."""

from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.arguments cimport ints_slot, sizes_list
from wengert_core.dispatch.keep_alive cimport hold_if_large
from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.references cimport call_reference, result_into
from wengert_core.drivers.steps cimport record
from wengert_core.dtypes.dtypes cimport BOOL, CAT_INT, DTypeFacts, dtype_facts, dtype_of
from wengert_core.dtypes.scalars cimport check_bound, number_code, store_number
from wengert_core.exchange.arrays cimport array_of, copy_into, fill_number
from wengert_core.exchange.device_memory cimport without_kernels
from wengert_core.exchange.restore_format cimport is_channels_last, lay_channels_last
from wengert_core.geometry.size_math cimport mul_add
from wengert_core.runtime.launches cimport tell_complete
from wengert_core.runtime.state cimport WG_TELL
from wengert_core.tensors.tensor cimport Tensor, new_empty, new_view, shape_tuple

cdef DTypeFacts* FACTS = dtype_facts()


def configure(Op op):
    """Make ``op`` a padding: (self, pad, value)."""
    op.run = pad_run


cdef int check_value(PyObject* value, int code) except -1:
    """RuntimeError for a number that the dtype does not hold."""
    if code == BOOL or number_code(value) < 0 or isinstance(<object> value, complex):
        return 0
    if FACTS.category[code] == CAT_INT and not FACTS.is_signed[code] and <object> value < 0:
        raise RuntimeError(f"value cannot be converted to type {dtype_of(code).name}_t without overflow: "
                           f"{<object> value!r}")
    return check_bound(value, code)


cdef object pad_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = <Tensor> slots[0], out
    cdef Py_ssize_t pad[64]
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t inside[64]
    cdef Py_ssize_t before, after
    cdef char* source = t.data
    cdef char* target
    cdef int i, d, n, rank = t.rank
    cdef bint wider = False, something = True
    cdef char number[16]
    t = hold_if_large(t)
    n = ints_slot(op, slots, 1, pad)
    if n % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {n}")
    if n > 2 * rank:
        raise RuntimeError("Length of pad should be no more than twice the number of dimensions of the input. Pad "
                           f"length is {n} while the input has {rank} dimensions.")
    for i in range(rank):
        shape[i] = inside[i] = t.dims[i]
    for i in range(n // 2):
        d, before, after = rank - 1 - i, pad[2 * i], pad[2 * i + 1]
        shape[d] = mul_add(op.name, 1, after, mul_add(op.name, 1, before, shape[d]))
        inside[d] += max(min(before, 0), -1 - t.dims[d]) + max(min(after, 0), -1 - t.dims[d])
        if shape[d] < 0 or inside[d] < 0:
            raise RuntimeError(f"The input size {t.dims[d]}, plus negative padding {before} and {after} resulted in a "
                               "negative output size, which is invalid (narrow(): length must be non-negative.). Check "
                               f"dimension {d} of your input, of shape {list(shape_tuple(t))}")
        wider = wider or before > 0 or after > 0
    for i in range(rank):
        something = something and inside[i] > 0
    if wider:
        check_value(slots[2], t.code)
    out = new_empty(t.code, rank, shape)
    if is_channels_last(t):
        lay_channels_last(out)
    if without_kernels():
        store_number(slots[2], t.code, number)     # whether it can be one
        result_into(op, call_reference(op, [array_of(t), sizes_list(n, pad), <object> slots[2]]), out)
    else:
        if wider:
            fill_number(out, <object> slots[2])
        target = out.data
        for i in range(n // 2):
            d = rank - 1 - i
            source += max(-pad[2 * i], 0) * t.dims[rank + d]
            target += max(pad[2 * i], 0) * out.dims[rank + d]
        if something:
            copy_into(new_view(out, rank, inside, out.dims + rank, target),
                      new_view(t, rank, inside, t.dims + rank, source))
    if live:
        if live & WG_TELL:
            tell_complete(<void*> op)
        record(op, slots, out, live)
    return out
