"""The steps that all drivers share: promotion, broadcasting, out=, what comes before and after a write, recording."""

from cpython.ref cimport Py_XDECREF, PyObject
from libc.stdint cimport uint32_t, uint64_t

from wengert_core.dispatch.arguments cimport scalar_name
from wengert_core.dispatch.keep_alive cimport check_layout, layout_of_arguments, warn_in_call
from wengert_core.dispatch.hooks cimport Hooks, hooks
from wengert_core.dispatch.op cimport OP_NO_RECORD, op_error
from wengert_core.drivers.memory_overlap cimport WRITES_APART, WRITES_IN_STEP, check_overlap, check_shared
from wengert_core.drivers.resize cimport resize_to
from wengert_core.drivers.steps cimport guard_write
from wengert_core.dtypes.dtypes cimport (BOOL, CAT_BOOL, CAT_COMPLEX, CAT_FLOAT, COMPLEX64, COMPLEX128, FLOAT64, UINT8,
                                         DTypeFacts, dtype_facts, dtype_of)
from wengert_core.dtypes.scalars cimport number_code
from wengert_core.runtime.state cimport (WG_ASK, WG_BATCHED, WG_DUAL, WG_ON_DEVICE, WG_FOREIGN, WG_GRAD, WG_RECORD,
                                         WgState,
                                         dual_is_open, thread_state)
from wengert_core.tensors.requires_grad cimport requires_grad
from wengert_core.tensors.tensor cimport TF_INFERENCE, bump_version, is_strided, shape_overlap, shape_tuple

from wengert_core.messages.mismatches import broadcast_error, device_error

cdef DTypeFacts* FACTS = dtype_facts()
cdef Hooks* HOOKS = hooks()


# ---- dtypes

cdef inline int combine(int higher, int lower) noexcept:
    """torch's rule: what has more dimensions decides, unless the other is of a higher category."""
    if higher < 0:
        return lower
    if lower < 0 or FACTS.category[lower] <= FACTS.category[higher] and FACTS.category[higher] != CAT_BOOL:
        return higher
    if FACTS.category[higher] == CAT_FLOAT and FACTS.category[lower] == CAT_COMPLEX:
        return COMPLEX128 if higher == FLOAT64 else COMPLEX64
    return FACTS.promote[higher][lower]


cdef int combine_codes(int of_dims, int of_zero_dims, int of_numbers) noexcept:
    return combine(of_dims, combine(of_zero_dims, of_numbers))


cdef bint can_cast(int source, int target) noexcept:
    """Return whether a tensor of dtype ``target`` takes a result of dtype ``source``: not of a lower category."""
    return FACTS.category[source] <= FACTS.category[target] or source == target


cdef object common_code(Op op, PyObject** slots, int n, int* code):
    """The common dtype of the first n slots (tensors and numbers) by torch's promotion."""
    cdef int dim_code = -1, zero_code = -1, plain_code = -1, c, i
    cdef Tensor t
    for i in range(n):
        if isinstance(<object> slots[i], Tensor):
            t = <Tensor> slots[i]
            if t.rank:
                dim_code = t.code if dim_code < 0 else FACTS.promote[dim_code][t.code]
            else:
                zero_code = t.code if zero_code < 0 else FACTS.promote[zero_code][t.code]
        else:
            c = number_code(slots[i])
            if c < 0:
                raise op_error(op, i, "Tensor", slots[i])
            plain_code = c if plain_code < 0 else FACTS.promote[plain_code][c]
    code[0] = combine_codes(dim_code, zero_code, plain_code)


# ---- shapes

cdef int broadcast(Op op, int* ndim, Py_ssize_t* shape, Tensor t) except -1:
    """Widen ``shape`` so that ``t`` broadcasts with it. RuntimeError with torch's words when they do not fit."""
    cdef int i, offset
    cdef Py_ssize_t size
    if t.rank > ndim[0]:
        offset = t.rank - ndim[0]
        for i in range(ndim[0] - 1, -1, -1):
            shape[i + offset] = shape[i]
        for i in range(offset):
            shape[i] = 1
        ndim[0] = t.rank
    offset = ndim[0] - t.rank
    for i in range(t.rank - 1, -1, -1):
        size = t.dims[i]
        if size == shape[i + offset] or size == 1:
            continue
        if shape[i + offset] == 1:
            shape[i + offset] = size
            continue
        first = [shape[k] for k in range(ndim[0])]
        raise broadcast_error(op.name, shape[i + offset], size, i + offset, (first, shape_tuple(t)))
    return 0


# ---- writing

cdef bint has_grad_by_base(Op op, PyObject** slots) noexcept:
    """Whether an argument requires grad that had no gradient when it was made: a view, since a write to its base."""
    cdef int i
    for i in range(op.n_params):
        if slots[i] == NULL or i == op.out_slot:
            continue
        if isinstance(<object> slots[i], Tensor):
            if requires_grad(<Tensor> slots[i]):
                return True
        elif isinstance(<object> slots[i], (list, tuple)):
            for item in <object> slots[i]:
                if isinstance(item, Tensor) and requires_grad(<Tensor> item):
                    return True
    return False


