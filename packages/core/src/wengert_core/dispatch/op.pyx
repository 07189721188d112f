"""Op: a row of an operator table. The schema is read once; a call binds arguments to slots in C. See op.pxd."""
cimport cython
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, PyObject
from libc.string cimport memset

from wengert_core.binding.call_arguments cimport arguments
from wengert_core.binding.class_attributes cimport has_attribute
from wengert_core.binding.schema import parse_schema
from wengert_core.binding.torch_function cimport call_override, may_override, wengert_subclasses
from wengert_core.dispatch.dispatcher cimport dispatch
from wengert_core.dispatch.exact_values cimport (begins_with_bool, is_plain_ints, items_of, plain_float, plain_int,
                                                 plain_ints, plain_number)
from wengert_core.dtypes.dtypes cimport code_of, dtype_of
from wengert_core.geometry.size_math cimport bytes_between

cdef extern from "Python.h":
    bint PyErr_ExceptionMatches(object) noexcept
    ctypedef PyObject* (*vectorcallfunc)(PyObject*, PyObject* const*, size_t, PyObject*)
    Py_ssize_t PyVectorcall_NARGS(size_t n) noexcept
    PyObject* PyTuple_GET_ITEM(PyObject* t, Py_ssize_t i) noexcept
    Py_ssize_t PyTuple_GET_SIZE(PyObject* t) noexcept
    int PyUnicode_Compare(PyObject* a, PyObject* b) except? -1
    bint PyIndex_Check(PyObject* o) noexcept
    bint PySequence_Check(PyObject* o) noexcept
    bint PyNumber_Check(PyObject* o) noexcept
    bint PyUnicode_Check(PyObject* o) noexcept
    object PyUnicode_FromObject(object o)
    bint PyBool_Check(PyObject* o) noexcept
    bint PyLong_Check(PyObject* o) noexcept
    bint PyFloat_Check(PyObject* o) noexcept
    bint PyComplex_Check(PyObject* o) noexcept
    void Py_XINCREF(PyObject* o) noexcept
    void Py_XDECREF(PyObject* o) noexcept
    bint PyLong_CheckExact(PyObject* o) noexcept
    bint PyTuple_CheckExact(PyObject* o) noexcept
    PyObject* PyTuple_New(Py_ssize_t n) except NULL
    void PyTuple_SET_ITEM(PyObject* t, Py_ssize_t i, PyObject* o) noexcept
    object PyUnicode_InternFromString(const char* s)
    PyObject* PyMethod_New(PyObject* f, PyObject* self) noexcept
    void PyErr_Clear() noexcept

cdef extern from "wengert_core/runtime/pyobject.h":
    void wengert_set_vectorcall(PyTypeObject* t, Py_ssize_t offset, void* get) noexcept

cdef enum:
    OP_DIM_FIRST = 16                  # a flag beside OpFlags: what comes behind dim is taken together with dim only

cdef dict OPS = {}
cdef object SOURCE = None              # called with the name of an op that is not there, to load it
cdef tuple EXPECTED = ("Tensor", "Tensor or Number", "Number", "int", "tuple of ints", "bool", "float", "torch.dtype",
                       "str", "tuple of Tensors", "object")
cdef dict KINDS = {"Tensor": K_TENSOR, "Any": K_TENSOR_OR_NUMBER, "Scalar": K_NUMBER, "int": K_INT, "int[]": K_INTS,
                   "bool": K_BOOL, "float": K_FLOAT, "dtype": K_DTYPE, "str": K_STR, "Tensor[]": K_TENSORS,
                   "object": K_OBJECT}
cdef dict ALIASES = {"input": "self", "axis": "dim", "keepdims": "keepdim", "x1": "self", "x": "self", "a": "self",
                     "x2": "other",
                     "split_size_or_sections": "split_size", "tensor": "self", "other": "src",  # of copy_
                     "dtype": "size"}  # of view


