/* Tiles of products in registers, as kernels of networks call them. register_tiles.pyx has them. */
#ifndef WENGERT_TILES_H
#define WENGERT_TILES_H

#include "wengert_core/kernels/simd.h"

#define WG_VECTOR(R, BYTES) R __attribute__((vector_size(BYTES), aligned(sizeof(R)), may_alias))
typedef WG_VECTOR(float, 64) wg_vec_f32;
typedef WG_VECTOR(double, 64) wg_vec_f64;
/* Halves of vectors: GCC moves whole ones through memory at each sum where registers have but 32 bytes. */
typedef WG_VECTOR(float, 32) wg_half_vec_f32;
typedef WG_VECTOR(double, 32) wg_half_vec_f64;

typedef struct {
    int rows;                            /* of the largest tile */
    int vectors;                         /* of 64 bytes: columns of an outer product; columns of an inner product */
    void (*outer_f32)(int, int, const float *, const float *, Py_ssize_t, Py_ssize_t, const float *, float *,
                      Py_ssize_t, int);
    void (*inner_f32)(int, const float *, Py_ssize_t, const float *, Py_ssize_t, Py_ssize_t, void *);
    void (*outer_at_f32)(int, int, const float *, Py_ssize_t, const float *, const Py_ssize_t *, Py_ssize_t,
                         const float *, float *, Py_ssize_t, int);
    void (*outer_f64)(int, int, const double *, const double *, Py_ssize_t, Py_ssize_t, const double *, double *,
                      Py_ssize_t, int);
    void (*inner_f64)(int, const double *, Py_ssize_t, const double *, Py_ssize_t, Py_ssize_t, void *);
    void (*outer_at_f64)(int, int, const double *, Py_ssize_t, const double *, const Py_ssize_t *, Py_ssize_t,
                         const double *, double *, Py_ssize_t, int);
} wg_tiles;

#define WG_MOST_ROWS 8
#define WG_MOST_VECTORS 3

/* How many rows the next tile takes of those that are left. */
WG_INLINE int wg_tile_rows(const wg_tiles *t, Py_ssize_t left) {
    return left >= t->rows ? t->rows : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

#endif
