"""Tensor and Storage: making, sharing and freeing them. What users call on a tensor is added by other modules (mount).

Names and rules are in tensor.pxd: Note [Who owns a tensor's fields], Note [Version counters].
The .pxi files are parts of this module: what they call of each other for every tensor is then called directly, or
inlined.
"""
cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyTypeObject, destructor, inquiry, traverseproc, visitproc, newfunc
from cpython.ref cimport Py_INCREF, Py_XINCREF, PyObject
from libc.string cimport memcpy, memset

import numpy as np

from wengert_core.binding.checked_methods import member
from wengert_core.binding.torch_function cimport asks, note_subclass, set_tensor_type, wengert_owned, wengert_subclasses
from wengert_core.binding.torch_function import _disabled_torch_function_impl
from wengert_core.dtypes.dtypes cimport CAT_INT, DTypeFacts, dtype_facts, dtype_of
from wengert_core.dtypes.scalars cimport load_number
from wengert_core.geometry.size import Size
from wengert_core.geometry.size_math cimport mul_overflows, numel
from wengert_core.runtime.allocator cimport FOREIGN_BIN, allocate, release
from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.runtime.state cimport (WG_ASK, WG_BATCHED, WG_ELSEWHERE, WG_FOREIGN, WG_GRAD, WG_GUARD, WG_INFER,
                                         WG_TENSOR_ALWAYS, WgState, thread_state)
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
    bint PyNumber_Check(PyObject* o) noexcept
    bint PySet_Check "PyAnySet_Check"(PyObject* o) noexcept

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
cdef object ARRAY = np.ndarray
cdef object ALLOCATE = None    # what gives a device's memory: a callable (device number, bytes) -> (owner, address)
cdef object FETCH = None               # what reads the only element of another device's tensor
cdef object CONSTRUCT = None           # what Tensor(...) does: a callable (cls, args, kwargs), set by factories

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
        if wengert_subclasses and is_asked(<PyObject*> self):
            return answer_of("__invert__", (self,))
        return apply1(O_INVERT, <PyObject*> self)

    def __hash__(self):
        return hash(<Py_ssize_t> <PyObject*> self)

    def __getitem__(self, index):
        cdef PyObject* args[2]
        cdef PyObject* result
        args[0], args[1] = <PyObject*> self, <PyObject*> index
        if wengert_subclasses and asks(args, 2):
            return answer_of("__getitem__", (self, index))
        result = vectorcall(operator(O_GETITEM), args, 2, NULL)
        return refused_index("__getitem__", (self, index)) if result == NULL else wengert_owned(result)

    def __setitem__(self, index, value):
        cdef PyObject* args[3]
        args[0], args[1], args[2] = <PyObject*> self, <PyObject*> index, <PyObject*> value
        cdef PyObject* result
        if wengert_subclasses and asks(args, 3):
            answer_of("__setitem__", (self, index, value))
            return
        result = vectorcall(operator(O_SETITEM), args, 3, NULL)
        if result == NULL:
            refused_index("__setitem__", (self, index, value))
        Py_XDECREF(result)

    def __repr__(self):
        if wengert_subclasses and is_asked(<PyObject*> self):
            return answer_of("__repr__", (self,))
        return operator(O_REPR)(self)

    def __iter__(self):
        return operator(O_ITER)(self)

    def __contains__(self, value):
        if wengert_subclasses and is_asked(<PyObject*> self):
            return answer_of("__contains__", (self, value))
        return operator(O_CONTAINS)(self, value)

    def __delitem__(self, index):
        raise TypeError("Tensor does not support deleting items")

    def __len__(self):
        if wengert_subclasses and is_asked(<PyObject*> self):
            return answer_of("__len__", (self,))
        if self.rank == 0:
            raise TypeError("len() of a 0-d tensor")
        return self.dims[0]

    def __bool__(self):
        if wengert_subclasses and is_asked(<PyObject*> self):
            return answer_of("__bool__", (self,))
        if self.flags & WG_BATCHED:
            raise RuntimeError("vmap: It looks like you're attempting to use a Tensor in some data-dependent control "
                               "flow. We don't support that yet. Choose with where(): its shape is "
                               f"{list(shape_tuple(self))} in a batch (see docs/errors/vmap)")
        if self.count != 1:
            which = "no values" if self.count == 0 else "more than one value"
            raise RuntimeError(f"Boolean value of Tensor with {which} is ambiguous: its shape is "
                               f"{list(shape_tuple(self))}; use .any(), .all() or a comparison")
        return bool(number_in(self))

    def __int__(self):
        if wengert_subclasses and is_asked(<PyObject*> self):
            return answer_of("__int__", (self,))
        return int(real_number(self, "int64_t"))

    def __float__(self):
        if wengert_subclasses and is_asked(<PyObject*> self):
            return answer_of("__float__", (self,))
        return float(real_number(self, "double"))

    def __complex__(self):
        if wengert_subclasses and is_asked(<PyObject*> self):
            return answer_of("__complex__", (self,))
        return complex(warned_number(self))

    def __index__(self):
        if wengert_subclasses and is_asked(<PyObject*> self):
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
        if wengert_subclasses and is_asked(<PyObject*> self):
            return property_of("shape", self)
        return size_of(self)

    @property
    def dtype(self):
        """The number type of the elements."""
        if wengert_subclasses and is_asked(<PyObject*> self):
            return property_of("dtype", self)
        return dtype_of(self.code)

    @property
    def ndim(self):
        """Number of dimensions."""
        if wengert_subclasses and is_asked(<PyObject*> self):
            return property_of("ndim", self)
        return self.rank

    def dim(self):
        """Number of dimensions."""
        if wengert_subclasses and is_asked(<PyObject*> self):
            return answer_of("dim", (self,))
        return self.rank

    def numel(self):
        """Number of elements."""
        if wengert_subclasses and is_asked(<PyObject*> self):
            return answer_of("numel", (self,))
        return self.count

    def data_ptr(self):
        """Address of the first element."""
        if wengert_subclasses and is_asked(<PyObject*> self):
            return answer_of("data_ptr", (self,))
        if self.flags & WG_BATCHED:
            from wengert_core.tensors.vmap_hooks import no_pointer
            raise no_pointer()
        return <Py_ssize_t> self.data

    def element_size(self):
        """Bytes of one element."""
        if wengert_subclasses and is_asked(<PyObject*> self):
            return answer_of("element_size", (self,))
        return FACTS.itemsize[self.code]

    @property
    def _version(self):
        """How often this tensor's memory has been written to by in-place operations, its views included."""
        return version_of(self)


