"""Reading along a dim: gather and index_select."""


from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.arguments cimport dim_slot
from wengert_core.dispatch.keep_alive cimport hold
from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.index.index_iterator cimport (WALK_READ, as_index, as_index_or_empty, as_vector,
                                                        check_bounds, walk_along)
from wengert_core.drivers.memory_overlap cimport WRITES_APART, check_input
from wengert_core.drivers.out_argument cimport into_out
from wengert_core.drivers.references cimport call_reference, result_into
from wengert_core.drivers.steps cimport prepare_given_out, record
from wengert_core.exchange.arrays cimport array_of
from wengert_core.exchange.device_memory cimport without_kernels
from wengert_core.runtime.launches cimport tell_complete
from wengert_core.runtime.state cimport WG_RECORD, WG_TELL
from wengert_core.runtime.thread_pool cimport LARGE
from wengert_core.tensors.tensor cimport Tensor, new_empty, shape_tuple, strides_of


def configure(Op op, str what):
    """Make ``op`` gather or index_select."""
    if what == "gather":
        op.run = gather_run
    elif what == "index_select":
        op.run = index_select_run
        op.flags |= WRITES_APART
    else:
        raise ValueError(f"{op.name}: no way to read is called {what!r}")


cdef int check_gather(Tensor t, Tensor index, int dim) except -1:
    cdef int i
    if index.count == 0:
        return 0
    if max(t.rank, 1) != max(index.rank, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor: they have the shapes "
                           f"{list(shape_tuple(index))} and {list(shape_tuple(t))}")
    for i in range(t.rank):
        if i != dim and index.rank and index.dims[i] > t.dims[i]:
            raise RuntimeError(f"Size does not match at dimension {i} expected index {list(shape_tuple(index))} to be "
                               f"no larger than self {list(shape_tuple(t))} apart from dimension {dim}")
    return 0


cdef object gather_run(Op op, PyObject** slots, uint32_t live):
    """gather(self, dim, index): the result has index's shape."""
    cdef Tensor t = <Tensor> slots[0], given = <Tensor> slots[2], index, out, asked
    cdef int dim
    if t.count >= LARGE or given.count >= LARGE:
        t, given = hold(t), hold(given)
    dim = dim_slot(op, slots, 1, t.rank)
    index = as_index_or_empty(given, "gather(): Expected dtype int32/int64 for index")
    check_gather(t, given, dim)
    if isinstance(<object> prepare_given_out(op, slots), Tensor):
        check_input(op, WRITES_APART, 0, t, <Tensor> prepare_given_out(op, slots))  # the index may be out=, as in torch
    out = new_empty(t.code, given.rank, given.dims)
    if given.count:
        read(op, t, dim, index, out, "index {at} is out of bounds for dimension {dim} with size {size}", RuntimeError)
    asked = into_out(op, slots, out, live)
    if live & WG_TELL:
        tell_complete(<void*> op)
    if asked is not None:
        return asked
    if live & WG_RECORD:
        record(op, slots, out, live)
    return out


cdef object index_select_run(Op op, PyObject** slots, uint32_t live):
    """index_select(self, dim, index): the parts of a dim at the entries of a vector."""
    cdef Tensor t = <Tensor> slots[0], given = <Tensor> slots[2], index, out, asked
    cdef Py_ssize_t shape[64]
    cdef int dim, i
    if t.count >= LARGE or given.count >= LARGE:
        t, given = hold(t), hold(given)
    dim = dim_slot(op, slots, 1, t.rank)
    if given.rank > 1:
        raise IndexError(f"index_select(): Index is supposed to be a vector, its shape is {list(shape_tuple(given))}")
    index = as_index(given, "index_select(): Expected dtype int32 or int64 for index")
    if t.rank == 0 and index.count != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.count} value(s)")
    if t.rank > 1 and not t.dims[dim] and index.count:
        raise RuntimeError(f"index_select(): self indexing axis dim should be positive: dimension {dim} has size 0")
    for i in range(t.rank):
        shape[i] = index.count if i == dim else t.dims[i]
    out = new_empty(t.code, t.rank, shape)
    read(op, t, dim, index, out, "index out of range in self: {at} along dimension {dim} with size {size}", IndexError)
    asked = into_out(op, slots, out, live)
    if live & WG_TELL:
        tell_complete(<void*> op)
    if asked is not None:
        return asked
    if live & WG_RECORD:
        record(op, slots, out, live)
    return out


cdef int read(Op op, Tensor t, int dim, Tensor index, Tensor out, str message, object error) except -1:
    cdef Tensor source = as_vector(t), target = as_vector(out)
    check_bounds(message, error, index, dim, source.dims[dim], False)
    if without_kernels():
        return result_into(op, call_reference(op, [array_of(source), dim, array_of(index)]), target)
    if out.count >= LARGE:
        source = hold(source)
    return walk_along(WALK_READ, source, dim, index, target, target.data, target.dims, strides_of(target))
