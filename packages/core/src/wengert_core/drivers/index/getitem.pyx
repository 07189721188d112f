"""x[...] and x[...] = value.

Note [How an index is read]
    Integers, slices, None and Ellipsis give a view: select, slice and unsqueeze in this order of the items (a copy
    where a step is negative, Note [Negative steps]). Where
    nothing is recorded the view is made in one step; else each operation runs by itself, so that histories are torch's.
    Tensors, lists and masks then go to the op ``index`` together, each at the dim of the view where it stands (None for
    the dims between).
"""

from reprlib import repr as shown      # short, however long or deep a list is

import numpy as np

from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from libc.stdint cimport int64_t, uint8_t

from wengert_core.dispatch.arguments cimport MOST_DIMS, PyIndex_Check, PyLong_CheckExact, PyTuple_CheckExact
from wengert_core.dispatch.dispatcher cimport dispatch
from wengert_core.dispatch.exact_values cimport all_items, items_of
from wengert_core.dispatch.op cimport Op, find_op
from wengert_core.drivers.view.slice cimport geometry_slice
from wengert_core.drivers.view.view cimport (V_ALIAS, V_SELECT, V_SLICE, V_UNSQUEEZE, is_stale, mark_origin,
                                             only_recorded, recorded_view, view_call)
from wengert_core.dtypes.dtypes cimport BOOL, CAT_INT, INT32, INT64, UINT8, DTypeFacts, dtype_facts
from wengert_core.dtypes.scalars cimport load_number
from wengert_core.exchange.arrays cimport tensor_of_array
from wengert_core.exchange.device_memory cimport number_on_device
from wengert_core.geometry.size_math cimport step_sizes
from wengert_core.runtime.launches cimport count_recorders, tell_read
from wengert_core.runtime.state cimport WG_BATCHED, WG_DUAL, WG_GRAD, WG_TELL, thread_state
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor cimport Tensor, new_empty, new_view, shape_tuple

cdef extern from "Python.h":
    bint PySlice_Check(PyObject* o) noexcept
    int PySlice_Unpack(PyObject* s, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t* step) except -1
    Py_ssize_t PySlice_AdjustIndices(Py_ssize_t n, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t step) noexcept
    bint PyBool_Check(PyObject* o) noexcept
    bint PyUnicode_Check(PyObject* o) noexcept
    bint PySequence_Check(PyObject* o) noexcept
    bint PyList_CheckExact(PyObject* o) noexcept
    Py_ssize_t PyNumber_AsSsize_t(PyObject* o, PyObject* error) except? -1
    PyObject* PyExc_IndexError
    PyObject* Py_True
    PyObject* PyTuple_GET_ITEM(PyObject* t, Py_ssize_t i) noexcept
    Py_ssize_t PyTuple_GET_SIZE(PyObject* t) noexcept

cdef enum:
    LIVE_SLOW = 4 | 8 | 16 | 1 | 2     # LIVE_INTERCEPT | WG_GRAD | WG_DUAL: each operation has to run by itself

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()
cdef object ARRAY = np.ndarray
cdef object NUMPY_BOOL = np.bool_
cdef Op INDEX = None
cdef Op FLIP = None
cdef object ZERO = 0


def set_index_op(Op op):
    """Tell x[...] which op does the rest when tensors are among the indices."""
    global INDEX
    if INDEX is None:
        INDEX = op


# ---- reading

cdef int read_item(Index* index, PyObject* o) except -1:
    """Append what ``o`` means."""
    cdef Item* item = &index.items[index.n]
    if index.n == MOST_DIMS:
        raise IndexError(f"too many indices: at most {MOST_DIMS} can be given")
    index.n += 1
    item.object = o
    if PyLong_CheckExact(o):
        item.kind, item.value = I_INT, PyNumber_AsSsize_t(o, PyExc_IndexError)
    elif PySlice_Check(o):
        item.kind = I_SLICE
        PySlice_Unpack(o, &item.value, &item.stop, &item.step)
    elif o == <PyObject*> None:
        item.kind = I_NONE
    elif o == <PyObject*> Ellipsis:
        item.kind = I_ELLIPSIS
    elif PyBool_Check(o):
        item.kind, item.value = I_BOOL, o == Py_True
    elif isinstance(<object> o, Tensor):
        read_tensor(index, item, <Tensor> o)
    else:
        read_other(index, item, o)
    return 0


