"""Tensor and Storage: making, sharing and freeing them. What users call on a tensor is added by other modules (mount).

Names and rules are in tensor.pxd: Note [Who owns a tensor's fields], Note [Version counters].
The .pxi files are parts of this module: what they call of each other for every tensor is then called directly, or
inlined.
"""
cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyTypeObject, destructor, inquiry, traverseproc, visitproc, newfunc
from cpython.ref cimport Py_INCREF, Py_XINCREF, PyObject
from libc.stdint cimport uint16_t
from libc.string cimport memcpy, memset

import numpy as np

from wengert_core.binding.checked_methods import member
from wengert_core.binding.torch_function cimport (may_override, note_subclass, set_tensor_type, wengert_owned,
                                                  wengert_subclasses)
from wengert_core.binding.torch_function import _disabled_torch_function_impl
from wengert_core.dtypes.dtypes cimport CAT_INT, DTypeFacts, dtype_facts, dtype_of
from wengert_core.dtypes.scalars cimport load_number
from wengert_core.geometry.size import Size
from wengert_core.geometry.size_math cimport mul_overflows, numel
from wengert_core.runtime.allocator cimport FOREIGN_BIN, allocate, release
from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.runtime.launches cimport count_recorders, do_deferred_work, tell_read
from wengert_core.runtime.state cimport (WG_ASK, WG_BATCHED, WG_ON_DEVICE, WG_FOREIGN, WG_GRAD, WG_GUARD, WG_INFER,
                                         WG_TELL, WG_TENSOR_ALWAYS, WgState, thread_state)
from wengert_core.runtime.user_warnings import warn_user


cdef extern from "wengert_core/runtime/pyobject.h":
    enum:
        WENGERT_FREELIST_SIZE
    PyObject* wengert_take(PyObject** list, int* count, PyTypeObject* type) except NULL
    void wengert_keep(PyObject** list, int* count, PyTypeObject* type, PyObject* o) noexcept
    void wengert_clear_ref(PyObject** slot) noexcept
    PyObject** wengert_dict_slot(PyObject* o, PyTypeObject* base) noexcept
    void wengert_clear_weakrefs(PyObject* o, PyTypeObject* base) noexcept
    void wengert_null_slot(PyObject* o, Py_ssize_t offset) noexcept
    void wengert_set_dealloc(PyTypeObject* t, destructor d) noexcept
    void wengert_set_gc(PyTypeObject* t, traverseproc v, inquiry c) noexcept
    void wengert_set_new(PyTypeObject* t, newfunc n) noexcept
    int wengert_type_set(PyTypeObject* t, object name, object value) except -1

cdef extern from "Python.h":
    void PyObject_GC_Track(PyObject* o) noexcept
    void PyObject_GC_UnTrack(PyObject* o) noexcept
    bint PyObject_GC_IsTracked(PyObject* o) noexcept
    void Py_DECREF(PyObject* o) noexcept
    void Py_XDECREF(PyObject* o) noexcept
    int PyObject_GenericSetAttr(object o, object name, PyObject* value) except -1
    object PyObject_Vectorcall(object f, PyObject** args, size_t n, PyObject* names)
    PyObject* vectorcall "PyObject_Vectorcall"(object f, PyObject** args, size_t n, PyObject* names) noexcept
    bint PyFloat_Check(PyObject* o) noexcept
    bint PyLong_Check(PyObject* o) noexcept
    bint PyComplex_Check(PyObject* o) noexcept
    bint PyIndex_Check(PyObject* o) noexcept

