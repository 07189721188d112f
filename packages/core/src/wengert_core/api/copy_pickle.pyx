"""pickle, copy.copy and copy.deepcopy of tensors.

>>> import copy, pickle
>>> from wengert_core import arange
>>> x = arange(6).reshape(2, 3).t()
>>> pickle.loads(pickle.dumps(x)).stride() == copy.deepcopy(x).stride() == x.stride()
True
"""
import copy

import numpy as np

cimport numpy as cnp
from cpython.ref cimport Py_XDECREF, PyObject, Py_INCREF
from libc.string cimport memcpy

from wengert_core.devices.device import DEVICES as _DEVICES
from wengert_core.dispatch.hooks cimport Hooks, hooks
from wengert_core.drivers.create.factory cimport mark_grad
from wengert_core.dtypes.dtypes cimport UINT8, DTypeFacts, code_of, dtype_facts, dtype_of
from wengert_core.dtypes.dtypes import ALL as _DTYPES
from wengert_core.dtypes.dtypes import dtype_by_name
from wengert_core.drivers.resize cimport owner_in_chain
from wengert_core.exchange.arrays cimport copy_into
from wengert_core.exchange.device_memory cimport storage_bytes
from wengert_core.geometry.size_math cimport bytes_between, extent
from wengert_core.layouts.lookup import plugin_of
from wengert_core.runtime.launches cimport tell_opaque
from wengert_core.runtime.state cimport WG_BATCHED, WG_INFER, thread_state
from wengert_core.runtime.user_warnings import warn_of_lost_hooks
from wengert_core.tensors.requires_grad cimport requires_grad
from wengert_core.tensors.tensor cimport (TF_INFERENCE, TF_VIEW, Storage, Tensor, alias, alias_fresh_version,
                                          extra_of, is_strided, new_empty, new_empty_at, new_on_memory, new_view,
                                          same_shape, set_contiguity, storage_of, track)
from wengert_core.tensors.tensor import as_subclass
from wengert_core.tensors.vmap_hooks import no_storage

cdef DTypeFacts* FACTS = dtype_facts()
cdef Hooks* HOOKS = hooks()


# ---- pieces

cdef Py_ssize_t span_of(Tensor t) noexcept:
    """Bytes from the first element to behind the last one in memory."""
    cdef Py_ssize_t span = FACTS.itemsize[t.code]
    cdef int i
    if t.count == 0:
        return 0
    for i in range(t.rank):
        span += (t.dims[i] - 1) * t.dims[t.rank + i]
    return span


cdef Tensor on_memory(Tensor memory, Tensor like, Py_ssize_t offset):
    """A tensor on the storage of ``memory`` with like's dtype, shape and strides; not a view of anything."""
    cdef Tensor new = new_view(memory, like.rank, like.dims, like.dims + like.rank, memory.data + offset)
    cdef PyObject* base = new.base
    new.base = NULL
    Py_XDECREF(base)
    new.code = like.code
    new.flags &= ~<unsigned int> TF_VIEW
    set_contiguity(new)
    return new


cdef Tensor copied_storage(Tensor t, dict memo):
    """A byte tensor with a copy of t's whole storage; one for each memory, which set_() gives to several, and memo.

    The first tensor on it has its version counter, any other one its own.
    """
    cdef Storage old = storage_of(t)
    cdef Tensor new
    key = id(owner_in_chain(old)), <size_t> old.data, old.nbytes
    if key in memo:
        return alias_fresh_version(<Tensor> memo[key])
    new = new_empty_at(t.device, UINT8, 1, &old.nbytes)
    if t.device:
        copy_into(new, storage_bytes(t))
    else:
        memcpy(new.data, old.data, old.nbytes)
        tell_opaque()
    memo[key] = new
    memo.setdefault(id(memo), []).append(old)      # the id stays taken as long as the memo lives
    return new


cdef Tensor copied_components(Tensor t, dict memo):
    """Return a copy of a tensor of another layout; its aliases get the same components."""
    key = id(storage_of(t))
    if key not in memo:
        memo[key] = plugin_of(t).clone(alias(t))
        memo.setdefault(id(memo), []).append(storage_of(t))
    return alias(<Tensor> memo[key])


cdef object attributes(Tensor t):
    """What the user has set on a tensor; None when nothing is."""
    own = getattr(t, "__dict__", None)
    return dict(own) if own else None