@cython.binding(False)
@cython.embedsignature(True)
cdef class Op:
    """An operator: call it as a function, or as a method of Tensor."""

    def __cinit__(
        self, str schema, str family, *, doc="", reference=None, impl=None, options=None, Op out_of_place=None,
        bint inplace=False, bint view=False, bint multi_view=False, bint no_record=False, bint dim_first=False
    ):
        name, params, outputs = parse_schema(schema)
        if len(params) > MAX_SLOTS:
            raise ValueError(f"{name}: an op has at most {MAX_SLOTS} parameters, its schema has {len(params)}")
        if (inplace or view or multi_view) and (not params or params[0][1:3] != ("Tensor", False)):
            raise ValueError(f"schema not understood: {schema!r}: an op that writes into its first argument, or gives "
                             "views of it, has a first parameter of type Tensor")
        self.name, self.schema, self.family, self.doc = name, schema, family, doc
        self.reference, self.impl, self.options, self.out_of_place = reference, impl, options or {}, out_of_place
        self.outputs = outputs
        self.params = tuple([p[0] for p in params])
        self.owner = self.public_name = self.documentation = ""
        self.n_params = len(params)
        self.n_positional = self.n_params
        self.out_slot = -1
        self.flags = (OP_INPLACE * inplace) | (OP_VIEW * (view or multi_view)) | (OP_MULTI_VIEW * multi_view) \
            | (OP_NO_RECORD * no_record) | (OP_DIM_FIRST * dim_first)
        self.vectorcall = <void*> op_vectorcall
        cdef int i
        for i, (param, kind, optional, varargs, keyword_only, required, default) in enumerate(params):
            self.kinds[i] = KINDS[kind] | (K_OPTIONAL * bool(optional)) | (K_VARARGS * bool(varargs))
            interned = PyUnicode_InternFromString(param.encode())
            Py_INCREF(interned)
            self.names[i] = <PyObject*> interned
            self.defaults[i] = NULL
            if not required:
                Py_INCREF(default)
                self.defaults[i] = <PyObject*> default
            if keyword_only and i < self.n_positional:
                self.n_positional = i
            if param == "out":
                self.out_slot = i
            elif self.kinds[i] & 63 in (K_TENSOR, K_TENSOR_OR_NUMBER, K_TENSORS, K_OBJECT):
                self.watched[self.n_watched] = i
                self.n_watched += 1

    def __repr__(self):
        return f"<wengert op {self.schema}>"

    def __reduce__(self):
        return (find, (self.name,)) if self.owner in ("", "core") else (find_of_table, (self.owner, self.name))

    @property
    def __name__(self):
        return self.name

    @property
    def __qualname__(self):
        return self.name

    @property
    def qualified_name(self):
        """The name with its library, as profiles and errors show it: "aten::mul"; of a plugin "acme::log_cosh"."""
        return f"{library(self.owner)}::{self.name}"

    @property
    def __doc__(self):
        from wengert_core.dispatch.op_docs import text_of
        return text_of(self)

    @property
    def __text_signature__(self):
        return "($self, /, " + ", ".join(self.params[1:]) + ")" if self.params else "()"

    @property
    def is_inplace(self):
        """True when the op writes into its first argument."""
        return bool(self.flags & OP_INPLACE)

    @property
    def is_view(self):
        """True when the op's outputs are views of its first argument."""
        return bool(self.flags & OP_VIEW)

    @property
    def differentiable(self):
        """False when the op's outputs are never differentiable (comparisons, argmax)."""
        return not self.flags & OP_NO_RECORD


def type_words(value):
    """The type of an argument as torch's messages give it: numpy.ndarray, torch.dtype, int."""
    kind = type(value)
    package = str(kind.__module__).partition(".")[0]
    if package == "wengert_core" and kind.__name__ in ("dtype", "device", "layout", "memory_format", "Size"):
        return f"wengert.{kind.__name__}"
    return f"numpy.{kind.__name__}" if package == "numpy" else kind.__name__


cdef object op_error(Op op, int slot, str expected, PyObject* got):
    """A TypeError for an argument of the wrong type, in torch's words."""
    kind = "NoneType" if got == NULL else type_words(<object> got)
    return TypeError(f"{op.name}(): argument '{parameter_name(op, slot)}' (position {slot + 1}) must be {expected}, "
                     "not "
                     f"{kind}; {signature(op)}")


