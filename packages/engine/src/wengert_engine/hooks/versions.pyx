"""Version counters from outside, and a look at every write: what checks of saved tensors are switched off with."""
from wengert_core.tensors.tensor cimport Storage, Tensor, bump_version
from wengert_engine.observe.observing cimport note_version
from wengert_engine.observe.observing import watch


def increment_version(tensor):
    """Raise the version of a tensor, or of each in an iterable, as an in-place operation would.

    For memory that something else has written to: the check of saved tensors then sees it.
    """
    if isinstance(tensor, Tensor):
        raise_version(<Tensor> tensor)
        return
    try:
        tensors = [t for t in tensor]  # not list(): it would make room for as many as a __len__ claims
    except TypeError:
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input") from None
    for t in tensors:
        if not isinstance(t, Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
        raise_version(<Tensor> t)


cdef int raise_version(Tensor t) except -1:
    note_version(t)
    bump_version(t)
    return 0


def set_version(Tensor tensor, version):
    """Set the version of a tensor's memory."""
    (<Storage> tensor.storage).version = version


def watch_writes(callback):
    """Call ``callback(tensor)`` before this thread's operations write to a tensor; None: no more."""
    watch(callback)
