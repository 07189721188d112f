"""x[index] = value: copy_ or fill_ into the view that the index means, or index_put_ for indices that are tensors."""
import numpy as np

from cpython.ref cimport PyObject

from wengert_core.dispatch.arguments cimport tensor_name
from wengert_core.dispatch.dispatcher cimport LIVE_BEYOND, dispatch
from wengert_core.dispatch.exact_values cimport plain_number
from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.index.getitem cimport Geometry, flip_back, start_from, view_by, walk
from wengert_core.drivers.index.index_items cimport I_BOOL, I_TENSOR, Index, read_index, release
from wengert_core.drivers.view.view cimport V_EXPAND, V_VIEW, view_call
from wengert_core.dtypes.dtypes cimport FLOAT32, DTypeFacts, dtype_facts
from wengert_core.dtypes.scalars cimport number_code
from wengert_core.exchange.arrays cimport tensor_of_array
from wengert_core.exchange.elements cimport store_assigned
from wengert_core.kernels.pointwise.strided cimport fill_strided
from wengert_core.runtime.state cimport WG_DUAL, WG_GRAD, WG_GUARD, thread_state
from wengert_core.tensors.overlap cimport APART, overlap_of
from wengert_core.tensors.tensor cimport (Tensor, bump_version, new_empty, same_shape, shape_overlap, shape_tuple,
                                          strides_of)

from wengert_core.drivers.memory_overlap import expanded_target as _expanded_target

cdef extern from "Python.h":
    PyObject* Py_False
    bint PyFloat_CheckExact(PyObject* o) noexcept
    double PyFloat_AS_DOUBLE(PyObject* o) noexcept

cdef enum:
    NOT_PLAIN = 128 | 1024 | 1         # TF_VIEW | TF_INFERENCE | WG_GRAD: writing is checked or recorded

cdef DTypeFacts* FACTS = dtype_facts()
cdef Op COPY = None
cdef Op FILL = None
cdef Op PUT = None


def set_ops(Op copy, Op fill, Op put):
    """Tell x[...] = value which ops it is made of."""
    global COPY, FILL, PUT
    if COPY is None:
        COPY, FILL, PUT = copy, fill, put


def setitem(Tensor t, key, value):
    """x[key] = value; the value is a number, a tensor or an array, and is converted and broadcast."""
    cdef Index index
    value = plain_number(value)
    cdef object source = value_of(t, <PyObject*> value)
    if isinstance(key, bool):
        if key:
            setitem(t, None, value)    # all of it, under a dim of size 1, as torch has it: converted, as copy_ does
        return
    try:
        read_index(&index, <PyObject*> key)
        if source is None and not t.flags & NOT_PLAIN and not has_tensors(&index) \
                and fill_plain(&index, t, <PyObject*> value):
            return
        view = view_by(&index, t)
        if is_whole(<Tensor> view, t):
            view = t                   # x[:] = y writes to x itself, as x.copy_(y) does
            if t.rank == 0 and source is None and t.flags & WG_GRAD:
                source = as_tensor(t, value)
        if index.n_flips:
            return set_flipped(&index, <Tensor> view, source if source is not None else as_tensor(t, value))
        if index.tensors != NULL:
            put(<Tensor> view, tuple(<list> index.tensors), source, value)
        elif source is None or fills(<Tensor> view, t, <Tensor> source):
            if shape_overlap(<Tensor> view):
                raise _expanded_target("copy_", view)
            call(FILL, view, source if source is not None
                 else as_tensor(t, value) if view is t and t.flags & NOT_PLAIN else value)
        else:
            call(COPY, view, fit_source(<Tensor> source, <Tensor> view))
    finally:
        release(&index)


cdef int set_flipped(Index* index, Tensor view, Tensor source) except -1:
    """Write where steps are negative: to a flipped copy, which is then written to the view."""
    cdef Tensor flipped
    if index.tensors == NULL:
        flipped = fit_source(source, view)
        flipped = view_call(V_EXPAND, flipped, (shape_tuple(view),))
    else:
        flipped = flip_back(index, view)
        put(flipped, tuple(<list> index.tensors), source, None)
    call(COPY, view, flip_back(index, flipped))
    return 0


