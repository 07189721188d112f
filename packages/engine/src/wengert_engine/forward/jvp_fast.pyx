"""Forward mode without Python: the tangent of an op's outputs where its formula's kind alone says what it is.

The same as wengert_formulas.forward, for the kinds that most ops have; what is not covered here is done there.
slots, tangents: the op's arguments and what they have, NULL for none. Tangents are switched off meanwhile.
"""
from cpython.ref cimport Py_INCREF, PyObject
from libc.string cimport memcpy

from wengert_core.dispatch.dispatcher cimport dispatch
from wengert_core.dispatch.op cimport Op, find_op
from wengert_core.dtypes.dtypes cimport BOOL, CAT_COMPLEX, DTypeFacts, dtype_facts, dtype_of
from wengert_core.dtypes.dtypes import promote_types
from wengert_core.tensors.tensor cimport Tensor, same_shape, shape_tuple
from wengert_engine.graph.formula cimport (ARG_OWN_SHAPE, FORWARD_ALL, FORWARD_ASK, FORWARD_JVP, FORWARD_JVPS,
                                           FORWARD_SLOPES, JVP_OUTPUT, JVP_SHAPE, JVP_TANGENT, JVP_VALUE, RULE_NEGATE,
                                           RULE_PASS, RULE_SCALE, RULE_SLOPE_CALL, RULE_SLOPE_SAVED, SAVE_GEOMETRY,
                                           SAVE_OUTPUT, SAVE_SHAPE, SAVE_VALUE, Formula, InputRule, JvpRule)
from wengert_engine.messages import errors

cdef extern from "Python.h":
    object PyObject_Vectorcall(object f, PyObject** args, size_t n, PyObject* names)
    void Py_DECREF(PyObject* o) noexcept

cdef DTypeFacts* FACTS = dtype_facts()
cdef Op ADD = find_op("add")
cdef Op EXPAND = find_op("expand")
cdef Op MUL = find_op("mul")
cdef Op NEG = find_op("neg")
cdef Op WHERE = find_op("where")
cdef Op ZEROS_LIKE = find_op("zeros_like")


cdef bint can_push(Formula f, Op op, PyObject** slots, PyObject** tangents) except -1:
    """Whether ``push`` knows this call."""
    cdef int i, k
    if f.forward == FORWARD_ASK or f.has_list:
        return False
    if f.forward >= FORWARD_JVP:
        return True
    for i in range(f.n_inputs):
        if f.forward == FORWARD_ALL and tangents[f.inputs[i].slot] == NULL \
                and slots[f.inputs[i].slot] != <PyObject*> None:
            return False               # the place of what has no tangent is taken by zeros
        for k in range(f.inputs[i].n_args if f.forward == FORWARD_SLOPES else 0):
            if f.inputs[i].args[k] < 0 and f.inputs[i].args[k] != ARG_OWN_SHAPE:
                return False
            if f.inputs[i].args[k] >= 0 and f.saved[f.inputs[i].args[k]].what == SAVE_GEOMETRY:
                return False
    return True


cdef object push(Formula f, Op op, PyObject** slots, PyObject** tangents, PyObject** outs):
    """The tangent of the output (a tuple or list of tangents for an op with several); None where it is zero."""
    cdef int i
    cdef PyObject* replaced[16]
    total = None
    if f.forward == FORWARD_JVP:
        return by_own_rule(&f.jvps[0], slots, tangents, outs)
    if f.forward == FORWARD_JVPS:
        for i in range(f.n_jvps):
            if tangents[f.jvps[i].slot] != NULL:
                part = by_own_rule(&f.jvps[i], slots, tangents, outs)
                if not isinstance(part, Tensor):
                    raise errors.no_tangent(op, 0, part)
                total = plus(total, part)
        return None if total is None else like(<Tensor> total, <Tensor> outs[0])
    if f.forward == FORWARD_SLOPES:
        for i in range(f.n_inputs):
            if tangents[f.inputs[i].slot] != NULL:
                total = plus(total, times_slope(f, &f.inputs[i], slots, <Tensor> tangents[f.inputs[i].slot], outs))
        return None if total is None else like(<Tensor> total, <Tensor> outs[0])
    memcpy(replaced, slots, op.n_params * sizeof(PyObject*))
    if op.out_slot >= 0:
        replaced[op.out_slot] = op.defaults[op.out_slot]
    if f.forward == FORWARD_ALL:
        for i in range(f.n_inputs):
            if tangents[f.inputs[i].slot] != NULL:
                replaced[f.inputs[i].slot] = tangents[f.inputs[i].slot]
        return dispatch(op, replaced)
    for i in range(f.n_inputs):        # FORWARD_EACH
        if tangents[f.inputs[i].slot] != NULL:
            replaced[f.inputs[i].slot] = tangents[f.inputs[i].slot]
            total = plus(total, dispatch(op, replaced))
            replaced[f.inputs[i].slot] = slots[f.inputs[i].slot]
    return total


