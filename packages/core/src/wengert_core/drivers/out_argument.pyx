"""Results into tensors that out= gives: of ops whose kernels make a tensor of their own, and of composites."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.op cimport Op
from wengert_core.dispatch.op import type_words
from wengert_core.drivers.memory_overlap import check_outputs
from wengert_core.drivers.refused_writes import copies_history, refused_write
from wengert_core.drivers.steps cimport prepare_given_out, prepare_out
from wengert_core.dtypes.dtypes import C_NAMES as _C_NAMES
from wengert_core.exchange.arrays cimport without_alias, copy_into
from wengert_core.runtime.launches cimport tell_opaque
from wengert_core.runtime.state cimport WG_DUAL, WG_GRAD, WG_TELL, WgState, thread_state
from wengert_core.tensors.memory_format cimport dense_strides, order_of
from wengert_core.tensors.requires_grad cimport requires_grad
from wengert_core.messages.mismatches import device_error
from wengert_core.tensors.named_tuple import result_type
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, alias, bump_version, same_shape, strides_of

# Ops whose out= of another shape gets the order of dims that the result has without out=, as in torch.
cdef frozenset KEEP_ORDER = frozenset("""
    cat cholesky_inverse complex diff ldexp linalg_cholesky_ex linalg_eigh linalg_inv_ex linalg_lu_factor
    linalg_lu_factor_ex linalg_lu_solve linalg_qr linalg_solve_ex linalg_solve_triangular linalg_svd geqrf
    nan_to_num nonzero polar _polygamma qr sort svd take
""".split())

cdef dict OPS = {}  # an op without a kernel for each composite's name: it names what refuses


cdef Tensor into_out(Op op, PyObject** slots, Tensor result, uint32_t live):
    """The tensor given as out= with the result in it; None where none is given."""
    if prepare_given_out(op, slots) == <PyObject*> None:
        return None
    cdef bint fits = not isinstance(<object> slots[op.out_slot], Tensor) \
        or same_shape(<Tensor> slots[op.out_slot], result)
    given = prepare_out(op, slots, slots[op.out_slot], result.code, result.rank, result.dims, live)
    if not fits:
        lay_out_as(op, given, result)
    copy_into(given, without_alias(result, given))
    bump_version(given)
    return given


cdef int lay_out_as(Op op, Tensor given, Tensor result) except -1:
    """Give a tensor that was resized the result's order of dims, where the op keeps it."""
    cdef const Py_ssize_t* strides = strides_of(result)
    cdef int order[64]
    if result.rank < 2 or not result.count or result.flags & TF_CONTIGUOUS or op.name not in KEEP_ORDER:
        return 0
    order_of(result.rank, 1, &strides, result.dims, order)
    dense_strides(given, order)
    return 0


def into(str name, Tensor result, out):
    """out with a composite's result in it: resized where it must be, checked as the out= of any op."""
    cdef Op op = OPS.get(name)
    cdef Tensor given
    if op is None:
        op = OPS[name] = Op(f"{name}(*, Tensor? out=None) -> Tensor", "composite")
    if isinstance(out, Tensor) and (<Tensor> out).device != result.device:
        raise device_error(name, (out.shape, out.device), (alias(result).shape, alias(result).device))
    if isinstance(out, Tensor) and has_history(result, <Tensor> out) and copies_history(name):
        return copy_with_history(op, result, <Tensor> out)
    cdef bint fits = not isinstance(out, Tensor) or same_shape(<Tensor> out, result)
    given = prepare_out(op, NULL, <PyObject*> out, result.code, result.rank, result.dims,
                        result.flags & thread_state().modes)
    if not fits:
        lay_out_as(op, given, result)
    if thread_state().modes & WG_TELL:             # a recorder sees operations, and this is written by none
        if not fits:
            tell_opaque()
        (<object> given).copy_(without_alias(alias(result), given))
        return given
    copy_into(given, without_alias(alias(result), given))
    bump_version(given)
    return given


cdef bint has_history(Tensor result, Tensor out) noexcept:
    """Return whether a copy of the result to out= would be recorded."""
    cdef uint32_t modes = thread_state().modes
    return modes & WG_GRAD and (requires_grad(result) or requires_grad(out)) or result.flags & modes & WG_DUAL


cdef Tensor copy_with_history(Op op, Tensor result, Tensor out):
    """Resize out=, and copy the result with its history. RuntimeError for a leaf, which keeps its shape."""
    cdef WgState* state = thread_state()
    cdef uint32_t modes = state.modes
    cdef bint fits = same_shape(out, result)
    refusal = refused_write(op.name, (out,), {}, True)
    if refusal is not None:
        raise refusal
    state.modes = modes & ~(<uint32_t> (WG_GRAD | WG_DUAL))
    try:
        prepare_out(op, NULL, <PyObject*> out, result.code, result.rank, result.dims, 0)
    finally:
        state.modes = modes
    if not fits and modes & WG_TELL:
        tell_opaque()
    return (<object> out).copy_(result)


cdef tuple OVERLOADED = ("max", "min", "sort")         # in torch no overload fits


cdef object write_tuple(Op op, PyObject** slots, list results, uint32_t live):
    """out=(values, indices): tensors of exactly these dtypes, resized where they must be."""
    cdef object out = <object> slots[op.out_slot]
    cdef Tensor given, result
    if not isinstance(out, (tuple, list)):
        if op.name in OVERLOADED:
            raise TypeError(f"{op.name}() received an invalid combination of arguments: out= must be a tuple of "
                            f"{len(results)} tensors, not {type_words(out)}")
        raise TypeError(f"{op.name}(): argument 'out' must be tuple of Tensors, not {type_words(out)}: of "
                        f"{len(results)} Tensors")
    if len(out) != len(results):
        raise TypeError(f"expected tuple of {len(results)} elements but got {len(out)}")
    for i, (item, result) in enumerate(zip(out, results)):
        if not isinstance(item, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument {op.out_slot}, but got {type(item).__name__}")
        if (<Tensor> item).code != result.code:
            raise RuntimeError(f"Expected out tensor to have dtype {_C_NAMES[result.code]}, but got "
                               f"{_C_NAMES[(<Tensor> item).code]} instead")
    for given, result in zip(out, results):
        fits = same_shape(given, result)
        prepare_out(op, slots, <PyObject*> given, result.code, result.rank, result.dims, live)
        if not fits:
            lay_out_as(op, given, result)
    check_outputs(op.name, out)
    for given, result in zip(out, results):
        copy_into(given, without_alias(result, given))
        bump_version(given)
    return result_type(f"{op.name}_out", op.outputs)(out)