cdef str parameter_name(Op op, int slot):
    """A parameter's name as users know it."""
    return "input" if op.params[slot] == "self" else op.params[slot]


cdef str signature(Op op):
    """What a call should have looked like, with the words torch has for it."""
    return f"{op.name}() received an invalid combination of arguments, its signature is {op.schema}"


cdef inline int fits(PyObject* value, int kind) except -1:
    if kind == K_TENSOR:
        return isinstance(<object> value, Tensor)
    if kind == K_INT:
        return PyIndex_Check(value) and not PyBool_Check(value)      # an array has the method: plain_int asks it
    if kind == K_BOOL:
        return PyBool_Check(value) or type(<object> value).__name__ in ("bool", "bool_")     # NumPy's
    if kind == K_INTS:
        return PyIndex_Check(value) and not PyBool_Check(value) \
            or (PySequence_Check(value) and not PyUnicode_Check(value) and not isinstance(<object> value, Tensor))
    if kind == K_FLOAT or kind == K_NUMBER:
        return (PyNumber_Check(value) or PyComplex_Check(value)) and not PyUnicode_Check(value) \
            and (not isinstance(<object> value, Tensor) or (<Tensor> value).rank == 0)
    if kind == K_STR:
        return PyUnicode_Check(value)
    if kind == K_TENSORS:
        return isinstance(<object> value, (tuple, list))
    if kind == K_TENSOR_OR_NUMBER:
        return isinstance(<object> value, Tensor) or (PyNumber_Check(value) and not PyUnicode_Check(value)) \
            or PyComplex_Check(value)
    return True


cdef inline bint is_plain(PyObject* value, int kind) noexcept:
    """Return whether a value can stand in a slot as it is, without a further look. Note [Values first, memory after]"""
    if kind == K_TENSOR:
        return type(<object> value) is Tensor
    if kind == K_INT or kind == K_INTS:
        return PyLong_CheckExact(value) or (kind == K_INTS and is_plain_ints(value))
    return False


cdef PyObject* plain_slot(Op op, int slot, PyObject* value, PyObject** made) except NULL:
    """Return the object for a slot: the value, or an exact one that ``made[0]`` owns. TypeError for another type."""
    cdef int kind = op.kinds[slot] & 63
    cdef list owned
    if value == <PyObject*> None and op.kinds[slot] & K_OPTIONAL:
        return value
    if kind == K_DTYPE:
        plain = dtype_of(code_of(<object> value))
    elif not fits(value, kind):
        raise op_error(op, slot, EXPECTED[kind], value)
    else:
        if kind == K_INTS and begins_with_bool(value):
            raise TypeError(f"{op.name}(): argument '{parameter_name(op, slot)}' (position {slot + 1}) must be tuple "
                            "of "
                            f"ints, but found element of type bool at pos 0; {signature(op)}")
        plain = plain_of(<object> value, kind)
        if plain is None and kind == K_INT:
            raise op_error(op, slot, EXPECTED[kind], value)
    if <PyObject*> plain == value:
        return value
    # An object with __torch_function__ answers itself.
    if not isinstance(<object> value, Tensor) and hasattr(type(<object> value), "__torch_function__"):
        raise op_error(op, slot, EXPECTED[kind], value)
    if made[0] == NULL or PyTuple_CheckExact(made[0]):
        owned = [] if made[0] == NULL else [<object> made[0]]
        Py_XDECREF(made[0])
        Py_INCREF(owned)
        made[0] = <PyObject*> owned
    else:
        owned = <list> made[0]
    owned.append(plain)
    return <PyObject*> plain


cdef object plain_of(object value, int kind):
    """A value that fits its kind, exact."""
    if kind == K_INT:
        return plain_int(value)
    if kind == K_INTS:
        return plain_ints(value)
    if kind == K_BOOL:
        return True if value else False
    if kind == K_FLOAT:
        return plain_float(value)
    if kind == K_NUMBER or kind == K_TENSOR_OR_NUMBER:
        return plain_number(value)
    if kind == K_STR:
        return PyUnicode_FromObject(value)
    if kind == K_TENSORS:
        return items_of(value, 0)
    return value


