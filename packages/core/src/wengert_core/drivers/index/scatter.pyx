"""Writing along a dim: scatter, scatter_add, scatter_reduce, index_add, index_copy, index_reduce and index_fill, with
their in-place variants.
"""


from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.arguments cimport dim_slot, scalar_name
from wengert_core.dispatch.keep_alive cimport hold_slots
from wengert_core.dispatch.op cimport OP_INPLACE, Op, op_error
from wengert_core.drivers.index.index_iterator cimport (WALK_ADD, WALK_WRITE, as_index, as_index_or_empty, as_vector,
                                                        check_bounds, walk_along)
from wengert_core.drivers.index.scatter_reduce cimport check_reduction, reduce_into
from wengert_core.drivers.memory_overlap cimport WRITES_APART, WRITES_CHANGED_SELF, WRITES_SHARED
from wengert_core.drivers.out_argument cimport into_out
from wengert_core.drivers.references cimport call_reference, result_into
from wengert_core.drivers.steps cimport after_write, before_write, record
from wengert_core.dtypes.dtypes cimport BOOL, CAT_COMPLEX, CAT_INT, INT64, DTypeFacts, dtype_facts
from wengert_core.dtypes.dtypes import C_NAMES as _C_NAMES
from wengert_core.dtypes.scalars cimport check_bound, number_code
from wengert_core.exchange.arrays cimport without_alias, array_of, copy_into
from wengert_core.exchange.device_memory cimport without_kernels
from wengert_core.exchange.elements cimport store_checked
from wengert_core.messages.signatures import invalid_combination
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.runtime.launches cimport tell_complete
from wengert_core.runtime.state cimport WG_RECORD, WG_TELL
from wengert_core.runtime.thread_pool cimport LARGE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.memory_format cimport new_preserved
from wengert_core.tensors.overlap cimport may_meet
from wengert_core.tensors.tensor cimport Tensor, alias, new_like, shape_tuple, strides_of

cdef DTypeFacts* FACTS = dtype_facts()

cdef str OUTSIDE = "index {at} is out of bounds for dimension {dim} with size {size}"
cdef str OUTSIDE_SELF = "index out of range in self: " + OUTSIDE
cdef str OUTSIDE_COPY = "index_copy_(): " + OUTSIDE
cdef enum Way:
    SCATTER = 0
    SCATTER_ADD = 1
    INDEX_ADD = 2
    INDEX_COPY = 3
    INDEX_FILL = 4
    SCATTER_REDUCE = 5
    INDEX_REDUCE = 6

cdef tuple WAYS = ("scatter", "scatter_add", "index_add", "index_copy", "index_fill", "scatter_reduce", "index_reduce")

cdef struct Job:                       # what is to be written; pointers are kept alive by run's locals
    int what                           # Walked
    char* data
    Py_ssize_t shape[64]
    Py_ssize_t strides[64]
    char number[16]


def configure(Op op, str what):
    """Make ``op`` one of the ways to write, or its in-place variant."""
    op.run = scatter_run
    op.flags |= WRITES_APART | WRITES_CHANGED_SELF
    if what == "index_fill" and not ONLY_REFERENCES:
        op.flags |= WRITES_SHARED
    op.data = <void*> <Py_ssize_t> WAYS.index(what)


