"""Dispatch of a call that is not the driver's alone: see dispatcher.pxd, and Note [Order of hooks] in hooks.pxd."""
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE

from wengert_core.dispatch.argument_casts cimport run_cast
from wengert_core.dispatch.hooks cimport Hooks, hooks
from wengert_core.runtime.state cimport WG_BATCHED, WG_CAST, WG_DERIVING, WG_OBSERVE

cdef extern from "Python.h":
    bint PyTuple_Check(PyObject* o) noexcept
    bint PyList_Check(PyObject* o) noexcept

cdef Hooks* HOOKS = hooks()


cdef uint32_t flags_of_value(PyObject* value) noexcept:
    cdef uint32_t flags = 0
    cdef Py_ssize_t i
    cdef PyObject* item
    if isinstance(<object> value, Tensor):
        return (<Tensor> value).flags
    if PyTuple_Check(value):
        for i in range(PyTuple_GET_SIZE(<object> value)):
            item = PyTuple_GET_ITEM(<object> value, i)
            if isinstance(<object> item, Tensor):
                flags |= (<Tensor> item).flags
    elif PyList_Check(value):
        for i in range(PyList_GET_SIZE(<object> value)):
            item = PyList_GET_ITEM(<object> value, i)
            if isinstance(<object> item, Tensor):
                flags |= (<Tensor> item).flags
    return flags


cdef object dispatch_to_driver(Op op, PyObject** slots):
    return dispatch(op, slots)


cdef object intercept(Op op, PyObject** slots, uint32_t live):
    if live & WG_CAST:
        return run_cast(op, slots)
    if live & WG_OBSERVE and HOOKS.run_observed != NULL:
        return HOOKS.run_observed(op, slots, live)
    # Inside of a batch this comes when its rule runs.
    if live & (WG_DERIVING | WG_BATCHED) == WG_DERIVING and HOOKS.run_in_derivative != NULL:
        return HOOKS.run_in_derivative(op, slots, live)
    if HOOKS.run_batched != NULL:      # a batched tensor is FOREIGN too, so that it is met where no vmap is current
        return HOOKS.run_batched(op, slots, live)
    return run_by_backend(op, slots, live)


cdef object run_by_backend(Op op, PyObject** slots, uint32_t live):
    if HOOKS.run_on_layout != NULL:
        return HOOKS.run_on_layout(op, slots, live)
    if HOOKS.run_on_device == NULL:
        raise RuntimeError(f"{op.name}: a tensor or mode that no installed package handles (live bits {live})")
    return HOOKS.run_on_device(op, slots, live)


cdef int watch_only(Op op, int slot) except -1:
    op.n_watched = 0
    if slot >= 0:
        op.watched[0] = <unsigned char> slot
        op.n_watched = 1
    return 0
