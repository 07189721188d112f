"""What pointwise operations refuse, in torch's words; and what checks of values look at."""

from cpython.ref cimport PyObject

from wengert_core.dispatch.arguments cimport scalar_name
from wengert_core.dispatch.hooks cimport Hooks, hooks
from wengert_core.dispatch.op cimport Op, op_error
from wengert_core.drivers.pointwise.pointwise_record cimport (CHECK_BOUND, CHECK_EXPONENT, CHECK_NO_BOOL,
                                                              CHECK_TRUE_DIVISION, PROMOTE_FLOAT, Pointwise)
from wengert_core.dtypes.dtypes cimport (BFLOAT16, BOOL, CAT_FLOAT, CAT_INT, FLOAT16, FLOAT32, N_DTYPES, UINT8,
                                         DTypeFacts, dtype, dtype_facts, dtype_of)
from wengert_core.dtypes.dtypes import C_NAMES as _C_NAMES
from wengert_core.dtypes.scalars cimport check_bound
from wengert_core.exchange.arrays cimport array_of
from wengert_core.exchange.device_memory cimport runs_on_device
from wengert_core.runtime.state cimport WG_BATCHED, WG_FOREIGN, WG_GRAD, WG_GUARD, WG_RECORD, WgState, thread_state
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor cimport Tensor, same_shape

cdef DTypeFacts* FACTS = dtype_facts()
cdef Hooks* HOOKS = hooks()


cdef int check_mask(Op op, PyObject* mask) except -1:
    """The first argument of where: bool, or uint8 with a warning."""
    if not isinstance(<object> mask, Tensor):
        raise op_error(op, 0, "Tensor", mask)
    cdef int code = (<Tensor> mask).code
    if code == UINT8:
        warn_user(f"{op.name} received a uint8 condition tensor. This behavior is deprecated and will be removed in a "
                  "future version. Use a boolean condition instead.")
    elif code != BOOL:
        raise RuntimeError(f"{op.name} expected condition to be a boolean tensor, "
                           f"but got a tensor with dtype {scalar_name(code)}")
    return 0


cdef int check_inputs(Op op, Pointwise* p, PyObject** slots, int code) except -1:
    """What some ops refuse beyond a dtype."""
    cdef int i
    if p.bounds and slots[1] != <PyObject*> None and slots[2] != <PyObject*> None \
            and isinstance(<object> slots[1], Tensor) != isinstance(<object> slots[2], Tensor):
        raise TypeError(f"{op.name}() received an invalid combination of arguments - got "
                        f"min={type(<object> slots[1]).__name__} and max={type(<object> slots[2]).__name__}: give two "
                        f"tensors or two numbers, or {op.name} twice")
    if p.check == CHECK_BOUND and code == BOOL and p.accepts & (1 << BOOL) \
            and (bounded_twice(p, slots) or not isinstance(<object> slots[only_bound(p, slots)], Tensor)):
        raise NotImplementedError(f"\"clamp{bound_name(op, p, slots)}_cpu\" not implemented for 'Bool': {op.name} "
                                  "takes numbers, or bounds that are not bool")
    if p.check == CHECK_EXPONENT and code == BOOL \
            and (isinstance(<object> slots[1], Tensor) or not isinstance(<object> slots[0], Tensor)):
        raise NotImplementedError(f"\"pow\" not implemented for 'Bool': {op.name} takes numbers; "
                                  "bools have powers by numbers alone")
    if p.check == CHECK_NO_BOOL and code != BOOL:
        for i in range(2):
            if is_bool(slots[i]):
                raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
                                   "trying to invert a mask, use the `~` or `logical_not()` operator instead.")
    if p.check == CHECK_EXPONENT and FACTS.category[code] == CAT_INT:
        if not isinstance(<object> slots[1], Tensor) and <object> slots[1] < 0:
            raise RuntimeError(f"Integers to negative integer powers are not allowed: {op.name} of integers got the "
                               f"exponent {<object> slots[1]!r}; convert to floating point first")
    if p.check == CHECK_EXPONENT and (FACTS.category[code] <= CAT_INT or computing(code) != code) \
            and not isinstance(<object> slots[1], Tensor):
        check_bound(slots[1], code)
    if p.check == CHECK_TRUE_DIVISION and are_integral(slots + 1):
        raise RuntimeError("Integer division with addcdiv is no longer supported, and in a future  release addcdiv "
                           "will perform a true division of tensor1 and tensor2. The historic addcdiv behavior can be "
                           "implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for "
                           "integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future "
                           "addcdiv behavior is just the latter implementation: "
                           "(input + value * tensor1 / tensor2), for all dtypes.")
    if p.check == CHECK_BOUND:
        check_numbers(p, slots, FACTS.default_float if p.promotion == PROMOTE_FLOAT and FACTS.category[code] < CAT_FLOAT
                      else code)
    if p.check == CHECK_TRUE_DIVISION:
        check_numbers(p, slots, computing(code))
    return 0


cdef int check_numbers(Pointwise* p, PyObject** slots, int code) except -1:
    """RuntimeError for a number among the inputs that a dtype does not hold; another error comes where the op does not
    take it.
    """
    cdef int i
    if not p.accepts >> code & 1:
        return 0
    for i in range(p.n_in):
        if slots[i] != <PyObject*> None and not isinstance(<object> slots[i], Tensor):
            check_bound(slots[i], code)
    return 0


cdef int computing(int code) noexcept:
    """The dtype that 16 bits are computed in; another dtype itself."""
    return FLOAT32 if code == FLOAT16 or code == BFLOAT16 else code


