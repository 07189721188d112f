"""Attributes that the engine adds to Tensor: requires_grad, grad, grad_fn, detach."""
import weakref

from wengert_engine.messages import errors

from cpython.ref cimport Py_XDECREF, PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.hooks cimport Hooks, hooks
from wengert_core.dtypes.dtypes cimport CAT_FLOAT, DTypeFacts, code_of, dtype_facts, dtype_of
from wengert_core.messages.tensor_attribute_error import TensorAttributeError
from wengert_core.runtime.launches cimport count_recorders
from wengert_core.runtime.state cimport WG_BATCHED, WG_DUAL, WG_GRAD, WG_INFER, WG_TELL, thread_state
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.requires_grad cimport requires_grad as _requires_grad
from wengert_core.tensors.tensor cimport (TF_INFERENCE, TF_RETAINS_GRAD, TF_VIEW, Tensor, alias, alias_components,
                                          alias_fresh_version, extra_of, home_device, is_strided, link_versions,
                                          same_shape, shape_tuple, storage_of, swap_contents, version_of)
from wengert_engine.graph.leaves cimport grad_code, gradient_edge, set_grad_code
from wengert_engine.graph.node cimport ANY_DTYPE, NODE_ACCUMULATE, TF_CUT, Node, dict_in, hold, node_extra

from wengert_core.devices.device import DEVICES as _DEVICES

from wengert_core.tensors.facts import tell_fact as _tell_fact

cdef DTypeFacts* FACTS = dtype_facts()
cdef Hooks* HOOKS = hooks()
cdef const int* RECORDERS = count_recorders()
cdef alias_fn NOTE_ALIAS = NULL
cdef object BATCHED = None             # the module batched_attributes, once there are batched tensors


def set_batched(module):
    """Say who answers for batched tensors: ``detached``, ``is_differentiated``, ``hooked``, ``refused``."""
    global BATCHED
    BATCHED = module


cdef void set_alias_hook(alias_fn function) noexcept:
    global NOTE_ALIAS
    NOTE_ALIAS = function


cdef object batched_attributes():
    return BATCHED


cdef int refuse_batched(Tensor t, name) except -1:
    """RuntimeError where something cannot be done with a batched tensor."""
    if t.flags & WG_BATCHED:
        raise BATCHED.unsupported_error(name)
    return 0


cdef Tensor unwrap_batched(Tensor t):
    """A tensor, or what lies below a batched one: graphs are of that."""
    while t.flags & WG_BATCHED:
        t = <Tensor> (<object> t.extra.tangent).physical
    return t


cdef object grad_fn_of(Tensor t):
    if t.flags & WG_BATCHED:
        t = unwrap_batched(t)
    cdef PyObject* fn = t.grad_fn
    if t.flags & TF_VIEW:
        fn = HOOKS.view_grad_fn(t)
    if fn == NULL or (<Node> fn).kind == NODE_ACCUMULATE:       # a saved leaf, read: it leads to the leaf's node
        return None
    return <object> fn


def get_grad_fn(Tensor self):
    """The node that recorded this tensor; None for a leaf."""
    return grad_fn_of(self) if not self.flags & WG_BATCHED or BATCHED.is_differentiated(self) else None


def get_is_leaf(Tensor self):
    """True when no recorded operation made this tensor: tensors that do not require grad, and those a user made."""
    return get_grad_fn(self) is None


def get_requires_grad(Tensor self):
    """True when gradients are computed for this tensor; inside of vmap, when a transform in there computes them."""
    if self.flags & WG_BATCHED:
        if not BATCHED.is_differentiated(self):
            return False
        self = unwrap_batched(self)
    return _requires_grad(self)


def set_requires_grad(Tensor self, value):
    """Ask for gradients of a leaf, or stop asking."""
    cdef bint on = bool(value)
    if grad_fn_of(self) is not None:
        if not on:
            raise RuntimeError("you can only change requires_grad flags of leaf variables. If you want to use a "
                               "computed variable in a subgraph that doesn't require differentiation use var_no_grad = "
                               "var.detach().")
        return
    if on and FACTS.category[self.code] < CAT_FLOAT:
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients: this one is "
                           f"{dtype_of(self.code)!r} (see docs/errors/dtype-mismatch)")
    if on and self.flags & TF_INFERENCE and not thread_state().modes & WG_INFER:
        raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed. "
                           "(see docs/errors/inference-tensors)")
    self.flags = self.flags | WG_GRAD if on else self.flags & ~(<uint32_t> WG_GRAD)


