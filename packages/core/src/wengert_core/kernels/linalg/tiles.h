/* The tiles of tile.h for float and double, and which of them this machine runs. */
#ifndef WENGERT_TILES_H
#define WENGERT_TILES_H

#include "wengert_core/kernels/simd.h"

#define WG_VECTOR(R) R __attribute__((vector_size(64), aligned(sizeof(R)), may_alias))
typedef WG_VECTOR(float) wg_vec_f32;
typedef WG_VECTOR(double) wg_vec_f64;

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

/* 16 registers of 32 bytes (or 32 of 16): 6 rows of 2 (or 4). */
#define TM 6
#define TV 1
#define ISA _usual
#ifdef WG_HAS_WIDE
#define TARGET __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define TARGET
#endif
#define R float
#define SUF f32
#include "tile.h"
#undef R
#undef SUF
#define R double
#define SUF f64
#include "tile.h"
#undef R
#undef SUF
#undef TM
#undef TV
#undef ISA
#undef TARGET

#ifdef WG_HAS_WIDE                       /* 32 registers of 64 bytes: 8 rows of 3 */
#define TM 8
#define TV 3
#define ISA _wide
#define TARGET __attribute__((target("arch=x86-64-v4")))
#define R float
#define SUF f32
#include "tile.h"
#undef R
#undef SUF
#define R double
#define SUF f64
#include "tile.h"
#undef R
#undef SUF
#undef TM
#undef TV
#undef ISA
#undef TARGET
#endif

#define WG_MOST_ROWS 8
#define WG_MOST_VECTORS 3

/* wide: may be the widest that the machine has; else those that all have. */
static const wg_tiles *wg_find_tiles(int wide) {
    static const wg_tiles usual = {6, 1, wg_outer_tile_f32_usual, wg_inner_tile_f32_usual, wg_outer_at_tile_f32_usual,
                                   wg_outer_tile_f64_usual, wg_inner_tile_f64_usual, wg_outer_at_tile_f64_usual};
#ifdef WG_HAS_WIDE
    static const wg_tiles widest = {8, 3, wg_outer_tile_f32_wide, wg_inner_tile_f32_wide, wg_outer_at_tile_f32_wide,
                                  wg_outer_tile_f64_wide, wg_inner_tile_f64_wide, wg_outer_at_tile_f64_wide};
    if (wide && __builtin_cpu_supports("x86-64-v4")) return &widest;
#endif
    (void)wide;
    return &usual;
}

/* How many rows the next tile takes of those that are left. */
WG_INLINE int wg_tile_rows(const wg_tiles *t, Py_ssize_t left) {
    return left >= t->rows ? t->rows : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

#endif