include "lifetime.pxi"


# ---- numbers and sizes

cdef object size_of(Tensor t):
    return wengert_tuple_of(<PyTypeObject*> Size, (shape_tuple(t),), NULL)       # Size itself looks at each item


cdef int refuse_batched(Tensor t) except -1:
    """RuntimeError: a batched tensor is no number."""
    raise RuntimeError("vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling "
                       ".item() on a Tensor, please try to rewrite what you're doing with other operations. The "
                       f"tensor's shape is {list(shape_tuple(t))} in a batch (see docs/errors/vmap)")


cdef inline object number_in(Tensor t):
    """The only element."""
    return load_number(t.data, t.code) if t.device == 0 else FETCH(t)


cdef object warned_number(Tensor t):
    """single_number, with torch's warning for a tensor whose history the number leaves behind."""
    if t.flags & WG_BATCHED:
        refuse_batched(t)
    if t.flags & WG_GRAD:
        warn_user("Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                  "Consider using tensor.detach() first.")
    if t.count != 1:
        raise ValueError("only one element tensors can be converted to Python scalars: this one has shape "
                         f"{list(shape_tuple(t))}")
    return number_in(t)


cdef object real_number(Tensor t, str kind):
    """warned_number of a tensor that must not have an imaginary part."""
    number = warned_number(t)
    if isinstance(number, complex):
        if number.imag != 0:
            raise RuntimeError(f"value cannot be converted to type {kind} without overflow: {number!r}; "
                               "take .real or .abs() first")
        return number.real
    return number


cdef object item_of(Tensor t):
    """item() of a tensor that may be of a subclass."""
    return answer_of("item", (t,)) if is_asked(<PyObject*> t) else single_number(t)


cdef object single_number(Tensor t):
    if t.flags & WG_BATCHED:
        refuse_batched(t)
    if t.count != 1:
        raise RuntimeError(f"a Tensor with {t.count} elements cannot be converted to Scalar: its shape is "
                           f"{list(shape_tuple(t))}; use .tolist(), or index it first")
    return number_in(t)


# ---- making tensors

cdef Py_ssize_t checked_numel(int ndim, const Py_ssize_t* shape, int itemsize) except -1:
    """Elements of a shape; RuntimeError for a negative size or when the bytes do not fit into 63 bits."""
    cdef Py_ssize_t n = 1, limit = (<Py_ssize_t> 1 << 62) // itemsize
    cdef int i
    cdef bint empty = False
    for i in range(ndim):
        if shape[i] < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {shape[i]}: "
                               f"{[shape[k] for k in range(ndim)]}")
        empty = empty or shape[i] == 0
    if empty:
        n = itemsize
        for i in range(ndim - 1, -1, -1):
            if shape[i] > 1 and mul_overflows(n, shape[i], &n):
                raise RuntimeError("Stride calculation overflowed: a tensor of sizes "
                                   f"{[shape[k] for k in range(ndim)]} has no elements, "
                                   "and strides of more than 2**63 - 1 bytes")
        return 0
    for i in range(ndim):
        if n > limit // shape[i]:
            raise RuntimeError(f"Storage size calculation overflowed with sizes={[shape[k] for k in range(ndim)]}: at "
                               f"most {limit} elements of {itemsize} bytes can be made")
        n *= shape[i]
    return n