cdef object scatter_run(Op op, PyObject** slots, uint32_t live):
    """self, dim, index, and what to write."""
    cdef Tensor t = <Tensor> slots[0], given = <Tensor> slots[2], index, target, asked, source = None
    cdef int way = <int> <Py_ssize_t> op.data, dim
    cdef PyObject* keep = NULL
    cdef PyObject* own[16]
    cdef PyObject** told
    cdef Job job
    told = slots
    if t.count >= LARGE or given.count >= LARGE:
        _holds = hold_slots(op, slots, own)
        slots = own
        t, given = <Tensor> own[0], <Tensor> own[2]
    dim = dim_slot(op, slots, 1, t.rank)
    if way >= SCATTER_REDUCE:
        check_reduction(op, slots, t.code, way == INDEX_REDUCE)
    if (way == INDEX_ADD or way == INDEX_REDUCE) and isinstance(<object> slots[3], Tensor):
        check_ranks(op, <Tensor> slots[3], t, given, dim)
    if way in (INDEX_COPY, INDEX_REDUCE) and isinstance(<object> slots[3], Tensor) and given.rank < 2:
        check_slices(op, way, as_vector(<Tensor> slots[3]), as_vector(t), given, dim)
    index = checked_index(op, way, given, as_vector(t), dim)
    source = prepare(op, way, slots, as_vector(t), index, dim, &job)
    target = t
    if op.flags & OP_INPLACE:
        if may_meet(index, t):
            index = without_alias(index, t)
        if source is not None and may_meet(source, t):
            source = without_alias(source, t)
            job.data = source.data
            set_strides(&job, source)
        before_write(op, told, <Tensor> told[0], live, &keep)
    else:
        target = new_preserved(t, t.code) if way == INDEX_FILL else new_like(t, t.code)    # as torch
        copy_into(target, t)
    if way >= SCATTER_REDUCE:
        reduce_into(op, slots, as_vector(target), dim, index, source, job.shape)
    else:
        write(op, slots, as_vector(target), dim, index, source, &job)
    if live & WG_TELL and not (way == INDEX_FILL and isinstance(<object> slots[3], Tensor)):
        tell_complete(<void*> op)      # a number that is a tensor has been read
    if op.flags & OP_INPLACE:
        after_write(op, told, <Tensor> told[0], live, keep)
        return <object> told[0]
    asked = into_out(op, slots, target, live)
    if asked is not None:
        return asked
    if live & WG_RECORD:
        record(op, told, target, live)
    return target


cdef void set_strides(Job* job, Tensor source) noexcept:
    cdef int i
    for i in range(source.rank):
        job.strides[i] = strides_of(source)[i]


cdef int write(Op op, PyObject** slots, Tensor target, int dim, Tensor index, Tensor source, Job* job) except -1:
    cdef Op plain = op.out_of_place if op.flags & OP_INPLACE else op
    multiply = <int> <Py_ssize_t> op.data == SCATTER and <object> slots[5] == "multiply"
    if index.count == 0:
        return 0
    if not multiply and not without_kernels():
        return walk_along(job.what, target, dim, index, source, job.data, job.shape, job.strides)
    others = [<object> slots[i] for i in range(3, op.n_params) if i != op.out_slot]
    others = [array_of(as_vector(<Tensor> value)) if isinstance(value, Tensor) else value for value in others]
    return result_into(plain, call_reference(plain, [array_of(target), dim, array_of(index), *others]), target)


# ---- checks

cdef Tensor checked_index(Op op, int way, Tensor given, Tensor t, int dim):
    """The index as int64; its dtype, dims and bounds are right afterwards."""
    cdef Tensor index
    cdef str name = plain_name(op)
    if scatters(way):
        index = as_index_or_empty(given, "scatter(): Expected dtype int32/int64 for index")
        if index.count and index.rank != t.rank:
            raise RuntimeError("Index tensor must have the same number of dimensions as self tensor: they have the "
                               f"shapes {list(shape_tuple(given))} and {list(shape_tuple(t))}")
        check_bounds(OUTSIDE, RuntimeError, index, dim, t.dims[dim], False)
        return index
    if given.rank > 1:
        if way == INDEX_FILL:
            raise RuntimeError(f"Index has to be a vector/scalar: {name} got an index of shape "
                               f"{list(shape_tuple(given))}")
        raise IndexError(f"{name}_(): Index is supposed to be a vector, but got dim: {given.rank} with type: "
                         f"{scalar_name(given.code)} and size: {list(shape_tuple(given))}")
    if given.code != INT64:                # only index_add and index_reduce take int32
        if way == INDEX_FILL:
            raise IndexError(f"index_fill_(): Expected dtype int64 for index. It is {scalar_name(given.code)}")
        if way == INDEX_COPY:
            raise RuntimeError(f"index_copy_(): Expected a long tensor for index, but got {scalar_name(given.code)}")
    index = as_index(given, f"{name}_(): Expected dtype int32/int64 for index")
    if way != INDEX_ADD and way != INDEX_REDUCE and t.count == 0 and t.dims[dim]:
        return index                       # nothing is written
    if way == INDEX_COPY:
        check_bounds(OUTSIDE_COPY, IndexError, index, dim, t.dims[dim], False)
    elif way == INDEX_REDUCE:
        check_bounds(OUTSIDE_SELF, IndexError, index, dim, t.dims[dim], False)
    elif way == INDEX_ADD:
        if t.rank == 1 and t.count:
            check_bounds(OUTSIDE_SELF, IndexError, index, dim, t.dims[dim], False)
        else:
            check_bounds(OUTSIDE, RuntimeError, index, dim, t.dims[dim], False)
    else:
        check_bounds(OUTSIDE, IndexError, index, dim, t.dims[dim], True)
    return index