def check_factor(value, kind, bint wider=False):
    """RuntimeError for a number that a dtype does not hold; wider: that the dtype does not which it is computed in."""
    cdef int code = (<dtype?> kind).code
    check_bound(<PyObject*> value, computing(code) if wider else code)


cdef bint bounded_twice(Pointwise* p, PyObject** slots):
    return p.bounds and slots[1] != <PyObject*> None and slots[2] != <PyObject*> None


cdef int only_bound(Pointwise* p, PyObject** slots):
    """The slot of a clamp's bound."""
    return 2 if p.bounds and slots[1] == <PyObject*> None else 1


cdef str bound_name(Op op, Pointwise* p, PyObject** slots):
    """Return the suffix in torch's name of clamp of a bool: "_min_scalar", "_max_scalar", "_scalar", "" for tensors."""
    if bounded_twice(p, slots):
        return "" if isinstance(<object> slots[1], Tensor) else "_scalar"
    return "_max_scalar" if only_bound(p, slots) == 2 or op.name.startswith("clamp_max") else "_min_scalar"


cdef bint is_bool(PyObject* value):
    return (<Tensor> value).code == BOOL if isinstance(<object> value, Tensor) else isinstance(<object> value, bool)


cdef bint are_integral(PyObject** slots):
    return FACTS.category[(<Tensor> slots[0]).code] < CAT_FLOAT and FACTS.category[(<Tensor> slots[1]).code] < CAT_FLOAT


cdef int check_same(Op op, Pointwise* p, PyObject** slots) except -1:
    """lerp and heaviside do not promote; a weight without dimensions counts as a number."""
    cdef int i, code = (<Tensor> slots[0]).code
    for i in range(1, p.n_in):
        if isinstance(<object> slots[i], Tensor) and (<Tensor> slots[i]).code != code \
                and (i == 1 or (<Tensor> slots[i]).rank):
            raise RuntimeError(op.options["strict_error"].format(
                expected=_C_NAMES[code], got=_C_NAMES[(<Tensor> slots[i]).code], name=op.params[i]))
    return 0


cdef object find_unaccepted(Op op, Pointwise* p, int code):
    taken = ", ".join([dtype_of(i).name for i in range(N_DTYPES) if p.accepts >> i & 1])
    message = op.options["refusal"].get(dtype_of(code).name) \
        or op.options["refusal"].get(CATEGORIES[FACTS.category[code]])
    if isinstance(message, Exception):
        return type(message)(*message.args)
    if message is not None:
        return RuntimeError(message)
    name = op.out_of_place.name if op.out_of_place is not None else op.name
    return NotImplementedError(f"\"{op.options.get('label', name + '_cpu')}\" not implemented for "
                               f"'{scalar_name(code)}': {op.name} takes {taken}")


cdef tuple CATEGORIES = ("bool", "integer", "float", "complex")


cdef int refuse_zero(Op op, PyObject* divisor) except -1:
    """Integer division by zero is torch's RuntimeError."""
    if runs_on_device():
        return 0                       # to look would mean to wait for the device
    if isinstance(<object> divisor, Tensor):
        zero = not array_of(<Tensor> divisor).all()
    else:
        zero = not <object> divisor
    if zero:
        raise RuntimeError(f"ZeroDivisionError: {op.name} of integers got a divisor with a zero in it; convert to "
                           "floating point, or replace the zeros")
    return 0


def every_sample(Tensor t):
    """Return the tensor whose values a check reads: all samples of a batched one (inside of vmap), else itself.

    Only for errors that any one sample is enough for: shapes and dims are not the tensor's.
    """
    while t.flags & WG_BATCHED:
        t = <Tensor> (<object> t.extra.tangent).physical
    return t


def have_one_shape(a, b):
    """Whether two tensors have the same shape; for plain ones, no shape is made."""
    if type(a) is Tensor and type(b) is Tensor:
        return same_shape(<Tensor> a, <Tensor> b)
    return a.shape == b.shape


def is_batched(*values):
    """Whether a tensor is among the values that is one of a batch: its numbers cannot be read (inside of vmap)."""
    for value in values:
        if isinstance(value, Tensor) and (<Tensor> value).flags & WG_BATCHED:
            return True
    return False


def is_constant(Tensor t):
    """Whether no derivative by this tensor is asked for here, and it is no batch: what it was can stand for it."""
    return not t.flags & thread_state().modes & (WG_BATCHED | WG_FOREIGN | WG_RECORD)


def each_sample(name, function, *arguments):
    """A function that reads numbers of its arguments, called for each sample of a batch, with torch's warning.

    name: for the warning.   One of the arguments ``is_batched``; the function gives one tensor, of one shape for all
    samples.
    """
    for value in arguments:
        if is_batched(value):
            return (<object> (<Tensor> value).extra.tangent).each(name, function, arguments)
    return function(*arguments)


cdef object without(unsigned int bits, object function):
    """function(), with some modes of this thread switched off."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    state.modes = modes & ~bits
    try:
        return function()
    finally:
        state.modes = modes


def call_unrecorded(function):
    """function() as under no_grad(): reverse mode does not see what it computes, forward mode does."""
    return without(WG_GRAD, function)


def call_unguarded(function):
    """Run function(), which may write to captures of a transform's function: a write that belongs to an operation."""
    return without(WG_GUARD, function)


def call_as_one(function):
    """Run function(), whose operations are one to the hooks of saved tensors: these are called when all have run.

    A checkpoint's second run ends in such a hook, and must not end between an operation and a write that belongs to it.
    """
    if thread_state().saved_hooks == NULL or HOOKS.call_before_packing == NULL:
        return function()
    return HOOKS.call_before_packing(function)
