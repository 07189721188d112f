"""The driver of nll_loss and of its gradient: for each target the input's element of that class, weighted.

Note [Layout of a class loss]
    Inputs are [C], [N, C] or [N, C, d1, ...]: N blocks of C classes of S positions, S = d1 * d2 * ...; targets are
    N * S classes. Sums are taken in double.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memset


from wengert_core.dispatch.arguments cimport int_slot, ints_slot, scalar_name, sizes_list
from wengert_core.dispatch.keep_alive cimport any_large, hold_slots
from wengert_core.dispatch.op cimport Op, op_error
from wengert_core.drivers.kernel_launch cimport add_tensor, tell_kernel
from wengert_core.drivers.pointwise.pointwise_checks import every_sample
from wengert_core.drivers.references cimport call_reference, result_into
from wengert_core.drivers.steps cimport record
from wengert_core.dtypes.dtypes cimport BFLOAT16, CAT_FLOAT, FLOAT16, FLOAT32, INT64, UINT8, DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport array_of, convert_copy, row_major, row_major_as
from wengert_core.exchange.device_memory cimport without_kernels
from wengert_core.runtime.launches cimport (LAUNCH_DONE, LAUNCH_FAILED, OPERAND_READ, OPERAND_WRITTEN, Launch,
                                            count_recorders, tell_complete)
from wengert_core.runtime.state cimport WG_BATCHED, WG_GRAD, WG_TELL, thread_state
from wengert_core.tensors.tensor cimport Tensor, new_empty, shape_tuple

cdef enum:
    NONE = 0                           # torch's numbers of the reductions
    MEAN = 1
    SUM = 2

cdef struct ClassLoss:
    Py_ssize_t n_batch                 # N
    Py_ssize_t n_classes               # C
    Py_ssize_t n_positions             # S
    int64_t ignored                    # the class that does not count
    int64_t wrong                      # a target out of range, when one was found
    int reduction
    bint bytes_                        # targets are uint8
    bint held                          # Note [What a kernel holds]: the GIL may be given up
    char* targets
    bint single                        # float32, else float64
    bint is_backward
    Py_ssize_t nbytes                  # of the result

ctypedef fused real_t:
    float
    double

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()


def configure(Op op, bint backward):
    """Make ``op`` nll_loss, or its gradient."""
    op.run = backward_run if backward else forward_run


# ---- kernels

cdef inline int64_t target_at(ClassLoss* p, Py_ssize_t i) noexcept nogil:
    return (<uint8_t*> p.targets)[i] if p.bytes_ else (<int64_t*> p.targets)[i]


cdef bint forward(ClassLoss* p, real_t* x, real_t* weight, real_t* out) noexcept nogil:
    """One loss for each target, or their sum or weighted mean. False: p.wrong is out of range."""
    cdef Py_ssize_t n, s, i = 0
    cdef int64_t c
    cdef double total = 0, weights = 0, w, loss
    for n in range(p.n_batch):
        for s in range(p.n_positions):
            c = target_at(p, i)
            loss = 0
            if c != p.ignored:
                if c < 0 or c >= p.n_classes:
                    p.wrong = c
                    return False
                w = 1 if weight == NULL else weight[c]
                loss = -w * x[(n * p.n_classes + c) * p.n_positions + s]
                weights += w
            if p.reduction == NONE:
                out[i] = <real_t> loss
            total += loss
            i += 1
    if p.reduction != NONE:
        out[0] = <real_t> (total / weights if p.reduction == MEAN else total)
    return True


cdef bint backward(ClassLoss* p, real_t* grad, real_t* weight, real_t* out) noexcept nogil:
    """The gradient with respect to x, into ``out``, which is zero."""
    cdef Py_ssize_t n, s, i = 0, total = p.n_batch * p.n_positions
    cdef int64_t c
    cdef double weights = 0, scale = 1
    for i in range(total):
        c = target_at(p, i)
        if c != p.ignored:
            if c < 0 or c >= p.n_classes:
                p.wrong = c
                return False
            weights += 1 if weight == NULL else weight[c]
    if p.reduction != NONE:
        scale = grad[0] / (weights if p.reduction == MEAN else 1)
    i = 0
    for n in range(p.n_batch):
        for s in range(p.n_positions):
            c = target_at(p, i)
            if c != p.ignored:
                out[(n * p.n_classes + c) * p.n_positions + s] = <real_t> (
                    -(1 if weight == NULL else weight[c]) * (grad[i] if p.reduction == NONE else scale))
            i += 1
    return True


# ---- checks

def refuse_gradient(str function not None, str argument not None, t, str where="everywhere"):
    """RuntimeError for an argument that requires a gradient, which the function does not have.

    where: "everywhere": also where the batch requires it that ``t`` is a sample of;   "unbatched": ``t`` itself;
    "untransformed": not inside of grad and vmap of wengert.func, where PyTorch has the gradients of some.
    """
    cdef Tensor whole
    if not isinstance(t, Tensor) or not thread_state().modes & WG_GRAD:
        return
    whole = every_sample(t) if where == "everywhere" else <Tensor> t
    if where == "untransformed" and (thread_state().transform or whole.flags & WG_BATCHED):
        return
    if whole.requires_grad:
        raise RuntimeError(f"The function '{function}' is not differentiable with respect to argument '{argument}'. "
                           "This input cannot have requires_grad True.")


cdef int check_weight(Tensor weight, Py_ssize_t n_classes, int code) except -1:
    if weight.rank != 1 or weight.dims[0] != n_classes:
        raise RuntimeError(f"weight tensor should be defined either for all {n_classes} classes or no classes but got "
                           f"weight tensor of shape: {list(shape_tuple(weight))}")
    if weight.code != code:
        raise RuntimeError(f"expected scalar type {scalar_name(code)} but found {scalar_name(weight.code)}: nll_loss "
                           "needs a weight of the input's dtype")
    return 0


cdef int check_shapes(Tensor target, int ndim, Py_ssize_t* shape) except -1:
    """The target has one class for each position of an input of that shape."""
    cdef int i
    cdef bint fits = target.rank == ndim - 1
    cdef Py_ssize_t batch = target.dims[0] if target.rank else 0
    if ndim == 1:
        if target.rank > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported: the target's shape is "
                               f"{list(shape_tuple(target))}")
        if target.rank and batch != 1:
            raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {batch}")
        return 0
    if shape[0] != batch:
        raise ValueError(f"Expected input batch_size ({shape[0]}) to match target batch_size ({batch}).")
    if ndim == 2 and target.rank > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported: nll_loss got an input of "
                           f"shape {sizes_list(ndim, shape)} and a target of shape {list(shape_tuple(target))}")
    if ndim == 4 and target.rank != 3:
        raise RuntimeError("only batches of spatial targets supported (3D tensors) but got targets of dimension: "
                           f"{target.rank}")
    for i in range(1, ndim - 1):
        fits = fits and target.dims[i] == shape[i + 1]
    if fits:
        return 0
    if ndim == 4:
        raise RuntimeError(f"size mismatch (got input: {sizes_list(ndim, shape)} , target: {list(shape_tuple(target))}")
    raise RuntimeError(f"Expected target size {[shape[0]] + [shape[i] for i in range(2, ndim)]}, got "
                       f"{list(shape_tuple(target))}")


cdef int set_up(ClassLoss* p, Op op, PyObject** slots, Tensor target, int ndim, Py_ssize_t* shape) except -1:
    """Check and read the layout for both directions. Slots 3 and 4 (forward): the reduction and the ignored class."""
    cdef int i
    if ndim == 0:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    check_shapes(target, ndim, shape)
    if target.code != INT64 and target.code != UINT8:
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {scalar_name(target.code)}: a class "
                           "loss takes class numbers; convert with .long()")
    p.n_batch, p.n_classes, p.n_positions = 1, shape[0], 1
    if ndim > 1:
        p.n_batch, p.n_classes = shape[0], shape[1]
    for i in range(2, ndim):
        p.n_positions *= shape[i]
    i = op.n_params - 2
    p.reduction = <int> int_slot(op, slots, i)
    p.ignored = int_slot(op, slots, i + 1)
    p.bytes_ = target.code == UINT8
    p.targets = target.data
    return 0


cdef Tensor computable(Tensor t):
    """Contiguous, low precision as float32."""
    if t is None:
        return None
    return row_major_as(t, FLOAT32 if t.code == FLOAT16 or t.code == BFLOAT16 else t.code)


cdef Tensor weight_of(PyObject* value, Op op, int slot):
    if value == <PyObject*> None:
        return None
    if not isinstance(<object> value, Tensor):
        raise op_error(op, slot, "Tensor", value)
    return <Tensor> value


cdef int by_reference(Op op, PyObject** slots, Tensor out) except -1:
    cdef int i
    arguments = []
    for i in range(op.n_params):
        value = <object> slots[i]
        arguments.append(array_of(computable(<Tensor> value)) if isinstance(value, Tensor) else value)
    return result_into(op, call_reference(op, arguments), out)


# ---- running

cdef object forward_run(Op op, PyObject** slots, uint32_t live):
    """nll_loss(self, target, weight, reduction, ignore_index)."""
    cdef Tensor x = <Tensor> slots[0], target = <Tensor> slots[1], weight = weight_of(slots[2], op, 2), out
    cdef PyObject* kept[16]
    cdef PyObject** own = slots
    cdef ClassLoss p
    p.held = any_large(op, slots)
    if p.held:
        _holds, own = hold_slots(op, slots, kept), kept
        x, target, weight = <Tensor> own[0], <Tensor> own[1], weight_of(own[2], op, 2)
    target = row_major(target)
    set_up(&p, op, slots, target, x.rank, x.dims)
    if weight is not None:
        check_weight(weight, p.n_classes, x.code)
        refuse_gradient("nll_loss_forward" if x.rank <= 2 else "nll_loss2d_forward", "weight",
                        weight_of(slots[2], op, 2))
    if FACTS.category[x.code] != CAT_FLOAT:
        raise NotImplementedError(f"\"nll_loss_out_frame\" not implemented for '{scalar_name(x.code)}': "
                                  "it takes floating tensors")
    out = run_kernel(op, own, &p, x, weight, target, x.code,
                     (<Tensor> own[1]).rank if p.reduction == NONE and x.rank > 1 else 0,
                     target.dims, False)
    if live:
        if live & WG_TELL:
            tell_complete(<void*> op)
        record(op, slots, out, live)
    return out


cdef object backward_run(Op op, PyObject** slots, uint32_t live):
    """nll_loss_backward(grad_output, self_shape, target, weight, reduction, ignore_index)."""
    cdef Tensor grad = <Tensor> slots[0], target = <Tensor> slots[2], weight = weight_of(slots[3], op, 3), out
    cdef PyObject* kept[16]
    cdef PyObject** own = slots
    cdef ClassLoss p
    cdef Py_ssize_t shape[64]
    cdef int ndim
    p.held = any_large(op, slots)
    if p.held:
        _holds, own = hold_slots(op, slots, kept), kept
        grad, target, weight = <Tensor> own[0], <Tensor> own[2], weight_of(own[3], op, 3)
    ndim = ints_slot(op, slots, 1, shape)
    target = row_major(target)
    set_up(&p, op, slots, target, ndim, shape)
    if weight is not None:
        check_weight(weight, p.n_classes, grad.code)
    if FACTS.category[grad.code] != CAT_FLOAT:
        raise NotImplementedError(f"\"nll_loss_backward\" not implemented for '{scalar_name(grad.code)}': "
                                  "it takes floating tensors")
    if grad.count != (p.n_batch * p.n_positions if p.reduction == NONE else 1):
        raise RuntimeError(f"nll_loss_backward: a gradient of shape {list(shape_tuple(grad))} does not fit an input of "
                           f"shape {sizes_list(ndim, shape)}")
    out = run_kernel(op, own, &p, grad, weight, target, grad.code, ndim, shape, True)
    if live:
        if live & WG_TELL:
            tell_complete(<void*> op)
        record(op, slots, out, live)
    return out


cdef bint run(ClassLoss* p, char* a, char* weights, char* out) noexcept nogil:
    if p.is_backward:
        memset(out, 0, p.nbytes)
        return backward(p, <float*> a, <float*> weights, <float*> out) if p.single \
            else backward(p, <double*> a, <double*> weights, <double*> out)
    return forward(p, <float*> a, <float*> weights, <float*> out) if p.single \
        else forward(p, <double*> a, <double*> weights, <double*> out)


cdef Tensor run_kernel(
    Op op, PyObject** slots, ClassLoss* p, Tensor a, Tensor weight, Tensor target, int code, int ndim,
    Py_ssize_t* shape, bint is_backward
):
    """The kernel of one of the two directions on ``a``, the input or the gradient."""
    cdef int compute = FLOAT32 if code == FLOAT16 or code == BFLOAT16 else code
    cdef Tensor out = new_empty(compute, ndim, shape)
    cdef char* weights
    cdef bint right
    if without_kernels():
        by_reference(op, slots, out)
        return out if compute == code else convert_copy(out, code)
    a, weight = computable(a), computable(weight)
    weights = NULL if weight is None else weight.data
    p.single, p.is_backward, p.nbytes = compute == FLOAT32, is_backward, out.count * FACTS.itemsize[compute]
    if p.held:
        with nogil:
            right = run(p, a.data, weights, out.data)
    else:
        right = run(p, a.data, weights, out.data)
    if not right:
        raise_wrong(p)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_loss(p, a, weight, target, out)
    return out if compute == code else convert_copy(out, code)


cdef int raise_wrong(ClassLoss* p) except -1:
    raise IndexError(f"Target {p.wrong} is out of bounds.")


# ---- launches

cdef int tell_loss(ClassLoss* p, Tensor a, Tensor weight, Tensor target, Tensor out) except -1:
    cdef Launch* made = tell_kernel(run_launch, p, sizeof(ClassLoss))
    made.fail = fail_launch
    add_tensor(made, a, OPERAND_READ)
    add_tensor(made, weight, OPERAND_READ)
    add_tensor(made, target, OPERAND_READ)
    add_tensor(made, out, OPERAND_WRITTEN)
    return 0


cdef int run_launch(Launch* launch) noexcept nogil:
    cdef ClassLoss* p = <ClassLoss*> launch.plan
    p.targets = launch.data[2]
    return LAUNCH_DONE if run(p, launch.data[0], launch.data[1], launch.data[3]) else LAUNCH_FAILED


cdef int fail_launch(Launch* launch) except -1:
    return raise_wrong(<ClassLoss*> launch.plan)
