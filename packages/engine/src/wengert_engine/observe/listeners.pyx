"""What a listener is told, and what happens to one that raises: the program that it listens to goes on without it."""
from cpython.object cimport PyTypeObject
from libc.stdint cimport int64_t

from wengert_core.dispatch.hooks cimport EVENT_NODE
from wengert_core.runtime.state cimport WG_GRAD, thread_state
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor cimport Tensor
from wengert_engine.graph.node cimport NODE_ACCUMULATE, Node, last_number
from wengert_engine.observe.argument_shapes cimport list_shapes

cdef extern from "Python.h":
    PyTypeObject* Py_TYPE(PyObject* o) noexcept


cdef int64_t expected_number(PyObject* const* args, Py_ssize_t n_args):
    """The number of the node which an op would record: leaves that are used for the first time get theirs before it."""
    cdef int64_t number = last_number() + 1
    cdef Py_ssize_t i
    cdef set seen = set()
    if not thread_state().modes & WG_GRAD:
        return 0
    for i in range(n_args):
        if args[i] == NULL:
            continue
        for item in (<object> args[i] if isinstance(<object> args[i], (list, tuple)) else (<object> args[i],)):
            if isinstance(item, Tensor) and (<Tensor> item).flags & WG_GRAD and (<Tensor> item).grad_fn == NULL \
                    and ((<Tensor> item).extra == NULL or (<Tensor> item).extra.accumulate == NULL):
                seen.add(id(item))
    return number + len(seen)


cdef bint tell(
    Observer here, int kind, PyObject* what, PyObject* const* args, Py_ssize_t n_args, int out_slot
) noexcept:
    """Tell the listener that something begins; whether that was possible. One that raises is told nothing more."""
    cdef Node node
    cdef int64_t number = -1
    try:
        if kind == EVENT_NODE:
            node = <Node> what
            if node.kind != NODE_ACCUMULATE:
                number = <int64_t> node.sequence
            what = <PyObject*> Py_TYPE(what)
        else:
            number = expected_number(args, n_args)
        here.listener.begin(kind, <object> what, number,
                            list_shapes(args, n_args, out_slot) if here.listener.record_shapes else None)
    except Exception as error:
        dismiss(here, error)
        return False
    return True


cdef int tell_end(Observer here) noexcept:
    if here.listener is None:
        return 0
    try:
        here.listener.end()
    except Exception as error:
        dismiss(here, error)
    return 0


cdef int dismiss(Observer here, object error) except -1:
    name = type(here.listener).__name__
    here.listener = None
    here.settle()
    warn_user(f"profiler: {name} raised {type(error).__name__}: {error}. It gets no more events", RuntimeWarning)
    return 0