cdef extern from *:
    """
    #define WENGERT_DICT_OFFSET(t) ((t)->tp_dictoffset)
    #define WENGERT_WEAK_OFFSET(t) ((t)->tp_weaklistoffset)
    static inline void wengert_call_type(PyTypeObject *cls, const char *name) { cls->tp_name = name; }
    static inline PyObject *wengert_tuple_of(PyTypeObject *cls, PyObject *args, PyObject *kwargs) {
        return PyTuple_Type.tp_new(cls, args, kwargs);
    }
    static inline PyObject *wengert_tp_alloc(PyObject *cls) {
        PyTypeObject *t = (PyTypeObject *)cls;
        return t->tp_alloc(t, 0);
    }
    """
    Py_ssize_t WENGERT_DICT_OFFSET(PyTypeObject* t) noexcept
    Py_ssize_t WENGERT_WEAK_OFFSET(PyTypeObject* t) noexcept
    void wengert_call_type(PyTypeObject* cls, const char* name) noexcept
    object wengert_tuple_of(PyTypeObject* cls, object args, PyObject* kwargs)
    PyObject* wengert_tp_alloc(PyObject* cls) except NULL

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()
cdef object ARRAY = np.ndarray
cdef object SCALAR = np.generic
cdef object ALLOCATE = None        # what gives a device's memory: a callable (device number, bytes) -> (owner, address)
cdef object FETCH = None           # what reads the only element of another device's tensor
cdef object CONSTRUCT = None       # what Tensor(...) does: a callable (cls, args, kwargs), set by factories

include "storage.pxi"
include "operators.pxi"


