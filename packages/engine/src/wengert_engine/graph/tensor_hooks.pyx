"""Hooks of tensors: called with their gradients; where they are kept, and what registers them."""
from wengert_engine.graph.removable_handle import add_hook
from wengert_engine.graph.tensor_attributes import get_requires_grad

from cpython.ref cimport Py_XDECREF, PyObject

from wengert_core.runtime.state cimport WG_BATCHED, WG_GRAD
from wengert_core.tensors.tensor cimport Tensor, extra_of
from wengert_engine.graph.node cimport Node, NodeExtra, dict_in, hold, node_extra
from wengert_engine.graph.tensor_attributes cimport batched_attributes, grad_fn_of, refuse_batched, unwrap_batched


cdef dict tensor_hooks(Tensor t):
    """The dict of a tensor's hooks: at its node, or at the leaf."""
    fn = grad_fn_of(t)
    if fn is None:
        return dict_in(&extra_of(t).hooks)
    return dict_in(&node_extra(<Node> fn).tensor_hooks).setdefault(t.output_nr, {})


cdef list numbered_hooks(Tensor t):
    """Return (number, address) of the hooks that a tensor's gradient comes to: those of a leaf, and of its
    AccumulateGrad, or those of an output of a node. None where there are none. A node that had hooks behind it counts
    as having one: it copies the gradient.
    """
    cdef NodeExtra* extra = NULL
    if t.grad_fn != NULL:
        extra = (<Node> t.grad_fn).extra
        if extra == NULL or extra.tensor_hooks == NULL:
            return None
        return numbers_in([(<dict> extra.tensor_hooks).get(t.output_nr)])
    if t.extra == NULL:
        return None
    if t.extra.accumulate != NULL:
        extra = (<Node> t.extra.accumulate).extra
    if extra != NULL:
        return numbers_in([hold_value(t.extra.hooks), hold_value(t.extra.post_hooks), hold_value(extra.pre_hooks),
                           hold_value(extra.post_hooks), {-1: None} if extra.post_hooks != NULL else None,
                           *(hold_value(extra.tensor_hooks) or {}).values()])
    if t.extra.hooks == NULL and t.extra.post_hooks == NULL:
        return None
    return numbers_in([hold_value(t.extra.hooks), hold_value(t.extra.post_hooks)])


cdef list numbers_in(list of_dicts):
    found = [(number, id(hook)) for hooks in of_dicts if hooks is not None for number, hook in (<dict> hooks).items()]
    return found or None


def hooks_of(Tensor t):
    """The dict of a tensor's hooks, made when it has none."""
    return tensor_hooks(t)


def get_backward_hooks(Tensor self):
    """The hooks registered on this tensor, by the number of their handle; None before the first."""
    try:
        fn = grad_fn_of(self)
    except RuntimeError:               # one of several views whose base was written to: its hooks are where they were
        fn = <object> self.grad_fn if self.grad_fn != NULL else None
    if fn is None:
        return hold_value(self.extra.hooks) if self.extra != NULL else None
    if (<Node> fn).extra == NULL or (<Node> fn).extra.tensor_hooks == NULL:
        return None
    return (<dict> (<Node> fn).extra.tensor_hooks).get(self.output_nr)


def set_backward_hooks(Tensor self, value):
    """Let a dict take the place of this tensor's hooks, or None: then it has none."""
    fn = grad_fn_of(self)
    check_hooks("_backward_hooks", value)
    if fn is None:
        exchange(&extra_of(self).hooks, value)
    elif value is not None:
        dict_in(&node_extra(<Node> fn).tensor_hooks)[self.output_nr] = value
    elif (<Node> fn).extra != NULL and (<Node> fn).extra.tensor_hooks != NULL:
        (<dict> (<Node> fn).extra.tensor_hooks).pop(self.output_nr, None)


def delete_backward_hooks(Tensor self):
    """Refused: set them to None instead."""
    raise RuntimeError("Deletion of _backwards_hooks not allowed! Set them to None")


def get_post_accumulate_hooks(Tensor self):
    """The hooks, by their handles' numbers, that run once a gradient was added into this leaf's grad; or None."""
    return hold_value(self.extra.post_hooks) if self.extra != NULL else None


def set_post_accumulate_hooks(Tensor self, value):
    """Let a dict take the place of these hooks, or None: then there are none."""
    check_hooks("_post_accumulate_grad_hooks", value)
    exchange(&extra_of(self).post_hooks, value)


def delete_post_accumulate_hooks(Tensor self):
    """Refused: set them to None instead."""
    raise RuntimeError("Deletion of _post_accumulate_grad_hooks not allowed! Set them to None")


cdef object hold_value(PyObject* value):
    return <object> value if value != NULL else None


cdef int exchange(PyObject** field, object value) except -1:
    """Let an owned field hold a value; nothing in place of None."""
    cdef PyObject* old = field[0]
    if value is not None:
        hold(field, value)
    else:
        field[0] = NULL
        Py_XDECREF(old)
    return 0


cdef int check_hooks(str name, object value) except -1:
    if value is not None and not isinstance(value, dict):
        raise TypeError(f"{name} has to be a dict from numbers to hooks or None, got {type(value).__name__}")
    return 0


def register_hook(Tensor self, hook):
    """Call ``hook(grad)`` whenever a gradient for this tensor is computed; what it returns (unless None) replaces it.

    Returns a handle with ``remove()``. Raises RuntimeError for a tensor that does not require grad.
    """
    if not get_requires_grad(self):
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if self.flags & WG_BATCHED:
        if callable(hook):
            hook = batched_attributes().wrap_hook(self, hook)
        self = unwrap_batched(self)
    return add_hook(tensor_hooks(self), hook)


def register_post_accumulate_grad_hook(Tensor self, hook):
    """Call ``hook(tensor)`` after a gradient was added into this leaf's grad. Returns a handle with ``remove()``."""
    if not self.flags & WG_GRAD:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    refuse_batched(self, "register_post_accumulate_grad_hook")
    if grad_fn_of(self) is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return add_hook(dict_in(&extra_of(self).post_hooks), hook)


TENSOR_HOOKS = {
    "register_hook": register_hook, "register_post_accumulate_grad_hook": register_post_accumulate_grad_hook,
    "_backward_hooks": property(
        get_backward_hooks, set_backward_hooks, delete_backward_hooks, doc=get_backward_hooks.__doc__
    ),
    "_post_accumulate_grad_hooks": property(
        get_post_accumulate_hooks, set_post_accumulate_hooks, delete_post_accumulate_hooks,
        doc=get_post_accumulate_hooks.__doc__
    ),
}
"""Attributes that are mounted on Tensor."""
