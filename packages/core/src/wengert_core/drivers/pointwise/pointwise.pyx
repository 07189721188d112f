"""The driver of pointwise operations: parse, promote, broadcast, allocate, run, record.

Note [Blocks]
    A loop computes in one dtype. An operand of another dtype is converted in blocks of a few hundred elements which
    stay in the first-level cache, and so is the result: mixed dtypes, float16 and bfloat16 (computed in float32) cost
    no temporary tensor. Dimensions are sorted by the output's strides and merged, so that the loop runs over the
    longest stretch.
"""
from cpython.ref cimport Py_XDECREF, PyObject
from libc.stdint cimport uint32_t

import math

import numpy as np

from wengert_core.dispatch.dispatcher cimport LIVE_INTERCEPT, intercept, watch_only
from wengert_core.dispatch.keep_alive cimport hold_if_large, hold_slots
from wengert_core.dispatch.op cimport K_TENSOR, OP_INPLACE, Op, op_error
from wengert_core.drivers.memory_overlap cimport WRITES_IN_STEP, without_overlap
from wengert_core.drivers.pointwise.loop_lookup cimport LOOP_NATIVE, LOOP_UNKNOWN, Loop, resolve
from wengert_core.drivers.pointwise.pointwise_alpha cimport scale_other
from wengert_core.drivers.pointwise.pointwise_checks cimport (check_inputs, check_mask, check_numbers, check_same,
                                                              computing, refuse_zero, find_unaccepted)
from wengert_core.drivers.pointwise.pointwise_direct cimport (binary_call, call_directly, inplace_binary_call,
                                                              inplace_unary_call, missing, unary_call)
from wengert_core.drivers.pointwise.pointwise_launch cimport is_readable_param, read_param, run_as_launch
from wengert_core.drivers.pointwise.pointwise_record cimport (
    CHECK_DIVISOR, CHECK_FACTOR, CHECK_NO_BOOL, MOST_INPUTS, NARROW_FIRST, NARROW_NONE, NARROW_NUMBERS,
    NARROW_QUOTIENT, PROMOTE_COMPARE, PROMOTE_FLOAT, PROMOTE_FLOAT_REAL, PROMOTE_LOGICAL, PROMOTE_STRICT,
    PROMOTE_TO_REAL, PROMOTE_WHERE, WITHOUT_GIL, Pointwise, add_variants, check_room, choose_record, new_record
)
from wengert_core.drivers.pointwise.pointwise_references cimport by_reference
from wengert_core.drivers.pointwise.pointwise_results cimport (check_given, inplace_target, lay_out_as_inputs,
                                                               new_result)
from wengert_core.drivers.pointwise.strided_loop cimport Operand, lay, run_large_loop, run_loop
from wengert_core.drivers.steps cimport (after_write, before_write, broadcast, common_code, prepare_given_out,
                                         prepare_out, record)
from wengert_core.dtypes.dtypes cimport (BOOL, CAT_BOOL, CAT_COMPLEX, CAT_FLOAT, CAT_INT, FLOAT64, N_DTYPES,
                                         DTypeFacts, code_of, dtype_facts)
from wengert_core.dtypes.scalars cimport load_number, number_code, store_number
from wengert_core.exchange.arrays cimport convert_copy
from wengert_core.kernels.pointwise.pointwise cimport Pointwise as OwnLoop, describe_pointwise
from wengert_core.messages.signatures import invalid_combination
from wengert_core.runtime.launches cimport tell_complete, tell_opaque
from wengert_core.runtime.state cimport (WG_BATCHED, WG_DUAL, WG_FOREIGN, WG_GRAD, WG_ON_DEVICE, WG_TELL, WgState,
                                         thread_state)
from wengert_core.tensors.requires_grad cimport requires_grad
from wengert_core.tensors.tensor cimport Tensor, bump_version

cdef DTypeFacts* FACTS = dtype_facts()


