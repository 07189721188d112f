"""dispatch: one call of an op whose arguments are bound, by whoever runs it. Note [Order of hooks] is in hooks.pxd.

Note [What is live]
    ``op.watched`` names the slots whose tensors decide who takes part in a call: a bit is live where one of them and
    this thread's modes have it (Note [One test decides] in runtime/state.pxd), or the op's ``always`` and the modes. A
    driver gets the bits with the slots. An op that is made of others watches nothing: those which it calls are
    dispatched themselves. out= is not watched: it is checked when the result is known (drivers/steps.pyx).
"""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.op cimport Op
from wengert_core.runtime.state cimport thread_state
from wengert_core.tensors.tensor cimport Tensor

cdef enum:
    # WG_BATCHED | WG_FOREIGN | WG_OBSERVE | WG_CAST | WG_DERIVING: somebody else runs the op
    LIVE_INTERCEPT = 4 | 8 | 16 | 0x200000 | 0x800000
    # ... or WG_ON_DEVICE: no kernel of the CPU may run, or WG_TELL: none may run that is not told
    LIVE_BEYOND = LIVE_INTERCEPT | 0x40000 | 0x1000000

# of a subclass of Tensor, of the tensors in a tuple or list
cdef uint32_t flags_of_value(PyObject* value) noexcept
cdef object intercept(Op op, PyObject** slots, uint32_t live)    # by the first whose bit is live
# by the last in the order: another layout, or another device
cdef object run_by_backend(Op op, PyObject** slots, uint32_t live)
cdef object dispatch_to_driver(Op op, PyObject** slots)                    # dispatch, for who needs its address
cdef int watch_only(Op op, int slot) except -1                     # -1: none


cdef inline uint32_t live_of(Op op, PyObject** slots) noexcept:
    cdef uint32_t flags = op.always
    cdef PyObject* value
    cdef int i
    for i in range(op.n_watched):
        value = slots[op.watched[i]]
        if value == NULL or value == <PyObject*> None:
            continue
        flags |= (<Tensor> value).flags if type(<object> value) is Tensor else flags_of_value(value)
    return flags & thread_state().modes


cdef inline object dispatch(Op op, PyObject** slots):
    cdef uint32_t live = live_of(op, slots)
    if live & LIVE_INTERCEPT:
        return intercept(op, slots, live)
    return op.run(op, slots, live)
