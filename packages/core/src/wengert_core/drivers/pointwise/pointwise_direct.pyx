"""The shortest ways of pointwise calls: contiguous operands of one dtype and shape, nothing to do but the kernel and
perhaps recording. All else goes to the driver, pointwise.pyx, which is the op's ``run``.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.dispatcher cimport LIVE_BEYOND, intercept
from wengert_core.dispatch.exact_values cimport is_plain_number
from wengert_core.dispatch.op cimport K_TENSOR, OP_INPLACE, Op, call_bound
from wengert_core.drivers.pointwise.loop_lookup cimport LOOP_NATIVE, Loop
from wengert_core.drivers.pointwise.pointwise_launch cimport tell_direct
from wengert_core.drivers.pointwise.pointwise_record cimport (CHECK_BOUND, CHECK_FACTOR, CHECK_NO_BOOL, WITHOUT_GIL,
                                                              Pointwise, choose_record)
from wengert_core.drivers.steps cimport after_write, guard_write, prepare_given_out, record
from wengert_core.dtypes.dtypes cimport CAT_FLOAT, CAT_INT, DTypeFacts, dtype_facts
from wengert_core.dtypes.scalars cimport store_number
from wengert_core.exchange.device_memory cimport runs_on_device
from wengert_core.kernels.types cimport npy_intp
from wengert_core.runtime.state cimport WG_ASK, WG_GRAD, WG_OBSERVE, WG_TELL, thread_state
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, new_empty, same_shape

cdef extern from "Python.h":
    bint PyFloat_CheckExact(PyObject* o) noexcept
    bint PyLong_CheckExact(PyObject* o) noexcept
    bint PyFloat_Check(PyObject* o) noexcept
    bint PyComplex_Check(PyObject* o) noexcept
    bint PyIndex_Check(PyObject* o) noexcept

cdef DTypeFacts* FACTS = dtype_facts()

cdef enum:
    LIVE_OBSERVED = LIVE_BEYOND & ~0x1000000       # WG_TELL: whoever traces calls is told of kernels too


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


cdef object traced_unary(Op op, Loop* loop, PyObject** slots, Tensor x, uint32_t live):
    """Run as direct_unary does, and tell it."""
    cdef char* args[2]
    cdef npy_intp strides[2]
    cdef Tensor out = new_empty(loop.result, x.rank, x.dims)
    args[0], args[1] = x.data, out.data
    strides[0], strides[1] = FACTS.itemsize[loop.compute], FACTS.itemsize[loop.out]
    loop.fn(args, <npy_intp*> &x.count, strides, loop.data)
    tell_direct(op, loop, 1, args, strides, out, 0)
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
        if live & (WG_OBSERVE | WG_TELL) and is_direct(&p.loops[x.code], x) and not p.identity:
            if live & LIVE_OBSERVED == WG_OBSERVE:
                return intercept(op, slots, live)      # which calls this again, unobserved
            if live & LIVE_BEYOND == WG_TELL and x.count:
                return traced_unary(op, &p.loops[x.code], slots, x, live)
    for i in range(1, op.n_params):
        if slots[i] == NULL:
            raise missing(op, i)
    return op.run(op, slots, 0)


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
        if args[number_slot] != NULL and live & LIVE_OBSERVED == WG_OBSERVE:
            return intercept(op, slots, live)          # which calls this again, unobserved
        if args[number_slot] != NULL and live & LIVE_BEYOND == WG_TELL and x.count:
            out = new_empty(loop.result, x.rank, x.dims)
            args[1 - number_slot], args[2] = x.data, out.data
            strides[1 - number_slot], strides[2] = itemsize, FACTS.itemsize[loop.out]
            loop.fn(args, <npy_intp*> &x.count, strides, loop.data)
            tell_direct(op, loop, 2, args, strides, out, <uint32_t> (args[number_slot] == number) << number_slot)
            record(op, slots, out, live)
            return out
    if is_convertible(a) or is_convertible(b):
        return call_bound(op, slots, 2, NULL)
    for i in range(2, op.n_params):
        if slots[i] == NULL:
            raise missing(op, i)
    return op.run(op, slots, 0)


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
    return op.run(op, slots, 0)


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
    return op.run(op, slots, 0)


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


cdef object call_directly(Op op, PyObject** slots):
    cdef Pointwise* p = choose_record(op, slots)
    if op.flags & OP_INPLACE or prepare_given_out(op, slots) != <PyObject*> None or not is_tensor(slots[0]) \
            or runs_on_device():
        return None
    return bound_unary(op, p, slots, <Tensor> slots[0]) if p.n_in == 1 else bound_ternary(op, p, slots)


cdef inline object bound_unary(Op op, Pointwise* p, PyObject** slots, Tensor x):
    cdef uint32_t live = x.flags & thread_state().modes
    if p.identity or live & LIVE_BEYOND or not is_direct(&p.loops[x.code], x):
        return None
    return direct_unary(op, &p.loops[x.code], slots, x, live)


cdef inline object bound_ternary(Op op, Pointwise* p, PyObject** slots):
    cdef uint32_t live
    if p.n_in != 3 or (p.alpha_slot >= 0 and slots[p.alpha_slot] != op.defaults[p.alpha_slot]) \
            or not is_tensor(slots[1]) or not is_tensor(slots[2]) \
            or not fit_ternary(p, <Tensor> slots[0], <Tensor> slots[1], <Tensor> slots[2]):
        return None
    live = ((<Tensor> slots[0]).flags | (<Tensor> slots[1]).flags | (<Tensor> slots[2]).flags) & thread_state().modes
    if live & LIVE_BEYOND:
        return None
    return run_ternary(op, p, slots, <Tensor> slots[0], <Tensor> slots[1], <Tensor> slots[2], live)


cdef inline bint fit_ternary(Pointwise* p, Tensor first, Tensor x, Tensor y) noexcept:
    """Return whether three tensors of one shape (where, lerp, clamp) fit the loop as they are."""
    return is_direct(&p.loops[x.code], x) and first.code == p.loops[x.code].first and y.code == x.code \
        and first.flags & y.flags & TF_CONTIGUOUS and same_shape(x, y) and same_shape(x, first) \
        and (p.check == CHECK_FACTOR or is_unchecked(p, x.code))


cdef inline object run_ternary(
    Op op, Pointwise* p, PyObject** slots, Tensor first, Tensor x, Tensor y, uint32_t live
):
    cdef Loop* loop = &p.loops[x.code]
    cdef Tensor out = new_empty(loop.result, x.rank, x.dims)
    cdef char* args[4]
    cdef npy_intp strides[4]
    args[0], args[1], args[2], args[3] = first.data, x.data, y.data, out.data
    strides[0] = FACTS.itemsize[loop.first]
    strides[1] = strides[2] = FACTS.itemsize[loop.compute] if x.count > 1 else 0    # as other calls: NumPy's clip asks
    strides[3] = FACTS.itemsize[loop.out]
    loop.fn(args, <npy_intp*> &x.count, strides, loop.data)
    if live:
        record(op, slots, out, live)
    return out