def configure(Op op, int n_in, str promotion, kernels, dtypes, reference, *, alpha=None, check=None, n_promote=None,
              variant=None, variants=(), bint bounds=False, identity=None, narrow=None):
    """Make ``op`` a pointwise op. See optable/kinds/pointwise.py for what the settings mean."""
    check_room(op, n_in, kernels)
    cdef Pointwise* p = new_record(n_in, promotion, kernels, reference, check, narrow)
    p.n_promote = n_in if n_promote is None else n_promote
    p.alpha_slot = -1 if alpha is None else op.params.index(alpha)
    p.bounds = bounds
    p.identity = (None, "real", "always").index(identity)
    for d in dtypes:
        p.accepts |= 1 << code_of(d)
    if variant is not None:
        add_variants(op, p, op.params.index(variant), dict(variants))
    op.data = p
    op.run = pointwise_run if n_in == 2 else short_run
    watch_only(op, -1)
    if op.out_slot >= 0:
        op.flags |= WRITES_IN_STEP     # what is in place is looked at in write
    if n_in == 1:
        op.call1 = inplace_unary_call if op.flags & OP_INPLACE else unary_call
    elif n_in == 2 and p.n_promote == 2:
        op.call2 = inplace_binary_call if op.flags & OP_INPLACE else binary_call


def has_kernel(str name):
    """Return whether core has a loop of its own by that name, for any dtype."""
    cdef OwnLoop found
    cdef bytes encoded = name.encode()
    return any([describe_pointwise(encoded, code, &found) for code in range(N_DTYPES)])


# ---- the general way

cdef object short_run(Op op, PyObject** slots, uint32_t live):
    """Run an op of one tensor (with keywords), or of three: in the shortest way where they fit."""
    result = call_directly(op, slots)
    return pointwise_run(op, slots, live) if result is None else result


cdef object pointwise_run(Op op, PyObject** slots, uint32_t live):
    """Run on bound slots: any dtypes, shapes, strides, numbers; out= and in-place. It watches its slots itself: some
    are read first.
    """
    cdef Pointwise* p = choose_record(op, slots)
    cdef PyObject* own[16]
    cdef int i
    cdef bint only_numbers = True
    live = 0
    for i in range(op.n_params):
        own[i] = slots[i]
    for i in range(p.n_in if p.n_in > p.n_promote else p.n_promote):
        if not isinstance(<object> own[i], Tensor):
            own[i] = read_other(op, i, own[i])
        if isinstance(<object> own[i], Tensor):
            live |= (<Tensor> own[i]).flags
            only_numbers = False
    if only_numbers and not op.options.get("takes_numbers"):
        raise invalid_combination(op.name, tuple([<object> own[i] for i in range(max(p.n_in, p.n_promote))]), op.schema)
    if only_numbers and isinstance(<object> prepare_given_out(op, own), Tensor):
        live |= (<Tensor> prepare_given_out(op, own)).flags & WG_FOREIGN      # numbers are where the result is wanted
    if p.bounds and own[1] == <PyObject*> None and own[2] == <PyObject*> None:
        raise RuntimeError(f"torch.{op.name}: At least one of 'min' or 'max' must not be None")
    if p.promotion == PROMOTE_WHERE and (own[1] == <PyObject*> None or own[2] == <PyObject*> None):
        return op.options["alone"](<object> own[0], <object> own[1], <object> own[2])
    if p.bounds and is_number_of_two(own[1], own[2]) or p.bounds and is_number_of_two(own[2], own[1]):
        return with_numbers(op, own)
    if p.identity and is_identity(p, <Tensor> own[0]) and prepare_given_out(op, own) == <PyObject*> None \
            and not op.flags & OP_INPLACE:
        return <object> own[0]
    live &= thread_state().modes
    if live & LIVE_INTERCEPT:
        return intercept(op, own, live)                # which calls this again
    if p.alpha_slot >= 0 and own[p.alpha_slot] != op.defaults[p.alpha_slot]:
        return with_alpha(op, p, own, live)
    return compute(op, p, own, own, loop_for(p, computing_code(op, p, own)), live)


cdef inline bint is_number_of_two(PyObject* bound, PyObject* other):
    """Return whether a bound is a tensor that counts as a number: one without dims and history, beside a number."""
    return other != <PyObject*> None and not isinstance(<object> other, Tensor) \
        and isinstance(<object> bound, Tensor) and (<Tensor> bound).rank == 0 \
        and not (<Tensor> bound).flags & thread_state().modes & (WG_DUAL | WG_BATCHED) \
        and not (thread_state().modes & WG_GRAD and requires_grad(<Tensor> bound))


