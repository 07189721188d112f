"""Strong zeros, as the engine sees them: strong_zeros.pyx, Note [Strong zeros]."""
from wengert_core.runtime.state cimport WG_DERIVING, WG_STRONG, WgState


cdef inline unsigned int begin_derivative(WgState* state) noexcept:
    """Let what a formula computes have strong products, where the thread asked for them; returns the modes before."""
    cdef unsigned int modes = state.modes
    if modes & WG_STRONG:
        state.modes = modes | WG_DERIVING
    return modes


cdef inline void end_derivative(WgState* state, unsigned int modes) noexcept:
    """Undo begin_derivative, whose result ``modes`` is."""
    state.modes = state.modes & ~(<unsigned int> WG_DERIVING) | modes & WG_DERIVING
