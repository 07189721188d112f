"""The driver of ops that work along one dim: scans, sorting, arg-reductions. Each is one call of its reference on
arrays.

A tensor without dimensions is taken as one of a single element and comes back without dimensions.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.arguments cimport scalar_name
from wengert_core.dispatch.keep_alive cimport hold_if_large
from wengert_core.dispatch.op cimport Op, op_error
from wengert_core.drivers.memory_overlap cimport WRITES_IN_STEP
from wengert_core.drivers.out_argument cimport write_tuple
from wengert_core.drivers.reduce.reduce cimport wrapped_dim
from wengert_core.drivers.references cimport call_reference, check_kind, check_shape, result_arrays, wrong_result
from wengert_core.dtypes.cpp_names import not_implemented_for
from wengert_core.drivers.steps cimport prepare_given_out, prepare_out, record_outputs
from wengert_core.dtypes.dtypes cimport (BFLOAT16, BOOL, CAT_COMPLEX, CAT_FLOAT, FLOAT16, FLOAT32, INT64, DTypeFacts,
                                         code_of, dtype_facts, dtype_of)
from wengert_core.exchange.arrays cimport array_into, array_of, convert_copy, tensor_of_result
from wengert_core.exchange.restore_format cimport as_ordered
from wengert_core.tensors.tensor cimport Tensor, bump_version, shape_tuple

cdef DTypeFacts* FACTS = dtype_facts()
cdef tuple CATEGORIES = ("bool", "integer", "float", "complex")


def configure(Op op, tuple results, named, bint keeps_order, bint free_shape):
    """Make ``op`` work along a dim. results: the dtype rule of each output; named: the type of several outputs.

    keeps_order: a result has its dims in the input's order in memory.   free_shape: results have shapes of their own.
    """
    op.run = along_run
    op.flags |= WRITES_IN_STEP
    op.impl = (results, named, op.params.index("dim"), op.params.index("dtype") if "dtype" in op.params else -1,
               keeps_order, free_shape)


cdef object along_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t
    cdef int asked
    if not isinstance(<object> slots[0], Tensor):
        raise op_error(op, 0, "Tensor", slots[0])
    t = <Tensor> slots[0]
    t = hold_if_large(t)
    check_dtype(op, t.code)
    asked = requested_code(op, slots, t)
    return give(op, slots, t, compute(op, slots, t, asked), asked, live)


cdef int check_dtype(Op op, int code) except -1:
    """NotImplementedError, or the row's own error, for a dtype that the op does not take."""
    dtype = dtype_of(code)
    if dtype in op.options["dtypes"]:
        return 0
    refused = op.options["refusal"].get(CATEGORIES[FACTS.category[code]])
    if refused is None:
        raise NotImplementedError(f"\"{op.name}_cpu\" not implemented for '{scalar_name(code)}'")
    raise type(refused)(*refused.args)


cdef int requested_code(Op op, PyObject** slots, Tensor t) except -1:
    """The dtype of the first output."""
    cdef int slot = op.impl[3]
    if slot >= 0 and slots[slot] != <PyObject*> None:
        return code_of(<object> slots[slot])
    if op.impl[0][0] == "sum" and op.out_slot >= 0 and isinstance(<object> slots[op.out_slot], Tensor) \
            and (FACTS.category[t.code] < CAT_COMPLEX
                 or FACTS.category[(<Tensor> slots[op.out_slot]).code] == CAT_COMPLEX):
        if (<Tensor> slots[op.out_slot]).code == BOOL:
            raise not_implemented_for(f"{op.name}_out_cpu", dtype_of(BOOL))
        return (<Tensor> slots[op.out_slot]).code
    if op.impl[0][0] == "sum" and FACTS.category[t.code] < CAT_FLOAT:
        return INT64
    return t.code


cdef list compute(Op op, PyObject** slots, Tensor t, int asked):
    """The results of the reference on an array: (xp, array, dim, the other arguments but dtype= and out=)."""
    cdef int i, dim_slot = op.impl[2]
    cdef list arguments = []
    cdef Tensor source = t
    if op.impl[0][0] == "sum" and asked != t.code:
        source = convert_copy(t, asked)
    if source.code == FLOAT16 or source.code == BFLOAT16:
        source = convert_copy(source, FLOAT32)
    array = array_of(source)
    for i in range(1, op.n_params):
        if i == dim_slot:
            dim = <object> slots[i]
            arguments.append(None if dim is None else wrapped_dim(dim, t.rank))
        elif i != op.impl[3] and i != op.out_slot:
            arguments.append(<object> slots[i])
    return result_arrays(op, call_reference(op, [array.reshape(1) if t.rank == 0 else array, *arguments]),
                         <int> len(op.impl[0]))


cdef bint fits(object sizes, Tensor t, object dim) except -1:
    """Return whether a result of this shape can be work along a dim of t: its other dims are t's, in order."""
    cdef tuple own = tuple([t.dims[i] for i in range(t.rank)]) if t.rank else (1,)
    sizes = tuple(sizes)
    if dim is None:                    # of the whole tensor: its places, or one element
        return True
    d = wrapped_dim(dim, t.rank)
    without = own[:d] + own[d + 1:]
    return sizes == without or len(sizes) == len(own) and sizes[:d] + sizes[d + 1:] == without


cdef object give(Op op, PyObject** slots, Tensor t, list computed, int asked, uint32_t live):
    """Arrays as tensors, recorded; one output alone, several as the op's named tuple."""
    cdef PyObject* outs[8]              # as many outputs as a schema may have
    cdef Py_ssize_t shape[64]
    cdef Tensor given
    cdef int i, k, code, n = <int> len(computed)
    dim = <object> slots[op.impl[2]]
    results = []
    for i in range(n):
        array = computed[i]
        computed[i] = None             # known here only: its memory may be taken over
        code = INT64 if op.impl[0][i] == "int64" else asked
        check_kind(op, array, code, i, n)
        if not op.impl[5] and not fits(array.shape, t, dim):
            expected = f"work along dim {dim} of {list(shape_tuple(t))}, which keeps the sizes of the other dims"
            raise wrong_result(op, expected, f"an array of {array.dtype}{list(array.shape)}")
        if t.rank == 0 and len(array.shape):
            check_shape(op, array, (1, *array.shape[1:]), i, n)
            array = array.reshape(array.shape[1:])
        if op.impl[1] is None and prepare_given_out(op, slots) != <PyObject*> None:
            for k in range(array.ndim):
                shape[k] = array.shape[k]
            given = prepare_out(op, slots, slots[op.out_slot], code, array.ndim, shape, live)
            array_into(array, given)
            bump_version(given)
            return given
        result = tensor_of_result(array, code)
        if op.impl[4]:
            result = as_ordered(<Tensor> slots[0], result)
        results.append(result)
        outs[i] = <PyObject*> result
    if op.impl[1] is None:
        record_outputs(op, slots, outs, 1, live)
        return results[0]
    return several(op, slots, results, live)


cdef object several(Op op, PyObject** slots, list results, uint32_t live):
    """Several outputs as the op's named tuple: recorded, or written into the tensors that out= gave."""
    cdef PyObject* outs[8]              # as many outputs as a schema may have
    cdef int i
    if prepare_given_out(op, slots) != <PyObject*> None:
        return write_tuple(op, slots, results, live)
    for i in range(<int> len(results)):
        outs[i] = <PyObject*> results[i]
    record_outputs(op, slots, outs, <int> len(results), live)
    return tuple.__new__(op.impl[1], results)      # past the checks of those who make one by hand
