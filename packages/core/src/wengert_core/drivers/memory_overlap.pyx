"""Rules of overlap between what an operation writes and what it reads. Note [What may overlap] is in memory_overlap.pxd."""

from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.keep_alive cimport warn_in_call
from wengert_core.dispatch.op cimport K_NUMBER, K_STR, K_TENSOR, OP_INPLACE, Op
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport contiguous_copy
from wengert_core.exchange.device_memory cimport elsewhere
from wengert_core.tensors.memory_format cimport is_dense, order_of
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, shape_overlap, shape_tuple, strides_of

cdef DTypeFacts* FACTS = dtype_facts()


# ---- how two tensors lie

cdef Overlap overlap_of(Tensor a, Tensor b) noexcept:
    """torch's get_overlap_status, but that gaps do not keep it from seeing what lies apart or is the same."""
    cdef char* bounds[4]
    if a is b:
        return SAME
    if not may_meet(a, b) or a.count == 0 or b.count == 0 or a.device != b.device:
        return APART
    extent(a, &bounds[0], &bounds[1])
    extent(b, &bounds[2], &bounds[3])
    if bounds[1] <= bounds[2] or bounds[3] <= bounds[0]:
        return APART
    if is_same(a, b):
        return SAME
    if (<Storage> a.storage).data != (<Storage> b.storage).data:
        return UNSURE                  # storages of two objects in one memory, of which torch knows nothing
    return PARTIAL if has_no_gaps(a) and has_no_gaps(b) else UNSURE


cdef bint is_same(Tensor a, Tensor b) noexcept:
    """Return whether the elements are the same, in the same order: of one size and dim by dim, sizes 1 left out."""
    cdef int i = 0, k = 0
    if a.data != b.data or FACTS.itemsize[a.code] != FACTS.itemsize[b.code]:
        return False
    while True:
        while i < a.rank and a.dims[i] == 1:
            i += 1
        while k < b.rank and b.dims[k] == 1:
            k += 1
        if i == a.rank or k == b.rank:
            return i == a.rank and k == b.rank
        if a.dims[i] != b.dims[k] or a.dims[a.rank + i] != b.dims[b.rank + k]:
            return False
        i += 1
        k += 1


cdef bint has_no_gaps(Tensor t) noexcept:
    """Return whether t's elements fill a stretch of memory, each one place of it, in any order of dims."""
    cdef const Py_ssize_t* strides
    cdef int order[64]
    if t.flags & TF_CONTIGUOUS:
        return True
    strides = strides_of(t)
    order_of(t.rank, 1, &strides, t.dims, order)
    return is_dense(t, order)


cdef void extent(Tensor t, char** low, char** high) noexcept:
    """The addresses that t's elements lie between; t is not empty."""
    cdef int i
    cdef Py_ssize_t span
    low[0] = t.data
    high[0] = t.data + FACTS.itemsize[t.code]
    for i in range(t.rank):
        span = (t.dims[i] - 1) * t.dims[t.rank + i]
        if span > 0:
            high[0] += span
        else:
            low[0] += span


# ---- what is done about it

cdef Tensor apart(Tensor t, Tensor out):
    """``t``, or a copy where a write to ``out`` may change it."""
    return t if overlap_of(t, out) == APART else contiguous_copy(t)


cdef Tensor in_step(Tensor t, Tensor out):
    """``t``, or a copy where a write to ``out`` may change an element of it that is read later."""
    return contiguous_copy(t) if overlap_of(t, out) > SAME else t


cdef Tensor without_overlap(Op op, int slot, Tensor t, Tensor out):
    """``t``, or a copy where it may share memory with ``out`` in another order; an error where it certainly does, as in torch."""
    cdef Overlap found
    if t is out or not may_meet(t, out):
        return t
    found = overlap_of(t, out)
    if found == PARTIAL:
        raise shared_with_input(op.name, <str> op.params[slot], t, out)
    return contiguous_copy(t) if found == UNSURE else t


cdef int check_shared(Op op, PyObject** slots, Tensor target) except -1:
    """RuntimeError for a target that was expanded; a warning from ops that write one value."""
    if not shape_overlap(target):
        return 0
    if not op.flags & WRITES_SHARED or elsewhere():    # a reference writes all elements, and the last one would stay
        raise expanded_target(op.name, target)
    return warn_in_call(op, slots, f"Use of {op.name} on expanded tensors is deprecated. Please clone() the tensor before performing this "
                        "operation. This also applies to advanced indexing e.g. tensor[indices] = tensor")


cdef int check_overlap(Op op, uint32_t rule, PyObject** slots, Tensor target) except -1:
    """RuntimeError where what the op reads meets ``target``, by a WriteRule: called before a write."""
    cdef int i, kind
    for i in range(1 if op.flags & OP_INPLACE else 0, op.n_params):
        kind = op.kinds[i] & 63
        if slots[i] == NULL or i == op.out_slot or K_NUMBER <= kind <= K_STR:
            continue
        if isinstance(<object> slots[i], Tensor):
            if kind == K_TENSOR or rule & WRITES_IN_STEP or (<Tensor> slots[i]).rank:     # else a number, read by now
                if may_meet(<Tensor> slots[i], target):
                    check_input(op, rule, i, <Tensor> slots[i], target)
        elif isinstance(<object> slots[i], (tuple, list)):
            for item in <object> slots[i]:
                if isinstance(item, Tensor):
                    check_input(op, rule, i, <Tensor> item, target)
    return 0


cdef int check_input(Op op, uint32_t rule, int slot, Tensor t, Tensor target) except -1:
    """check_overlap for one of the inputs."""
    cdef Overlap found
    if not may_meet(t, target):
        return 0
    found = overlap_of(t, target)
    if found == PARTIAL or (found == SAME and rule & WRITES_APART):
        raise shared_with_input(op.name, <str> op.params[slot], t, target)
    return 0


# ---- what is said

cdef object shared_with_input(str op, str name, Tensor t, Tensor target):
    """torch's error for an input in the memory that is written to."""
    return RuntimeError("unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. "
                        f"Please clone() the tensor before performing the operation. {op}: '{name}' of shape {list(shape_tuple(t))} "
                        f"lies in memory that is written to, of shape {list(shape_tuple(target))}")


def expanded_target(str name, Tensor t):
    """The error for a write to a tensor of which some elements share memory."""
    return RuntimeError("unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
                        f"Please clone() the tensor before performing the operation. {name} got a tensor of shape "
                        f"{list(shape_tuple(t))} that was expanded")


def check_apart(str name, Tensor target, **inputs):
    """RuntimeError for an input, by its name, in the memory that is written to: for what other ops write."""
    if shape_overlap(target):
        raise expanded_target(name, target)
    for word, t in inputs.items():
        if overlap_of(<Tensor?> t, target) in (SAME, PARTIAL):
            raise shared_with_input(name, word, t, target)


def check_outputs(name, outs):
    """RuntimeError for two tensors of out= in one memory: the one would be lost. torch lets it be lost."""
    cdef Py_ssize_t i, k
    cdef Overlap found
    for i in range(len(outs)):
        for k in range(i):
            found = overlap_of(<Tensor?> outs[i], <Tensor?> outs[k])
            if found == SAME or found == PARTIAL:
                raise RuntimeError("unsupported operation: some elements of two written-to tensors refer to a single memory location. "
                                   f"Please clone() one of them before performing the operation: {name} got outputs {k} and {i} in one memory")