cdef int read_tensor(Index* index, Item* item, Tensor t) except -1:
    if t.code != BOOL and t.code != UINT8 and t.code != INT64 and t.code != INT32 \
            and (t.rank or FACTS.category[t.code] != CAT_INT):
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if t.rank == 0 and not t.flags & WG_BATCHED:
        if RECORDERS[0] and thread_state().modes & WG_TELL and not t.device:
            tell_read(t.data, FACTS.itemsize[t.code])
        item.value = number_on_device(t) if t.device else load_number(t.data, t.code)
        item.kind = I_BOOL if t.code == BOOL or t.code == UINT8 else I_INT
    else:
        item.kind = I_TENSOR
        item.object = <PyObject*> t
    return 0


cdef int read_other(Index* index, Item* item, PyObject* o) except -1:
    """Arrays, lists, numbers that are no int."""
    value = <object> o
    if isinstance(value, ARRAY):
        read_tensor(index, item,
                    <Tensor> keep_alive(index, tensor_of_array(np.ascontiguousarray(value).reshape(value.shape))))
    elif PyIndex_Check(o) and not isinstance(value, NUMPY_BOOL):
        item.kind, item.value = I_INT, PyNumber_AsSsize_t(o, PyExc_IndexError)
    elif PySequence_Check(o):
        item.kind = I_TENSOR
        item.object = keep_alive(index, tensor_of_sequence(value))
    else:
        raise IndexError("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
                         f"indices (got {qualified_name(value)})")
    return 0


cdef str qualified_name(object value):
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


cdef Tensor tensor_of_sequence(object value):
    """An index tensor from a list: bool, or int64."""
    if PyUnicode_Check(<PyObject*> value):
        raise TypeError("new(): invalid data type 'str'")
    if not PyList_CheckExact(<PyObject*> value) and not hasattr(value, "__array__"):
        value = all_items(value)     # NumPy would ask a sequence without an end for all of its items
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"expected sequences of one length in the index {shown(value)}") from None
    if array.dtype == object or array.dtype.kind in "US":
        raise IndexError("only integers, bools and tensors of them can stand in a list that is an index, "
                         f"got {shown(value)}")
    if array.dtype != bool:
        array = array.astype(np.int64)
    return tensor_of_array(np.ascontiguousarray(array))


cdef bint means_tuple(object value):
    """Whether a sequence that is no tuple is read as one: torch's old rule, it holds tensors, slices or sequences."""
    if isinstance(value, (Tensor, ARRAY, str)) or not PySequence_Check(<PyObject*> value):
        return False
    cdef tuple items = items_of(value, 32)
    if len(items) >= 32:
        return False
    for item in items:
        if isinstance(item, (Tensor, ARRAY, list, tuple, range, slice)) or item is None or item is Ellipsis:
            warn_user("Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in "
                      "pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as "
                      "tensor index, x[torch.tensor(seq)], which will result either in an error or a different result")
            return True
    return False


cdef int read_index(Index* index, PyObject* key) except -1:
    cdef Py_ssize_t i
    index.n = index.covered = index.n_flips = 0
    index.is_tuple = False
    index.keep = index.tensors = NULL
    if not PyTuple_CheckExact(key) and (isinstance(<object> key, tuple) or means_tuple(<object> key)):
        key = keep_alive(index, items_of(<object> key, MOST_DIMS + 1))
    if PyTuple_CheckExact(key):
        index.is_tuple = True
        for i in range(PyTuple_GET_SIZE(key)):
            read_item(index, PyTuple_GET_ITEM(key, i))
    else:
        read_item(index, key)
    return 0


