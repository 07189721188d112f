"""The driver of pointwise operations: parse, promote, broadcast, allocate, run, record.

Note [Blocks]
    A loop computes in one dtype. An operand of another dtype is converted in blocks of a few hundred elements which
    stay in the first-level cache, and so is the result: mixed dtypes, float16 and bfloat16 (computed in float32) cost
    no temporary tensor. Dimensions are sorted by the output's strides and merged, so that the loop runs over the
    longest stretch.
"""
from cpython.mem cimport PyMem_Calloc
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from libc.stdint cimport uint32_t

import math

import numpy as np

from wengert_core.dispatch.arguments cimport scalar_name
from wengert_core.dispatch.dispatcher cimport LIVE_BEYOND, LIVE_INTERCEPT, intercept, watch_only
from wengert_core.dispatch.exact_values cimport is_plain_number
from wengert_core.dispatch.keep_alive cimport hold_if_large, hold_slots
from wengert_core.dispatch.op cimport K_TENSOR, K_TENSOR_OR_NUMBER, OP_INPLACE, Op, call_bound, op_error
from wengert_core.drivers.memory_overlap cimport WRITES_APART, WRITES_IN_STEP, check_input, without_overlap
from wengert_core.drivers.pointwise.loop_lookup cimport LOOP_NATIVE, LOOP_UNKNOWN, Loop, resolve
from wengert_core.drivers.pointwise.pointwise_checks cimport (check_inputs, check_mask, check_numbers, check_same,
                                                              computing, refuse_zero, find_unaccepted)
from wengert_core.drivers.pointwise.pointwise_references cimport by_reference
from wengert_core.drivers.pointwise.strided_loop cimport Operand, lay, run_large_loop, run_loop
from wengert_core.drivers.steps cimport (
    after_write, before_write, broadcast, can_cast, common_code, guard_write, prepare_given_out, prepare_out, record
)
from wengert_core.dtypes.dtypes cimport (
    BOOL, CAT_BOOL, CAT_COMPLEX, CAT_FLOAT, CAT_INT, FLOAT64, N_DTYPES, DTypeFacts, code_of, dtype_facts, dtype_of
)
from wengert_core.dtypes.scalars cimport check_bound, load_number, number_code, store_number
from wengert_core.exchange.arrays cimport convert_copy
from wengert_core.exchange.device_memory cimport runs_on_device
from wengert_core.kernels.pointwise.pointwise cimport Pointwise as OwnLoop
from wengert_core.kernels.pointwise.pointwise cimport describe_pointwise
from wengert_core.kernels.types cimport npy_intp
from wengert_core.messages.signatures import invalid_combination
from wengert_core.runtime.state cimport (WG_ASK, WG_BATCHED, WG_DUAL, WG_FOREIGN, WG_GRAD, WG_OBSERVE, WgState,
                                         thread_state)
from wengert_core.tensors.memory_format cimport dense_strides, order_of
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, bump_version, new_empty, same_shape, shape_tuple

cdef extern from "Python.h":
    bint PyFloat_CheckExact(PyObject* o) noexcept
    bint PyLong_CheckExact(PyObject* o) noexcept
    bint PyFloat_Check(PyObject* o) noexcept
    bint PyComplex_Check(PyObject* o) noexcept
    bint PyIndex_Check(PyObject* o) noexcept

cdef enum:
    WITHOUT_GIL = 0x8000               # from this many elements on the GIL is released
    MOST_INPUTS = 6                    # of a row, numbers included
    MOST_OPERANDS = 4                  # inputs of a loop: tensors, and numbers that are read as such

cdef DTypeFacts* FACTS = dtype_facts()
cdef dict PROMOTIONS = {"same": PROMOTE_SAME, "float": PROMOTE_FLOAT, "compare": PROMOTE_COMPARE,
                        "logical": PROMOTE_LOGICAL, "where": PROMOTE_WHERE, "real": PROMOTE_TO_REAL,
                        "float_real": PROMOTE_FLOAT_REAL, "strict": PROMOTE_STRICT}


cdef dict CHECKS = {None: CHECK_NONE, "divisor": CHECK_DIVISOR, "exponent": CHECK_EXPONENT, "no_bool": CHECK_NO_BOOL,
                    "true_division": CHECK_TRUE_DIVISION, "bound": CHECK_BOUND, "factor": CHECK_FACTOR}

cdef dict NARROWED = {None: NARROW_NONE, "numbers": NARROW_NUMBERS, "first": NARROW_FIRST, "quotient": NARROW_QUOTIENT}


