"""The driver of the array family: an op is one call of its reference on NumPy arrays that share the tensors' memory.

For what is not worth a loop of its own: the call costs about a microsecond, and every array namespace can run it.
"""
from cpython.ref cimport Py_XDECREF, PyObject
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

cimport numpy as cnp

from wengert_core.dispatch.op cimport K_TENSORS, OP_INPLACE, Op
from wengert_core.drivers.out_argument cimport into_out, write_tuple
from wengert_core.drivers.references cimport call_reference, check_kind, result_arrays, result_into
from wengert_core.drivers.steps cimport after_write, before_write, prepare_given_out, prepare_out, record_outputs
from wengert_core.dtypes.dtypes cimport BFLOAT16, FLOAT16, DTypeFacts, code_of, dtype, dtype_facts
from wengert_core.dtypes.dtypes import ALL as DTYPES
from wengert_core.exchange.arrays cimport array_of, array_into, convert_copy, tensor_of_result
from wengert_core.exchange.column_major cimport by_columns, copy_by_columns
from wengert_core.exchange.device_memory cimport runs_on_device
from wengert_core.exchange.restore_format cimport restore_layout, as_ordered
from wengert_core.runtime.state cimport WG_BATCHED
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, bump_version, new_empty, same_shape, set_contiguity

cdef enum:
    SMALL = 16384                      # bytes of a result that is copied as it is and then turned

cdef DTypeFacts* FACTS = dtype_facts()


def configure(Op op, tuple results, str widen, str order):
    """Make ``op`` an array op. results: "same", "array", "columns" or a dtype's name for each output.

    "columns": as "array", and its matrices lie in memory column by column, as LAPACK has them.
    widen: the dtype in which the reference gets float16 and bfloat16; "" for their own.
    order: what a result has of its inputs in memory: "" nothing, "dims" their order, "channels" that channels are last;
    "own": it lies as the reference's array does.
    """
    op.run = array_run
    op.impl = (results, (<dtype> DTYPES[widen]).code if widen else -1, order)
    op.always = WG_BATCHED if "generator" in op.params else 0       # random: vmap says what that means


cdef object as_argument(PyObject* value, int widen):
    """What the reference gets for a slot."""
    cdef Tensor t
    if isinstance(<object> value, Tensor):
        t = <Tensor> value
        return array_of(convert_copy(t, widen) if widen >= 0 and (t.code == FLOAT16 or t.code == BFLOAT16) else t)
    return <object> value


cdef int check_tensors(Op op, int slot, object items) except -1:
    """TypeError for what is no tensor in a sequence of them."""
    for i, item in enumerate(items):
        if not isinstance(item, Tensor):
            raise TypeError(f"{op.name}(): expected Tensor as element {i} in argument {slot}, "
                            f"but got {type(item).__name__}")
    return 0


cdef int output_code(str rule, object array, Op op, PyObject** slots) except -1:
    if rule == "same":
        first = <object> slots[0]
        if isinstance(first, (tuple, list)) and not first:
            raise RuntimeError(f"{op.name}: expected a non-empty list of Tensors, whose dtype the result has")
        return (<Tensor?> (first[0] if isinstance(first, (tuple, list)) else first)).code
    return code_of(array.dtype if rule == "array" or rule == "columns" else DTYPES[rule])


cdef object array_run(Op op, PyObject** slots, uint32_t live):
    cdef int i
    cdef int widen = op.impl[1]
    arguments = []
    for i in range(op.n_params):
        if i == op.out_slot:
            continue
        if op.kinds[i] & 63 == K_TENSORS:
            check_tensors(op, i, <object> slots[i])
            arguments.append([as_argument(<PyObject*> item, widen) for item in <object> slots[i]])
        else:
            arguments.append(as_argument(slots[i], widen))
    if op.flags & OP_INPLACE:
        return write_back(op, slots, call_reference(op, arguments), live)
    return give(op, slots, result_arrays(op, call_reference(op, arguments), <int> len(op.impl[0])), live)


cdef object write_back(Op op, PyObject** slots, object computed, uint32_t live):
    cdef PyObject* keep = NULL
    cdef Tensor target = <Tensor> slots[0]
    before_write(op, slots, target, live, &keep)
    try:
        result_into(op, computed, target)
    except BaseException:
        Py_XDECREF(keep)
        raise
    after_write(op, slots, target, live, keep)
    return target