cdef inline void fill_contiguous(Tensor t, const Py_ssize_t* shape, Py_ssize_t itemsize) noexcept:
    cdef int i, ndim = t.rank
    cdef Py_ssize_t step = itemsize
    for i in range(ndim - 1, -1, -1):
        t.dims[i] = shape[i]
        t.dims[ndim + i] = step
        if shape[i] > 1:
            step *= shape[i]
    t.flags |= TF_CONTIGUOUS


cdef Tensor new_empty(int dtype, int ndim, const Py_ssize_t* shape):
    """A contiguous tensor with undefined contents. In inference mode it is an inference tensor."""
    cdef Py_ssize_t itemsize = FACTS.itemsize[dtype]
    cdef Py_ssize_t n = 1
    if thread_state().modes & (WG_INFER | WG_ELSEWHERE | WG_GUARD):
        return special_empty(dtype, ndim, shape)
    if ndim == 1 and 0 <= shape[0] < 1 << 30:
        n = shape[0]
    elif ndim > 64:
        raise RuntimeError(f"a tensor has at most 64 dimensions, got {ndim}")
    elif ndim:
        n = checked_numel(ndim, shape, itemsize)
    cdef Tensor t = blank_tensor()
    t.code = dtype
    t.rank = ndim
    if ndim > 2:
        set_ndim(t, ndim)
    t.count = n
    fill_contiguous(t, shape, itemsize)
    cdef Storage s = new_storage(n * itemsize)
    t.data = s.data
    Py_INCREF(s)
    t.storage = <PyObject*> s
    return t


cdef Tensor special_empty(int dtype, int ndim, const Py_ssize_t* shape):
    """new_empty in inference mode, inside of a transform, or for another device."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    cdef Py_ssize_t nbytes, address
    cdef Tensor t
    cdef Storage s
    state.modes = modes & ~(<unsigned int> (WG_INFER | WG_ELSEWHERE | WG_GUARD))
    try:
        if modes & WG_ELSEWHERE:
            nbytes = checked_numel(ndim, shape, FACTS.itemsize[dtype]) * FACTS.itemsize[dtype]
            if ndim > 64:
                raise RuntimeError(f"a tensor has at most 64 dimensions, got {ndim}")
            t = blank_tensor()
            t.code = dtype
            set_ndim(t, ndim)
            t.count = nbytes // FACTS.itemsize[dtype]
            fill_contiguous(t, shape, FACTS.itemsize[dtype])
            t.device = state.place
            t.flags |= WG_FOREIGN
            owner, address = ALLOCATE(t.device, nbytes)
            s = foreign_storage(<char*> address, nbytes, <PyObject*> owner)
            t.data = s.data
            Py_INCREF(s)
            t.storage = <PyObject*> s
        else:
            t = new_empty(dtype, ndim, shape)
    finally:
        state.modes = modes
    if modes & WG_INFER:
        t.flags |= TF_INFERENCE
    if modes & WG_GUARD:
        storage_of(t).birth = state.transform
    return t


cdef Tensor new_empty_at(int device, int dtype, int ndim, const Py_ssize_t* shape):
    """new_empty in the memory of the device with that number."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes, place = state.place
    if device:
        state.modes, state.place = modes | WG_ELSEWHERE, device
    else:
        state.modes = modes & ~(<unsigned int> WG_ELSEWHERE)
    try:
        return new_empty(dtype, ndim, shape)
    finally:
        state.modes, state.place = modes, place