def configure(Op op, int n_in, str promotion, kernels, dtypes, reference, *, alpha=None, check=None, n_promote=None,
              variant=None, variants=(), bint bounds=False, identity=None, narrow=None):
    """Make ``op`` a pointwise op. See optable/kinds/pointwise.py for what the settings mean."""
    check_room(op, n_in, kernels)
    cdef Pointwise* p = new_record(n_in, promotion, kernels, reference)
    p.n_promote = n_in if n_promote is None else n_promote
    p.alpha_slot = -1 if alpha is None else op.params.index(alpha)
    p.check = CHECKS[check]
    p.bounds = bounds
    p.narrow = NARROWED[narrow]
    p.identity = (None, "real", "always").index(identity)
    for d in dtypes:
        p.accepts |= 1 << code_of(d)
    if variant is not None:
        add_variants(op, p, op.params.index(variant), dict(variants))
    op.data = p
    op.run = pointwise_run
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


cdef int check_room(Op op, int n_in, kernels) except -1:
    """ValueError for a row with more inputs than the arrays here, and in strided_loop.pyx, have places for."""
    cdef int i, n_tensors = 0, n_params = op.n_params if op.out_slot < 0 else op.out_slot
    for i in range(min(n_in, n_params)):
        n_tensors += op.kinds[i] & 63 in (K_TENSOR, K_TENSOR_OR_NUMBER)
    widest = max([getattr(kernel, "nin", 0) for kernel in kernels], default=0)
    if not 1 <= n_in <= MOST_INPUTS or n_in > n_params or n_tensors > MOST_OPERANDS or widest > MOST_OPERANDS:
        raise ValueError(f"pointwise row '{op.name}': {n_in} inputs, {n_tensors} of them tensors; a row has 1 to "
                         f"{MOST_INPUTS} of its schema's {n_params} arguments as inputs, at most {MOST_OPERANDS} "
                         f"tensors among them, and a ufunc at most {MOST_OPERANDS} inputs")
    return 0


cdef Pointwise* new_record(int n_in, str promotion, kernels, reference) except NULL:
    cdef Pointwise* p = <Pointwise*> PyMem_Calloc(1, sizeof(Pointwise))
    if p == NULL:
        raise MemoryError()
    p.n_in = n_in
    p.promotion = PROMOTIONS[promotion]
    p.variant_slot = p.alpha_slot = -1
    p.kernels = <PyObject*> kernels
    p.reference = <PyObject*> reference
    Py_INCREF(kernels)
    Py_INCREF(reference)
    return p


cdef int add_variants(Op op, Pointwise* p, int slot, dict variants) except -1:
    """Records of their own for values of one argument; the default's is ``p``."""
    cdef Pointwise* v
    cdef dict addresses = {}
    p.variant_slot = slot
    if op.defaults[slot] != NULL:
        addresses[<object> op.defaults[slot]] = <size_t> p
    for value, row in variants.items():
        check_room(op, row.get("n_in", p.n_in), row.get("kernels", ()))
        v = new_record(row.get("n_in", p.n_in), "same", tuple(row.get("kernels", ())), row["reference"])
        v.promotion = PROMOTIONS[row["promotion"]] if "promotion" in row else p.promotion
        v.n_promote, v.alpha_slot, v.accepts = p.n_promote, p.alpha_slot, p.accepts
        if "dtypes" in row:
            v.accepts = 0
            for d in row["dtypes"]:
                v.accepts |= 1 << code_of(d)
        v.check = CHECKS[row["check"]] if "check" in row else p.check
        v.narrow = NARROWED[row.get("narrow")]
        addresses[value] = <size_t> v
    p.variants = <PyObject*> addresses
    Py_INCREF(addresses)
    return 0


cdef Pointwise* choose_record(Op op, PyObject** slots) except NULL:
    """Return the record for this call: the op's own, or that of its variant argument (pow with 2, div with "floor")."""
    cdef Pointwise* p = <Pointwise*> op.data
    cdef PyObject* value
    cdef object address
    if p.variant_slot < 0:
        return p
    value = slots[p.variant_slot]
    if value == op.defaults[p.variant_slot] or isinstance(<object> value, (Tensor, np.ndarray)):
        return p
    address = (<dict> p.variants).get(<object> value)
    if address is None:
        address = (<dict> p.variants).get(Ellipsis)
    if address is not None:
        return <Pointwise*> <size_t> address
    message = op.options.get("variant_error")
    if message is not None:
        raise RuntimeError(message.format(<object> value))
    return p