@cython.c_api_binop_methods(True)
@cython.binding(False)
@cython.embedsignature(True)
cdef class Tensor:
    """A strided array of one dtype that can take part in automatic differentiation. Made by wengert.tensor and kin."""

    def __add__(a, b):
        return apply_either(O_ADD, <PyObject*> a, <PyObject*> b)

    def __sub__(a, b):
        return apply2(O_SUB, <PyObject*> a, <PyObject*> b)

    def __mul__(a, b):
        return apply_either(O_MUL, <PyObject*> a, <PyObject*> b)

    def __truediv__(a, b):
        return apply2(O_TRUEDIV, <PyObject*> a, <PyObject*> b)

    def __floordiv__(a, b):
        return apply2(O_FLOORDIV, <PyObject*> a, <PyObject*> b)

    def __mod__(a, b):
        return apply2(O_MOD, <PyObject*> a, <PyObject*> b)

    def __matmul__(a, b):
        return apply2(O_MATMUL, <PyObject*> a, <PyObject*> b)

    def __and__(a, b):
        return apply2(O_AND, <PyObject*> a, <PyObject*> b)

    def __or__(a, b):
        return apply2(O_OR, <PyObject*> a, <PyObject*> b)

    def __xor__(a, b):
        return apply2(O_XOR, <PyObject*> a, <PyObject*> b)

    def __lshift__(a, b):
        return apply2(O_LSHIFT, <PyObject*> a, <PyObject*> b)

    def __rshift__(a, b):
        return apply2(O_RSHIFT, <PyObject*> a, <PyObject*> b)

    def __pow__(a, b, modulo):
        if modulo is not None:
            raise TypeError("unsupported operand type(s) for ** or pow(): "
                            + ", ".join(f"'{type(each).__name__}'" for each in (a, b, modulo)))
        return apply2(O_POW, <PyObject*> a, <PyObject*> b)

    def __iadd__(self, other):
        return apply2(O_IADD, <PyObject*> self, <PyObject*> other)

    def __isub__(self, other):
        return apply2(O_ISUB, <PyObject*> self, <PyObject*> other)

    def __imul__(self, other):
        return apply2(O_IMUL, <PyObject*> self, <PyObject*> other)

    def __itruediv__(self, other):
        return apply2(O_ITRUEDIV, <PyObject*> self, <PyObject*> other)

    def __ifloordiv__(self, other):
        return apply2(O_IFLOORDIV, <PyObject*> self, <PyObject*> other)

    def __imod__(self, other):
        return apply2(O_IMOD, <PyObject*> self, <PyObject*> other)

    def __iand__(self, other):
        return apply2(O_IAND, <PyObject*> self, <PyObject*> other)

    def __ior__(self, other):
        return apply2(O_IOR, <PyObject*> self, <PyObject*> other)

    def __ixor__(self, other):
        return apply2(O_IXOR, <PyObject*> self, <PyObject*> other)

    def __ilshift__(self, other):
        return apply2(O_ILSHIFT, <PyObject*> self, <PyObject*> other)

    def __irshift__(self, other):
        return apply2(O_IRSHIFT, <PyObject*> self, <PyObject*> other)

    def __imatmul__(self, other):
        return apply2(O_IMATMUL, <PyObject*> self, <PyObject*> other)

    def __ipow__(self, other):
        return apply2(O_IPOW, <PyObject*> self, <PyObject*> other)

    def __richcmp__(self, other, int which):
        return apply2(COMPARISONS[which], <PyObject*> self, <PyObject*> other)

    def __neg__(self):
        return apply1(O_NEG, <PyObject*> self)

    def __pos__(self):
        return apply1(O_POS, <PyObject*> self)

    def __abs__(self):
        return apply1(O_ABS, <PyObject*> self)

    def __invert__(self):
        if wengert_subclasses and operand_has_override(<PyObject*> self):
            return answer_of("__invert__", (self,))
        return apply1(O_INVERT, <PyObject*> self)

    def __hash__(self):
        return hash(<Py_ssize_t> <PyObject*> self)

    def __getitem__(self, index):
        cdef PyObject* args[2]
        cdef PyObject* result
        args[0], args[1] = <PyObject*> self, <PyObject*> index
        if wengert_subclasses and may_override(args, 2):
            return answer_of("__getitem__", (self, index))
        result = vectorcall(operator(O_GETITEM), args, 2, NULL)
        return index_error("__getitem__", (self, index)) if result == NULL else wengert_owned(result)

    def __setitem__(self, index, value):
        cdef PyObject* args[3]
        args[0], args[1], args[2] = <PyObject*> self, <PyObject*> index, <PyObject*> value
        cdef PyObject* result
        if wengert_subclasses and may_override(args, 3):
            answer_of("__setitem__", (self, index, value))
            return
        result = vectorcall(operator(O_SETITEM), args, 3, NULL)
        if result == NULL:
            index_error("__setitem__", (self, index, value))
        Py_XDECREF(result)

    def __repr__(self):
        if wengert_subclasses and operand_has_override(<PyObject*> self):
            return answer_of("__repr__", (self,))
        return operator(O_REPR)(self)

    def __iter__(self):
        return operator(O_ITER)(self)

    def __contains__(self, value):
        if wengert_subclasses and operand_has_override(<PyObject*> self):
            return answer_of("__contains__", (self, value))
        return operator(O_CONTAINS)(self, value)

    def __delitem__(self, index):
        raise TypeError("Tensor does not support deleting items")

    def __len__(self):
        if wengert_subclasses and operand_has_override(<PyObject*> self):
            return answer_of("__len__", (self,))
        if self.rank == 0:
            raise TypeError("len() of a 0-d tensor")
        return self.dims[0]

    def __bool__(self):
        if wengert_subclasses and operand_has_override(<PyObject*> self):
            return answer_of("__bool__", (self,))
        if self.flags & WG_BATCHED:
            raise RuntimeError("vmap: It looks like you're attempting to use a Tensor in some data-dependent control "
                               "flow. We don't support that yet. Choose with where(): its shape is "
                               f"{list(shape_tuple(self))} in a batch (see docs/errors/vmap)")
        if self.count != 1:
            which = "no values" if self.count == 0 else "more than one value"
            raise RuntimeError(f"Boolean value of Tensor with {which} is ambiguous: its shape is "
                               f"{list(shape_tuple(self))}; use .any(), .all() or a comparison "
                               "(see docs/errors/ambiguous-bool)")
        return bool(number_in(self))

    def __int__(self):
        if wengert_subclasses and operand_has_override(<PyObject*> self):
            return answer_of("__int__", (self,))
        return int(real_number(self, "int64_t"))

    def __float__(self):
        if wengert_subclasses and operand_has_override(<PyObject*> self):
            return answer_of("__float__", (self,))
        return float(real_number(self, "double"))

    def __complex__(self):
        if wengert_subclasses and operand_has_override(<PyObject*> self):
            return answer_of("__complex__", (self,))
        return complex(warned_number(self))

    def __index__(self):
        if wengert_subclasses and operand_has_override(<PyObject*> self):
            return answer_of("__index__", (self,))
        if self.count != 1 or FACTS.category[self.code] > CAT_INT:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(single_number(self))

    def item(self):
        """The single element as a Python number. RuntimeError when there is not exactly one."""
        return item_of(self) if wengert_subclasses else single_number(self)

    def __setattr__(self, name, value):
        track(self)                    # an attribute may lead back here
        PyObject_GenericSetAttr(self, name, <PyObject*> value)

    def __delattr__(self, name):
        PyObject_GenericSetAttr(self, name, NULL)

    @property
    def shape(self):
        """Sizes, one for each dimension: a tuple, as torch.Size is."""
        if wengert_subclasses and operand_has_override(<PyObject*> self):
            return property_of("shape", self)
        return size_of(self)

    @property
    def dtype(self):
        """The number type of the elements."""
        if wengert_subclasses and operand_has_override(<PyObject*> self):
            return property_of("dtype", self)
        return dtype_of(self.code)

    @property
    def ndim(self):
        """Number of dimensions."""
        if wengert_subclasses and operand_has_override(<PyObject*> self):
            return property_of("ndim", self)
        return self.rank

    def dim(self):
        """Number of dimensions."""
        if wengert_subclasses and operand_has_override(<PyObject*> self):
            return answer_of("dim", (self,))
        return self.rank

    def numel(self):
        """Number of elements."""
        if wengert_subclasses and operand_has_override(<PyObject*> self):
            return answer_of("numel", (self,))
        return self.count

    def data_ptr(self):
        """Address of the first element."""
        if wengert_subclasses and operand_has_override(<PyObject*> self):
            return answer_of("data_ptr", (self,))
        if self.flags & WG_BATCHED:
            from wengert_core.tensors.vmap_hooks import no_pointer
            raise no_pointer()
        if not is_strided(self):
            raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage: a tensor of another "
                               "layout than torch.strided has none; use .to_dense()")
        if self.device:
            do_deferred_work()
        return <Py_ssize_t> self.data

    def element_size(self):
        """Bytes of one element."""
        if wengert_subclasses and operand_has_override(<PyObject*> self):
            return answer_of("element_size", (self,))
        return FACTS.itemsize[self.code]

    @property
    def _version(self):
        """How often this tensor's memory has been written to by in-place operations, its views included."""
        return version_of(self)