cdef Tensor new_like(Tensor t, int dtype):
    return new_empty(dtype, t.rank, t.dims)


cdef inline void share_storage(Tensor new, Tensor t) noexcept:
    Py_XINCREF(t.storage)
    new.storage = t.storage
    new.data = t.data


cdef int copy_geometry(Tensor new, Tensor t) except -1:
    new.code = t.code
    set_ndim(new, t.rank)
    new.count = t.count
    new.device = t.device
    memcpy(new.dims, t.dims, 2 * t.rank * sizeof(Py_ssize_t))
    return 0


cdef void set_contiguity(Tensor t) noexcept:
    """Set or clear TF_CONTIGUOUS from sizes and strides. Strides of sizes 0 and 1 do not matter."""
    cdef int i
    cdef Py_ssize_t step = FACTS.itemsize[t.code]
    t.flags |= TF_CONTIGUOUS
    if t.count == 0:
        return
    for i in range(t.rank - 1, -1, -1):
        if t.dims[i] != 1:
            if t.dims[t.rank + i] != step:
                t.flags &= ~(<uint32_t> TF_CONTIGUOUS)
                return
            step *= t.dims[i]


cdef Tensor new_view(Tensor t, int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides, char* data):
    """A tensor on ``t``'s storage with another geometry (strides in bytes). Its base is t's base, or t itself."""
    cdef Tensor v = blank_tensor()
    cdef int i
    cdef Py_ssize_t n = 1
    cdef bint overflow = False
    cdef PyObject* base = t.base if t.base != NULL else <PyObject*> t
    v.code = t.code
    v.rank = ndim
    v.device = t.device
    if ndim > 2:
        set_ndim(v, ndim)
    for i in range(ndim):
        v.dims[i] = shape[i]
        v.dims[ndim + i] = strides[i]
        overflow |= mul_overflows(n, shape[i], &n)
    v.count = numel(ndim, shape) if overflow else n
    share_storage(v, t)
    v.data = data
    set_contiguity(v)
    v.flags |= t.flags & (TF_INFERENCE | WG_FOREIGN)
    v.attr_version = version_of(t)
    if t.flags & TF_INFERENCE:         # nobody keeps track of what is written to its memory
        return v
    v.flags |= TF_VIEW
    if not (<Tensor> base).flags & WG_GRAD:
        v.flags |= WG_ASK
    Py_XINCREF(base)
    v.base = base
    return v


cdef Tensor new_on_memory(int dtype, int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides, char* data,
                          char* start, Py_ssize_t nbytes, object owner):
    """A tensor on memory [start, start + nbytes) that ``owner`` keeps alive; data: the first element."""
    cdef Tensor t = blank_tensor()
    cdef int i
    t.code = dtype
    set_ndim(t, ndim)
    t.count = numel(ndim, shape)
    for i in range(ndim):
        t.dims[i] = shape[i]
        t.dims[ndim + i] = strides[i]
    cdef Storage s = foreign_storage(start, nbytes, <PyObject*> owner)
    Py_INCREF(s)
    t.storage = <PyObject*> s
    t.data = data
    set_contiguity(t)
    if thread_state().modes & (WG_INFER | WG_GUARD):
        s.birth = thread_state().transform
        t.flags |= TF_INFERENCE if thread_state().modes & WG_INFER else 0
    return t