def assign_requires_grad(Tensor self, value):
    """Ask for gradients of a leaf, or stop asking: ``tensor.requires_grad = value``."""
    refuse_batched(self, "requires_grad_")
    if not isinstance(value, bool):
        raise RuntimeError(f"requires_grad must be a bool, not {type(value).__name__}")
    if value and grad_fn_of(self) is not None:
        raise RuntimeError("you can only change requires_grad flags of leaf variables. A computed tensor requires grad "
                           "as its inputs do; requires_grad_() does nothing then.")
    set_requires_grad(self, value)


def delete_requires_grad(Tensor self):
    """Refused: a tensor requires grad or does not."""
    raise RuntimeError("requires_grad must be a bool: set it to False instead of deleting it")


def requires_grad_(Tensor self, requires_grad=True):
    """Ask for gradients of this leaf (or stop asking), and return it."""
    refuse_batched(self, "requires_grad_")
    if not isinstance(requires_grad, bool):
        raise TypeError("requires_grad_(): argument 'requires_grad' (position 1) must be bool, not "
                        f"{type(requires_grad).__name__}")
    if requires_grad and FACTS.category[self.code] < CAT_FLOAT:
        raise RuntimeError("only Tensors of floating point dtype can require gradients: this one is "
                           f"{dtype_of(self.code)!r} (see docs/errors/dtype-mismatch)")
    set_requires_grad(self, requires_grad)
    return self


def get_grad(Tensor self):
    """The gradient that backward() has accumulated; None before that."""
    if RECORDERS[0] and thread_state().modes & WG_TELL and HOOKS.note_grad != NULL:
        HOOKS.note_grad(self)
    if self.extra != NULL and self.extra.grad != NULL:
        return <object> self.extra.grad
    if self.grad_fn != NULL and not self.flags & TF_RETAINS_GRAD:
        warn_user("The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
                  "won't be populated during autograd.backward(). If you indeed want the .grad field to be populated "
                  "for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor "
                  "by mistake, make sure you access the leaf Tensor instead.")
    return None


def set_grad(Tensor self, value):
    """Replace the gradient; None forgets it."""
    refuse_batched(self, "grad")
    if thread_state().modes & WG_TELL and HOOKS.note_grad != NULL:
        HOOKS.note_grad(self)
    if value is None:
        delete_grad(self)
    else:
        check_grad(self, value)
        hold(&extra_of(self).grad, value)


cdef int check_grad(Tensor self, object value) except -1:
    if not isinstance(value, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if value is self:
        raise RuntimeError("can't assign Variable as its own grad")
    cdef Tensor g = <Tensor> value
    cdef int code = grad_code(self)
    if g.code != code and code != ANY_DTYPE:
        raise errors.grad_dtype_mismatch(errors.cpp_name(g.dtype), errors.type_name(dtype_of(code)))
    if home_device(g.device) != home_device(self.device):
        raise errors.grad_of_other_device(_DEVICES[g.device], _DEVICES[self.device])
    if g.device != self.device and not is_strided(self):
        raise errors.grad_of_other_layout(value.layout, self.layout)
    if not same_shape(g, self):
        raise RuntimeError(f"attempting to assign a gradient of size '{list(shape_tuple(g))}' to a tensor of size "
                           f"'{list(shape_tuple(self))}'. Please ensure that the gradient and the tensor are the same "
                           "size")
    return 0


def get_grad_dtype(Tensor self):
    """The dtype of this leaf's gradient: its own unless set; None: any. Gradients that arrive are converted to it."""
    if grad_fn_of(self) is not None:
        raise TensorAttributeError("grad_dtype can only be accessed on leaf tensors.")
    cdef int code = grad_code(self)
    return None if code == ANY_DTYPE else dtype_of(code)


def set_grad_dtype(Tensor self, value):
    """Choose the dtype of this leaf's gradient."""
    cdef int code
    if value is not None and not isinstance(value, type(dtype_of(self.code))):
        raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type(value).__name__}")
    if grad_fn_of(self) is not None:
        raise RuntimeError("grad_dtype can only be set on leaf tensors.")
    code = ANY_DTYPE if value is None else code_of(value)
    if self.extra != NULL and self.extra.grad != NULL and code != ANY_DTYPE and (<Tensor> self.extra.grad).code != code:
        raise errors.grad_dtype_in_use(errors.type_name(value), errors.cpp_name((<object> self.extra.grad).dtype))
    set_grad_code(self, code)


