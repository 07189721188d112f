"""Shortcut: the test whether a call has the signature of the call before it, without making a key.

Note [The shortcut]
    Most calls of a captured function have the signature of the one before. A key, which is hashed, takes microseconds;
    the shortcut compares arguments with what it has noted of the last ones: classes, dtypes, sizes and strides of
    tensors, other arguments by their identity or as equal numbers and strings. It knows arguments that are tensors or
    plain values, not containers. Whatever it does not know for certain takes the long way.
"""
cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.string cimport memcmp

from wengert_core.extend cimport TF_INFERENCE, WG_BATCHED, WG_GRAD, Tensor, is_strided, thread_state
from wengert_engine.extend cimport ANOMALY_ON, anomaly_flags
from wengert_replay.python_state.kinds cimport dict_of_tensor
from wengert_replay.trace.overlap cimport share_memory

import wengert_core
from wengert_core.extend import Tensor as TensorClass
from wengert_core.extend import active_mode, default_device_number
from wengert_engine.extend import is_dual_level_open

cdef enum:
    MOST_ARGUMENTS = 16

cdef object default_dtype = wengert_core.get_default_dtype
cdef object num_threads = wengert_core.get_num_threads
cdef tuple PLAIN = (bool, int, float, str, type(None))


@cython.binding(False)
cdef class Expectation:
    """An argument as the last call had it."""
    cdef object kind
    cdef object value                  # of a plain argument
    cdef bint is_tensor
    cdef int number                    # among the tensors
    cdef int code
    cdef int rank
    cdef bytes dims
    cdef unsigned int flags
    cdef bint has_grad
    cdef bint has_history

    cdef bint fits(self, object value) except -1:
        """Whether an argument is as it must be, but for the memory that it shares with others."""
        cdef Tensor t
        cdef double one, other
        if type(value) is not self.kind:
            return False
        if not self.is_tensor and self.kind is float:
            one, other = value, self.value
            return memcmp(&one, &other, sizeof(double)) == 0    # 0.0 == -0.0
        if not self.is_tensor:
            return value is self.value or value == self.value
        t = <Tensor> value
        return t.code == self.code and t.rank == self.rank and not t.device and not t.flags & WG_BATCHED \
            and t.flags & (WG_GRAD | TF_INFERENCE) == self.flags and is_strided(t) \
            and memcmp(t.dims, PyBytes_AS_STRING(self.dims), 2 * t.rank * sizeof(Py_ssize_t)) == 0 \
            and (t.extra != NULL and t.extra.grad != NULL) == self.has_grad \
            and (t.grad_fn != NULL) == self.has_history and not dict_of_tensor(t)


@cython.binding(False)
cdef class Shortcut:
    """The signature of a call that was replayed, and its program."""
    cdef list expected                 # of Expectation
    cdef tuple names                   # of the keywords, whose arguments are the last ones
    cdef unsigned int modes
    cdef object dtype
    cdef object threads
    cdef object device_number          # of tensors that are made without a device
    cdef object program
    cdef readonly object entry

    def match(self, tuple args not None, dict kwargs not None, list tensors not None):
        """Append a call's tensors, and return the program; None where it may be of another signature."""
        cdef Py_ssize_t i = 0, n = len(self.expected) - len(self.names)
        if len(args) != n or len(kwargs) != len(self.names) or thread_state().modes != self.modes \
                or thread_state().saved_hooks != NULL or anomaly_flags() & ANOMALY_ON:
            return None
        for i in range(n):
            if not self.take(<Expectation> self.expected[i], args[i], tensors):
                return None
        if kwargs:
            i = n
            for name, value in kwargs.items():
                if name != self.names[i - n] or not self.take(<Expectation> self.expected[i], value, tensors):
                    return None
                i += 1
        if is_dual_level_open() or default_dtype() is not self.dtype or num_threads() != self.threads \
                or default_device_number() != self.device_number or active_mode() is not None:
            return None
        return self.program

    cdef bint take(self, Expectation expected, object value, list tensors) except -1:
        """Whether an argument fits; a tensor that comes first is appended."""
        cdef Py_ssize_t i, n = len(tensors)
        if not expected.fits(value):
            return False
        if not expected.is_tensor:
            return True
        if expected.number < n:
            return tensors[expected.number] is value
        for i in range(n):
            if share_memory((<Tensor> tensors[i]).storage, (<Tensor> value).storage):
                return False
        tensors.append(value)
        return True


def make_shortcut(tuple args not None, dict kwargs not None, list tensors not None, entry, program):
    """Return the shortcut of a call that was replayed in this thread; None where its arguments are not plain."""
    cdef Shortcut made = Shortcut.__new__(Shortcut)
    cdef Expectation one
    cdef Tensor t
    values = [*args, *kwargs.values()]
    if len(values) > MOST_ARGUMENTS:
        return None
    made.expected, made.names, made.entry, made.program = [], tuple(kwargs), entry, program
    made.modes, made.dtype, made.threads = thread_state().modes, default_dtype(), num_threads()
    made.device_number = default_device_number()
    for value in values:
        one = Expectation.__new__(Expectation)
        one.kind, one.is_tensor = type(value), isinstance(value, TensorClass)
        if one.is_tensor:
            t = <Tensor> value
            if dict_of_tensor(t):
                return None
            one.number = next(i for i, known in enumerate(tensors) if known is value)
            one.code, one.rank, one.flags = t.code, t.rank, t.flags & (WG_GRAD | TF_INFERENCE)
            one.dims = PyBytes_FromStringAndSize(<char*> t.dims, 2 * t.rank * sizeof(Py_ssize_t))
            one.has_grad, one.has_history = t.extra != NULL and t.extra.grad != NULL, t.grad_fn != NULL
        elif type(value) in PLAIN:
            one.value = value
        else:
            return None
        made.expected.append(one)
    return made
