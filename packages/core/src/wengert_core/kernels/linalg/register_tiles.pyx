"""Tiles of products in registers, for kernels of networks: one copy of each, see tile.h."""

cdef extern from "wengert_core/kernels/linalg/tiles_table.h" nogil:
    const wg_tiles* wg_find_tiles(bint wide)


cdef const wg_tiles* find_tiles(bint wide) noexcept nogil:
    return wg_find_tiles(wide)
