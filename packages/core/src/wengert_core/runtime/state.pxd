"""Thread-local modes. What an operation has to do beyond its kernel is decided here.

Note [One test decides]
    A tensor's flag word and the mode word share their low bits: a bit has an effect only where both have it set.
    ``live = (a.flags | b.flags) & modes`` is 0 exactly when an operation is nothing but its kernel. Bits which belong
    to the tensor alone (FOREIGN: it is not on the CPU) are always on in the modes; bits which belong to the thread
    alone (OBSERVE, INFER, ON_DEVICE, CAST, DERIVING, TELL) are always on in the tensors.
"""
from cpython.ref cimport PyObject


cdef extern from "wengert_core/runtime/state.h":
    enum:
        WG_GRAD
        WG_DUAL
        WG_BATCHED
        WG_FOREIGN
        WG_OBSERVE
        WG_INFER
        WG_ASK
        WG_ON_DEVICE
        WG_GUARD
        WG_CAST
        WG_LEFT_ON
        WG_STRONG
        WG_DERIVING
        WG_TELL
        WG_RECORD
        WG_TENSOR_ALWAYS
        WG_MODE_ALWAYS
    ctypedef struct WgState:
        unsigned int modes
        unsigned int anomaly
        PyObject* saved_hooks
        unsigned int device_number
        unsigned int transform


cdef WgState* thread_state() noexcept nogil
cdef bint dual_is_open() noexcept nogil              # a level of forward mode, in whatever thread
cdef void set_dual_open(bint is_open) noexcept nogil