cdef object with_numbers(Op op, PyObject** slots):
    """A clamp between a number and a tensor that counts as one: between two numbers."""
    cdef PyObject* own[16]
    cdef int i
    for i in range(op.n_params):
        own[i] = slots[i]
    i = 1 if isinstance(<object> slots[1], Tensor) else 2
    number = (<object> slots[i]).item()
    own[i] = <PyObject*> number
    return pointwise_run(op, own, 0)


cdef object with_alpha(Op op, Pointwise* p, PyObject** slots, uint32_t live):
    """add and sub with alpha: computed of other * alpha, and recorded as what they are."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    cdef PyObject* own[16]
    cdef int i
    for i in range(op.n_params):
        own[i] = slots[i]
    computing_code(op, p, own)             # what is refused, before other is multiplied
    state.modes = modes & ~(<unsigned int> WG_GRAD)
    try:
        product = scale_other(op, slots, p.alpha_slot)
    finally:
        state.modes = modes
    own[1] = <PyObject*> product
    own[p.alpha_slot] = op.defaults[p.alpha_slot]
    return compute(op, p, own, slots, loop_for(p, computing_code(op, p, own)), live)


cdef PyObject* read_other(Op op, int slot, PyObject* value) except NULL:
    """What stands in a slot that holds no tensor: a number, None where the schema lets it."""
    if value == NULL:
        raise missing(op, slot)
    if op.kinds[slot] != K_TENSOR:
        if value == <PyObject*> None and op.defaults[slot] == value or number_code(value) >= 0:
            return value
    raise op_error(op, slot, "Tensor", value)


cdef bint is_identity(Pointwise* p, Tensor t) noexcept:
    """Whether the op gives t itself: conj of a real tensor."""
    return p.accepts >> t.code & 1 and (p.identity == 2 or FACTS.category[t.code] != CAT_COMPLEX)


cdef int computing_code(Op op, Pointwise* p, PyObject** slots) except -1:
    """The dtype to compute in; the op's promotion and what it accepts."""
    cdef PyObject* inputs[MOST_INPUTS]
    cdef int code, i, n = 0
    for i in range(p.n_promote):
        if i == 0 and p.promotion == PROMOTE_WHERE:
            check_mask(op, slots[0])
        elif slots[i] != <PyObject*> None:
            inputs[n] = slots[i]
            n += 1
    if p.promotion == PROMOTE_STRICT and p.n_in > p.n_promote and isinstance(<object> slots[p.n_promote], Tensor):
        inputs[n] = slots[p.n_promote]     # lerp's weight, when it is no number
        n += 1
    common_code(op, inputs, n, &code)
    if p.check == CHECK_FACTOR:
        check_numbers(p, slots, computing(code))
    elif p.check >= CHECK_NO_BOOL:
        check_inputs(op, p, slots, code)
    if p.promotion == PROMOTE_STRICT:
        check_same(op, p, slots)
    if p.promotion == PROMOTE_LOGICAL:
        return BOOL
    if (p.promotion == PROMOTE_FLOAT or p.promotion == PROMOTE_FLOAT_REAL) and FACTS.category[code] < CAT_FLOAT:
        code = FACTS.default_float
    if not p.accepts >> code & 1:
        raise find_unaccepted(op, p, code)
    return code


cdef Loop* loop_for(Pointwise* p, int code) except NULL:
    cdef Loop* loop = &p.loops[code]
    cdef int out = -1
    if loop.state == LOOP_UNKNOWN:
        if p.promotion == PROMOTE_COMPARE or p.promotion == PROMOTE_LOGICAL:
            out = BOOL
        elif p.promotion in (PROMOTE_TO_REAL, PROMOTE_FLOAT_REAL) and FACTS.real[code] != code:
            out = FACTS.real[code]
        resolve(loop, <object> p.kernels, code, p.n_in, out, BOOL if p.promotion == PROMOTE_WHERE else -1)
    return loop