def delete_grad(Tensor self):
    """Forget the gradient."""
    refuse_batched(self, "grad")
    cdef PyObject* old
    if self.extra != NULL:
        old = self.extra.grad
        self.extra.grad = NULL
        Py_XDECREF(old)


cdef Tensor announce(Tensor source, Tensor made):
    """Tell who traces this thread of an alias, and return it."""
    if RECORDERS[0] and thread_state().modes & WG_TELL and NOTE_ALIAS != NULL:
        NOTE_ALIAS(source, made)
    return made


def detach(Tensor self):
    """The same memory as a tensor without history, which does not require grad. Writes to either are seen by both."""
    if not is_strided(self) and not self.flags & WG_BATCHED:
        return alias_components(self)
    return announce(self, alias(self)) if not self.flags & WG_BATCHED else BATCHED.detach_batched(self)


cdef inline int tell_fact(Tensor t, str fact) except -1:
    """Tell who records a function in this thread what Python reads of a tensor."""
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        _tell_fact(t, fact)
    return 0


def detach_(Tensor self):
    """Cut this tensor off from the graph that made it: it becomes a leaf. Views cannot be detached in-place."""
    tell_fact(self, "detach_()")
    if self.flags & TF_VIEW and self.base != NULL and not self.flags & TF_INFERENCE:
        raise RuntimeError("Can't detach views in-place. Use detach() instead. If you are using "
                           "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, "
                           "gradients are views of DDP buckets, and hence detach_() cannot be called on these "
                           "gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
                           "torch/optim/optimizer.py as the solution.")
    cdef PyObject* old = self.grad_fn
    if old != NULL:
        self.flags |= TF_CUT
    self.grad_fn = NULL
    self.output_nr = 0
    self.flags &= ~(<uint32_t> (WG_GRAD | TF_RETAINS_GRAD))
    Py_XDECREF(old)
    if self.flags & WG_DUAL and not self.flags & (WG_BATCHED | TF_VIEW) and self.extra != NULL:
        old, self.extra.tangent = self.extra.tangent, NULL
        self.flags &= ~<uint32_t> WG_DUAL
        Py_XDECREF(old)
    return self


def get_data(Tensor self):
    """The same memory without history, with a version counter of its own: autograd does not notice writes to it."""
    refuse_batched(self, "data")
    return announce(self, alias_fresh_version(self))


def set_data(Tensor self, value):
    """Let this tensor take over another one's memory; its identity, history, version and gradient stay."""
    cdef Tensor other
    refuse_batched(self, "data =")
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    other = <Tensor> value
    if FACTS.category[other.code] < CAT_FLOAT and get_requires_grad(self):
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype: this "
                           f"one is {dtype_of(other.code)!r}")
    if self is other:
        return
    if self.code != other.code and self.extra != NULL:
        self.extra.accumulate = NULL   # borrowed. Graphs recorded before keep theirs, with the dtype of then
    other = announce(other, alias_fresh_version(other))
    storage_of(other).version = version_of(self)
    if (<PyObject*> self.storage).ob_refcnt > 1:   # its views and it keep one counter: Note [Version counters]
        link_versions(self.storage, other.storage)
    self.flags = self.flags & ~(<uint32_t> TF_INFERENCE) | other.flags & TF_INFERENCE
    swap_contents(self, other)


def delete_data(Tensor self):
    """Refused: a tensor always has data."""
    raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")


def get_version(Tensor self):
    """How often this tensor's memory has been written to by in-place operations, its views included."""
    if self.flags & TF_INFERENCE:
        raise RuntimeError("Inference tensors do not track version counter.")
    tell_fact(self, "_version")
    return version_of(self)


