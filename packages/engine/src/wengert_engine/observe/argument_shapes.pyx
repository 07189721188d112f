"""The shapes of an operation's arguments: see argument_shapes.pxd. ``decoded`` in the profiler's columns/records.py
reads the numbers.
"""
from libc.stdint cimport int64_t

from wengert_core.tensors.tensor cimport Tensor
from wengert_engine.observe.interned_shapes cimport intern

cdef enum:
    MAX_WORDS = 512                    # numbers of an event's shapes that are kept


cdef inline bint is_tensors(PyObject* value) noexcept:
    """Whether it is a sequence of tensors."""
    return isinstance(<object> value, (list, tuple)) and len(<object> value) > 0 \
        and isinstance((<object> value)[0], Tensor)


cdef int write_shape(PyObject* value, int64_t* words, int n, bint inside) noexcept:
    """Append an argument: its rank and sizes, -1 for no tensor, -2 - k for k tensors that follow. Return the new n."""
    cdef int i
    if n + 66 > MAX_WORDS:
        return n
    if value == NULL:
        words[n] = -1
        return n + 1
    if isinstance(<object> value, Tensor):
        words[n] = (<Tensor> value).rank
        for i in range((<Tensor> value).rank):
            words[n + 1 + i] = (<Tensor> value).dims[i]
        return n + 1 + (<Tensor> value).rank
    if not inside and is_tensors(value):
        words[n] = -2 - min(len(<object> value), 64)
        n += 1
        for i in range(min(len(<object> value), 64)):
            item = (<object> value)[i]
            n = write_shape(<PyObject*> item, words, n, True)
        return n
    words[n] = -1
    return n + 1


cdef uint32_t shapes_of(Recording recording, PyObject* const* args, Py_ssize_t n_args, int out_slot) noexcept:
    cdef int64_t words[MAX_WORDS]
    cdef Py_ssize_t i
    cdef int n = 0
    for i in range(n_args):
        if i != out_slot or (args[i] != NULL and args[i] != <PyObject*> None):
            n = write_shape(args[i], words, n, False)
    return intern(&recording.words, words, n)


cdef list list_shapes(PyObject* const* args, Py_ssize_t n_args, int out_slot):
    """The sizes of tensor arguments, [] for others: what a listener is told."""
    cdef Py_ssize_t i
    found = []
    for i in range(n_args):
        if args[i] != NULL and isinstance(<object> args[i], Tensor):
            found.append(list((<object> args[i]).shape))
        elif args[i] != NULL and is_tensors(args[i]):
            found.append([list(t.shape) if isinstance(t, Tensor) else [] for t in <object> args[i]])
        elif i != out_slot or (args[i] != NULL and args[i] != <PyObject*> None):
            found.append([])
    return found