cdef Tensor in_order(Op op, PyObject** slots, Tensor out):
    """Return the result laid out as the first tensor of its shape that is not contiguous; 0-d ones were flattened."""
    cdef int i
    cdef Tensor t
    if "dims" in op.params:
        dims = <object> slots[<int> op.params.index("dims")]
        if dims is None or not isinstance(dims, int) and len(dims) == 0:
            return out
    for i in range(op.n_params):
        if isinstance(<object> slots[i], Tensor):
            t = <Tensor> slots[i]
            if not t.flags & TF_CONTIGUOUS and same_shape(t, out):
                return as_ordered(t, out) if op.impl[2] == "dims" else restore_layout(t, out)
    return out


cdef Tensor columns_of(object array, int code):
    """A result whose matrices lie column by column."""
    cdef Py_ssize_t shape[64]
    cdef int i
    cdef Tensor out
    if runs_on_device() or type(array) is not cnp.ndarray or not cnp.PyArray_ISCARRAY_RO(array) \
            or cnp.PyArray_NBYTES(array) > SMALL or cnp.PyArray_TYPE(array) != FACTS.numpy_type[code]:
        return by_columns(tensor_of_result(array.swapaxes(-2, -1), code))
    for i in range(cnp.PyArray_NDIM(array)):
        shape[i] = cnp.PyArray_DIM(array, i)
    out = new_empty(code, cnp.PyArray_NDIM(array), shape)
    memcpy(out.data, cnp.PyArray_DATA(array), cnp.PyArray_NBYTES(array))
    return copy_by_columns(out)


cdef Tensor as_it_lies(object array, int code):
    """A result whose dims are in the array's order in memory."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef int order[64]
    cdef int i, k, rank
    if runs_on_device() or type(array) is not cnp.ndarray \
            or cnp.PyArray_ISCARRAY_RO(array) or not cnp.PyArray_SIZE(array):
        return tensor_of_result(array, code)
    rank = cnp.PyArray_NDIM(array)
    for i in range(rank):
        k = i
        while k > 0 and cnp.PyArray_STRIDE(array, order[k - 1]) < cnp.PyArray_STRIDE(array, i):
            order[k] = order[k - 1]
            k -= 1
        order[k] = i
    cdef Tensor out = tensor_of_result(array.transpose([order[i] for i in range(rank)]), code)
    for i in range(rank):
        sizes[order[i]], strides[order[i]] = out.dims[i], out.dims[rank + i]
    memcpy(out.dims, sizes, rank * sizeof(Py_ssize_t))
    memcpy(out.dims + rank, strides, rank * sizeof(Py_ssize_t))
    set_contiguity(out)
    return out


cdef object give(Op op, PyObject** slots, list computed, uint32_t live):
    """Outputs as tensors, recorded; one output alone, several as a tuple (or the op's named tuple)."""
    cdef PyObject* outs[8]
    cdef Py_ssize_t shape[64]
    cdef Tensor out
    cdef int i, k, code, n = <int> len(computed)
    results = []
    for i in range(n):
        array = computed[i]
        computed[i] = None             # known here only: its memory may be taken over
        code = output_code(op.impl[0][i], array, op, slots)
        check_kind(op, array, code, i, n)
        if n == 1 and op.impl[2] == "dims" and prepare_given_out(op, slots) != <PyObject*> None:
            return into_out(op, slots, in_order(op, slots, tensor_of_result(array, code)), live)
        if n == 1 and prepare_given_out(op, slots) != <PyObject*> None:
            for k in range(array.ndim):
                shape[k] = array.shape[k]
            out = prepare_out(op, slots, slots[op.out_slot], code, array.ndim, shape, live)
            array_into(array, out)
            bump_version(out)
            return out
        if op.impl[0][i] == "columns" and array.ndim > 1:
            out = columns_of(array, code)
        else:
            out = as_it_lies(array, code) if op.impl[2] == "own" else tensor_of_result(array, code)
        if op.impl[2] and op.impl[2] != "own":
            out = in_order(op, slots, out)
        results.append(out)
        outs[i] = <PyObject*> out
    if len(results) > 1 and prepare_given_out(op, slots) != <PyObject*> None:
        return write_tuple(op, slots, results, live)
    record_outputs(op, slots, outs, <int> len(results), live)
    if len(results) == 1:
        return results[0]
    return op.options["named"](results) if "named" in op.options else tuple(results)
