"""Tiles of products in registers, for kernels of networks."""

cdef extern from "wengert_core/kernels/linalg/tiles.h" nogil:
    ctypedef struct wg_tiles:
        int rows
        int vectors

# wide: may be the widest that the machine has; else those that all have
cdef const wg_tiles* find_tiles(bint wide) noexcept nogil