cdef object compute(Op op, Pointwise* p, PyObject** slots, PyObject** told, Loop* loop, uint32_t live):
    """told: the arguments as they are recorded, where those that are computed with differ."""
    cdef Py_ssize_t shape[64]
    cdef int ndim = 0, i
    cdef PyObject* own[16]
    cdef PyObject** inputs = slots
    cdef Tensor out, target
    cdef PyObject* keep = NULL
    cdef bint inplace = op.flags & OP_INPLACE, given = prepare_given_out(op, slots) != <PyObject*> None, fits
    for i in range(p.n_in):
        if isinstance(<object> slots[i], Tensor):
            broadcast(op, &ndim, shape, <Tensor> slots[i])
    if is_large(ndim, shape):
        _holds = hold_slots(op, slots, own)
        inputs = own
    if inplace:
        out = inplace_target(op, slots, loop.result, ndim, shape)
        target = <Tensor> inputs[0]
        before_write(op, told, out, live, &keep)
    elif given:
        fits = check_given(op, slots, p.n_in, ndim, shape)
        out = prepare_out(op, slots, slots[op.out_slot], loop.result, ndim, shape, live)
        if not fits and ndim > 1:
            lay_out_as_inputs(out, inputs, p.n_in, ndim, shape)
        target = hold_if_large(out)
    else:
        target = out = new_result(loop.result, slots, p.n_in, ndim, shape)
    if out.count:
        if keep != NULL:
            write_keeping(op, p, inputs, loop, target, keep)
        else:
            write(op, p, inputs, loop, target, inplace or given)
    elif live & WG_TELL:
        tell_complete(<void*> op)      # there is nothing to compute
    if inplace:
        after_write(op, told, out, live, keep)
    elif given:
        bump_version(out)
    elif live:
        record(op, told, out, live)
    return out


cdef inline bint is_large(int ndim, const Py_ssize_t* shape) noexcept:
    """Return whether the GIL is given up. Note [What a kernel holds]"""
    cdef double count = 1
    cdef int i
    for i in range(ndim):
        count *= shape[i]
    return count >= WITHOUT_GIL


cdef int write_keeping(Op op, Pointwise* p, PyObject** slots, Loop* loop, Tensor out, PyObject* keep) except -1:
    """Write in place, where the old value was kept: an error frees it."""
    try:
        return write(op, p, slots, loop, out, True)
    except BaseException:
        Py_XDECREF(keep)
        raise


# ---- running