cdef bint is_whole(Tensor view, Tensor t) noexcept:
    """Whether a view shows all of a tensor, in its shape."""
    cdef int i
    if view.data != t.data or not same_shape(view, t):
        return False
    for i in range(t.rank):
        if strides_of(view)[i] != strides_of(t)[i]:
            return False
    return True


cdef inline bint fills(Tensor view, Tensor t, Tensor source) noexcept:
    """Return whether a 0-d tensor is written as fill_ does it: all over another with dims, where the graph tells."""
    return (view is t and source.rank == 0 and t.rank != 0 and (t.flags | source.flags) & WG_GRAD != 0
            and FACTS.category[source.code] <= FACTS.category[t.code])


cdef object as_tensor(Tensor t, object value):
    """A number as a tensor of t's dtype."""
    cdef Tensor made = new_empty(t.code, 0, NULL)
    store_assigned(<PyObject*> value, t.code, made.data)
    return made


cdef object value_of(Tensor t, PyObject* value):
    """The tensor to write, or None for a number."""
    if isinstance(<object> value, Tensor):
        return <object> value
    if isinstance(<object> value, np.ndarray):
        return tensor_of_array(np.ascontiguousarray(<object> value).reshape((<object> value).shape))
    if number_code(value) >= 0:
        return None
    raise TypeError(f"can't assign a {type(<object> value).__name__} to a {tensor_name(t.code)}: give a number, "
                    "a tensor or an array")


cdef bint has_tensors(Index* index) noexcept:
    cdef int i
    for i in range(index.n):
        if index.items[i].kind == I_TENSOR or index.items[i].kind == I_BOOL:
            return True
    return False


cdef bint fill_plain(Index* index, Tensor t, PyObject* value) except -1:
    """Write a number where nobody can be watching: no view is made. False when somebody is."""
    cdef Geometry g
    cdef char number[16]
    if t.flags & thread_state().modes & (WG_DUAL | LIVE_BEYOND) or thread_state().modes & WG_GUARD:
        return False
    start_from(&g, t)
    walk(index, t, &g)
    if t.code == FLOAT32 and PyFloat_CheckExact(value) and -1e38 <= PyFloat_AS_DOUBLE(value) <= 1e38:
        (<float*> number)[0] = <float> PyFloat_AS_DOUBLE(value)
    else:
        store_assigned(value, t.code, number)
    fill_strided(g.data, g.strides, g.shape, g.rank, FACTS.itemsize[t.code], number)
    bump_version(t)
    return True


cdef object call(Op op, object target, object value):
    """Run copy_ or fill_."""
    cdef PyObject* slots[16]
    cdef int i
    slots[0], slots[1] = <PyObject*> target, <PyObject*> value
    for i in range(2, op.n_params):
        slots[i] = op.defaults[i]
    return dispatch(op, slots)


cdef Tensor fit_source(Tensor source, Tensor view):
    """Return ``source`` without leading dims of size 1 that the view lacks; RuntimeError if it does not broadcast."""
    cdef int extra = 0
    if source.rank > view.rank:
        while extra < source.rank and source.dims[extra] == 1:
            extra += 1
        source = view_call(V_VIEW, source, (shape_tuple(source)[extra:],))
    if not same_shape(source, view):
        expanded = view_call(V_EXPAND, source, (shape_tuple(view),))
        # x[:] = x[0]: copy_ refuses it, but not of the expanded part, as in torch
        if overlap_of(source, view) != APART:
            return expanded
    return source


cdef object put(Tensor view, tuple indices, object source, object value):
    """The part for index_put_."""
    cdef PyObject* slots[4]
    cdef Tensor values = as_tensor(view, value) if source is None \
        else without_leading_ones(<Tensor> source, view.rank + widest(indices))
    slots[0], slots[1], slots[2], slots[3] = <PyObject*> view, <PyObject*> indices, <PyObject*> values, Py_False
    return dispatch(PUT, slots)


cdef int widest(tuple indices):
    return max([(<Tensor> index).rank for index in indices if index is not None])


cdef Tensor without_leading_ones(Tensor source, int most):
    """At most ``most`` dims remain that are not leading ones; index_put_ checks the rest."""
    cdef int extra = 0
    while extra < source.rank and source.dims[extra] == 1:
        extra += 1
    return view_call(V_VIEW, source, (shape_tuple(source)[extra:],)) if extra and source.rank > 1 else source
