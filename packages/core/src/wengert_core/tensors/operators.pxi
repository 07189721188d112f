# Part of tensor.pyx: Python's operators. Which callable each means is told by the op table (set_operators).

cdef array_operand_fn ARRAY_OPERAND = NULL    # set_array_operand
cdef PyObject* OPERATORS[48]           # in the order of OPERATOR_NAMES; NULL: not told yet
memset(OPERATORS, 0, sizeof(OPERATORS))
cdef tuple OPERATOR_NAMES = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift",
    "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor", "ilshift", "irshift",
    "lt", "le", "eq", "ne", "gt", "ge", "neg", "pos", "abs", "invert", "getitem", "setitem", "imatmul", "repr", "iter",
    "contains")
# What messages call them, up to the comparisons.
cdef tuple OPERATOR_SIGNS = (
    "+", "-", "*", "/", "//", "%", "** or pow()", "@", "&", "|", "^", "<<", ">>",
    "+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^=", "<<=", ">>=", "<", "<=", "==", "!=", ">", ">=")
cdef enum Operator:
    O_ADD, O_SUB, O_MUL, O_TRUEDIV, O_FLOORDIV, O_MOD, O_POW, O_MATMUL, O_AND, O_OR, O_XOR, O_LSHIFT, O_RSHIFT
    O_IADD, O_ISUB, O_IMUL, O_ITRUEDIV, O_IFLOORDIV, O_IMOD, O_IPOW, O_IAND, O_IOR, O_IXOR, O_ILSHIFT, O_IRSHIFT
    O_LT, O_LE, O_EQ, O_NE, O_GT, O_GE, O_NEG, O_POS, O_ABS, O_INVERT, O_GETITEM, O_SETITEM, O_IMATMUL, O_REPR, O_ITER
    O_CONTAINS


cdef void set_array_operand(array_operand_fn function) noexcept:
    """Say what makes a tensor of an array that stands beside a tensor: the bridge to NumPy, which is loaded then."""
    global ARRAY_OPERAND
    ARRAY_OPERAND = function


def set_operators(table):
    """Say what Python's operators call: a dict from the special method's name without underscores to a callable."""
    for name, function in table.items():
        index = OPERATOR_NAMES.index(name)
        Py_INCREF(function)
        OPERATORS[index] = <PyObject*> function


cdef inline bint is_operand(PyObject* o) noexcept:
    """What may stand beside a tensor: tensors and numbers."""
    return (isinstance(<object> o, Tensor) or PyFloat_Check(o) or PyLong_Check(o) or PyComplex_Check(o)
            or is_other_number(<object> o))


cdef bint is_other_number(object o) noexcept:
    """Whether an object of another type is a number: a whole one, or NumPy's.

    Not what answers ufuncs itself, as arrays of other libraries; nor fractions and decimals, as in PyTorch: they may
    answer to the operator themselves.
    """
    return isinstance(o, SCALAR) or (PyIndex_Check(<PyObject*> o) and not hasattr(type(o), "__array_ufunc__"))


cdef inline bint is_plain_array(object o) noexcept:
    """Whether an operand is an array that nobody but NumPy answers for: subclasses such as masked arrays do."""
    return type(o) is ARRAY


cdef inline object array_operand(object array):
    """A tensor on an array's memory, or on a copy's where tensors cannot have its strides."""
    if ARRAY_OPERAND == NULL:
        import wengert_core.exchange.numpy_bridge  # noqa: F401 - calls set_array_operand
    return ARRAY_OPERAND(array, True)


cdef inline object plain2(int which, PyObject* a, PyObject* b):
    cdef PyObject* args[2]
    if OPERATORS[which] == NULL or not is_operand(a) or not is_operand(b):
        return refuse_operand(which, <object> a, <object> b)
    args[0], args[1] = a, b
    return PyObject_Vectorcall(<object> OPERATORS[which], args, 2, NULL)


cdef inline object plain_either(int which, PyObject* a, PyObject* b):
    """plain2 for + and *: 2 * x is x * 2, as in torch, so that the tensor's place in the graph comes first."""
    cdef PyObject* args[2]
    args[0], args[1] = a, b
    if not isinstance(<object> a, Tensor):
        args[0], args[1] = b, a
    if OPERATORS[which] == NULL or not is_operand(args[1]):
        return refuse_operand(which, <object> a, <object> b)
    return PyObject_Vectorcall(<object> OPERATORS[which], args, 2, NULL)


cdef object apply2(int which, PyObject* a, PyObject* b):
    return overridden_or_plain(which, a, b) if wengert_subclasses else plain2(which, a, b)


cdef object apply_either(int which, PyObject* a, PyObject* b):
    return overridden_or_plain(which, a, b) if wengert_subclasses else plain_either(which, a, b)


