"""The plan of an index by tensors: which element of the indexed tensor each position means.

Note [How positions become offsets]
    Masks become the offsets of their positions, the index tensors are broadcast together, and each position becomes one
    byte offset into the indexed tensor, checked. The dims that are not indexed form blocks: before the positions (where
    the index tensors stand side by side) or behind them. A result has the shape before + positions + after; when other
    dims lie between the index tensors, the positions come first, as in NumPy.
"""

from wengert_core.drivers.index.index_moves cimport Plan, add_offsets
from wengert_core.dtypes.dtypes cimport BOOL, INT32, INT64, UINT8
from wengert_core.exchange.arrays cimport convert_copy
from wengert_core.exchange.copy_launch cimport tell_zeros
from wengert_core.runtime.launches cimport count_recorders, tell_opaque
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor cimport Tensor, new_empty, shape_tuple

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

cdef const int* RECORDERS = count_recorders()


cdef list expanded_masks(Tensor t, object indices):
    """Return [(dim, int64 tensor, dims)]: 32-bit indices widened, with dims -1; a mask as byte offsets along its dims.

    A mask without dims lies before its dim and along none: it adds one of size 1 or 0, as in NumPy.
    """
    cdef list pairs = []
    cdef Tensor index
    cdef int dim = 0
    for i, item in enumerate(indices):
        if item is None:
            dim += 1
            continue
        if not isinstance(item, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(item).__name__}")
        index = item
        if index.code == UINT8:
            warn_user("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.")
            index = convert_copy(index, BOOL)
        if index.code == BOOL:
            check_mask(t, index, dim)
            pairs.append((dim, mask_offsets(t, index, dim), index.rank))
            dim += index.rank
        elif index.code == INT64 or index.code == INT32:
            pairs.append((dim, index if index.code == INT64 else convert_copy(index, INT64), -1))
            dim += 1
        else:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if dim > t.rank:
        raise IndexError(f"too many indices for tensor of dimension {t.rank} (got {dim}): its shape is "
                         f"{list(shape_tuple(t))}")
    return pairs


cdef Tensor mask_offsets(Tensor t, Tensor mask, int dim):
    """The byte offsets in t of the places where a mask is True that lies along dims dim, dim + 1, ..."""
    cdef Py_ssize_t n = 0
    cdef Tensor out
    tell_opaque()                      # the shape depends on values
    each_true(mask, t.dims + t.rank + dim, NULL, &n)
    out = new_empty(INT64, 1, &n)
    each_true(mask, t.dims + t.rank + dim, <Py_ssize_t*> out.data, &n)
    return out


cdef void each_true(Tensor mask, const Py_ssize_t* steps, Py_ssize_t* out, Py_ssize_t* n) noexcept:
    """Count a mask's True elements, n, or write their offsets by ``steps`` where out is not NULL, which has room for n.

    By rows, without a branch, which no processor could foretell; a mask without gaps is one where its steps are even.
    """
    cdef Py_ssize_t counter[64]
    cdef Py_ssize_t offset = 0, found = 0, row = 1, gap = 1, step = 1
    cdef char* p = mask.data
    cdef int i, outer = mask.rank
    if mask.count == 0:
        n[0] = 0
        return
    for i in range(mask.rank):
        counter[i] = 0
    while outer > 0 and (outer == mask.rank or (mask.dims[mask.rank + outer - 1] == gap * row
                                                and steps[outer - 1] == step * row)):
        outer -= 1
        if row == 1:
            gap, step = mask.dims[mask.rank + outer], steps[outer]
        row *= mask.dims[outer]
    while True:
        found = true_of_row(p, row, gap, step, offset, out, found, n[0])
        i = outer - 1
        while i >= 0:
            counter[i] += 1
            p += mask.dims[mask.rank + i]
            offset += steps[i]
            if counter[i] < mask.dims[i]:
                break
            p -= mask.dims[mask.rank + i] * mask.dims[i]
            offset -= steps[i] * mask.dims[i]
            counter[i] = 0
            i -= 1
        if i < 0:
            break
    n[0] = found