# ---- the shortest ways: contiguous operands of one dtype and shape, nothing to do but the kernel and perhaps recording

cdef inline bint is_direct(Loop* loop, Tensor x) noexcept:
    """Whether the loop can run on x and its result as they are."""
    return loop.state == LOOP_NATIVE and loop.compute == x.code and loop.out == loop.result \
        and x.flags & TF_CONTIGUOUS and x.count < WITHOUT_GIL and loop.n_params == 0


cdef inline object direct_unary(Op op, Loop* loop, PyObject** slots, Tensor x, uint32_t live):
    cdef char* args[2]
    cdef npy_intp strides[2]
    cdef Tensor out = new_empty(loop.result, x.rank, x.dims)
    args[0], args[1] = x.data, out.data
    strides[0], strides[1] = FACTS.itemsize[loop.compute], FACTS.itemsize[loop.out]
    loop.fn(args, <npy_intp*> &x.count, strides, loop.data)
    if live:
        record(op, slots, out, live)
    return out


cdef object unary_call(Op op, PyObject* a):
    cdef Pointwise* p = <Pointwise*> op.data
    cdef PyObject* slots[16]
    cdef Tensor x
    cdef uint32_t live
    cdef int i
    slots[0] = a
    for i in range(1, op.n_params):
        slots[i] = op.defaults[i]
    if isinstance(<object> a, Tensor):
        x = <Tensor> a
        live = x.flags & thread_state().modes
        if is_direct(&p.loops[x.code], x) and not live & LIVE_BEYOND and not p.identity:
            return direct_unary(op, &p.loops[x.code], slots, x, live)
        if live & LIVE_BEYOND == WG_OBSERVE and is_direct(&p.loops[x.code], x) and not p.identity:
            return intercept(op, slots, live)          # which calls this again, unobserved
    for i in range(1, op.n_params):
        if slots[i] == NULL:
            raise missing(op, i)
    return pointwise_run(op, slots, 0)


cdef inline bint is_convertible(PyObject* value) noexcept:
    """Return whether a value is a number that call_bound makes exact. Note [Values first, memory after]"""
    return not is_plain_number(value) and not isinstance(<object> value, Tensor) \
        and (PyFloat_Check(value) or PyComplex_Check(value) or PyIndex_Check(value))


cdef object binary_call(Op op, PyObject* a, PyObject* b):
    cdef Pointwise* p = <Pointwise*> op.data
    cdef PyObject* slots[16]
    cdef char* args[3]
    cdef npy_intp strides[3]
    cdef char number[16]
    cdef Tensor x, y, out
    cdef Loop* loop
    cdef uint32_t live
    cdef PyObject* other
    cdef int i, itemsize, number_slot = 1
    slots[0], slots[1] = a, b
    for i in range(2, op.n_params):
        slots[i] = op.defaults[i]
    if is_tensor(a):
        x, number_slot, other = <Tensor> a, 1, b
        if p.variant_slot == 1 and not is_tensor(b):
            p = choose_record(op, slots)
    elif is_tensor(b):
        x, number_slot, other = <Tensor> b, 0, a
    else:
        x, other = None, NULL
    if other != NULL and is_direct(&p.loops[x.code], x):
        loop = &p.loops[x.code]
        itemsize = FACTS.itemsize[x.code]
        live = x.flags
        args[number_slot] = NULL
        if is_tensor(other):
            y = <Tensor> other
            if y.code == x.code and y.flags & TF_CONTIGUOUS and same_shape(x, y) and is_unchecked(p, x.code):
                live |= y.flags
                args[1] = y.data
                strides[1] = itemsize
        elif is_neutral_number(other, x.code) and is_unchecked(p, x.code) and p.check < CHECK_BOUND \
                and op.kinds[number_slot] != K_TENSOR:
            if p.n_in == 1:
                live &= thread_state().modes
                if not live & LIVE_BEYOND:
                    return direct_unary(op, loop, slots, x, live)
            else:
                store_number(other, x.code, number)
                args[number_slot] = number
                strides[number_slot] = 0
        live &= thread_state().modes
        if args[number_slot] != NULL and not live & LIVE_BEYOND:
            out = new_empty(loop.result, x.rank, x.dims)
            args[1 - number_slot], args[2] = x.data, out.data
            strides[1 - number_slot], strides[2] = itemsize, FACTS.itemsize[loop.out]
            loop.fn(args, <npy_intp*> &x.count, strides, loop.data)
            if live:
                record(op, slots, out, live)
            return out
        if args[number_slot] != NULL and live & LIVE_BEYOND == WG_OBSERVE:
            return intercept(op, slots, live)          # which calls this again, unobserved
    if is_convertible(a) or is_convertible(b):
        return call_bound(op, slots, 2, NULL)
    for i in range(2, op.n_params):
        if slots[i] == NULL:
            raise missing(op, i)
    return pointwise_run(op, slots, 0)