cdef Tensor alias(Tensor t):
    """The same memory and version counter, without history, base or gradient: what detach() gives."""
    cdef Tensor new = blank_tensor()
    new.rank = 0
    copy_geometry(new, t)
    new.flags |= t.flags & (TF_CONTIGUOUS | TF_INFERENCE)
    if t.device:
        new.flags |= WG_FOREIGN
    share_storage(new, t)
    return new


cdef Tensor alias_fresh_version(Tensor t):
    """The same memory with a version counter of its own: what ``x.data`` gives."""
    cdef Tensor new = alias(t)
    cdef Storage old = storage_of(t)
    cdef bint borrowed = old.owner != NULL and isinstance(<object> old.owner, Storage)
    cdef Storage own = foreign_storage(old.data, old.nbytes, old.owner if borrowed else t.storage)    # no chains
    own.readonly, own.birth = old.readonly, old.birth
    Py_INCREF(own)
    wengert_clear_ref(&new.storage)
    new.storage = <PyObject*> own
    return new


cdef int swap_contents(Tensor t, Tensor other) except -1:
    """Let ``t`` take over other's memory and geometry; t keeps its identity, flags of autograd and gradient."""
    if t is other:
        return 0
    copy_geometry(t, other)
    cdef PyObject* old = t.storage
    share_storage(t, other)
    Py_XDECREF(old)
    t.flags = (t.flags & ~(<uint32_t> TF_CONTIGUOUS)) | (other.flags & TF_CONTIGUOUS)
    if t.device:
        t.flags |= WG_FOREIGN
    elif not t.flags & WG_BATCHED:
        t.flags &= ~(<uint32_t> WG_FOREIGN)
    return 0


cdef object shape_tuple(Tensor t):
    cdef int i
    if t.rank == 1:
        return (t.dims[0],)
    return tuple([t.dims[i] for i in range(t.rank)])


cdef Py_ssize_t shape_overlap(Tensor t) noexcept:
    """1 when a size above 1 has stride 0: elements share memory (as expand makes them)."""
    cdef int i
    for i in range(t.rank):
        if t.dims[i] > 1 and t.dims[t.rank + i] == 0:
            return t.count > 0
    return 0


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


def as_subclass(Tensor t, cls):
    """A tensor of the subclass ``cls`` which shares ``t``'s memory and version counter, without history."""
    cdef Tensor new = object_of(cls)
    copy_geometry(new, t)
    new.flags = (t.flags & (WG_TENSOR_ALWAYS | TF_CONTIGUOUS | TF_INFERENCE | WG_FOREIGN)) | TF_SUBCLASS
    share_storage(new, t)
    return new


def handed_over(Tensor t, cls):
    """A tensor of the subclass ``cls`` that gets all of ``t``, a tensor which nobody else has: memory, history,
    tangent, batch.
    """
    cdef Tensor new = object_of(cls)
    copy_geometry(new, t)
    share_storage(new, t)
    new.base, new.grad_fn, new.extra = t.base, t.grad_fn, t.extra
    new.output_nr, new.attr_version, new.flags = t.output_nr, t.attr_version, t.flags | TF_SUBCLASS
    t.base = t.grad_fn = NULL
    t.extra = NULL
    t.flags &= WG_TENSOR_ALWAYS | TF_CONTIGUOUS | TF_INFERENCE | WG_FOREIGN
    return new


cdef Tensor object_of(cls):
    """A tensor of a subclass, which has nothing yet."""
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type(cls).__name__}): as_subclass() takes a subclass of Tensor")
    if not issubclass(cls, Tensor):
        from wengert_core.messages.short_repr import told
        raise TypeError(f"as_subclass: expected a subclass of Tensor, got {told(cls)}")
    if cls is not Tensor and getattr(cls, "__torch_function__", None) is not _disabled_torch_function_impl:
        note_subclass()
    cdef PyObject* o = wengert_tp_alloc(<PyObject*> cls)
    cdef Tensor new = wengert_owned(o)
    new.dims = new.dims_inline
    return new


wengert_set_new(<PyTypeObject*> Tensor, <newfunc> tensor_new)
set_tensor_type(<PyObject*> Tensor)
# where users find it: __module__, and what messages call it
wengert_call_type(<PyTypeObject*> Tensor, b"wengert_core.Tensor")
