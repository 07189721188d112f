"""The driver of products of two vectors or matrices: shapes and dtypes with torch's errors, then one multiplication.

Note [Which products have a node]
    mm, bmm, mv, dot and vdot have formulas of their own, and addmm and linear (addmm.pyx). matmul runs one of them
    where the ranks allow it; other ranks are computed at once where nothing is recorded, and else by a composition of
    views and one of these (``op.impl``).
"""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.arguments cimport scalar_name, sizes_list
from wengert_core.dispatch.dispatcher cimport LIVE_INTERCEPT, dispatch, intercept, watch_only
from wengert_core.dispatch.op cimport Op, call_bound, find_op, run_fn
from wengert_core.drivers.linalg.gemm cimport computing_code, has_product, multiply
from wengert_core.drivers.out_argument cimport into_out
from wengert_core.drivers.references cimport call_reference, result_into
from wengert_core.drivers.steps cimport prepare_given_out, record
from wengert_core.dtypes.dtypes cimport BOOL, CAT_COMPLEX, DTypeFacts, dtype_facts
from wengert_core.dtypes.dtypes import C_NAMES as _C_NAMES
from wengert_core.messages.mismatches import broadcast_error
from wengert_core.exchange.arrays cimport array_of, convert_copy
from wengert_core.exchange.device_memory cimport runs_on_device
from wengert_core.runtime.launches cimport tell_complete
from wengert_core.runtime.state cimport WG_CAST, WG_DUAL, WG_GRAD, WG_TELL, thread_state
from wengert_core.tensors.tensor cimport Tensor, alias, new_empty, shape_tuple

cdef DTypeFacts* FACTS = dtype_facts()
cdef Op MM = None, MV = None, DOT = None


def configure(Op op, str way, compose):
    """Make ``op`` the product called ``way``. compose: for matmul, the function that composes what has no node."""
    op.run = RUNS[<int> WAYS.index(way)]
    if way == "matmul":
        watch_only(op, -1)             # the primitives that it calls are dispatched
    op.impl = compose
    if op.n_positional == 2:
        op.call2 = call_two


cdef object call_two(Op op, PyObject* a, PyObject* b):
    cdef PyObject* slots[16]
    cdef int i
    slots[0], slots[1] = a, b
    if type(<object> a) is not Tensor or type(<object> b) is not Tensor:
        return call_bound(op, slots, 2, NULL)
    for i in range(2, op.n_params):
        slots[i] = op.defaults[i]
    return dispatch(op, slots)


# ---- the steps

cdef object multiply_matrices(
    Op op, PyObject** slots, Tensor a, Tensor b, bint transposed, int ndim, Py_ssize_t* shape, uint32_t live
):
    """The product as a new tensor or in out=, recorded."""
    cdef Tensor out, given
    check_out(op, slots, a.code)
    out = new_empty(a.code, ndim, shape)
    if has_product(a.code) and not runs_on_device():
        multiply(a, b, transposed, out)
    else:
        by_reference(op, slots, out)
    given = into_out(op, slots, out, live)
    if live & WG_TELL:
        tell_complete(<void*> op)
    if given is not None:
        return given
    if live:
        record(op, slots, out, live)
    return out


cdef int check_out(Op op, PyObject** slots, int code) except -1:
    """out= must have the dtype of the product."""
    cdef PyObject* out = prepare_given_out(op, slots)
    if isinstance(<object> out, Tensor) and (<Tensor> out).code != code:
        if op.name in ("dot", "vdot"):
            raise RuntimeError(f"result dtype {scalar_name((<Tensor> out).code)} does not match input dtype "
                               f"{scalar_name(code)}")
        raise RuntimeError(f"Expected out tensor to have dtype {c_name(code)}, "
                           f"but got {c_name((<Tensor> out).code)} instead")
    return 0


cdef int by_reference(Op op, PyObject** slots, Tensor out) except -1:
    """Compute with the row's reference on NumPy arrays; low precision comes as float32."""
    cdef Tensor t
    arguments = []
    for i in range(op.n_params):
        if i == op.out_slot:
            continue
        value = <object> slots[i]
        if isinstance(value, Tensor):
            t = <Tensor> value
            value = array_of(t if computing_code(t.code) == t.code else convert_copy(t, computing_code(t.code)))
        arguments.append(value)
    return result_into(op, call_reference(op, arguments), out)


cdef str c_name(int code):
    """C++'s name of a dtype, which some of torch's messages use."""
    return <str> _C_NAMES[code]


cdef object no_bool(str label):
    return NotImplementedError(f"\"{label}\" not implemented for 'Bool': a product of matrices takes integer, floating "
                               "and complex tensors; convert first, with .int() or .float()")


cdef str sizes_text(Tensor t):
    return "x".join([str(t.dims[i]) for i in range(t.rank)])