cdef inline bint scatters(int way) noexcept:
    """Whether there is an entry of the index for each element that is written."""
    return way <= SCATTER_ADD or way == SCATTER_REDUCE


cdef str plain_name(Op op):
    return op.out_of_place.name if op.flags & OP_INPLACE else op.name


cdef Tensor prepare(Op op, int way, PyObject** slots, Tensor t, Tensor index, int dim, Job* job):
    """Fill in ``job``; the tensor to read from, or None for a number."""
    cdef PyObject* value = slots[3]
    cdef int i
    cdef Tensor source
    job.what = WALK_ADD if way == SCATTER_ADD or way == INDEX_ADD else WALK_WRITE
    if way == SCATTER:
        check_one_value(op, slots)
        job.what = scatter_mode(<object> slots[5])
        value = slots[4] if slots[3] == <PyObject*> None else slots[3]
    for i in range(t.rank):
        job.shape[i] = index.dims[i] if scatters(way) and index.rank == t.rank \
            else index.count if i == dim else t.dims[i]
    if way >= SCATTER_REDUCE and not isinstance(<object> value, Tensor):
        raise op_error(op, 3, "Tensor", value)
    if not isinstance(<object> value, Tensor) or way == INDEX_FILL:
        read_number(op, way, value, t, index, dim, job)
        return None
    source = as_vector(<Tensor> value)
    if scatters(way):
        check_source(source, <Tensor> value, t, index, dim)
    else:
        check_slices(op, way, source, t, index, dim)
    if way == INDEX_ADD and <object> slots[4] != 1:
        source = alias(source) * factor_of(<object> slots[4], source.code)
    job.data = source.data
    set_strides(job, source)
    return source


cdef int check_one_value(Op op, PyObject** slots) except -1:
    """Raise TypeError for both src and value; warn of a reduction of a tensor, as torch does."""
    if slots[3] != <PyObject*> None and slots[4] != <PyObject*> None:
        given = (<object> slots[1], <object> slots[2], <object> slots[3], <object> slots[4])
        raise invalid_combination(op.name, given,
                                  "(int dim, Tensor index, Tensor src), (int dim, Tensor index, Number value)")
    if slots[5] != <PyObject*> None and isinstance(<object> slots[3], Tensor):
        warn_user("The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future "
                  "PyTorch release. Use torch.scatter_reduce instead for more reduction options.")
    return 0


cdef object factor_of(object alpha, int code):
    """alpha as a number of a dtype, so that the product has that dtype too."""
    if isinstance(alpha, complex) and FACTS.category[code] != CAT_COMPLEX:
        raise RuntimeError(f"value cannot be converted to type {_C_NAMES[code]} without overflow: alpha is {alpha}")
    if code != BOOL:
        check_bound(<PyObject*> alpha, code)
    return bool(alpha) if code == BOOL else int(alpha) if FACTS.category[code] == CAT_INT else alpha


cdef int scatter_mode(object reduce) except -1:
    if reduce is None:
        return WALK_WRITE
    if reduce not in ("add", "multiply"):
        from wengert_core.messages.short_repr import short_repr
        raise RuntimeError(f"reduce argument must be either add or multiply. It is {short_repr(reduce)}")
    return WALK_ADD