cdef object plus(object total, object part):
    return part if total is None else ADD.call2(ADD, <PyObject*> total, <PyObject*> part)


cdef object times_slope(Formula f, InputRule* rule, PyObject** slots, Tensor tangent, PyObject** outs):
    """tangent * slope; where slope holds, for a slope of truth values."""
    if rule.kind == RULE_PASS:
        return tangent
    if rule.kind == RULE_NEGATE:
        return NEG.call1(NEG, <PyObject*> tangent)
    if rule.kind == RULE_SCALE:
        return MUL.call2(MUL, <PyObject*> tangent, rule.fn)
    if rule.kind == RULE_SLOPE_SAVED:
        slope = value_of(f, rule, 0, slots, outs)
    elif rule.kind == RULE_SLOPE_CALL:
        slope = call_slope(f, rule, slots, outs)
    else:
        return ZEROS_LIKE(tangent)
    if isinstance(slope, Tensor) and (<Tensor> slope).code == BOOL:
        return WHERE(slope, tangent, 0)
    if isinstance(slope, int) and slope == 1:
        return tangent
    return MUL.call2(MUL, <PyObject*> tangent, <PyObject*> slope)


cdef object call_slope(Formula f, InputRule* rule, PyObject** slots, PyObject** outs):
    """What a slope's function gives."""
    cdef PyObject* args[12]
    cdef int k, n = 0
    try:
        for k in range(rule.n_args):
            value = value_of(f, rule, k, slots, outs)
            Py_INCREF(value)
            args[n] = <PyObject*> value
            n += 1
        return PyObject_Vectorcall(<object> rule.fn, args, n, NULL)
    finally:
        for k in range(n):
            Py_DECREF(args[k])


cdef object by_own_rule(JvpRule* jvp, PyObject** slots, PyObject** tangents, PyObject** outs):
    """What the formula's own forward derivative gives, called with what its parameters ask for."""
    cdef PyObject* args[12]
    cdef PyObject* value
    cdef int k, n = 0, of
    try:
        for k in range(jvp.n_args):
            of = jvp.of[k]
            value = outs[of] if jvp.what[k] == JVP_OUTPUT else slots[of]
            if jvp.what[k] == JVP_OUTPUT or jvp.what[k] == JVP_VALUE:
                one = None if value == NULL else <object> value
            elif jvp.what[k] == JVP_TANGENT:
                one = <object> tangents[of] if tangents[of] != NULL \
                    else zeros_of(None if value == NULL else <object> value)
            elif jvp.what[k] == JVP_SHAPE:
                one = shape_tuple(<Tensor?> <object> value)
            else:
                one = dtype_of((<Tensor?> <object> value).code)
            Py_INCREF(one)
            args[n] = <PyObject*> one
            n += 1
        return PyObject_Vectorcall(<object> jvp.fn, args, n, NULL)
    finally:
        for k in range(n):
            Py_DECREF(args[k])


cdef object zeros_of(object value):
    """The tangent of an argument that has none."""
    if isinstance(value, Tensor):
        return ZEROS_LIKE(value)
    return None if value is None else value * 0


cdef object value_of(Formula f, InputRule* rule, int k, PyObject** slots, PyObject** outs):
    """What a parameter of a slope stands for."""
    cdef int code = rule.args[k], slot
    if code == ARG_OWN_SHAPE:
        return shape_tuple(<Tensor> slots[rule.slot])
    slot = f.saved[code].slot
    if f.saved[code].what == SAVE_OUTPUT:
        return <object> outs[slot]
    if f.saved[code].what == SAVE_VALUE:
        return None if slots[slot] == NULL else <object> slots[slot]
    return shape_tuple(<Tensor> slots[slot]) if f.saved[code].what == SAVE_SHAPE \
        else dtype_of((<Tensor> slots[slot]).code)


cdef Tensor like(Tensor tangent, Tensor result):
    """Return the tangent in the result's shape and a dtype that holds it: a part may lack broadcasting or promotion."""
    cdef object dtype
    if tangent.code != result.code:
        if FACTS.category[tangent.code] == CAT_COMPLEX and FACTS.category[result.code] != CAT_COMPLEX:
            tangent = (<object> tangent).real
        dtype = promote_types(dtype_of(tangent.code), dtype_of(result.code))
        tangent = (<object> tangent).to(dtype)
    return tangent if same_shape(tangent, result) else EXPAND(tangent, shape_tuple(result))