cdef bint tangent_is_lost(Tensor t) except -1:
    """Return whether a tensor has a tangent that a write which no hook sees would leave as it was."""
    return t.flags & WG_DUAL and thread_state().modes & WG_DUAL and dual_is_open() and HOOKS.has_tangent(t)


cdef Tensor prepare_out(
    Op op, PyObject** slots, PyObject* out, int code, int ndim, const Py_ssize_t* shape, uint32_t live
):
    """The tensor given as out=, checked and resized in its memory as torch does (a non-empty one of another shape
    warns).

    slots: NULL, or the arguments, which Note [What may overlap] speaks of. None of them is read after an out= that was
    resized.
    """
    if not isinstance(<object> out, Tensor):
        raise op_error(op, op.out_slot, "Tensor", out)
    cdef Tensor t = <Tensor> out
    cdef int i
    cdef bint same
    cdef uint64_t before
    if op.flags & OP_NO_RECORD:        # its results have no history that could be lost
        live &= ~(<uint32_t> (WG_ASK | WG_GRAD | WG_DUAL))
    if live & WG_GRAD or (thread_state().modes & WG_GRAD and (
            requires_grad(t) or (live & WG_ASK and slots != NULL and has_grad_by_base(op, slots)))):
        from wengert_core.drivers.refused_writes import keeps_history, out_requires_grad
        if not op.flags & OP_NO_RECORD or not keeps_history(op.name):
            raise out_requires_grad(op.name)
    if (live & WG_DUAL and dual_is_open()) or (not op.flags & OP_NO_RECORD and tangent_is_lost(t)):
        raise NotImplementedError(f"Trying to use forward AD with {op.name}_out that does not support it because it is "
                                  "an out= function. Call it without out=")
    if slots != NULL and t.flags & thread_state().modes & WG_FOREIGN:
        check_device(op, slots, t)
    if t.flags & TF_INFERENCE:
        refuse_inference(op, t)
    if code != t.code:
        before = layout_of_arguments(op, slots)
        check_out_dtype(op, slots, code, t.code)       # runs Python: Note [What a warning may change]
        check_layout(op, slots, before)
    same = t.rank == ndim
    for i in range(ndim):
        same = same and t.dims[i] == shape[i]
    if same:
        check_shared(op, slots, t)
    if slots != NULL and op.flags & (WRITES_IN_STEP | WRITES_APART if same else WRITES_APART):
        check_overlap(op, op.flags, slots, t)
    if not same:
        if t.count:
            warn_in_call(op, slots, "An output with one or more elements was resized since it had shape "
                                    f"{list(shape_tuple(t))}, which does not match the required output shape "
                                    f"{[shape[i] for i in range(ndim)]}. Give {op.name}() an out= of that shape, "
                                    "or an empty one")
        resize_to(t, ndim, shape)
    return t


cdef int check_out_dtype(Op op, PyObject** slots, int code, int given) except -1:
    """Refuse an out= of a dtype that torch refuses: one the result cannot be cast to, or that is not exactly its."""
    cdef int i
    from wengert_core.drivers.out_dtypes import out_dtype_error
    arguments = {}
    for i in range(op.n_params if slots != NULL else 0):
        if slots[i] != NULL:
            arguments[op.params[i]] = <object> slots[i]
    message = out_dtype_error(op.name, dtype_of(code), dtype_of(given), arguments)
    if message:
        raise RuntimeError(message)
    if message is None and not can_cast(code, given) \
            and not (code == UINT8 and given == BOOL and op.name in ("all", "any")):
        raise RuntimeError(f"result type {scalar_name(code)} can't be cast to the desired output type "
                           f"{scalar_name(given)}: {op.name}() computes {dtype_of(code)!r}, out= is "
                           f"{dtype_of(given)!r} (see docs/errors/dtype-mismatch)")
    return 0


cdef int check_device(Op op, PyObject** slots, Tensor out) except -1:
    """Refuse an out= on a device: what runs here runs on the CPU, which has no address there."""
    cdef Tensor t, found = None
    cdef int i
    from wengert_core.devices.device import DEVICES
    if out.flags & WG_BATCHED:
        from wengert_core.tensors.vmap_hooks import out_error
        raise out_error(op)
    if not is_strided(out):
        from wengert_core.devices.layout import LAYOUTS
        raise RuntimeError(f"{op.name}(): the result is strided, expected such an out=, got one of layout "
                           f"{LAYOUTS[out.device]!r} and shape {list(shape_tuple(out))}; call it without out=")
    for i in range(op.n_params):
        if slots[i] == NULL or i == op.out_slot:
            continue
        given = <object> slots[i]
        for item in given if isinstance(given, (list, tuple)) else (given,):
            if isinstance(item, Tensor):
                t = <Tensor> item
                found = t if found is None or t.device == out.device else found
    if found is None or found.device == out.device:
        raise RuntimeError(f"{op.name}() would write to memory of {DEVICES[out.device]} on the CPU: got an out= of "
                           f"shape {list(shape_tuple(out))} there, and no driver that hands such calls to the device. "
                           "Compute without out=, and copy the result; please report it to whoever wrote the op")
    raise device_error(op.name, (shape_tuple(out), DEVICES[out.device]), (shape_tuple(found), DEVICES[found.device]))


