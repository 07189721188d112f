"""The context of a Function: what forward, setup_context and backward find on ``ctx``, which is the node itself."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint8_t

from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor cimport Tensor
from wengert_engine.function.apply cimport MATERIALIZE, MATERIALIZE_NON_DIFF
from wengert_engine.graph.node cimport NF_RELEASED, FunctionNode, hold, release_saved
from wengert_engine.graph.node import make_function_node_class
from wengert_engine.messages import errors
from wengert_engine.record.saved_values cimport saved_value


def save_for_backward(FunctionNode self, *tensors):
    """Save tensors for backward: inputs, outputs or (then without history) intermediate ones. None is allowed."""
    hold(&self.to_save, tensors)


def save_for_forward(FunctionNode self, *tensors):
    """Save tensors for jvp. AssertionError for what is neither a tensor nor None."""
    for t in tensors:
        if t is not None and not isinstance(t, Tensor):
            raise AssertionError("save_for_forward expects all arguments to be tensors; you should save non-tensors as "
                                 f"attributes on ctx. Got {type(t).__name__}")
    hold(&self.for_forward, tensors)


def mark_dirty(FunctionNode self, *tensors):
    """Tell which inputs forward has modified in-place; they must be outputs too."""
    hold(&self.dirty, tensors)


def mark_non_differentiable(FunctionNode self, *tensors):
    """Tell which outputs are not differentiable."""
    for t in tensors:
        if not isinstance(t, Tensor):
            raise RuntimeError(f"mark_non_differentiable only accepts variable arguments, but got {type(t).__name__}")
    hold(&self.non_differentiable, tensors)


def mark_shared_storage(FunctionNode self, *pairs):
    """Deprecated and without effect: tensors that share memory are known as such."""
    warn_user("`mark_shared_storage` is deprecated. Tensors with shared storages are automatically tracked. Note that "
              "calls to `set_()` are not tracked", FutureWarning)


def set_materialize_grads(FunctionNode self, value):
    """Whether backward gets zeros (True, the default) or None for outputs without a gradient."""
    if not isinstance(value, bool):
        raise TypeError("set_materialize_grads received an invalid combination of arguments - got "
                        f"{type(value).__name__}, but expected (bool)")
    self.materialize = self.materialize & ~(<uint8_t> MATERIALIZE) | value * MATERIALIZE


def get_materialize_non_diff(FunctionNode self):
    """Whether backward gets zeros also for outputs that are not differentiable (True, the default)."""
    return bool(self.materialize & MATERIALIZE_NON_DIFF)


def set_materialize_non_diff(FunctionNode self, value):
    """Choose whether backward gets zeros or None for outputs that are not differentiable."""
    if not isinstance(value, bool):
        raise TypeError(f"_materialize_non_diff_grads must be a bool, not {type(value).__name__}")
    self.materialize = self.materialize & ~(<uint8_t> MATERIALIZE_NON_DIFF) | value * MATERIALIZE_NON_DIFF


def get_saved_tensors(FunctionNode self):
    """The tensors of save_for_backward, checked: not freed, not written to since."""
    if self.in_forward:
        return <object> self.to_save if self.to_save != NULL else ()
    if self.flags & NF_RELEASED:
        raise errors.accessed_twice() if clears_saved(self) else errors.freed_graph(type(self).__name__)
    saved = tuple([saved_value(self, i, True) for i in range(self.n_saved)])
    if clears_saved(self):
        release_saved(self)
    return saved


cdef bint clears_saved(FunctionNode node) except -1:
    """Whether what the Function saved is freed when ctx is asked for it."""
    return node.function != NULL and (<object> node.function).clear_saved_tensors_on_access


def get_saved_variables(FunctionNode self):
    """The old name of saved_tensors."""
    warn_user("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning)
    return get_saved_tensors(self)


def get_to_save(FunctionNode self):
    """The tensors of save_for_backward in this forward; None before and after."""
    return <object> self.to_save if self.to_save != NULL else None


def get_saved_for_forward(FunctionNode self):
    """The tensors of save_for_forward, or None."""
    return <object> self.for_forward if self.for_forward != NULL else None


def get_dirty_tensors(FunctionNode self):
    """The tensors of mark_dirty, or None."""
    return <object> self.dirty if self.dirty != NULL else None


def get_non_differentiable(FunctionNode self):
    """The tensors of mark_non_differentiable, or None."""
    return <object> self.non_differentiable if self.non_differentiable != NULL else None


def get_needs_input_grad(FunctionNode self):
    """For each argument of forward whether it needs a gradient."""
    return <object> self.needs_input if self.needs_input != NULL else ()


def get_raw_saved_tensors(FunctionNode self):
    """The tensors of save_for_backward, unread: objects with register_hooks."""
    from wengert_engine.record.node_attributes import saved_tensors
    return saved_tensors(self)


def named_repr(FunctionNode self):
    """With the module, as torch shows these nodes."""
    return f"<torch.autograd.function.{type(self).__name__} object at {<Py_ssize_t> <PyObject*> self:#x}>"


CTX_MEMBERS = {
    "save_for_backward": save_for_backward, "save_for_forward": save_for_forward, "mark_dirty": mark_dirty,
    "mark_non_differentiable": mark_non_differentiable, "mark_shared_storage": mark_shared_storage,
    "set_materialize_grads": set_materialize_grads,
    "_materialize_non_diff_grads": property(
        get_materialize_non_diff, set_materialize_non_diff, doc=get_materialize_non_diff.__doc__
    ),
    "saved_tensors": property(get_saved_tensors, doc=get_saved_tensors.__doc__),
    "_raw_saved_tensors": property(get_raw_saved_tensors, doc=get_raw_saved_tensors.__doc__),
    "saved_variables": property(get_saved_variables, doc=get_saved_variables.__doc__),
    "needs_input_grad": property(get_needs_input_grad, doc=get_needs_input_grad.__doc__),
    "to_save": property(get_to_save, doc=get_to_save.__doc__),
    "saved_for_forward": property(get_saved_for_forward, doc=get_saved_for_forward.__doc__),
    "dirty_tensors": property(get_dirty_tensors, doc=get_dirty_tensors.__doc__),
    "non_differentiable": property(get_non_differentiable, doc=get_non_differentiable.__doc__),
    "__doc__": "The context of a Function: the methods that forward, setup_context and backward call on ``ctx``.",
    "__repr__": named_repr,
    "__module__": "wengert.autograd.function",
}

FunctionCtx = make_function_node_class("FunctionCtx", (FunctionNode,), CTX_MEMBERS)
