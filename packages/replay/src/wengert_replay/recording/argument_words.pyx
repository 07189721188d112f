"""ArgumentWords: the arguments of an operation as the words of its step."""
cimport cython
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.ref cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.stdint cimport uint32_t
from libc.stdlib cimport free

from wengert_core.extend cimport Tensor
from wengert_replay.trace.steps cimport TAG_LIST, TAG_SHIFT, TAG_SLICE, TAG_TUPLE
from wengert_replay.trace.tables cimport append_word

from wengert_replay.trace.values import UnknownArgument

cdef extern from "Python.h":
    bint PyTuple_Check(PyObject* o) noexcept
    bint PyList_Check(PyObject* o) noexcept
    bint PySlice_Check(PyObject* o) noexcept
    bint PyLong_CheckExact(PyObject* o) noexcept

cdef enum:
    MOST_ITEMS = 1024                  # of a sequence without tensors among the arguments
    MOST_DEPTH = 8                     # of sequences in sequences


@cython.binding(False)
cdef class ArgumentWords(LaunchSteps):
    """The words of the step that is recorded."""

    def __dealloc__(self):
        free(self.words.items)

    cdef int add_argument(self, PyObject* value, int depth) except -1:
        """Append the words of an argument."""
        if isinstance(<object> value, Tensor):
            return append_word(&self.words, self.word_of(<Tensor> value))
        if PyTuple_Check(value):
            return self.add_sequence(value, False, depth)
        if PyList_Check(value):
            return self.add_sequence(value, True, depth)
        if PySlice_Check(value):
            append_word(&self.words, <uint32_t> TAG_SLICE << TAG_SHIFT)
            for part in ((<object> value).start, (<object> value).stop, (<object> value).step):
                self.add_argument(<PyObject*> part, depth)
            return 0
        return append_word(&self.words, self.steps.constant(value))

    cdef int add_sequence(self, PyObject* value, bint is_list, int depth) except -1:
        cdef Py_ssize_t i, n = PyList_GET_SIZE(<object> value) if is_list else PyTuple_GET_SIZE(<object> value)
        cdef PyObject* item
        cdef bint only_ints = not is_list, has_tensor = False
        for i in range(n):
            item = PyList_GET_ITEM(<object> value, i) if is_list else PyTuple_GET_ITEM(<object> value, i)
            only_ints = only_ints and PyLong_CheckExact(item)
            has_tensor = has_tensor or isinstance(<object> item, Tensor)
        if only_ints:
            return append_word(&self.words, self.steps.shared_constant(<object> value))
        if n > MOST_ITEMS and not has_tensor or depth == MOST_DEPTH:
            return append_word(&self.words, self.steps.add_constant(UnknownArgument(type(<object> value).__name__)))
        append_word(&self.words, <uint32_t> (TAG_LIST if is_list else TAG_TUPLE) << TAG_SHIFT | <uint32_t> n)
        for i in range(n):
            item = PyList_GET_ITEM(<object> value, i) if is_list else PyTuple_GET_ITEM(<object> value, i)
            self.add_argument(item, depth + 1)
        return 0
