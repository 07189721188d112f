"""The driver of products with something added: addmm and linear."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.arguments cimport scalar_name, sizes_list
from wengert_core.dispatch.op cimport OP_INPLACE, Op, find_op, op_error
from wengert_core.drivers.linalg.gemm cimport add_row, computing_code, has_product, multiply
from wengert_core.drivers.linalg.matmul cimport (by_reference, cannot_multiply, check_out, check_same,
                                                 multiply_matrices,
                                                 no_bool)
from wengert_core.drivers.out_argument cimport into_out
from wengert_core.drivers.pointwise.pointwise_checks cimport computing
from wengert_core.drivers.steps cimport after_write, before_write, record
from wengert_core.dtypes.dtypes cimport BOOL, CAT_COMPLEX, CAT_FLOAT, DTypeFacts, dtype_facts
from wengert_core.dtypes.dtypes import C_NAMES as _C_NAMES
from wengert_core.dtypes.scalars cimport check_bound
from wengert_core.exchange.arrays cimport convert_copy, copy_into
from wengert_core.exchange.device_memory cimport runs_on_device
from wengert_core.runtime.launches cimport tell_complete
from wengert_core.runtime.state cimport WG_TELL
from wengert_core.tensors.tensor cimport Tensor, alias, forget_writes, new_empty, shape_tuple

cdef DTypeFacts* FACTS = dtype_facts()


def configure(Op op, str way):
    """Make ``op`` addmm (or its in-place variant) or linear."""
    op.run = addmm_run if way == "addmm" else linear_run


cdef int check_expands(Tensor t, int ndim, Py_ssize_t* shape) except -1:
    """t broadcasts to a product of that shape."""
    cdef int i, offset = ndim - t.rank
    if offset < 0:
        raise RuntimeError(f"expand(torch.{scalar_name(t.code)}Tensor{{{list(shape_tuple(t))}}}, "
                           f"size={sizes_list(ndim, shape)}): the number of sizes provided ({ndim}) must be greater or "
                           f"equal to the number of dimensions in the tensor ({t.rank})")
    for i in range(t.rank - 1, -1, -1):
        if t.dims[i] != shape[offset + i] and t.dims[i] != 1:
            raise RuntimeError(f"The expanded size of the tensor ({shape[offset + i]}) must match the existing size "
                               f"({t.dims[i]}) at non-singleton dimension {offset + i}.  Target sizes: "
                               f"{sizes_list(ndim, shape)}.  Tensor sizes: {list(shape_tuple(t))}")
    return 0


cdef int check_matrices(Op op, Tensor added, Tensor a, Tensor b) except -1:
    """What addmm and linear with a bias check before anything is computed."""
    if b.code != added.code or a.code != b.code:
        raise RuntimeError(f"self and mat2 must have the same dtype, but got {scalar_name(added.code)} and "
                           f"{scalar_name(b.code if b.code != added.code else a.code)}: "
                           f"{op.name} needs one dtype; convert with .to()")
    if a.code == BOOL:
        raise no_bool("addmm_impl_cpu_")
    return 0


cdef int check_factors(beta, alpha, int code) except -1:
    """RuntimeError for a factor that the numbers which are computed with cannot be."""
    for factor in (beta, alpha):
        if isinstance(factor, complex) and FACTS.category[code] != CAT_COMPLEX:
            raise RuntimeError(f"value cannot be converted to type {_C_NAMES[code]} without overflow: "
                               f"beta is {beta}, alpha {alpha}")
        check_bound(<PyObject*> factor, computing(code))
    return 0


cdef Tensor product_and_sum(
    Op op, PyObject** slots, Tensor added, Tensor a, Tensor b, bint transposed, int ndim, Py_ssize_t* shape, beta, alpha
):
    """beta * added + alpha * (a @ b), as a new tensor."""
    cdef Tensor out
    if beta != 1 or alpha != 1:
        check_factors(beta, alpha, a.code)
    if not has_product(a.code) or runs_on_device():
        out = new_empty(a.code, ndim, shape)
        by_reference(op, slots, out)
        return out
    out = new_empty(computing_code(a.code), ndim, shape)
    multiply(a, b, transposed, out)
    if FACTS.category[out.code] < CAT_FLOAT:
        beta, alpha = int(beta), int(alpha)
    elif isinstance(beta, bool):
        beta = int(beta)
    if alpha != 1:
        find_op("mul_")(out, alpha)
    if beta == 1 and add_row(out, added):
        pass
    elif beta != 0:
        find_op("add_")(out, alias(added), alpha=beta)
    forget_writes(out)
    return out if out.code == a.code else convert_copy(out, a.code)


cdef object addmm_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor added = <Tensor> slots[0], a = <Tensor> slots[1], b = <Tensor> slots[2], out, given
    cdef Py_ssize_t shape[2]
    cdef PyObject* keep = NULL
    if a.rank != 2 or b.rank != 2:
        raise RuntimeError(f"{'mat1' if a.rank != 2 else 'mat2'} must be a matrix, got "
                           f"{a.rank if a.rank != 2 else b.rank}-D tensor")
    if a.dims[1] != b.dims[0]:
        raise cannot_multiply(op, a.dims[0], a.dims[1], b.dims[0], b.dims[1], a, b)
    shape[0], shape[1] = a.dims[0], b.dims[1]
    check_matrices(op, added, a, b)
    if op.flags & OP_INPLACE:
        if added.rank != 2 or added.dims[0] != shape[0] or added.dims[1] != shape[1]:
            raise RuntimeError(f"Bad in-place call: input tensor size {list(shape_tuple(added))} and output tensor "
                               f"size {sizes_list(2, shape)} should match")
        before_write(op, slots, added, live, &keep)
        copy_into(added, product_and_sum(op, slots, added, a, b, False, 2, shape, <object> slots[3], <object> slots[4]))
        after_write(op, slots, added, live, keep)
        return added
    check_expands(added, 2, shape)
    check_out(op, slots, a.code)
    out = product_and_sum(op, slots, added, a, b, False, 2, shape, <object> slots[3], <object> slots[4])
    given = into_out(op, slots, out, live)
    if live & WG_TELL:
        tell_complete(<void*> op)
    if given is not None:
        return given
    if live:
        record(op, slots, out, live)
    return out


cdef object linear_run(Op op, PyObject** slots, uint32_t live):
    """x @ weight.T + bias along the last dim of x."""
    cdef Tensor x, weight, bias = None, out, given
    cdef Py_ssize_t shape[64]
    cdef int i, ndim
    if not isinstance(<object> slots[0], Tensor) or not isinstance(<object> slots[1], Tensor):
        raise op_error(op, 0 if not isinstance(<object> slots[0], Tensor) else 1, "Tensor",
                       slots[0] if not isinstance(<object> slots[0], Tensor) else slots[1])
    x, weight = <Tensor> slots[0], <Tensor> slots[1]
    if slots[2] != <PyObject*> None:
        bias = <Tensor> slots[2]
    if x.rank == 1 and weight.rank == 1 and bias is None:
        return find_op("dot")(x, weight)
    check_linear(op, x, weight, bias)
    ndim = x.rank - 1 + (weight.rank - 1)
    for i in range(x.rank - 1):
        shape[i] = x.dims[i]
    if weight.rank == 2:
        shape[ndim - 1] = weight.dims[0]
    if bias is None:
        return multiply_matrices(op, slots, x, weight, True, ndim, shape, live)
    check_bias(bias, x, weight, ndim, shape)
    check_out(op, slots, x.code)
    out = product_and_sum(op, slots, bias, x, weight, True, ndim, shape, 1, 1)
    given = into_out(op, slots, out, live)
    if live & WG_TELL:
        tell_complete(<void*> op)
    if given is not None:
        return given
    if live:
        record(op, slots, out, live)
    return out


cdef int check_linear(Op op, Tensor x, Tensor weight, Tensor bias) except -1:
    cdef Py_ssize_t n
    if x.rank == 0 or weight.rank == 0:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {x.rank}D and "
                           f"{weight.rank}D")
    if weight.rank > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {weight.rank}D: linear takes a "
                           "weight of [out_features, in_features]")
    if weight.rank == 1 and bias is not None:
        raise RuntimeError("mat2 must be a matrix, got 1-D tensor: "
                           "linear with a bias takes a weight of [out_features, in_features]")
    n = x.dims[x.rank - 1]
    if n != weight.dims[weight.rank - 1]:
        raise cannot_multiply(op, 1 if x.rank == 1 else x.count // (n or 1), n, weight.dims[weight.rank - 1],
                              weight.dims[0] if weight.rank == 2 else 1, x, weight)
    if bias is not None:
        return check_matrices(op, bias, x, weight)
    if x.code != weight.code or x.code == BOOL:
        check_same(op, x, weight)
    return 0


cdef int check_bias(Tensor bias, Tensor x, Tensor weight, int ndim, Py_ssize_t* shape) except -1:
    """A bias broadcasts to the result, or to the result with its dims in front joined."""
    cdef Py_ssize_t flat[2]
    if bias.rank <= 1 or ndim < 2:
        flat[0], flat[1] = x.count // (x.dims[x.rank - 1] or 1), weight.dims[0]
        return check_expands(bias, 2, flat)
    return check_expands(bias, ndim, shape)
