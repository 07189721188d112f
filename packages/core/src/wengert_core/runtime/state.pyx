"""Thread-local modes: see state.pxd, Note [One test decides]."""


cdef bint DUAL_OPEN = False


cdef extern from *:
    """
    static __thread WgState wengert_thread_state = {WG_GRAD | WG_MODE_ALWAYS, 0, NULL, 0};
    static inline WgState *wengert_state(void) { return &wengert_thread_state; }
    """
    WgState* wengert_state() noexcept nogil


cdef WgState* thread_state() noexcept nogil:
    return wengert_state()


cdef bint dual_is_open() noexcept nogil:
    return DUAL_OPEN


cdef void set_dual_open(bint is_open) noexcept nogil:
    global DUAL_OPEN
    DUAL_OPEN = is_open
