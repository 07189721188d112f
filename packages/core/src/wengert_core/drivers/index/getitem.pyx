"""x[index]: the view that an index means, and the op ``index`` for its tensors.

Note [How an index is read]
    Its items are read first (index_items.pyx). Integers, slices, None and Ellipsis give a view: select, slice and
    unsqueeze in this order of the items (a copy where a step is negative, Note [Negative steps]). Where nothing is
    recorded the view is made in one step; else each operation runs by itself, so that histories are torch's. Tensors,
    lists and masks then go to the op ``index`` together, each at the dim of the view where it stands (None for the dims
    between).
"""

from cpython.ref cimport Py_INCREF, PyObject
from libc.stdint cimport int64_t, uint8_t

from wengert_core.dispatch.arguments cimport MOST_DIMS, PyLong_CheckExact
from wengert_core.dispatch.dispatcher cimport dispatch
from wengert_core.dispatch.op cimport Op, find_op
from wengert_core.drivers.index.index_items cimport (I_BOOL, I_ELLIPSIS, I_INT, I_SLICE, I_TENSOR, Index, Item,
                                                     count_consumed, read_index, release)
from wengert_core.drivers.view.slice cimport geometry_slice
from wengert_core.drivers.view.view cimport (V_ALIAS, V_SELECT, V_SLICE, V_UNSQUEEZE, is_stale, mark_origin,
                                             only_recorded, recorded_view, view_call)
from wengert_core.dtypes.dtypes cimport BOOL, INT64, UINT8, DTypeFacts, dtype_facts
from wengert_core.geometry.size_math cimport step_sizes
from wengert_core.runtime.state cimport WG_DUAL, WG_GRAD, thread_state
from wengert_core.tensors.tensor cimport Tensor, new_empty, new_view

cdef extern from "Python.h":
    Py_ssize_t PySlice_AdjustIndices(Py_ssize_t n, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t step) noexcept
    Py_ssize_t PyNumber_AsSsize_t(PyObject* o, PyObject* error) except? -1
    PyObject* PyExc_IndexError

cdef enum:
    LIVE_SLOW = 4 | 8 | 16 | 1 | 2     # LIVE_INTERCEPT | WG_GRAD | WG_DUAL: each operation has to run by itself

cdef DTypeFacts* FACTS = dtype_facts()
cdef Op INDEX = None
cdef Op FLIP = None
cdef object ZERO = 0


def set_index_op(Op op):
    """Tell x[...] which op does the rest when tensors are among the indices."""
    global INDEX
    if INDEX is None:
        INDEX = op


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