cdef int slot_of_keyword(Op op, PyObject* name) except -2:
    """The slot called name: by identity of the interned str, then by text, then by alias. -1: none."""
    cdef int i
    for i in range(op.n_params):
        if op.names[i] == name:
            return i
    text = <object> name
    for i in range(op.n_params):
        if <object> op.names[i] == text:
            return i
    alias = ALIASES.get(text)
    if alias is not None:
        for i in range(op.n_params):
            if <object> op.names[i] == alias:
                return i
    return -1


cdef PyObject* collect_arguments(PyObject* const* args, Py_ssize_t start, Py_ssize_t end) except NULL:
    """args[start:end] as a new tuple."""
    cdef PyObject* rest = PyTuple_New(end - start)
    cdef Py_ssize_t i
    for i in range(start, end):
        Py_XINCREF(args[i])
        PyTuple_SET_ITEM(rest, i - start, args[i])
    return rest


cdef inline int bind_keywords(
    Op op, PyObject* const* values, Py_ssize_t n, PyObject* kwnames, PyObject** slots
) except -1:
    """Put the values of keywords into their slots."""
    cdef Py_ssize_t i
    cdef int slot
    for i in range(n):
        slot = slot_of_keyword(op, PyTuple_GET_ITEM(kwnames, i))
        if slot < 0:
            raise TypeError(f"{op.name}() got an unexpected keyword argument "
                            f"'{<object> PyTuple_GET_ITEM(kwnames, i)}'; {signature(op)}")
        if slots[slot] != NULL:
            shown = "input" if op.params[slot] == "self" else op.params[slot]
            raise TypeError(f"{op.name}() got multiple values for argument '{shown}'")
        # One int stands for several only as a positional argument.
        if op.kinds[slot] & K_VARARGS and op.defaults[slot] == NULL and PyLong_CheckExact(values[i]):
            raise TypeError(f"{op.name}(): argument '{parameter_name(op, slot)}' must be tuple of ints, "
                            f"not int; {signature(op)}")
        slots[slot] = values[i]
    return 0


cdef int refuse_without_dim(Op op, PyObject* kwnames, PyObject** slots) except -1:
    """TypeError for keepdim= (slot 2), or out=, of a reduction whose dim was not given; mean alone takes out= then."""
    cdef bint writes = op.out_slot >= 0 and slots[op.out_slot] != NULL and op.name != "mean"
    if slots[2] == NULL and not writes:
        return 0
    given = ", ".join([f"{word}={type(<object> slots[slot_of_keyword(op, <PyObject*> word)]).__name__}"
                       for word in <tuple> <object> kwnames])
    behind = "keepdim" if slots[2] != NULL else "out"
    raise TypeError(f"{op.name}() received an invalid combination of arguments - got ({given}), and missing 1 required "
                    f"positional arguments: \"dim\", without which there is no {behind}=; dim=None is all dims. Its "
                    f"signature is {op.schema}")


cdef bint bind_older_form(Op op, PyObject* const* args, Py_ssize_t nargs, PyObject** slots) except -1:
    """Put positional arguments into their slots where a call has an older form of the op; else False."""
    from wengert_core.dispatch.legacy_signatures import slots as slots_of
    found = slots_of(op.name, op.params, op.n_positional, [<object> args[i] for i in range(nargs)])
    if found is None:
        return False
    for i, slot in enumerate(found):
        slots[<int> slot] = args[i]
    return True