cdef PyObject* keep_alive(Index* index, object made) except NULL:
    """Own an object for as long as the index lives."""
    if index.keep == NULL:
        fresh = []
        Py_INCREF(fresh)
        index.keep = <PyObject*> fresh
    (<list> index.keep).append(made)
    return <PyObject*> made


cdef void release(Index* index) noexcept:
    Py_XDECREF(index.keep)
    Py_XDECREF(index.tensors)


cdef int count_consumed(Index* index, Tensor t) except -1:
    """How many dims of t the items speak of; IndexError when t has fewer."""
    cdef int i, n = 0
    cdef Tensor mask
    for i in range(index.n):
        if index.items[i].kind == I_TENSOR:
            mask = <Tensor> index.items[i].object
            n += mask.rank if mask.code == BOOL or mask.code == UINT8 else 1
        elif index.items[i].kind == I_INT or index.items[i].kind == I_SLICE:
            n += 1
    if n > t.rank:
        raise IndexError(too_many_message(index, t))
    return n


cdef str too_many_message(Index* index, Tensor t):
    if t.rank == 0 and not index.is_tuple:
        if index.items[0].kind == I_INT and not isinstance(<object> index.items[0].object, Tensor):
            if index.items[0].value:
                return f"index {index.items[0].value} is out of bounds for dimension 0 with size 0"
            return ("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
                    "convert a 0-dim tensor to a number")
        if index.items[0].kind == I_SLICE:
            return "slice() cannot be applied to a 0-dim tensor."
    return f"too many indices for tensor of dimension {t.rank}: its shape is {list(shape_tuple(t))}"


# ---- the view

cdef inline Py_ssize_t check_index(Py_ssize_t at, Py_ssize_t size, int dim) except -1:
    if at < -size or at >= size:
        raise IndexError(f"index {at} is out of bounds for dimension {dim} with size {size}")
    return at + size if at < 0 else at


cdef bint read_slice(Item* item, Py_ssize_t size, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t* step) noexcept:
    """A slice as positions 0 <= start <= stop <= size and a positive step; whether its order is the opposite one.

    Note [Negative steps] NumPy and the array API standard have them, PyTorch has not. Strides are never negative, so
    the elements are viewed in their own order, and flipped: a copy. A write flips its value.
    """
    start[0], stop[0], step[0] = item.value, item.stop, item.step
    if step[0] < 0:
        return read_reversed(size, start, stop, step)
    if start[0] < 0:
        start[0] += size
    if stop[0] < 0:
        stop[0] += size
    start[0] = 0 if start[0] < 0 else size if start[0] > size else start[0]
    stop[0] = start[0] if stop[0] < start[0] else size if stop[0] > size else stop[0]
    return False


cdef bint read_reversed(Py_ssize_t size, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t* step) noexcept:
    """The positions of a slice with a negative step in their own order; whether there are several to be turned."""
    cdef Py_ssize_t n = PySlice_AdjustIndices(size, start, stop, step[0])
    stop[0] = start[0] + 1 if n else 0
    start[0] = start[0] + (n - 1) * step[0] if n else 0
    step[0] = -step[0]
    return n > 1


cdef void note_flip(Index* index, int dim) noexcept:
    index.flips[index.n_flips] = <uint8_t> dim
    index.n_flips += 1


cdef object flip_back(Index* index, object view):
    """Return a copy of a view with the order of its dims that negative steps ask for."""
    cdef PyObject* slots[2]
    cdef int i
    global FLIP
    if FLIP is None:
        FLIP = find_op("flip")
    dims = tuple([index.flips[i] for i in range(index.n_flips)])
    slots[0], slots[1] = <PyObject*> view, <PyObject*> dims
    return dispatch(FLIP, slots)


cdef void start_from(Geometry* g, Tensor t) noexcept:
    cdef int i
    g.rank, g.data = t.rank, t.data
    for i in range(t.rank):
        g.shape[i], g.strides[i] = t.dims[i], t.dims[t.rank + i]


