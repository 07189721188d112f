"""Leaves: gradients are added into their ``grad``. The four rules: documentation, "Default gradient layouts"."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t

from wengert_core.dispatch.hooks cimport Hooks, hooks
from wengert_core.dispatch.op cimport Op, find_op
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport copy_into
from wengert_core.runtime.launches cimport count_recorders
from wengert_core.runtime.state cimport WG_BATCHED, WG_GRAD, WG_TELL, WgState, thread_state
from wengert_core.tensors.tensor cimport (TF_CONTIGUOUS, alias, bump_version, extra_of, is_strided, new_empty_at,
                                          same_shape, set_contiguity, shape_tuple, strides_of)
from wengert_engine.graph.node cimport hold, saved_slots
from wengert_engine.graph.validate_grad cimport Py_REFCNT, has_one_owner, write
from wengert_engine.messages import errors
from wengert_engine.modes.grad_mode cimport enforces_grad_layout

from wengert_registry import fork_lock

from wengert_core.tensors.memory_format import contiguous_format

cdef DTypeFacts* FACTS = dtype_facts()
cdef Hooks* HOOKS = hooks()
cdef const int* RECORDERS = count_recorders()
cdef object LEAF_LOCK = fork_lock()    # two runs add into one leaf's grad; a kernel may let another thread run
cdef Op ADD_ = None                    # looked up when first needed: the import of wengert loads no ops


cdef int accumulate(Node node, Tensor grad, bint create_graph) except -1:
    """Add into the grad of an AccumulateGrad's leaf, unless it has ceased to require one; then call its post-accumulate
    hooks, also where the backward came here without a gradient (None)."""
    cdef Tensor leaf = <Tensor> saved_slots(node)[0].value
    extra_of(leaf)
    if grad is not None and leaf.flags & WG_GRAD:
        if RECORDERS[0] and thread_state().modes & WG_TELL and HOOKS.note_grad != NULL:
            HOOKS.note_grad(leaf)
        LEAF_LOCK.acquire()
        try:
            add_to_leaf(leaf, grad, create_graph)
        finally:
            LEAF_LOCK.release()
    if leaf.extra.post_hooks != NULL:
        for hook in list((<dict> leaf.extra.post_hooks).values()):
            returned = hook(leaf)
            if returned is not None:
                raise errors.post_accumulate_returned(returned)
    return 0


cdef int add_to_leaf(Tensor leaf, Tensor grad, bint create_graph) except -1:
    global ADD_
    cdef PyObject* old = leaf.extra.grad
    if not same_shape(grad, leaf):     # not assigned to grad: that would hold a reference, and nothing could be stolen
        return add_to_leaf(leaf, reshape_grad(grad, leaf), create_graph)
    if old == NULL:
        if not is_strided(grad):
            kept = find_op("clone")(grad) if create_graph or not has_one_owner(grad) else grad
        elif create_graph:
            kept = recorded_copy(grad, leaf)
        elif has_one_owner(grad) and (has_leaf_layout(grad, leaf) or is_dense(grad) and not enforces_grad_layout()):
            kept = grad
        elif is_whole_of_unseen(grad) and has_leaf_layout(grad, leaf):
            kept = alias(grad)
        else:
            kept = copy_with_layout(grad, leaf)
    elif create_graph or not is_strided(<Tensor> old) and is_strided(grad):
        kept = sum_of_layouts(<Tensor> old, grad, create_graph)
    else:
        if ADD_ is None:
            ADD_ = find_op("add_")
        return write(ADD_, <Tensor> old, grad)
    hold(&leaf.extra.grad, kept)
    return 0


cdef object sum_of_layouts(Tensor old, Tensor grad, bint create_graph):
    """The sum of two gradients as a new tensor: strided where one of them is."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    if not create_graph:
        state.modes = modes & ~(<unsigned int> WG_GRAD)
    try:
        if is_strided(grad) and not is_strided(old):
            return find_op("add")(grad, old)
        return find_op("add")(old, grad)
    finally:
        state.modes = modes


cdef Tensor reshape_grad(Tensor grad, Tensor leaf):
    """The gradient of a leaf whose shape was changed under no_grad() after it had been used."""
    if [n for n in shape_tuple(grad) if n != 1] != [n for n in shape_tuple(leaf) if n != 1]:
        raise errors.leaf_reshaped(shape_tuple(grad), shape_tuple(leaf))
    return find_op("reshape")(grad, shape_tuple(leaf))


cdef bint is_whole_of_unseen(Tensor t) noexcept:
    """Return whether a tensor is a view of all of another that nobody else sees: a reshaped or transposed gradient."""
    cdef Tensor base
    if t.base == NULL or Py_REFCNT(<PyObject*> t) > 1 or Py_REFCNT(t.base) > 1 or Py_REFCNT(t.storage) != 2 \
            or t.flags & WG_GRAD or t.extra != NULL:
        return False
    base = <Tensor> t.base
    return base.extra == NULL and base.count == t.count and base.code == t.code


# ---- layouts

cdef bint is_dense(Tensor t) noexcept:
    """Non-overlapping and dense: the strides are those of a contiguous tensor whose dims were permuted."""
    cdef Py_ssize_t step = FACTS.itemsize[t.code]
    cdef int _i, d, found
    cdef uint64_t used = 0
    if t.flags & TF_CONTIGUOUS:
        return True
    if not is_strided(t):
        return False
    for _i in range(t.rank):
        found = -1
        for d in range(t.rank):
            if not used >> d & 1 and (t.dims[d] == 1 or strides_of(t)[d] == step):
                if found < 0 or t.dims[found] == 1:
                    found = d
                if t.dims[found] == 1:
                    break
        if found < 0:
            return False
        used |= <uint64_t> 1 << found
        step *= t.dims[found]
    return True


cdef bint has_leaf_layout(Tensor grad, Tensor leaf) noexcept:
    """Whether the gradient has the strides that the rules ask for."""
    cdef int i
    if not is_dense(leaf):
        return grad.flags & TF_CONTIGUOUS != 0
    for i in range(grad.rank):
        if grad.dims[i] != 1 and strides_of(grad)[i] != strides_of(leaf)[i]:
            return False
    return True


cdef Tensor empty_with_layout(Tensor grad, Tensor leaf):
    """Memory for a gradient with the strides of its leaf, which is dense."""
    cdef Tensor out = new_empty_at(grad.device, grad.code, grad.rank, grad.dims)
    cdef int i
    if leaf.code == grad.code:
        for i in range(leaf.rank):
            strides_of(out)[i] = strides_of(leaf)[i]
        set_contiguity(out)
    return out


cdef Tensor copy_with_layout(Tensor grad, Tensor leaf):
    """Return a copy with a dense leaf's strides (it then was written to once, as in PyTorch); else a contiguous one."""
    cdef Tensor out
    if is_dense(leaf):
        out = empty_with_layout(grad, leaf)
        copy_into(out, grad)
        bump_version(out)
    else:
        out = new_empty_at(grad.device, grad.code, grad.rank, grad.dims)
        copy_into(out, grad)
    return out


cdef object recorded_copy(Tensor grad, Tensor leaf):
    """copy_with_layout with its history."""
    if grad.flags & WG_BATCHED:
        return find_op("clone")(grad)
    if is_dense(leaf):
        return find_op("copy_")(empty_with_layout(grad, leaf), grad)
    return find_op("clone")(grad, memory_format=contiguous_format)
