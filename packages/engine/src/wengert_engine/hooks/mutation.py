"""Writes to saved tensors: allowed in a context that copies what was saved, or not noticed at all."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from wengert_core.tensors.tensor import Tensor

from wengert_engine.anomaly.saved_errors import modified_value
from wengert_engine.hooks.saved_hooks import saved_tensors_hooks
from wengert_engine.hooks.versions import set_version, watch_writes

_entered = threading.local()            # .context: this thread's; absent or None: none


class Handle:
    """Stands for a saved tensor; lives as long as a node refers to it."""

    __slots__ = ("__weakref__",)


class AllowMutationOnSavedContext:
    """What ``allow_mutation_on_saved_tensors`` knows of the tensors that were saved in it."""

    def __init__(self) -> None:
        self.cloned: WeakKeyDictionary[Handle, Any] = WeakKeyDictionary()    # written to since: its value before
        self.original: WeakKeyDictionary[Handle, tuple[Any, int]] = WeakKeyDictionary()     # tensor, version
        self.tid_to_weakhandle: WeakValueDictionary[tuple[Any, ...], Handle] = WeakValueDictionary()
        self.sid_to_tid: dict[int, set[tuple[Any, ...]]] = {}     # address of a storage -> what was saved of it

    def pack(self, tensor: Any) -> Handle:
        """Remember a tensor that is saved; the same one as before has the same handle."""
        sid = tensor.untyped_storage().data_ptr()
        tid = (sid, tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype, tensor._version)
        handle = self.tid_to_weakhandle.get(tid)
        if handle is None or handle in self.cloned:
            handle = Handle()
            self.tid_to_weakhandle[tid] = handle
            self.original[handle] = (tensor.detach(), tensor._version)
            self.sid_to_tid.setdefault(sid, set()).add(tid)
        return handle

    def before_write(self, tensor: Any) -> None:
        """Copy what was saved of the memory that is written to now."""
        for tid in self.sid_to_tid.pop(tensor.untyped_storage().data_ptr(), ()):
            handle = self.tid_to_weakhandle.get(tid)
            if handle is not None and handle in self.original:
                self.cloned[handle] = self.original.pop(handle)[0].clone()

    def unpack(self, handle: Handle) -> Any:
        """The value that was saved."""
        if handle in self.cloned:
            return self.cloned[handle]
        if handle not in self.original:
            raise AssertionError("Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
                                 "in which the graph was originally recorded.")
        kept, version = self.original[handle]
        if kept._version != version:    # by another thread, or by what is no operation
            raise modified_value("allow_mutation_on_saved_tensors", "a saved tensor", kept, version, kept._version)
        return kept

    def clear(self) -> None:
        """Forget everything."""
        self.cloned.clear()
        self.original.clear()
        self.tid_to_weakhandle.clear()
        self.sid_to_tid.clear()


@contextmanager
def allow_mutation_on_saved_tensors() -> Generator[AllowMutationOnSavedContext, None, None]:
    """In this context tensors that are saved for backward may be written to: they are copied before that.

    Backward has to run inside the context, too. Gives an object with ``cloned`` and ``clear()``. RuntimeError when
    nested.

    >>> import wengert_core as wc
    >>> from wengert_engine.hooks.mutation import allow_mutation_on_saved_tensors
    >>> x = wc.ones(2, requires_grad=True)
    >>> with allow_mutation_on_saved_tensors():
    ...     y = x.clone()
    ...     z = (y * y).sum()
    ...     _ = y.zero_()
    ...     z.backward()
    >>> x.grad.tolist()
    [2.0, 2.0]
    """
    if getattr(_entered, "context", None) is not None:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    context = AllowMutationOnSavedContext()
    _entered.context = context
    try:
        with saved_tensors_hooks(context.pack, context.unpack):
            watch_writes(context.before_write)
            try:
                yield context
            finally:
                watch_writes(None)
    finally:
        context.clear()
        _entered.context = None


class _unsafe_preserve_version_counter:
    """In-place operations in this context leave the versions of ``tensors`` as they are: gradients may come out wrong.

    tensors: a tensor or a tuple of tensors.
    """

    def __init__(self, tensors: Any) -> None:
        self.tensors = (tensors,) if isinstance(tensors, Tensor) else tensors
        if not isinstance(self.tensors, tuple):
            raise AssertionError("Expected tensors to be a tuple")
        self.versions = tuple(t._version for t in self.tensors)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        for tensor, version in zip(self.tensors, self.versions, strict=True):
            set_version(tensor, version)
