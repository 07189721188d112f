"""The driver of the random family: in-place ops that fill tensors with samples. The last parameter is the generator."""

from cpython.ref cimport Py_XDECREF, PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.references cimport sample_into
from wengert_core.drivers.steps cimport after_write, before_write
from wengert_core.dtypes.dtypes cimport dtype_of
from wengert_core.exchange.device_memory cimport runs_on_device
from wengert_core.runtime.launches cimport tell_complete
from wengert_core.runtime.state cimport WG_BATCHED, WG_TELL
from wengert_core.tensors.tensor cimport Tensor, shape_tuple

from wengert_core.rng.draws import draw
from wengert_core.rng.generator import numpy_generator


def configure(Op op, sampler, fill):
    """Make ``op`` a random op: sampler(generator, shape, dtype, *arguments) gives the values as an array.

    fill: fill(generator, tensor, *arguments) writes them itself, or returns False and has done nothing; None: no such
    function.
    """
    op.run = random_run
    op.always = WG_BATCHED             # vmap says what randomness means
    op.impl = (sampler, fill)


cdef object random_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = <Tensor> slots[0]
    cdef PyObject* keep = NULL
    cdef int i
    rng = numpy_generator(<object> slots[op.n_params - 1], op.name)
    arguments = [<object> slots[i] for i in range(1, op.n_params - 1)]
    before_write(op, slots, t, live, &keep)
    try:
        sampler, fill = op.impl
        if runs_on_device():
            generator, kind = <object> slots[op.n_params - 1], dtype_of(t.code)
            sample_into(op, draw(generator, op.name, sampler, shape_tuple(t), kind, *arguments), t)
        elif fill is not None and fill(rng, t, *arguments):
            if live & WG_TELL:
                tell_complete(<void*> op)
        else:
            sample_into(op, sampler(rng, shape_tuple(t), dtype_of(t.code), *arguments), t)
    except BaseException:
        Py_XDECREF(keep)
        raise
    after_write(op, slots, t, live, keep)
    return t