cdef inline bint writes_itself(Loop* loop, Tensor x) noexcept:
    """Return whether the loop can write its result over x: it is of x's dtype, and x is as the loop reads it."""
    return is_direct(loop, x) and loop.result == x.code


cdef inline object write_over(Op op, Loop* loop, PyObject** slots, Tensor x, char** args, npy_intp* strides):
    """Run a loop that writes over x, where nothing is recorded."""
    cdef PyObject* keep
    guard_write(op, slots, x, 0, &keep)
    loop.fn(args, <npy_intp*> &x.count, strides, loop.data)
    after_write(op, slots, x, 0, keep)
    return x


cdef object inplace_unary_call(Op op, PyObject* a):
    cdef Pointwise* p = <Pointwise*> op.data
    cdef PyObject* slots[16]
    cdef char* args[2]
    cdef npy_intp strides[2]
    cdef Tensor x
    cdef int i
    slots[0] = a
    for i in range(1, op.n_params):
        slots[i] = op.defaults[i]
        if slots[i] == NULL:
            raise missing(op, i)
    if is_tensor(a) and not p.identity:
        x = <Tensor> a
        if writes_itself(&p.loops[x.code], x) and not x.flags & thread_state().modes:
            args[0] = args[1] = x.data
            strides[0] = strides[1] = FACTS.itemsize[x.code]
            return write_over(op, &p.loops[x.code], slots, x, args, strides)
    return pointwise_run(op, slots, 0)


cdef inline bint lies_apart(Tensor x, Tensor y) noexcept:
    """Return whether two tensors without gaps have the same elements in memory, or none in common."""
    cdef size_t first = <size_t> x.data, second = <size_t> y.data
    cdef size_t nbytes = <size_t> x.count * <size_t> FACTS.itemsize[x.code]    # of memory that is there
    return first == second or (first >= second and first - second >= nbytes) \
        or (second > first and second - first >= nbytes)


cdef object inplace_binary_call(Op op, PyObject* a, PyObject* b):
    cdef Pointwise* p = <Pointwise*> op.data
    cdef PyObject* slots[16]
    cdef char* args[3]
    cdef npy_intp strides[3]
    cdef char number[16]
    cdef Tensor x, y
    cdef uint32_t live, modes = thread_state().modes
    cdef int i
    slots[0], slots[1] = a, b
    for i in range(2, op.n_params):
        slots[i] = op.defaults[i]
    if is_tensor(a):
        x = <Tensor> a
        if p.variant_slot == 1 and not is_tensor(b):
            p = choose_record(op, slots)
        if p.n_in == 2 and writes_itself(&p.loops[x.code], x) and is_unchecked(p, x.code):
            live, args[1] = x.flags, NULL
            if is_tensor(b):
                y = <Tensor> b
                if y.code == x.code and y.flags & TF_CONTIGUOUS and same_shape(x, y) and lies_apart(x, y):
                    # Where nothing is recorded, nobody looks whether the operand is a view that requires grad by now.
                    live |= y.flags if modes & WG_GRAD else y.flags & ~(<uint32_t> WG_ASK)
                    args[1], strides[1] = y.data, FACTS.itemsize[x.code]
            elif is_neutral_number(b, x.code) and p.check < CHECK_BOUND and op.kinds[1] != K_TENSOR:
                store_number(b, x.code, number)
                args[1], strides[1] = number, 0
            if args[1] != NULL and not live & modes:
                args[0] = args[2] = x.data
                strides[0] = strides[2] = FACTS.itemsize[x.code]
                return write_over(op, &p.loops[x.code], slots, x, args, strides)
    if is_convertible(b):
        return call_bound(op, slots, 2, NULL)
    for i in range(2, op.n_params):
        if slots[i] == NULL:
            raise missing(op, i)
    return pointwise_run(op, slots, 0)