cdef void drop_dim(Geometry* g, int dim) noexcept:
    cdef int i
    g.rank -= 1
    for i in range(dim, g.rank):
        g.shape[i], g.strides[i] = g.shape[i + 1], g.strides[i + 1]


cdef int add_dim(Geometry* g, int dim, int itemsize) except -1:
    cdef int i
    if g.rank == MOST_DIMS:
        raise RuntimeError(f"a tensor has at most {MOST_DIMS} dimensions")
    for i in range(g.rank, dim, -1):
        g.shape[i], g.strides[i] = g.shape[i - 1], g.strides[i - 1]
    g.strides[dim] = g.shape[dim] * g.strides[dim] if dim < g.rank else itemsize
    g.shape[dim] = 1
    g.rank += 1
    return 0


cdef int walk(Index* index, Tensor t, Geometry* g) except -1:
    """Apply all basic items to the geometry ``g`` of t; collect the tensors by dim of the result."""
    cdef int n = count_consumed(index, t), i, dim = 0, source = 0
    cdef bint open = True
    cdef Py_ssize_t start, stop, step
    cdef Item* item
    for i in range(index.n):
        item = &index.items[i]
        if item.kind == I_INT:
            g.data += check_index(item.value, g.shape[dim], source) * g.strides[dim]
            drop_dim(g, dim)
            source += 1
        elif item.kind == I_SLICE:
            if read_slice(item, g.shape[dim], &start, &stop, &step):
                note_flip(index, dim)
            g.data += start * g.strides[dim]
            g.shape[dim] = (stop - start - 1) // step + 1 if stop > start else 0
            g.strides[dim] = step_sizes(g.strides[dim], step)
            dim += 1
            source += 1
        elif item.kind == I_ELLIPSIS:
            if open:
                dim += t.rank - n
                source += t.rank - n
            open = False
        elif item.kind == I_TENSOR:
            step = put_tensor(index, dim, <Tensor> item.object)
            dim += <int> step
            source += <int> step
        else:
            add_dim(g, dim, FACTS.itemsize[t.code])
            if item.kind == I_BOOL:
                put_tensor(index, dim, position_of_bool(item.value))
            dim += 1
    return 0


cdef int put_tensor(Index* index, int dim, Tensor t) except -1:
    """Let an index tensor stand at a dim; how many dims it indexes."""
    cdef list tensors
    if index.tensors == NULL:
        tensors = []
        Py_INCREF(tensors)
        index.tensors = <PyObject*> tensors
    tensors = <list> index.tensors
    tensors.extend([None] * (dim - index.covered))
    tensors.append(t)
    index.covered = dim + (t.rank if t.code == BOOL or t.code == UINT8 else 1)
    return index.covered - dim


cdef Tensor position_of_bool(Py_ssize_t value):
    """True as an index of a dim of size 1: [0]; False: []."""
    cdef Py_ssize_t n = 1 if value else 0
    cdef Tensor t = new_empty(INT64, 1, &n)
    if n:
        (<int64_t*> t.data)[0] = 0
    return t


cdef Tensor walk_recorded(Index* index, Tensor t):
    """As walk, one operation after the other."""
    cdef int n = count_consumed(index, t), i, dim = 0, source = 0, rank = t.rank
    cdef bint open = True
    cdef Py_ssize_t start, stop, step
    cdef Tensor out = t
    cdef Item* item
    for i in range(index.n):
        item = &index.items[i]
        if item.kind == I_INT:
            out = view_call(V_SELECT, out, (dim, check_index(item.value, out.dims[dim], source)))
            source += 1
        elif item.kind == I_SLICE:
            if read_slice(item, out.dims[dim], &start, &stop, &step):
                note_flip(index, dim)
            if not index.is_tuple or start or stop != out.dims[dim] or step != 1:
                out = recorded_slice(out, dim, start, stop, step)
            dim += 1
            source += 1
        elif item.kind == I_ELLIPSIS:
            if open:
                dim += rank - n
                source += rank - n
            open = False
        elif item.kind == I_TENSOR:
            step = put_tensor(index, dim, <Tensor> item.object)
            dim += <int> step
            source += <int> step
        else:
            out = view_call(V_UNSQUEEZE, out, (dim,))
            if item.kind == I_BOOL:
                put_tensor(index, dim, position_of_bool(item.value))
            dim += 1
    return view_call(V_ALIAS, t, ()) if out is t and index.tensors == NULL else out


