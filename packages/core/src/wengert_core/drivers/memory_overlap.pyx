"""Rules of overlap between memory that an op writes and reads. Note [What may overlap] is in memory_overlap.pxd."""

from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.keep_alive cimport warn_in_call
from wengert_core.dispatch.op cimport K_NUMBER, K_STR, K_TENSOR, OP_INPLACE, Op
from wengert_core.exchange.arrays cimport contiguous_copy
from wengert_core.exchange.device_memory cimport runs_on_device
from wengert_core.tensors.overlap cimport PARTIAL, SAME, UNSURE, Overlap, may_meet, overlap_of
from wengert_core.tensors.tensor cimport Tensor, same_shape, shape_overlap, shape_tuple


cdef Tensor in_step(Tensor t, Tensor out):
    """``t``, or a copy where a write to ``out`` may change an element of it that is read later."""
    return contiguous_copy(t) if overlap_of(t, out) > SAME else t


cdef Tensor without_overlap(Op op, int slot, Tensor t, Tensor out):
    """Return ``t``, or a copy where it may share memory with ``out`` in another order; raise where it surely does."""
    cdef Overlap found
    if t is out or not may_meet(t, out):
        return t
    found = overlap_of(t, out)
    if found == PARTIAL:
        raise input_overlap_error(op.name, <str> op.params[slot], t, out)
    return contiguous_copy(t) if found == UNSURE else t


cdef int check_shared(Op op, PyObject** slots, Tensor target) except -1:
    """RuntimeError for a target that was expanded; a warning from ops that write one value."""
    if not shape_overlap(target):
        return 0
    if not op.flags & WRITES_SHARED or runs_on_device():  # a reference writes all elements, and the last one would stay
        raise expanded_target(op.name, target)
    return warn_in_call(op, slots, f"Use of {op.name} on expanded tensors is deprecated. Please clone() the tensor "
                                   "before performing this operation. This also applies to advanced indexing e.g. "
                                   "tensor[indices] = tensor")


cdef int check_overlap(Op op, uint32_t rule, PyObject** slots, Tensor target) except -1:
    """RuntimeError where what the op reads meets ``target``, by a WriteRule: called before a write."""
    cdef int i, kind
    for i in range(1 if op.flags & OP_INPLACE else 0, op.n_params):
        kind = op.kinds[i] & 63
        if slots[i] == NULL or i == op.out_slot or K_NUMBER <= kind <= K_STR:
            continue
        if i == 0 and rule & WRITES_CHANGED_SELF:
            if same_shape(<Tensor> slots[0], target):      # an out= of another shape is resized behind the last read
                check_input(op, WRITES_IN_STEP, 0, <Tensor> slots[0], target)
        elif isinstance(<object> slots[i], Tensor):
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
        raise input_overlap_error(op.name, <str> op.params[slot], t, target)
    return 0


# ---- what is said

cdef object input_overlap_error(str op, str name, Tensor t, Tensor target):
    """torch's error for an input in the memory that is written to."""
    return RuntimeError("unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                        f"single memory location. Please clone() the tensor before performing the operation. {op}: "
                        f"'{name}' of shape {list(shape_tuple(t))} lies in memory that is written to, of shape "
                        f"{list(shape_tuple(target))}")


def expanded_target(str name, Tensor t):
    """The error for a write to a tensor of which some elements share memory."""
    return RuntimeError("unsupported operation: more than one element of the written-to tensor refers to a single "
                        f"memory location. Please clone() the tensor before performing the operation. {name} got a "
                        f"tensor of shape {list(shape_tuple(t))} that was expanded")


def check_apart(str name, Tensor target, **inputs):
    """RuntimeError for an input, by its name, in the memory that is written to: for what other ops write."""
    if shape_overlap(target):
        raise expanded_target(name, target)
    for word, t in inputs.items():
        if overlap_of(<Tensor?> t, target) in (SAME, PARTIAL):
            raise input_overlap_error(name, word, t, target)


def check_outputs(name, outs):
    """RuntimeError for two tensors of out= in one memory: the one would be lost. torch lets it be lost."""
    cdef Py_ssize_t i, k
    cdef Overlap found
    for i in range(len(outs)):
        for k in range(i):
            found = overlap_of(<Tensor?> outs[i], <Tensor?> outs[k])
            if found == SAME or found == PARTIAL:
                raise RuntimeError("unsupported operation: some elements of two written-to tensors refer to a single "
                                   "memory location. Please clone() one of them before performing the operation: "
                                   f"{name} got outputs {k} and {i} in one memory")