cdef int write(Op op, Pointwise* p, PyObject** slots, Loop* loop, Tensor out, bint aliased) except -1:
    """Compute into ``out``, which is not empty."""
    cdef Operand operands[MOST_INPUTS + 1]
    cdef char numbers[MOST_INPUTS][16]
    cdef double params[4]
    cdef Py_ssize_t shape[64]
    cdef Loop own = loop[0]
    cdef uint32_t special = thread_state().modes & (WG_ON_DEVICE | WG_TELL), constants = 0
    cdef bint away = special & WG_ON_DEVICE != 0
    cdef int i, ndim = out.rank, n_in = p.n_in if away else p.n_in - loop.n_params
    cdef bint rounds = p.narrow != NARROW_NONE and loop.result != loop.compute
    # of the inputs together; addresses as numbers, because overflowcheck knows no difference of pointers
    cdef int code = <int> ((<size_t> loop - <size_t> p.loops) // sizeof(Loop))
    # 16 bits: others are rounded to them first
    cdef bint compares = p.promotion == PROMOTE_COMPARE and code != loop.compute
    cdef PyObject* value
    cdef list keep = []
    if rounds and p.narrow == NARROW_QUOTIENT and out.code == loop.result and isinstance(<object> slots[1], Tensor) \
            and (<Tensor> slots[1]).rank:
        return write_truncated(op, slots, loop, out, aliased)
    for i in range(0 if away else loop.n_params):
        own.data = params
        if special & WG_TELL and not rounds and is_readable_param(slots[n_in + i]):
            read_param((<Tensor> slots[n_in + i]).code, (<Tensor> slots[n_in + i]).data, &params[i])
            continue
        if slots[n_in + i] == <PyObject*> None:
            params[i] = math.nan       # the parameter that an op may do without
            continue
        number = round_number(<object> slots[n_in + i], loop.result) if rounds else <object> slots[n_in + i]
        store_number(<PyObject*> number, FLOAT64, <char*> &params[i])
    if p.check == CHECK_DIVISOR and FACTS.category[loop.compute] <= CAT_INT:
        refuse_zero(op, slots[p.n_in - 1])
    for i in range(ndim):
        shape[i] = out.dims[i]
    for i in range(n_in):
        if isinstance(<object> slots[i], Tensor):
            keep.append(without_overlap(op, i, <Tensor> slots[i], out) if aliased else <Tensor> slots[i])
            if compares and (<Tensor> slots[i]).code != code:
                keep[len(keep) - 1] = convert_copy(<Tensor> <PyObject*> keep[len(keep) - 1], code)
            lay(&operands[i], <Tensor> <PyObject*> keep[len(keep) - 1], ndim)
        else:
            value = slots[i]
            if compares or rounds and (p.narrow == NARROW_NUMBERS or p.narrow == NARROW_FIRST and i == 0):
                number = round_number(<object> value, code)
                value = <PyObject*> number
            if p.bounds and value == <PyObject*> None:
                store_number(<PyObject*> BOUNDS[loop.compute][i - 1], loop.compute, numbers[i])
            elif value != <PyObject*> None:
                store_number(value, loop.compute, numbers[i])
            operands[i].data = numbers[i]
            operands[i].dtype = loop.compute
            for k in range(ndim):
                operands[i].strides[k] = 0
            keep.append(<object> value)
    lay(&operands[n_in], out, ndim)
    if loop.state != LOOP_NATIVE or special:
        if loop.state == LOOP_NATIVE and not away:
            for i in range(n_in):
                constants |= <uint32_t> (operands[i].data == numbers[i]) << i
            return run_as_launch(op, &own, n_in, operands, ndim, shape, constants, out.count >= WITHOUT_GIL,
                                 slots + n_in)
        if special & WG_TELL:
            tell_opaque()
        return by_reference(op, <object> p.reference, keep, loop, out)
    if out.count < WITHOUT_GIL:
        run_loop(&own, n_in, operands, ndim, shape)
    else:
        with nogil:
            run_large_loop(&own, n_in, operands, ndim, shape)
    return 0


cdef object round_number(object number, int code):
    """A number as the nearest of a dtype; what is no number stays."""
    cdef char room[16]
    if number_code(<PyObject*> number) < 0:
        return number
    store_number(<PyObject*> number, code, room)
    return load_number(room, code)


cdef Pointwise* TRUNCATION = NULL      # the record of trunc, once it has been needed


cdef int write_truncated(Op op, PyObject** slots, Loop* loop, Tensor out, bint aliased) except -1:
    """A division to zero in two steps: the quotient, rounded to the result's dtype, then its integral part."""
    global TRUNCATION
    cdef Pointwise* division = <Pointwise*> op.data
    cdef PyObject* quotient[1]
    if TRUNCATION == NULL:
        TRUNCATION = new_record(1, "same", (np.trunc,), truncate_reference, None, None)
    write(op, division, slots, loop_for(division, loop.result), out, aliased)
    quotient[0] = <PyObject*> out
    return write(op, TRUNCATION, quotient, loop_for(TRUNCATION, loop.result), out, False)


def truncate_reference(xp, x):
    """The reference of the second step."""
    return xp.trunc(x)


cdef tuple bounds_of(int code):
    """The bounds that None stands for in a dtype: nothing is below or above them."""
    cdef object end = 1 << 8 * <object> FACTS.itemsize[code]
    if FACTS.category[code] == CAT_BOOL:
        return False, True
    if FACTS.category[code] >= CAT_FLOAT:
        return -math.inf, math.inf
    return (-end // 2, end // 2 - 1) if FACTS.is_signed[code] else (0, end - 1)


cdef tuple BOUNDS = tuple([bounds_of(code) for code in range(N_DTYPES)])