cdef inline bint is_tensor(PyObject* value) noexcept:
    """Whether a value is a tensor, of a subclass too; numbers are told from them first."""
    return type(<object> value) is Tensor or (not PyFloat_CheckExact(value) and not PyLong_CheckExact(value)
                                              and isinstance(<object> value, Tensor))


cdef inline bint is_unchecked(Pointwise* p, int code) noexcept:
    """Whether tensors' values need no look: only those of integers ever do."""
    return p.check <= CHECK_NO_BOOL or FACTS.category[code] >= CAT_FLOAT


cdef inline bint is_neutral_number(PyObject* value, int code) noexcept:
    """Whether a number takes part without changing the dtype ``code``."""
    if FACTS.category[code] == CAT_FLOAT:
        return PyFloat_CheckExact(value) or PyLong_CheckExact(value)
    return FACTS.category[code] == CAT_INT and PyLong_CheckExact(value)


cdef object missing(Op op, int slot):
    return TypeError(f"{op.name}() missing 1 required positional arguments: \"{op.params[slot]}\"; {op.name}() "
                     f"received an invalid combination of arguments, its signature is {op.schema}")


# ---- the general way

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
    if p.n_in == 3 and not runs_on_device() and is_direct_ternary(op, p, own):
        return direct_ternary(op, &p.loops[(<Tensor> own[1]).code], own, live)
    return compute(op, p, own, own, loop_for(p, computing_code(op, p, own)), live)


cdef inline bint is_direct_ternary(Op op, Pointwise* p, PyObject** slots) noexcept:
    """Return whether three tensors of one shape (where, lerp, clamp) fit the loop as they are, and no out= is given."""
    cdef Tensor first, x, y
    if op.flags & OP_INPLACE or prepare_given_out(op, slots) != <PyObject*> None \
            or not isinstance(<object> slots[0], Tensor) \
            or not isinstance(<object> slots[1], Tensor) or not isinstance(<object> slots[2], Tensor):
        return False
    first, x, y = <Tensor> slots[0], <Tensor> slots[1], <Tensor> slots[2]
    return is_direct(&p.loops[x.code], x) and first.code == p.loops[x.code].first and y.code == x.code \
        and first.flags & y.flags & TF_CONTIGUOUS and same_shape(x, y) and same_shape(x, first) \
        and (p.check == CHECK_FACTOR or is_unchecked(p, x.code))


cdef object direct_ternary(Op op, Loop* loop, PyObject** slots, uint32_t live):
    cdef Tensor x = <Tensor> slots[1], out = new_empty(loop.result, x.rank, x.dims)
    cdef char* args[4]
    cdef npy_intp strides[4]
    args[0], args[1], args[2], args[3] = (<Tensor> slots[0]).data, x.data, (<Tensor> slots[2]).data, out.data
    strides[0] = FACTS.itemsize[loop.first]
    strides[1] = strides[2] = FACTS.itemsize[loop.compute]
    strides[3] = FACTS.itemsize[loop.out]
    loop.fn(args, <npy_intp*> &x.count, strides, loop.data)
    if live:
        record(op, slots, out, live)
    return out


cdef inline bint is_number_of_two(PyObject* bound, PyObject* other):
    """Return whether a bound is a tensor that counts as a number: one without dims and history, beside a number."""
    return other != <PyObject*> None and not isinstance(<object> other, Tensor) \
        and isinstance(<object> bound, Tensor) and (<Tensor> bound).rank == 0 \
        and not (<Tensor> bound).flags & thread_state().modes & (WG_GRAD | WG_DUAL | WG_BATCHED)


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


cdef object scale_other(Op op, PyObject** slots, int alpha_slot):
    """other * alpha, for add and sub."""
    alpha = <object> slots[alpha_slot]
    if isinstance(alpha, Tensor):
        alpha = alpha.item()
    if number_code(<PyObject*> alpha) < 0:
        raise op_error(op, alpha_slot, "Number", <PyObject*> alpha)
    other = <object> slots[1]
    cdef int code
    common_code(op, slots, 2, &code)
    if isinstance(alpha, bool) and code != BOOL:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if FACTS.category[code] != CAT_COMPLEX and isinstance(alpha, complex):
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    if FACTS.category[code] <= CAT_INT and isinstance(alpha, (float, complex)):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if code != BOOL:
        check_bound(<PyObject*> alpha, code)
    return other * (bool(alpha) if code == BOOL else alpha)


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