cdef Tensor finish_copy(Tensor new, object cls, bint differentiable):
    if cls is not Tensor and cls is not None:
        new = as_subclass(new, cls)
    if differentiable:
        mark_grad(new)
    return new


cdef Tensor with_version(Tensor new):
    """The copy of a tensor with the version 1: in PyTorch copies are empty tensors that ``set_`` gives their memory."""
    if is_strided(new):
        storage_of(new).version = 1
    return new


cdef int keep_grad(Tensor new, object grad) except -1:
    """Let a new tensor have a gradient."""
    Py_INCREF(grad)
    extra_of(new).grad = <PyObject*> grad
    track(new)
    return 0


cdef int warn_of_hooks(Tensor t) except -1:
    """A copy does not have the hooks of the tensor it is made from."""
    if requires_grad(t):
        lost = getattr(t, "_backward_hooks", None)
        if lost:
            warn_of_lost_hooks(lost.values())
    return 0


# ---- copy

cdef int refuse_batched(Tensor t) except -1:
    """NotImplementedError for a tensor inside of vmap."""
    if t.flags & WG_BATCHED:
        raise no_storage()
    return 0


def shallow_copy(Tensor self):
    """copy.copy: a leaf on the same memory, with the same attributes and .grad; it requires grad when this one does.

    It has a version counter of its own, as ``x.data`` has.
    """
    refuse_batched(self)
    warn_of_hooks(self)
    tell_opaque()                      # whoever records does not see whose memory it is
    cdef Tensor new = alias_fresh_version(self)
    new.flags &= ~<unsigned int> TF_INFERENCE
    if thread_state().modes & WG_INFER:
        new.flags |= TF_INFERENCE
    if type(self).__reduce_ex__ is Tensor.__reduce_ex__:       # else as x.data, of which the class makes the copy
        new = with_version(new)
    new = finish_copy(new, type(self), requires_grad(self))
    if self.extra != NULL and self.extra.grad != NULL:
        keep_grad(new, <object> self.extra.grad)
    set_state(new, attributes(self))
    return new


def deep_copy(Tensor self, dict memo):
    """copy.deepcopy: storage, .grad and attributes are copied; tensors that share a storage share its copy.

    RuntimeError for a tensor that is the result of recorded operations.
    """
    refuse_batched(self)
    cdef Tensor new
    if id(self) in memo:
        return memo[id(self)]
    if self.flags & TF_VIEW and HOOKS.view_grad_fn != NULL:
        HOOKS.view_grad_fn(self)
    if self.grad_fn != NULL:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol "
                           f"at the moment. This one, of shape {list(self.shape)}, is the result of an operation: "
                           "use .detach() or .clone()")
    if is_strided(self):
        new = on_memory(copied_storage(self, memo), self, bytes_between(storage_of(self).data, self.data))
    else:
        new = copied_components(self, memo)
    new = with_version(new)
    new = finish_copy(new, type(self), requires_grad(self))
    memo[id(self)] = new
    copy_grad(self, new, memo)
    set_state(new, copy.deepcopy(attributes(self), memo))
    return new


cdef int copy_grad(Tensor t, Tensor new, dict memo) except -1:
    if t.extra == NULL or t.extra.grad == NULL:
        return 0
    return keep_grad(new, copy.deepcopy(<object> t.extra.grad, memo))


# ---- pickle