cdef object overridden_or_plain(int which, PyObject* a, PyObject* b):
    answer = override_result(which, a, b)
    if answer is not None:
        return answer[0]
    return plain_either(which, a, b) if which == O_ADD or which == O_MUL else plain2(which, a, b)


cdef object override_result(int which, PyObject* a, PyObject* b):
    """The answer of modes and of tensors of subclasses to an operator, as the only item of a tuple; None where nobody
    is asked.
    """
    cdef PyObject* args[2]
    args[0], args[1] = a, b
    if which == O_IMATMUL or not may_override(args, 2) or not is_operand(a) or not is_operand(b):  # a @= b is a = a @ b
        return None
    from wengert_core.dispatch.overrides import call_operator_overrides
    return call_operator_overrides(OPERATOR_NAMES[which], <object> a, <object> b)


cdef object refuse_operand(int which, object a, object b):
    """NotImplemented; for Python's own types on the right, which have no answer either, torch's TypeError at once.

    On the left a list may take the tensor's items (``items += x``), and a sequence on either side may be repeated.
    An array is a constant: a tensor on its memory. In place, ``x += array`` is ``x = x + array``, as in PyTorch, where
    NumPy's dtype is the result's.
    """
    cdef bint is_left = not isinstance(a, Tensor)
    other = a if is_left else b
    if is_plain_array(other) and OPERATORS[which] != NULL and not is_in_place(which):
        return operator_with_array(which, a, b, is_left)
    if OPERATORS[which] != NULL and hasattr(type(other), "__torch_function__"):
        from wengert_core.dispatch.overrides import call_operator
        return call_operator(OPERATOR_NAMES[which], a, b)
    if which == O_EQ or which == O_NE or which == O_MUL or OPERATORS[which] == NULL or is_left \
            or not (other is None or type(other) in (str, bytes, list, tuple, dict, set)):
        return NotImplemented
    sign = "@=" if which == O_IMATMUL else OPERATOR_SIGNS[which]
    if O_LT <= which <= O_GE:
        raise TypeError(f"'{sign}' not supported between instances of '{type(a).__name__}' and '{type(b).__name__}'")
    raise TypeError(f"unsupported operand type(s) for {sign}: '{type(a).__name__}' and '{type(b).__name__}'")


cdef object operator_with_array(int which, object a, object b, bint is_left):
    """The answer to an operator of a tensor and an array; one without dims has the weight of any array."""
    cdef Tensor constant = array_operand(a if is_left else b)
    cdef Tensor t = b if is_left else a
    cdef int code = FACTS.promote[t.code][constant.code]
    if constant.rank == 0 and t.rank and code != t.code:
        t = t.to(dtype_of(code))
    return apply2(which, <PyObject*> constant, <PyObject*> t) if is_left \
        else apply2(which, <PyObject*> t, <PyObject*> constant)


cdef inline bint is_in_place(int which) noexcept:
    return O_IADD <= which <= O_IRSHIFT or which == O_IMATMUL


cdef object operator(int which):
    if OPERATORS[which] == NULL:
        raise TypeError(f"no op is installed for {OPERATOR_NAMES[which]} of a Tensor")
    return <object> OPERATORS[which]


cdef object answer_of(str name, tuple args):
    """``Tensor.name(*args)`` as a tensor of a subclass answers it, which is among the arguments."""
    from wengert_core.dispatch.overrides import call_override_or_function
    return call_override_or_function(getattr(Tensor, name), args)


cdef object property_of(str name, Tensor self):
    """``self.name`` as a tensor of a subclass answers it."""
    from wengert_core.dispatch.overrides import call_override_or_function
    return call_override_or_function(getattr(Tensor, name).__get__, (self,))


cdef bint operand_has_override(PyObject* self) noexcept:
    """Return whether a subclass's tensor or a mode was not asked. Note [Tensors of subclasses are asked first]"""
    return may_override(&self, 1)


cdef object index_error(str name, tuple args):
    """The answer of what is no tensor, among the indices or a value; else raise the exception that is set."""
    try:
        raise_current()
    except (IndexError, TypeError) as error:
        from wengert_core.dispatch.overrides import call_index_override
        answer = call_index_override(getattr(Tensor, name), args, error)
        if answer is None:
            raise
        return answer[0]


cdef int raise_current() except -1:
    """Raise the exception that is set."""
    return -1


cdef object apply1(int which, PyObject* a):
    if OPERATORS[which] == NULL:
        return NotImplemented
    return PyObject_Vectorcall(<object> OPERATORS[which], &a, 1, NULL)


# By the number that Python gives a comparison.
cdef int COMPARISONS[6]
COMPARISONS[0], COMPARISONS[1], COMPARISONS[2] = O_LT, O_LE, O_EQ
COMPARISONS[3], COMPARISONS[4], COMPARISONS[5] = O_NE, O_GT, O_GE
