"""The driver of primitives that other ops compute: one node of the graph, several kernels.

The row's function gets aliases of the tensors, which record nothing; its result is recorded as this op's. A device's
kernel of that name computes it instead, unless it gives None.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.arguments cimport scalar_name
from wengert_core.dispatch.op cimport K_TENSORS, OP_INPLACE, Op
from wengert_core.drivers.out_argument cimport into_out
from wengert_core.drivers.references cimport call_this, check_kind, result_array
from wengert_core.drivers.steps cimport after_write, before_write, record, record_outputs
from wengert_core.dtypes.dtypes cimport BFLOAT16, FLOAT16, FLOAT32, DTypeFacts, code_of, dtype_facts
from wengert_core.dtypes.dtypes import ALL as DTYPES
from wengert_core.exchange.arrays cimport (array_of, contiguous_copy, convert_copy, copy_into, tensor_of_result,
                                           without_alias)
from wengert_core.exchange.device_memory cimport runs_on_device, reference_of
from wengert_core.messages.owners import table_of
from wengert_core.runtime.launches cimport tell_complete
from wengert_core.runtime.state cimport WG_OBSERVE, WG_RECORD, WG_TELL, WgState, thread_state
from wengert_core.tensors.tensor cimport TF_VIEW, Tensor, alias, forget_writes, is_strided, shape_tuple

from wengert_core.devices.device import PLUGIN_DEVICES as _PLUGIN_DEVICES

cdef DTypeFacts* FACTS = dtype_facts()


def configure(Op op, stages):
    """Make ``op`` run ``stages`` on its arguments but out=."""
    op.run = decomposed_run
    op.impl = stages


cdef object decomposed_run(Op op, PyObject** slots, uint32_t live):
    cdef int i
    cdef Tensor result, given
    cdef list arguments = []
    cdef object found
    for i in range(op.n_params):
        if i == op.out_slot:
            continue
        if op.kinds[i] & 63 == K_TENSORS:
            arguments.append([alias(<Tensor?> each) if live & WG_RECORD else <Tensor?> each
                              for each in <object> slots[i]])
            continue
        plain = live & WG_RECORD and isinstance(<object> slots[i], Tensor)
        arguments.append(alias(<Tensor> slots[i]) if plain else <object> slots[i])
    found = by_device(op, arguments) if runs_on_device() else None
    if found is None:
        found = op.impl(*arguments) if not live & WG_TELL else tell_stages(op, arguments)
    check_found(op, found)
    if isinstance(found, tuple):
        return several(op, slots, <tuple> found, live)
    result = <Tensor> found
    found = None
    result = own_result(op, slots, result)
    if op.flags & OP_INPLACE:
        return write_in_place(op, slots, result, live)
    forget_writes(result)
    given = into_out(op, slots, result, live)
    if given is not None:
        return given
    if live:
        record(op, slots, result, live)
    return result


cdef object tell_stages(Op op, list arguments):
    """Run the stages so that whoever records is told of their ops, too: one of them may tell no launches."""
    cdef WgState* state = thread_state()
    state.modes |= WG_OBSERVE
    try:
        found = op.impl(*arguments)
    finally:
        state.modes &= ~(<unsigned int> WG_OBSERVE)
    if op.owner == "core":             # other functions may compute by what is no op
        tell_complete(<void*> op)
    return found


cdef Tensor own_result(Op op, PyObject** slots, Tensor result):
    """A result of its own for writes and history: of a view of what the stages alone know, an alias; of an argument's
    memory, a copy.
    """
    cdef int i
    cdef Tensor found = result
    for i in range(0 if op.flags & OP_INPLACE else op.n_params):
        if i == op.out_slot:
            continue
        if isinstance(<object> slots[i], Tensor) and (<Tensor> slots[i]).storage is found.storage:
            found = copy_of(found)
        elif op.kinds[i] & 63 == K_TENSORS:
            for each in <object> slots[i]:
                if (<Tensor> each).storage is found.storage:
                    found = copy_of(found)
    return alias(found) if found.flags & TF_VIEW else found


cdef Tensor copy_of(Tensor t):
    """A copy of an argument's memory, or of its components."""
    if is_strided(t):
        return contiguous_copy(t)
    return _PLUGIN_DEVICES[t.device][0].plugin.clone(t)


cdef int check_found(Op op, object found) except -1:
    """RuntimeError when the stages did not return a tensor for each output of the schema."""
    cdef Py_ssize_t n = len(op.outputs)
    if n == 1 and isinstance(found, Tensor):
        return 0
    if isinstance(found, tuple) and len(found) == n and all([isinstance(each, Tensor) for each in found]):
        return 0
    got = f"({', '.join([type(each).__name__ for each in found])})" if isinstance(found, tuple) \
        else type(found).__name__
    raise RuntimeError(f"{op.name}: the stages in {table_of(op.owner)} returned {got}, expected "
                       f"{'a Tensor' if n == 1 else f'a tuple of {n} Tensors'}; the schema is {op.schema}")


cdef object by_device(Op op, list arguments):
    """What the device's own kernel gives; None where it has none, or leaves these arguments to the stages.

    Tensors of half precision come to it in float32, and so does its result.
    """
    cdef int code = -1
    cdef list arrays = []
    kernel = reference_of(op)
    if kernel is op.reference:
        return None
    for value in arguments:
        if isinstance(value, Tensor) and (<Tensor> value).code in (FLOAT16, BFLOAT16):
            code = (<Tensor> value).code
            value = convert_copy(<Tensor> value, FLOAT32)
        arrays.append(array_of(<Tensor> value) if isinstance(value, Tensor) else value)
    computed = call_this(op, kernel, arrays)
    if computed is None:
        return None
    computed = result_array(op, computed)
    if code >= 0:
        check_kind(op, computed, code, 0, 1)
    return tensor_of_result(computed, code if code >= 0 else code_of(computed.dtype))


cdef object several(Op op, PyObject** slots, tuple found, uint32_t live):
    """Several outputs, as a tuple."""
    cdef PyObject* outs[8]
    cdef Py_ssize_t i
    found = tuple([own_result(op, slots, <Tensor> out) for out in found])
    for i in range(len(found)):
        outs[i] = <PyObject*> found[i]
        forget_writes(<Tensor> found[i])
    record_outputs(op, slots, outs, <int> len(found), live)
    return found


cdef object write_in_place(Op op, PyObject** slots, Tensor result, uint32_t live):
    """The in-place variant: the result into the first argument."""
    cdef Tensor target = <Tensor> slots[0]
    cdef PyObject* keep = NULL
    if FACTS.category[result.code] > FACTS.category[target.code]:
        raise RuntimeError(f"result type {scalar_name(result.code)} can't be cast to the desired output type "
                           f"{scalar_name(target.code)}")
    if shape_tuple(result) != shape_tuple(target):
        raise RuntimeError(f"Bad in-place call: input tensor size {list(shape_tuple(target))} and output tensor size "
                           f"{list(shape_tuple(result))} should match")
    before_write(op, slots, target, live, &keep)
    copy_into(target, without_alias(result, target))
    after_write(op, slots, target, live, keep)
    return target


def as_dtype(Tensor t, str name):
    """A copy in another dtype that records nothing; t itself when it has that dtype."""
    cdef int code = code_of(DTYPES[name])
    return t if t.code == code else convert_copy(t, code)