cdef int bind(
    Op op, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PyObject** slots, PyObject** made
) except -1:
    """Fill ``slots`` from a call's arguments (borrowed; ``made[0]`` owns what had to be made: a tuple of
    positional arguments, or a list of that and exact values; or is NULL)."""
    cdef Py_ssize_t i, n_keywords = 0 if kwnames == NULL else PyTuple_GET_SIZE(kwnames)
    cdef int n_bound = <int> nargs
    memset(slots, 0, op.n_params * sizeof(PyObject*))
    if nargs and op.n_positional and op.kinds[op.n_positional - 1] & K_VARARGS and nargs >= op.n_positional \
            and (nargs > op.n_positional or (PyIndex_Check(args[nargs - 1]) and not PyBool_Check(args[nargs - 1]))):
        slots[op.n_positional - 1] = made[0] = collect_arguments(args, op.n_positional - 1, nargs)
        n_bound = op.n_positional - 1
    elif nargs > op.n_positional:
        n_bound = 0
        if not bind_older_form(op, args, nargs, slots):
            raise TypeError(f"{op.name}() takes {op.n_positional} positional "
                            f"argument{'s' if op.n_positional != 1 else ''} but {nargs} were given; {signature(op)}")
    for i in range(n_bound):
        slots[i] = args[i]
    if n_keywords:
        bind_keywords(op, args + nargs, n_keywords, kwnames, slots)
        if op.flags & OP_DIM_FIRST and slots[1] == NULL:
            refuse_without_dim(op, kwnames, slots)
    for i in range(op.n_params):
        if slots[i] == NULL:
            slots[i] = op.defaults[i]
            if slots[i] == NULL:
                raise TypeError(f"{op.name}() missing 1 required positional arguments: "
                                f"\"{'input' if op.params[i] == 'self' else op.params[i]}\"; {signature(op)}")
        elif not is_plain(slots[i], op.kinds[i] & 63):
            slots[i] = plain_slot(op, <int> i, slots[i], made)
    return 0


cdef object call_bound(Op op, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames):
    cdef PyObject* slots[16]
    cdef PyObject* made = NULL
    try:
        bind(op, args, nargs, kwnames, slots, &made)
        return dispatch(op, slots)
    finally:
        Py_XDECREF(made)


# A call whose failure is looked at by hand: NULL, and an exception is set.
ctypedef PyObject* (*Bound)(Op, PyObject* const*, Py_ssize_t, PyObject*) noexcept
ctypedef PyObject* (*Single)(Op, PyObject*) noexcept
ctypedef PyObject* (*Pair)(Op, PyObject*, PyObject*) noexcept


cdef PyObject* op_vectorcall(PyObject* callable_, PyObject* const* args, size_t nargsf, PyObject* kwnames) except NULL:
    cdef Py_ssize_t nargs = PyVectorcall_NARGS(nargsf)
    cdef PyObject* result
    if wengert_subclasses and may_override(args, nargs + (0 if kwnames == NULL else PyTuple_GET_SIZE(kwnames))):
        result = call_override(callable_, args, nargs, kwnames)
        if result != NULL:
            return result
    if kwnames == NULL:
        if nargs == 1 and (<Op> callable_).call1 != NULL:
            result = (<Single> (<Op> callable_).call1)(<Op> callable_, args[0])
        elif nargs == 2 and (<Op> callable_).call2 != NULL:
            result = (<Pair> (<Op> callable_).call2)(<Op> callable_, args[0], args[1])
        else:
            result = (<Bound> call_bound)(<Op> callable_, args, nargs, kwnames)
    else:
        result = (<Bound> call_bound)(<Op> callable_, args, nargs, kwnames)
    if result == NULL:
        return overridden_result(<Op> callable_, args, nargs, kwnames)
    return result          # the reference that the function called gave: an object would be counted up and down again


cdef PyObject* overridden_result(Op op, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) except NULL:
    """The answer of an argument that has ``__torch_function__``; else raise the exception that is set, in our words."""
    if nargs and not isinstance(<object> args[0], Tensor) and has_attribute(args[0], <PyObject*> op):
        PyErr_Clear()                  # Note [Attributes of classes]
        return op_vectorcall(<PyObject*> op, args + 1, nargs - 1, kwnames)
    try:
        raise_argument_error(op, args, nargs, kwnames)
    except TypeError as error:
        from wengert_core.dispatch.overrides import overloaded_args, call_overrides
        given, keywords = arguments(args, nargs, kwnames)
        askers = overloaded_args(given, keywords, error)
        if not askers:
            raise
    result = call_overrides(op, given, keywords, askers)
    Py_INCREF(result)
    return <PyObject*> result


