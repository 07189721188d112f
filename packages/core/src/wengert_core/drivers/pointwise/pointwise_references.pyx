"""Pointwise operations by the row's formula on arrays, or by a device's own kernel, where no loop of ours computes."""
from functools import partial

import numpy as np

from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.pointwise.loop_lookup cimport Loop
from wengert_core.drivers.references cimport call_this, convert_into
from wengert_core.dtypes.dtypes cimport CAT_COMPLEX, FLOAT32, FLOAT64, DTypeFacts, dtype_facts, dtype_of
from wengert_core.dtypes.dtypes import COMPUTE_NAMES as _COMPUTE_NAMES
from wengert_core.dtypes.scalars cimport load_number
from wengert_core.exchange.arrays cimport array_of
from wengert_core.exchange.device_memory cimport runs_on_device, reference_of
from wengert_core.runtime.launches cimport defer_work, do_deferred_work
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, same_shape

cdef DTypeFacts* FACTS = dtype_facts()
cdef tuple NUMPY_DTYPES = tuple([np.dtype(name) for name in _COMPUTE_NAMES])


cdef int by_reference(Op op, object reference, list inputs, Loop* loop, Tensor out) except -1:
    """Compute with the row's reference; inputs: tensors, numbers, None. The result is converted into ``out``."""
    dtype = NUMPY_DTYPES[loop.compute]
    cdef bint away = runs_on_device()
    if loop.result != loop.compute and "of_dtype" in op.options:      # which float32 does not stand for
        reference = partial(op.options["of_dtype"], dtype_of(loop.result).name)
    elif away:
        if loop.first == loop.compute == out.code and defer_work(op, reference, inputs, out):
            return 0
        if reference is op.reference:
            reference = reference_of(op)
            if loop.first == loop.compute == out.code and run_flat(reference, inputs, out):
                return 0
    arrays = []
    for i, value in enumerate(inputs):
        if value is None:
            arrays.append(None)
            continue
        array = array_of(<Tensor> value) if isinstance(value, Tensor) else np.array(value)
        wanted = NUMPY_DTYPES[loop.first] if i == 0 else dtype
        if array.dtype != wanted:
            with np.errstate(over="ignore", invalid="ignore"):
                array = array.astype(wanted)
        arrays.append(array[()] if away and isinstance(array, np.ndarray) else array)
    if out.rank == 0 and not away and FACTS.category[loop.compute] == CAT_COMPLEX:
        return one_into(op, reference, arrays, loop, out)
    return convert_into(op, call_this(op, reference, arrays), out, loop.out)


cdef int one_into(Op op, object reference, list arrays, Loop* loop, Tensor out) except -1:
    """Compute one number as an array of one: NumPy computes with numbers and with arrays of no dims otherwise."""
    found = call_this(op, reference, [array if array is None else array.reshape(1) for array in arrays])
    if isinstance(found, np.ndarray) and found.shape == (1,):
        found = found.reshape(())
    return convert_into(op, found, out, loop.out)


cdef bint run_flat(object kernel, list inputs, Tensor out) except -1:
    """Let a device's kernel compute contiguous memory of one shape and dtype. False: nothing was done."""
    cdef Tensor t
    cdef int i, arrays = 0
    flat = getattr(kernel, "flat", None)
    if flat is None or not out.flags & TF_CONTIGUOUS or (out.code != FLOAT32 and out.code != FLOAT64):
        return False
    values = []
    for i in range(len(inputs)):
        value = inputs[i]
        if isinstance(value, Tensor) and (<Tensor> value).device:
            t = <Tensor> value
            if t.code != out.code or not t.flags & TF_CONTIGUOUS or not same_shape(t, out):
                return False
            values.append(<Py_ssize_t> t.data)
            arrays |= 1 << i
        elif value is None:
            return False
        else:
            values.append(load_number((<Tensor> value).data, (<Tensor> value).code) if isinstance(value, Tensor)
                          else value)
    do_deferred_work()
    return flat("f" if out.code == FLOAT32 else "d", arrays, <Py_ssize_t> out.data, out.count, *values)