cdef Tensor view_by(Index* index, Tensor t):
    """The view that the basic items of an index mean; ``index.tensors`` is filled with the rest."""
    cdef unsigned int modes = thread_state().modes
    cdef Geometry g
    if t.flags & modes & LIVE_SLOW or is_stale(t, modes):
        return walk_recorded(index, t)
    start_from(&g, t)
    walk(index, t, &g)
    return mark_unrecorded(t, new_view(t, g.rank, g.shape, g.strides, g.data), modes)


# ---- x[...]

cdef object single_int(Tensor t, PyObject* key):
    """x[3]"""
    cdef Py_ssize_t at = PyNumber_AsSsize_t(key, PyExc_IndexError)
    cdef Tensor out
    cdef unsigned int modes = thread_state().modes
    cdef Py_ssize_t wrapped = check_index(at, t.dims[0], 0)
    if not only_recorded(t, modes):
        return view_call(V_SELECT, t, (0, wrapped))
    if t.rank == 1:
        out = new_view(t, 0, t.dims, t.dims, t.data + wrapped * t.dims[1])
    else:
        out = new_view(t, t.rank - 1, t.dims + 1, t.dims + t.rank + 1, t.data + wrapped * t.dims[t.rank])
    return recorded_select(t, wrapped, out) if t.flags & modes & (WG_GRAD | WG_DUAL) else mark_unrecorded(t, out, modes)


cdef inline Tensor mark_unrecorded(Tensor t, Tensor out, unsigned int modes):
    mark_origin(t, out, modes)
    return out


cdef object recorded_select(Tensor t, Py_ssize_t at, Tensor out):
    """Record t.select(0, at), which is ``out``."""
    cdef PyObject* slots[3]
    cdef object index = at
    slots[0], slots[1], slots[2] = <PyObject*> t, <PyObject*> ZERO, <PyObject*> index
    return recorded_view(V_SELECT, slots, t, out)


cdef object recorded_slice(Tensor t, int dim, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t step):
    """Record and give t[start:stop:step] along a dim."""
    cdef PyObject* slots[5]
    cdef object along = dim, first = start, last = stop, by = step
    if not only_recorded(t, thread_state().modes):
        return view_call(V_SLICE, t, (along, first, last, by))
    slots[0], slots[1], slots[2] = <PyObject*> t, <PyObject*> along, <PyObject*> first
    slots[3], slots[4] = <PyObject*> last, <PyObject*> by
    return recorded_view(V_SLICE, slots, t, geometry_slice(t, dim, start, stop, step))


def getitem(Tensor t, key):
    """Return x[key]: a view for integers, slices, None and Ellipsis; a copy for tensors, lists and masks."""
    cdef Index index
    if PyLong_CheckExact(<PyObject*> key) and t.rank:
        return single_int(t, <PyObject*> key)
    try:
        read_index(&index, <PyObject*> key)
        view = view_by(&index, t)
        if index.n_flips:
            view = flip_back(&index, view)
        return view if index.tensors == NULL else index_by_tensors(&index, view)
    finally:
        release(&index)


cdef object index_by_tensors(Index* index, object view):
    """The op index on a view, with the tensors that are left."""
    cdef PyObject* slots[2]
    tensors = tuple(<list> index.tensors)
    slots[0], slots[1] = <PyObject*> view, <PyObject*> tensors
    return dispatch(INDEX, slots)