cdef int raise_argument_error(Op op, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) except -1:
    """Raise the exception that is set; of an integer that does not fit into 64 bits the one that torch raises, of one
    in Python's inner words, or of memory that is missing, another that names the op; where the target of a write is
    refused, what refuses it. Looked at only here, after a failure: a ``try`` around each call would cost every call.
    """
    cdef bint writes = op.flags & OP_INPLACE or (op.out_slot >= 0 and kwnames != NULL)
    if not writes and not (PyErr_ExceptionMatches(OverflowError) or PyErr_ExceptionMatches(TypeError)
                           or PyErr_ExceptionMatches(LookupError) or PyErr_ExceptionMatches(AttributeError)
                           or PyErr_ExceptionMatches(MemoryError) or PyErr_ExceptionMatches(ValueError)):
        return raise_current()
    cdef Py_ssize_t i
    try:
        raise_current()
    except Exception as error:
        if writes and not isinstance(error, TypeError):
            from wengert_core.drivers.refused_writes import refused_write
            given, keywords = arguments(args, nargs, kwnames)
            refusal = refused_write(op.name, given, keywords, op.flags & OP_INPLACE != 0, op.flags & OP_NO_RECORD == 0)
            if refusal is not None:
                raise refusal from None
        from wengert_core.dispatch.argument_errors import restate_error
        refusal = restate_error(op.name, error, [<object> args[i] for i in range(nargs)])
        if refusal is None:
            raise
        raise refusal from error


cdef int raise_current() except -1:
    """Raise the exception that is set."""
    return -1


cdef PyObject* op_get(PyObject* op, PyObject* instance, PyObject* owner) noexcept:
    """Attribute access on an instance binds, as a function does."""
    if instance == NULL or instance == <PyObject*> None:
        Py_XINCREF(op)
        return op
    return PyMethod_New(op, instance)


cdef Py_ssize_t vectorcall_offset():
    cdef Op probe = Op("probe() -> Tensor", "probe")
    return bytes_between(<PyObject*> probe, &probe.vectorcall)


wengert_set_vectorcall(<PyTypeObject*> Op, vectorcall_offset(), <void*> op_get)


def register(Op op, again=False):
    """Make an op known by its name; ValueError when another one has it. again: this one takes its place."""
    other = OPS.get(op.name)
    if other is not None and other is not op and not again:
        raise ValueError(f"op '{op.name}' is registered twice: {other.schema} and {op.schema}")
    OPS[op.name] = op
    return op


def unregister(Op op):
    """Forget an op's name; nothing happens where another op has it."""
    if OPS.get(op.name) is op:
        del OPS[op.name]


def library(str owner):
    """Return the library in torch's names of ops: "aten" for the tables with torch's own ops, else the table's name."""
    return "aten" if owner in ("", "core", "special") else owner


def find_of_table(str table, str name):
    """The op of that name in a plugin's table, which is loaded now if it was not; KeyError when it has none."""
    from wengert_registry import registry
    for op in registry.group("ops").get(table).ops.values():
        if isinstance(op, Op) and (<Op> op).name == name:
            return op
    raise KeyError(f"the op table '{table}' has no op '{name}'")


def set_source(source):
    """Set the function that is called, with its name, for an op that is not there: it loads and returns it, or None."""
    global SOURCE
    SOURCE = source


cdef Op look_up(str name):
    """The op of that name, or None."""
    op = OPS.get(name)
    if op is None and SOURCE is not None:
        op = SOURCE(name)
    return op


def loaded_op(str name):
    """The op of that name among those that are loaded, or None."""
    return OPS.get(name)


cdef Op find_op(str name):
    op = look_up(name)
    if op is None:
        raise KeyError(name)
    return op


def find(str name):
    """The op called ``name``; KeyError when there is none."""
    return find_op(name)


def names():
    """The names of all ops that are loaded, sorted."""
    return sorted(OPS)