cdef int refuse_inference(Op op, Tensor out) except -1:
    """An inference tensor as out=, which may be written to in inference mode only."""
    cdef PyObject* slots[16]
    cdef PyObject* keep = NULL
    cdef int i
    slots[0] = <PyObject*> out
    for i in range(1, 16):
        slots[i] = NULL
    guard_write(op, slots, out, WG_RECORD, &keep)
    Py_XDECREF(keep)
    return 0


cdef int check_write(Op op, PyObject** slots, PyObject** keep) except -1:
    """The engine's look at a write, with the usual modes."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    if not modes & WG_ON_DEVICE:
        return HOOKS.before_inplace(op, slots, keep)
    at_home(state)
    try:
        return HOOKS.before_inplace(op, slots, keep)
    finally:
        state.modes = modes


cdef inline void at_home(WgState* state) noexcept:
    """The usual modes, in a driver that runs for a device: the engine's hooks and those of users run with these."""
    state.modes = (state.modes & ~(<unsigned int> WG_ON_DEVICE)) | WG_FOREIGN


cdef int before_write(Op op, PyObject** slots, Tensor target, uint32_t live, PyObject** keep) except -1:
    """Before an in-place kernel: refuse what must not be written to. keep: see Hooks.before_inplace."""
    guard_write(op, slots, target, live, keep)
    if op.flags & (WRITES_IN_STEP | WRITES_APART) or shape_overlap(target):
        check_memory(op, slots, target, keep)
    return 0


cdef inline int check_rules(Op op, PyObject** slots, Tensor target) except -1:
    check_shared(op, slots, target)
    if op.flags & (WRITES_IN_STEP | WRITES_APART):
        check_overlap(op, op.flags, slots, target)
    return 0


cdef int check_memory(Op op, PyObject** slots, Tensor target, PyObject** keep) except -1:
    """Check that memory may be written, and read meanwhile; free ``keep`` where that is refused."""
    if keep[0] == NULL:
        return check_rules(op, slots, target)
    try:
        check_rules(op, slots, target)
    except BaseException:
        Py_XDECREF(keep[0])
        keep[0] = NULL
        raise
    return 0


cdef int after_write(Op op, PyObject** slots, Tensor target, uint32_t live, PyObject* keep) except -1:
    """After an in-place kernel: raise the version, record. Takes over the reference in ``keep``."""
    bump_version(target)
    try:
        if live & WG_RECORD and HOOKS.record_inplace != NULL:
            if live & WG_ON_DEVICE:
                record_on_device(op, slots, NULL, 0, keep)
            else:
                HOOKS.record_inplace(op, slots, keep)
    finally:
        Py_XDECREF(keep)
    return 0


# ---- recording

cdef int record(Op op, PyObject** slots, Tensor out, uint32_t live) except -1:
    """Give one output its history."""
    cdef PyObject* outs[1]
    if not live & WG_RECORD or HOOKS.record == NULL or op.flags & OP_NO_RECORD:
        return 0
    outs[0] = <PyObject*> out
    return HOOKS.record(op, slots, outs, 1) if not live & WG_ON_DEVICE else record_on_device(op, slots, outs, 1, NULL)


cdef int record_outputs(Op op, PyObject** slots, PyObject** outs, int n, uint32_t live) except -1:
    """Give outputs their history."""
    if not live & WG_RECORD or HOOKS.record == NULL or op.flags & OP_NO_RECORD:
        return 0
    return HOOKS.record(op, slots, outs, n) if not live & WG_ON_DEVICE else record_on_device(op, slots, outs, n, NULL)


cdef int record_on_device(Op op, PyObject** slots, PyObject** outs, int n, PyObject* keep) except -1:
    """Record what ran for a device. outs: NULL: a write to slot 0, with ``keep``."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    cdef Tensor first = <Tensor> (slots[0] if outs == NULL else outs[0]) if outs == NULL or n else None
    at_home(state)
    try:
        if outs == NULL:
            HOOKS.record_inplace(op, slots, keep)
        else:
            HOOKS.record(op, slots, outs, n)
        if HOOKS.note_stream != NULL and first is not None and first.device:
            HOOKS.note_stream(first)
    finally:
        state.modes = modes
    return 0