cdef int read_number(Op op, int way, PyObject* value, Tensor t, Tensor index, int dim, Job* job) except -1:
    cdef int i
    if isinstance(<object> value, Tensor):
        if (<Tensor> value).rank:
            raise RuntimeError("index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                               f"{(<Tensor> value).rank} dimension(s).")
    elif number_code(value) < 0:
        raise op_error(op, 3, "Tensor or Number", value)
    store_checked(value, t.code, job.number)
    job.data = job.number
    for i in range(t.rank):
        job.strides[i] = 0
        if way <= SCATTER_ADD and i != dim and index.count and index.dims[i] > t.dims[i]:
            raise RuntimeError(f"Expected index {list(shape_tuple(index))} to be no larger than self "
                               f"{list(shape_tuple(t))} apart from dimension {dim}")
    return 0


cdef int check_source(Tensor source, Tensor given, Tensor t, Tensor index, int dim) except -1:
    """What scatter says of its src."""
    cdef int i
    cdef bint fits = True
    if source.code != t.code:
        raise RuntimeError(f"scatter(): Expected self.dtype to be equal to src.dtype: they are {scalar_name(t.code)} "
                           f"and {scalar_name(source.code)}")
    if index.count == 0:
        return 0
    if given.rank != index.rank and max(given.rank, 1) != index.rank:
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor: they have the shapes "
                           f"{list(shape_tuple(index))} and {list(shape_tuple(given))}")
    for i in range(t.rank):
        fits = fits and index.dims[i] <= source.dims[i] and (i == dim or index.dims[i] <= t.dims[i])
    if not fits:
        raise RuntimeError(f"Expected index {list(shape_tuple(index))} to be no larger than self "
                           f"{list(shape_tuple(t))} apart from dimension {dim} and to be no larger size than src "
                           f"{list(shape_tuple(source))}")
    return 0


cdef int check_slices(Op op, int way, Tensor source, Tensor t, Tensor index, int dim) except -1:
    """What index_add, index_reduce and index_copy say of their source."""
    cdef int i
    cdef Py_ssize_t length = source.dims[dim] if dim < source.rank else 1
    if way == INDEX_ADD or way == INDEX_REDUCE:
        if source.code != t.code:
            raise RuntimeError(f"{plain_name(op)}_(): self ({scalar_name(t.code)}) and source "
                               f"({scalar_name(source.code)}) must have the same scalar type")
        if index.count != length:
            raise RuntimeError(f"{plain_name(op)}_(): Number of indices ({index.count}) should be equal to "
                               f"source.size(dim): ({length}), for dim: {dim}")
    else:
        if source.code != t.code:
            raise RuntimeError(f"index_copy_(): self and source expected to have the same dtype, but got (self) "
                               f"{scalar_name(t.code)} and (source) {scalar_name(source.code)}")
        if index.count != length:
            raise IndexError(f"index_copy_(): Number of indices ({index.count}) should be equal to source.size(dim) "
                             f"({length})")
    for i in range(max(t.rank, source.rank)):
        if t.rank != source.rank or (i != dim and source.dims[i] != t.dims[i]):
            raise slices_differ(way, source, t, dim)
    return 0


cdef int check_ranks(Op op, Tensor source, Tensor t, Tensor index, int dim) except -1:
    """index_add takes no vector of one for a number, nor the other way round."""
    if source.rank == 0 and index.count != 1:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions: {plain_name(op)}_() got "
                         f"{index.count} indices for one number")
    if (source.rank == 0) != (t.rank == 0):
        raise slices_differ(INDEX_ADD, source, t, dim)
    return 0


cdef object slices_differ(int way, Tensor source, Tensor t, int dim):
    if way != INDEX_COPY:
        return RuntimeError("source tensor shape must match self tensor shape, excluding the specified dimension. Got "
                            f"self.shape = {list(shape_tuple(t))} source.shape = {list(shape_tuple(source))}")
    shapes = [" ".join([str(n) for i, n in enumerate(shape_tuple(x)) if i != dim]) for x in (t, source)]
    return RuntimeError("index_copy_(): Source/destination tensor must have same slice shapes. Destination slice "
                        f"shape: {shapes[0]} at dimension {dim} and source slice shape: {shapes[1]} at dimension "
                        f"{dim}.")