cdef object cannot_multiply(Op op, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, Py_ssize_t p, Tensor a, Tensor b):
    return RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({m}x{n} and {k}x{p}): {op.name} got shapes "
                        f"{list(shape_tuple(a))} and {list(shape_tuple(b))}, of which two sizes must be equal (see "
                        "docs/errors/shape-mismatch)")


cdef int check_same(Op op, Tensor a, Tensor b) except -1:
    """Both matrices of one dtype which has products."""
    if a.code != b.code:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {c_name(a.code)} != {c_name(b.code)}: "
                           f"convert one of {op.name}'s arguments with .to() (see docs/errors/dtype-mismatch)")
    if a.code == BOOL:
        raise no_bool("addmm_impl_cpu_")
    return 0


cdef inline uint32_t live_of(Tensor a, Tensor b) noexcept:
    return (a.flags | b.flags) & thread_state().modes


# ---- primitives

cdef object mm_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor a = <Tensor> slots[0], b = <Tensor> slots[1]
    cdef Py_ssize_t shape[2]
    if a.rank != 2 or b.rank != 2:
        raise RuntimeError(f"{'self' if a.rank != 2 else 'mat2'} must be a matrix: mm got shapes "
                           f"{list(shape_tuple(a))} and {list(shape_tuple(b))}; "
                           "use matmul for other numbers of dimensions")
    if a.dims[1] != b.dims[0]:
        raise cannot_multiply(op, a.dims[0], a.dims[1], b.dims[0], b.dims[1], a, b)
    if a.code != b.code or a.code == BOOL:
        check_same(op, a, b)
    shape[0], shape[1] = a.dims[0], b.dims[1]
    return multiply_matrices(op, slots, a, b, False, 2, shape, live)


cdef object bmm_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor a = <Tensor> slots[0], b = <Tensor> slots[1]
    cdef Py_ssize_t shape[3]
    if a.rank != 3 or b.rank != 3:
        raise RuntimeError(f"{'batch1' if a.rank != 3 else 'batch2'} must be a 3D tensor: bmm got shapes "
                           f"{list(shape_tuple(a))} and {list(shape_tuple(b))}")
    if a.dims[0] != b.dims[0] or a.dims[2] != b.dims[1]:
        raise batch_mismatch(a.dims[0], a.dims[2], b)
    check_batch_dtypes(a, b)
    shape[0], shape[1], shape[2] = a.dims[0], a.dims[1], b.dims[2]
    return multiply_matrices(op, slots, a, b, False, 3, shape, live)


cdef object batch_mismatch(Py_ssize_t batch, Py_ssize_t n, Tensor b):
    return RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{batch}, {n}] but got: "
                        f"[{b.dims[0] if b.rank == 3 else b.count // (b.dims[b.rank - 2] * b.dims[b.rank - 1] or 1)}, "
                        f"{b.dims[b.rank - 2]}].")


cdef int check_batch_dtypes(Tensor a, Tensor b) except -1:
    if a.code != b.code:
        raise RuntimeError(f"expected scalar type {scalar_name(a.code)} but found {scalar_name(b.code)}: a batch of "
                           "products needs one dtype; convert with .to()")
    if a.code == BOOL:
        raise no_bool("bmm")
    return 0


cdef object mv_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor a = <Tensor> slots[0], b = <Tensor> slots[1]
    if a.rank == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions: mv takes a matrix and a vector")
    if a.rank != 2 or b.rank != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {a.rank}, {b.rank}: "
                           "mv takes a matrix and a vector")
    if a.dims[1] != b.dims[0]:
        raise RuntimeError(f"size mismatch, got input ({a.dims[0]}), mat ({sizes_text(a)}), vec ({b.dims[0]}): the "
                           f"matrix has {a.dims[1]} columns, the vector {b.dims[0]} elements")
    if a.code != b.code:
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {scalar_name(b.code)}, "
                           f"{scalar_name(a.code)}, and {scalar_name(b.code)}")
    if a.code == BOOL:
        raise no_bool("addmv_impl_cpu")
    return multiply_matrices(op, slots, a, b, False, 1, a.dims, live)


cdef int check_vectors(Tensor a, Tensor b) except -1:
    if a.rank != 1 or b.rank != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.rank}D and {b.rank}D tensors")
    if a.code != b.code:
        raise RuntimeError("dot : expected both vectors to have same dtype, "
                           f"but found {scalar_name(a.code)} and {scalar_name(b.code)}")
    if a.dims[0] != b.dims[0]:
        raise RuntimeError(f"inconsistent tensor size, expected tensor [{a.dims[0]}] and src [{b.dims[0]}] to have the "
                           f"same number of elements, but got {a.dims[0]} and {b.dims[0]} elements respectively")
    if a.code == BOOL:
        raise no_bool("dot")
    return 0


cdef object dot_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor a = <Tensor> slots[0], b = <Tensor> slots[1]
    check_vectors(a, b)
    return multiply_matrices(op, slots, a, b, False, 0, NULL, live)