def refuse_grad_fn(Tensor self, value):
    """grad_fn is set by recording only."""
    raise AttributeError("attribute 'grad_fn' of 'torch._C.TensorBase' objects is not writable: use detach_() to cut a "
                         "tensor off")


def delete_grad_fn(Tensor self):
    """Refused: see detach_."""
    refuse_grad_fn(self, None)


def cut_grad_fn(Tensor self, value):
    """``tensor._grad_fn = None``: as detach_()."""
    if value is not None:
        raise RuntimeError(f"_grad_fn can be only set to None, got {type(value).__name__}")
    detach_(self)


def keep_grad_fn(Tensor self):
    """Refused: ``del tensor._grad_fn``."""
    raise RuntimeError("Deletion of _grad_fn not allowed. Detach tensor instead!")


def get_output_nr(Tensor self):
    """Which output of its grad_fn this tensor is."""
    return self.output_nr


def is_inference(Tensor self):
    """True for a tensor made in inference mode."""
    return bool(self.flags & TF_INFERENCE)


def get_base(Tensor self):
    """The tensor this one is a view of; None when it is no view."""
    tell_fact(self, "_base")
    return <object> self.base if self.base != NULL else None


def is_view(Tensor self):
    """True when this tensor is a view that autograd keeps track of."""
    tell_fact(self, "_is_view()")
    return self.base != NULL


def get_volatile(Tensor self):
    """False: gradients are switched off by no_grad() nowadays."""
    warn_user("volatile was removed (Variable.volatile is always False)")
    return False


def set_volatile(Tensor self, value=None):
    """No effect: gradients are switched off by no_grad() nowadays."""
    warn_user("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")


def retain_grad(Tensor self):
    """Let backward() set this non-leaf tensor's grad too. No effect on a leaf."""
    if not get_requires_grad(self):
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    refuse_batched(self, "retain_grad")
    fn = grad_fn_of(self)
    if fn is None or self.flags & TF_RETAINS_GRAD:
        return
    self.flags |= TF_RETAINS_GRAD
    dict_in(&node_extra(<Node> fn).retained)[self.output_nr] = weakref.ref(self)


def get_retains_grad(Tensor self):
    """True when retain_grad() was called on this non-leaf tensor."""
    tell_fact(self, "retains_grad")
    return bool(self.flags & TF_RETAINS_GRAD)


def edge_of(Tensor tensor):
    """(node, output_nr) that a gradient of ``tensor`` goes to; None when it does not require grad."""
    if tensor.flags & WG_BATCHED:
        tensor = unwrap_batched(tensor)
    cdef uint32_t nr = 0
    cdef PyObject* node = gradient_edge(tensor, &nr)
    if node == NULL:
        return None
    result = (<object> node, nr)
    Py_XDECREF(node)
    return result


TENSOR_ATTRIBUTES = {
    "requires_grad": property(
        get_requires_grad, assign_requires_grad, delete_requires_grad, doc=get_requires_grad.__doc__
    ),
    "grad": property(get_grad, set_grad, delete_grad, doc=get_grad.__doc__),
    "_grad": property(get_grad, set_grad, delete_grad, doc=get_grad.__doc__),
    "grad_fn": property(get_grad_fn, refuse_grad_fn, delete_grad_fn, doc=get_grad_fn.__doc__),
    "_grad_fn": property(get_grad_fn, cut_grad_fn, keep_grad_fn, doc=get_grad_fn.__doc__),
    "grad_dtype": property(get_grad_dtype, set_grad_dtype, doc=get_grad_dtype.__doc__),
    "_version": property(get_version, doc=get_version.__doc__),
    "is_leaf": property(get_is_leaf, doc=get_is_leaf.__doc__),
    "data": property(get_data, set_data, delete_data, doc=get_data.__doc__),
    "output_nr": property(get_output_nr, doc=get_output_nr.__doc__),
    "retains_grad": property(get_retains_grad, doc=get_retains_grad.__doc__),
    "_base": property(get_base, doc=get_base.__doc__),
    "volatile": property(get_volatile, set_volatile, set_volatile, doc=get_volatile.__doc__),
    "_is_view": is_view, "requires_grad_": requires_grad_, "detach": detach, "detach_": detach_,
    "is_inference": is_inference, "retain_grad": retain_grad,
}
"""Attributes that are mounted on Tensor."""
