"""State of storages: bytes and version, to be compared and put back; a tracer that hears of no launches."""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.ref cimport PyObject
from libc.string cimport memcpy

from wengert_core.extend cimport WG_TELL, Storage, Tensor, thread_state

from wengert_engine.extend import set_tracer


def storage_state(Tensor t not None):
    """Return the bytes of a tensor's storage on the host, and its version."""
    cdef Storage s = <Storage> t.storage
    return PyBytes_FromStringAndSize(s.data, s.nbytes if s.data != NULL else 0), s.version


def restore_storage(Tensor t not None, state):
    """Put back what ``storage_state`` gave. RuntimeError where the storage has another size now."""
    cdef Storage s = <Storage> t.storage
    cdef bytes kept
    cdef unsigned int version
    kept, version = state
    if PyBytes_GET_SIZE(kept) != (s.nbytes if s.data != NULL else 0):
        raise RuntimeError(f"the storage of a tensor had {PyBytes_GET_SIZE(kept)} bytes and has {s.nbytes} now")
    if PyBytes_GET_SIZE(kept):
        memcpy(s.data, PyBytes_AS_STRING(kept), PyBytes_GET_SIZE(kept))
    s.version = version


def storage_key(Tensor t not None):
    """Return a number that is the same for tensors of one storage, as long as it lives."""
    return <size_t> <PyObject*> t.storage


def set_version(Tensor t not None, version):
    """Give a tensor's storage a version."""
    (<Storage> t.storage).version = version


def follow_calls(tracer):
    """Let a tracer hear of this thread's operations and Python functions, and nobody of launches; None: no more."""
    set_tracer(tracer)
    thread_state().modes &= ~(<unsigned int> WG_TELL)
