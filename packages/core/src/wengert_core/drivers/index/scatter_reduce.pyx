"""Reductions of what is scattered to one place, for scatter_reduce and index_reduce. The driver is scatter.pyx."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.arguments cimport scalar_name
from wengert_core.dispatch.keep_alive cimport warn_in_call
from wengert_core.dispatch.op cimport OP_INPLACE, Op
from wengert_core.drivers.index.index_iterator cimport (WALK_ADD, WALK_LARGEST, WALK_PRODUCT, WALK_SMALLEST, WALK_WRITE,
                                                        walk_along)
from wengert_core.drivers.references cimport call_reference, result_into
from wengert_core.dtypes.dtypes cimport (BFLOAT16, BOOL, CAT_BOOL, CAT_COMPLEX, CAT_FLOAT, FLOAT32, INT64, DTypeFacts,
                                         dtype_facts)
from wengert_core.dtypes.scalars cimport store_number
from wengert_core.exchange.arrays cimport array_of, convert_copy, copy_into, fill_number
from wengert_core.exchange.device_memory cimport without_kernels
from wengert_core.runtime.state cimport WG_GRAD, WgState, thread_state
from wengert_core.tensors.tensor cimport Tensor, alias, new_empty, strides_of

cdef DTypeFacts* FACTS = dtype_facts()


cdef int check_reduction(Op op, PyObject** slots, int code, bint indexed) except -1:
    """Raise for an unknown reduction, for an order of complex numbers, for a mean of bools; warn as torch does."""
    reduce = <object> slots[4] if indexed else plain_reduction(<object> slots[4])
    if reduce not in (("prod", "mean", "amax", "amin") if indexed else ("sum", "prod", "mean", "amax", "amin")):
        if indexed:
            raise RuntimeError("index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got "
                               f"{reduce}.")
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if FACTS.category[code] == CAT_COMPLEX and reduce in ("amax", "amin"):
        kernel = "index_reduce" if indexed else "scatter_gather_tensor_cpu_reduce"
        raise NotImplementedError(f"\"{kernel}_{reduce}\" not implemented for '{scalar_name(code)}': it needs an order")
    if code == BOOL and reduce == "mean":
        kernel = "index_func_" if indexed else "scatter_gather_tensor_cpu_reduce_mean"
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool': bools have no mean")
    if indexed:
        warn_in_call(op, slots, "index_reduce() is in beta and the API may change at any time.")
    return 0


cdef object plain_reduction(object reduce):
    """The documented name of a reduction, of which scatter_reduce takes two others, as in torch."""
    return {"max": "amax", "min": "amin"}.get(reduce, reduce)


cdef int reduce_into(
    Op op, PyObject** slots, Tensor target, int dim, Tensor index, Tensor source, const Py_ssize_t* shape
) except -1:
    """target holds self. bfloat16 is computed in float32, and rounded once."""
    cdef Op plain = op.out_of_place if op.flags & OP_INPLACE else op
    cdef Tensor wide
    cdef bint includes = <object> slots[5]
    reduce = plain_reduction(<object> slots[4])
    if index.count == 0 or target.count == 0:
        return 0
    if without_kernels() or FACTS.category[target.code] == CAT_COMPLEX:
        arrays = [array_of(target), dim, array_of(index), array_of(source), reduce, includes]
        return result_into(plain, call_reference(plain, arrays), target)
    if target.code == BFLOAT16:
        wide, source = convert_copy(target, FLOAT32), convert_copy(source, FLOAT32)
        walk_reduction(reduce, includes, wide, dim, index, source, shape)
        return copy_into(target, wide)
    return walk_reduction(reduce, includes, target, dim, index, source, shape)


cdef int walk_reduction(
    object reduce, bint includes, Tensor target, int dim, Tensor index, Tensor source, const Py_ssize_t* shape
) except -1:
    cdef Py_ssize_t repeated[64]
    cdef char number[16]
    cdef int i, what = WALK_ADD
    cdef object start
    for i in range(target.rank):
        repeated[i] = 0
    if reduce == "prod":
        what = WALK_PRODUCT
    elif reduce == "amax":
        what = WALK_LARGEST
    elif reduce == "amin":
        what = WALK_SMALLEST
    if not includes:
        start = 0 if what == WALK_ADD else 1 if what == WALK_PRODUCT else end_of(target.code, what == WALK_SMALLEST)
        store_number(<PyObject*> start, target.code, number)
        walk_along(WALK_WRITE, target, dim, index, None, number, shape, repeated)
    walk_along(what, target, dim, index, source, source.data, shape, strides_of(source))
    if reduce == "mean":
        divide_by_counts(target, dim, index, includes, shape, repeated)
    return 0


cdef object end_of(int code, bint largest):
    """The largest number of a dtype, or the smallest."""
    cdef object room = 1 << 8 * <object> FACTS.itemsize[code]
    if FACTS.category[code] == CAT_BOOL:
        return largest
    if FACTS.category[code] == CAT_FLOAT:
        return float("inf") if largest else -float("inf")
    if FACTS.is_signed[code]:
        return room // 2 - 1 if largest else -room // 2
    return room - 1 if largest else 0


cdef int divide_by_counts(
    Tensor target, int dim, Tensor index, bint includes, const Py_ssize_t* shape, const Py_ssize_t* repeated
) except -1:
    """target / counts of what was added up there, at least 1."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    cdef Tensor counts = new_empty(INT64, target.rank, target.dims)
    cdef char one[16]
    cdef object number = 1
    store_number(<PyObject*> number, INT64, one)
    fill_number(counts, includes)
    walk_along(WALK_ADD, counts, dim, index, None, one, shape, repeated)
    state.modes = modes & ~(<unsigned int> WG_GRAD)
    try:
        counts = (<object> counts).clamp_min(1)
        if FACTS.category[target.code] >= CAT_FLOAT:
            counts = convert_copy(counts, target.code)
            copy_into(target, (<object> alias(target)) / counts)
        else:
            copy_into(target, (<object> alias(target)) // convert_copy(counts, target.code))
    finally:
        state.modes = modes
    return 0