def reduce(Tensor self, int protocol):
    """pickle: dtype, shape, strides, requires_grad, .grad, attributes and the bytes of the whole storage; no history.

    Of a pool (``mark_pool``) the bytes that the tensor spans.

    Protocol 5 can carry the bytes out of band. The class of a plain tensor is None there: where Tensor is found depends
    on ``set_tensor_module``.
    """
    refuse_batched(self)
    cdef Tensor memory
    cdef Py_ssize_t nbytes, offset, step = 1
    cdef char* start
    cls = None if type(self) is Tensor else type(self)
    if self.device:
        warn_of_hooks(self)
        grad = <object> self.extra.grad if self.extra != NULL and self.extra.grad != NULL else None
        if not is_strided(self):
            return (rebuild_by, (*plugin_of(self).reduce(alias(self)), cls, requires_grad(self), grad),
                    attributes(self))
        return (rebuild_elsewhere,
                (str(_DEVICES[self.device]), cls, (<object> alias(self)).cpu(), requires_grad(self), grad),
                attributes(self))
    start, nbytes = storage_of(self).data, storage_of(self).nbytes
    offset = bytes_between(start, self.data)
    # one without elements points anywhere
    if offset < 0 or span_of(self) > nbytes - offset or storage_of(self).pool:
        start, nbytes, offset = self.data, span_of(self), 0
    memory = new_on_memory(UINT8, 1, &nbytes, &step, start, start, nbytes, storage_of(self))
    array = memory.numpy()
    strides = tuple([self.dims[self.rank + i] for i in range(self.rank)])
    arguments = (cls, array if protocol >= 5 else array.tobytes(), dtype_of(self.code).name, tuple(self.shape),
                 strides, requires_grad(self))
    warn_of_hooks(self)
    grad = <object> self.extra.grad if self.extra != NULL and self.extra.grad != NULL else None
    arguments += (grad, offset) if offset else (grad,) if grad is not None else ()
    state = attributes(self)
    return (rebuild, arguments) if state is None else (rebuild, arguments, state)


def rebuild(cls, data, str dtype_name, tuple shape, tuple strides, bint differentiable, grad=None,
            Py_ssize_t offset=0):
    """The tensor that ``reduce`` took apart; strides and offset in bytes. Always in memory of its own.

    ValueError when the parts do not belong together (a pickle that was tampered with).
    """
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t steps[64]
    cdef Py_ssize_t nbytes
    cdef Tensor memory, like, new
    cdef int i, ndim = <int> len(shape), code, itemsize
    if dtype_name not in _DTYPES:
        raise ValueError(f"not a pickled tensor: there is no dtype {dtype_name!r}")
    if len(strides) != ndim or ndim > 64:
        raise ValueError(f"not a pickled tensor: shape {shape}, strides {strides}")
    code = code_of(dtype_by_name(dtype_name))
    itemsize = FACTS.itemsize[code]
    for i in range(ndim):
        sizes[i], steps[i] = shape[i], strides[i]
        if sizes[i] < 0 or steps[i] < 0 or steps[i] % itemsize:
            raise ValueError(f"not a pickled tensor: shape {shape}, strides {strides} in bytes, "
                             f"elements of {itemsize} bytes")
        steps[i] //= itemsize
    if offset < 0 or offset % itemsize:
        raise ValueError(f"not a pickled tensor: offset {offset} in bytes, elements of {itemsize} bytes")
    cdef cnp.ndarray source = np.frombuffer(data, np.uint8)
    nbytes = cnp.PyArray_NBYTES(source)
    if extent(ndim, sizes, steps, offset // itemsize, itemsize) > nbytes:
        raise ValueError(f"not a pickled tensor: {nbytes} bytes are too few for shape {shape} with strides {strides}"
                         + f" from byte {offset} on" * (offset > 0))
    for i in range(ndim):
        steps[i] *= itemsize
    memory = new_empty(UINT8, 1, &nbytes)
    like = new_on_memory(code, ndim, sizes, steps, memory.data, memory.data, nbytes, None)
    if nbytes:
        memcpy(memory.data, cnp.PyArray_DATA(source), nbytes)
    new = finish_copy(with_version(on_memory(memory, like, min(offset, nbytes))), cls, differentiable)
    if grad is not None:
        if not isinstance(grad, Tensor) or not same_shape(<Tensor> grad, new):
            raise ValueError("not a pickled tensor: its gradient is none of its own")
        keep_grad(new, grad)
    return new


def rebuild_elsewhere(device, cls, Tensor values, bint differentiable, grad):
    """The tensor of another device that ``reduce`` took apart, contiguous."""
    cdef Tensor new = finish_copy(with_version(values.to(device)), cls, differentiable)
    if grad is not None:
        keep_grad(new, grad)
    return new


def rebuild_by(make, arguments, cls, bint differentiable, grad):
    """The tensor of another layout that ``reduce`` took apart."""
    cdef Tensor new = finish_copy(make(*arguments), cls, differentiable)
    if grad is not None:
        keep_grad(new, grad)
    return new


def set_state(Tensor self, state):
    """Give a tensor the attributes of another one."""
    if state is not None:
        for name, value in state.items():
            setattr(self, name, value)