cdef int check_given(Op op, PyObject** slots, int n_in, int ndim, const Py_ssize_t* shape) except -1:
    """Return whether out= has the result's shape. RuntimeError where it has not, but an input's memory: that is read
    after a resize.
    """
    cdef Tensor out
    cdef int i
    cdef bint same
    if not isinstance(<object> slots[op.out_slot], Tensor):
        return 0
    out = <Tensor> slots[op.out_slot]
    same = out.rank == ndim
    for i in range(ndim):
        same = same and out.dims[i] == shape[i]
    for i in range(0 if same else n_in):
        if slots[i] == <PyObject*> out:
            raise RuntimeError(f"output with shape {list(shape_tuple(out))} doesn't match the broadcast shape "
                               f"{[shape[m] for m in range(ndim)]}: out= of {op.name} is its argument '{op.params[i]}' "
                               "as well, and cannot be resized")
        if isinstance(<object> slots[i], Tensor):
            check_input(op, WRITES_APART, i, <Tensor> slots[i], out)
    return same


cdef Tensor inplace_target(Op op, PyObject** slots, int code, int ndim, Py_ssize_t* shape):
    """Slot 0, when it can take the result."""
    cdef Tensor t = <Tensor> slots[0]
    cdef int i
    cdef bint same = t.rank == ndim
    for i in range(ndim):
        same = same and t.dims[i] == shape[i]
    if not same:
        raise RuntimeError(f"output with shape {list(shape_tuple(t))} doesn't match the broadcast shape "
                           f"{[shape[i] for i in range(ndim)]}: {op.name} cannot enlarge the tensor it writes to")
    if (<Pointwise*> op.data).promotion == PROMOTE_TO_REAL and FACTS.category[t.code] == CAT_COMPLEX:
        raise RuntimeError(f"In-place {op.out_of_place.name} is not supported for complex tensors.")
    if not can_cast(code, t.code):
        raise RuntimeError(f"result type {scalar_name(code)} can't be cast to the desired output type "
                           f"{scalar_name(t.code)}: {op.name} on a tensor of {dtype_of(t.code)!r} would lose the "
                           f"{dtype_of(code)!r} result; use the op without the underscore, or convert first "
                           "(see docs/errors/dtype-mismatch)")
    return t


cdef Tensor new_result(int code, PyObject** slots, int n, int ndim, Py_ssize_t* shape):
    """Return a fresh result; its dims lie in the order of the first input that tells two of them apart, as in torch."""
    cdef Tensor out = new_empty(code, ndim, shape)
    if ndim > 1:
        lay_out_as_inputs(out, slots, n, ndim, shape)
    return out


cdef int lay_out_as_inputs(Tensor out, PyObject** slots, int n, int ndim, const Py_ssize_t* shape) except -1:
    """Give a row-major tensor without gaps, which holds nothing yet, the order of dims that the inputs have."""
    cdef Py_ssize_t strides[MOST_OPERANDS][64]
    cdef const Py_ssize_t* read[MOST_OPERANDS]
    cdef int order[64]
    cdef Tensor t
    cdef int i, k, n_read = 0, offset
    cdef bint rows = True, whole
    for i in range(n):
        if not isinstance(<object> slots[i], Tensor):
            continue
        t = <Tensor> slots[i]
        rows = rows and t.flags & TF_CONTIGUOUS != 0
        offset = ndim - t.rank
        whole = offset == 0
        for k in range(t.rank):
            whole = whole and t.dims[k] == shape[k]
        if rows and whole:
            return 0
        for k in range(ndim):
            strides[n_read][k] = 0 if k < offset or t.dims[k - offset] != shape[k] else t.dims[t.rank + k - offset]
        read[n_read] = strides[n_read]
        n_read += 1
    if out.count and n_read:
        order_of(ndim, n_read, read, shape, order)
        dense_strides(out, order)
    return 0


# ---- running

cdef int write(Op op, Pointwise* p, PyObject** slots, Loop* loop, Tensor out, bint aliased) except -1:
    """Compute into ``out``, which is not empty."""
    cdef Operand operands[MOST_INPUTS + 1]
    cdef char numbers[MOST_INPUTS][16]
    cdef double params[4]
    cdef Py_ssize_t shape[64]
    cdef Loop own = loop[0]
    cdef bint away = runs_on_device()
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
        number = round_number(<object> slots[n_in + i], loop.result) if rounds else <object> slots[n_in + i]
        store_number(<PyObject*> number, FLOAT64, <char*> &params[i])
        own.data = params
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
    if loop.state != LOOP_NATIVE or away:
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
        TRUNCATION = new_record(1, "same", (np.trunc,), truncate_reference)
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