cdef object vdot_run(Op op, PyObject** slots, uint32_t live):
    """The dot product with the first vector conjugated."""
    cdef Tensor a = <Tensor> slots[0], b = <Tensor> slots[1]
    check_vectors(a, b)
    if FACTS.category[a.code] != CAT_COMPLEX:
        return multiply_matrices(op, slots, a, b, False, 0, NULL, live)
    return multiply_matrices(op, slots, find_op("conj")(alias(a)), b, False, 0, NULL, live)


# ---- matmul

cdef int look_up() except -1:
    """Find core's own products: a plugin's row may be of the same way."""
    global MM, MV, DOT
    MV, DOT = find_op("mv"), find_op("dot")
    MM = find_op("mm")
    return 0


cdef object matmul_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor a = <Tensor> slots[0], b = <Tensor> slots[1]
    cdef Py_ssize_t shape[64]
    cdef int ndim
    if MM is None:
        look_up()
    if thread_state().modes & WG_CAST:     # a product of vectors is cast as matmul is, not as dot
        return intercept(op, slots, live_of(a, b))
    if a.rank == 2 and b.rank == 2:
        return dispatch(MM, slots)
    if a.rank == 2 and b.rank == 1:
        return dispatch(MV, slots)
    if a.rank == 1 and b.rank == 1:
        return dispatch(DOT, slots)
    if a.rank == 0 or b.rank == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a.rank}D and {b.rank}D: "
                           "multiply numbers with *")
    ndim = product_shape(op, a, b, shape)
    live = live_of(a, b)
    if live & (LIVE_INTERCEPT | WG_GRAD | WG_DUAL) and slots[2] == <PyObject*> None:
        return op.impl(a, b, tuple(sizes_list(ndim, shape)))
    if live & LIVE_INTERCEPT:
        return intercept(op, slots, live)
    return multiply_matrices(op, slots, a, b, False, ndim, shape, live)


cdef int product_shape(Op op, Tensor a, Tensor b, Py_ssize_t* shape) except -1:
    """Return the result's dims where one has more than two, or where a vector meets a matrix; with torch's errors."""
    cdef Py_ssize_t n = a.dims[a.rank - 1], k = b.dims[b.rank - 2 if b.rank > 1 else 0]
    cdef int ndim = 0, i
    if b.rank <= 2:
        check_folded(op, a, b, n, k)
    else:
        check_batch_dtypes(a, b)
    for i in range(a.rank - 2):
        shape[i] = a.dims[i]
        ndim += 1
    if b.rank > 2:
        ndim = joined_batch(a, b, ndim, shape)
        if n != k:
            k = 1
            for i in range(ndim):
                k *= shape[i]
            raise batch_mismatch(k, n, b)
    if a.rank > 1:
        shape[ndim] = a.dims[a.rank - 2]
        ndim += 1
    if b.rank > 1:
        shape[ndim] = b.dims[b.rank - 1]
        ndim += 1
    return ndim


cdef int check_folded(Op op, Tensor a, Tensor b, Py_ssize_t n, Py_ssize_t k) except -1:
    """[..., n] with a matrix or a vector."""
    cdef Py_ssize_t m = 1 if a.rank == 1 else a.count // (n or 1)
    if b.rank == 1:
        if n != k:
            raise RuntimeError(f"size mismatch, got input ({m}), mat ({m}x{n}), vec ({k}): {op.name} got shapes "
                               f"{list(shape_tuple(a))} and {list(shape_tuple(b))} (see docs/errors/shape-mismatch)")
        if a.code != b.code:
            raise RuntimeError(f"addmv input tensors must have the same dtype, but got {scalar_name(b.code)}, "
                               f"{scalar_name(a.code)}, and {scalar_name(b.code)}")
    elif n != k:
        raise cannot_multiply(op, m, n, k, b.dims[1], a, b)
    return check_same(op, a, b)


cdef int joined_batch(Tensor a, Tensor b, int ndim, Py_ssize_t* shape) except -1:
    """Widen ``shape``, a's dims in front, by b's."""
    cdef int i, extra = b.rank - 2 - ndim
    cdef Py_ssize_t size
    if extra > 0:
        for i in range(ndim - 1, -1, -1):
            shape[i + extra] = shape[i]
        for i in range(extra):
            shape[i] = 1
        ndim += extra
    for i in range(b.rank - 2):
        size = b.dims[i]
        extra = ndim - (b.rank - 2) + i
        if shape[extra] != size and size != 1 and shape[extra] != 1:
            raise broadcast_error("matmul", shape[extra], size, extra, (shape_tuple(a), shape_tuple(b)))
        if shape[extra] == 1:
            shape[extra] = size
    return ndim


cdef tuple WAYS = ("mm", "bmm", "mv", "dot", "vdot", "matmul")
cdef run_fn RUNS[6]
RUNS[0], RUNS[1], RUNS[2], RUNS[3], RUNS[4], RUNS[5] = mm_run, bmm_run, mv_run, dot_run, vdot_run, matmul_run