include "lifetime.pxi"
include "numbers.pxi"
include "create.pxi"
include "share.pxi"
include "subclass.pxi"


def mount(str name, value):
    """Add an attribute to Tensor: other modules and packages mount methods by this. They refuse another ``self``."""
    wengert_type_set(<PyTypeObject*> Tensor, name, member(Tensor, name, value, True))


cdef object tensor_new(PyObject* cls, PyObject* args, PyObject* kwargs):
    """Tensor(...): the legacy constructor, and the instance of a subclass."""
    if CONSTRUCT is None:
        raise TypeError("cannot create 'Tensor' instances before wengert_core.ops.create.factory_functions is imported")
    return CONSTRUCT(<object> cls, <object> args, <object> kwargs if kwargs != NULL else {})


def set_allocator(allocator, fetch):
    """Tell core where devices' memory comes from, and numbers out of it.

    allocator(device number, bytes) -> (owner, address); fetch(tensor of one element) -> its number.
    """
    global ALLOCATE, FETCH
    ALLOCATE, FETCH = allocator, fetch


def set_constructor(construct):
    """Tell core what ``Tensor(...)`` does: construct(cls, args, kwargs)."""
    global CONSTRUCT
    CONSTRUCT = construct


wengert_set_new(<PyTypeObject*> Tensor, <newfunc> tensor_new)
set_tensor_type(<PyObject*> Tensor)

cdef bytes TENSOR_NAME = b""


def set_tensor_module(str module):
    """Set ``Tensor.__module__``, by which some programs tell whose arrays they have, and the name in messages.

    >>> from wengert_core import Tensor
    >>> Tensor.__module__
    'wengert_core'
    """
    global TENSOR_NAME
    name = f"{module}.Tensor".encode()
    wengert_call_type(<PyTypeObject*> Tensor, name)
    TENSOR_NAME = name                 # the type refers to these bytes


set_tensor_module("wengert_core")