cdef Py_ssize_t true_of_row(
    const char* p, Py_ssize_t n, Py_ssize_t gap, Py_ssize_t step, Py_ssize_t offset, Py_ssize_t* out, Py_ssize_t found,
    Py_ssize_t wanted
) noexcept nogil:
    """``found`` and the True elements of a row; their offsets into out, not more than ``wanted``."""
    cdef Py_ssize_t i
    if out == NULL:
        for i in range(n):
            found += p[i * gap] != 0
        return found
    i = 0
    while i < n and found < wanted:
        out[found] = offset + i * step
        found += p[i * gap] != 0
        i += 1
    return found


cdef int check_mask(Tensor t, Tensor mask, int dim) except -1:
    cdef int i
    for i in range(mask.rank):
        if dim + i >= t.rank:
            raise IndexError(f"too many indices for tensor of dimension {t.rank}: a mask of shape "
                             f"{list(shape_tuple(mask))} stands at dimension {dim}")
        if mask.dims[i] != t.dims[dim + i]:
            raise IndexError(f"The shape of the mask {list(shape_tuple(mask))} at index {i} does not match the shape "
                             f"of the indexed tensor {list(shape_tuple(t))} at index {dim + i}")
    return 0


cdef int broadcast_indices(list pairs, Plan* plan) except -1:
    """The common shape of the index tensors."""
    cdef Tensor index
    cdef int i, rank = 0
    cdef Py_ssize_t size
    for _, index, _ in pairs:
        rank = max(rank, index.rank)
    plan.n_index, plan.n = rank, 1
    for i in range(rank):
        plan.index_shape[i] = 1
        for _, index, _ in pairs:
            if i < rank - index.rank:
                continue
            size = index.dims[i - rank + index.rank]
            if plan.index_shape[i] == 1:
                plan.index_shape[i] = size
            elif size != plan.index_shape[i] and size != 1:
                shapes = ", ".join([str(list(shape_tuple(<Tensor> index))) for _, index, _ in pairs])
                raise IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes "
                                 f"{shapes} (see docs/errors/shape-mismatch)")
        plan.n *= plan.index_shape[i]
    return 0


cdef Tensor make_plan(Tensor t, object indices, Plan* plan):
    cdef list pairs = expanded_masks(t, indices)
    cdef Tensor owner, index
    cdef int i, first = t.rank, last = -1, dim, covered, n_indexed = 0
    cdef Py_ssize_t j
    cdef unsigned long long indexed = 0
    cdef bint empty = False
    broadcast_indices(pairs, plan)
    owner = new_empty(INT64, 1, &plan.n)
    plan.offsets = <Py_ssize_t*> owner.data
    for j in range(plan.n):
        plan.offsets[j] = 0
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_zeros(owner)
    for dim, _, covered in pairs:
        covered = abs(covered)
        for i in range(dim, dim + covered):
            indexed |= 1ULL << i
            n_indexed += 1
        last = max(last, dim + covered - 1)
        first = min(first, dim)
    plan.n_before = plan.n_after = 0
    for i in range(t.rank):
        if indexed >> i & 1:
            continue
        if i < first and last - first + 1 == n_indexed:
            plan.before[plan.n_before], plan.before_strides[plan.n_before] = t.dims[i], t.dims[t.rank + i]
            plan.n_before += 1
        else:
            plan.after[plan.n_after], plan.after_strides[plan.n_after] = t.dims[i], t.dims[t.rank + i]
            plan.n_after += 1
        empty = empty or t.dims[i] == 0
    for dim, index, covered in pairs:
        if covered and t.dims[dim] == 0 and plan.n:
            raise IndexError(f"index is out of bounds for dimension with size 0: dimension {dim}")
        if covered >= 0:
            add_offsets(plan, owner, index, PY_SSIZE_T_MAX, 1, dim)
        elif not empty:                # torch does not look at the positions of an empty result either
            add_offsets(plan, owner, index, t.dims[dim], t.dims[t.rank + dim], dim)
    return owner


cdef int result_shape(Plan* plan, Py_ssize_t* shape) except -1:
    cdef int i, n = 0
    if plan.n_before + plan.n_index + plan.n_after > 64:
        raise RuntimeError("indexing: the result would have more than 64 dimensions")
    for i in range(plan.n_before):
        shape[n + i] = plan.before[i]
    n = plan.n_before
    for i in range(plan.n_index):
        shape[n + i] = plan.index_shape[i]
    n += plan.n_index
    for i in range(plan.n_after):
        shape[n + i] = plan.after[i]
    return n + plan.n_after
