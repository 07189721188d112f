/* What all jobs of LAPACK have: the matrices, the functions, and copies. Notes in lapack.h. Included by it only. */
#ifndef WENGERT_MATRICES_H
#define WENGERT_MATRICES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wengert_core/kernels/dtypes.h"

#define WG_LAPACK_BLOCK 64 /* columns that LAPACK's work space has room for */
#define WG_TILE_SIDE 16    /* elements of the tiles that transposing goes by */
#define WG_NO_MEMORY 1     /* what has failed */
#define WG_NO_SUCH_ROW 2
#define WG_NO_RESULT 3

typedef int64_t wg_int;
typedef struct {
    /* (uplo, n, a, lda, info, length of uplo) */
    void (*potrf)(const char *, const wg_int *, void *, const wg_int *, wg_int *, size_t);
    /* (m, n, a, lda, pivots, info) */
    void (*getrf)(const wg_int *, const wg_int *, void *, const wg_int *, void *, wg_int *);
    /* (n, a, lda, pivots, work, lwork, info) */
    void (*getri)(const wg_int *, void *, const wg_int *, const void *, void *, const wg_int *, wg_int *);
    /* (m, n, a, lda, tau, work, lwork, info) */
    void (*geqrf)(const wg_int *, const wg_int *, void *, const wg_int *, void *, void *, const wg_int *, wg_int *);
    /* (m, n, k, a, lda, tau, work, lwork, info) */
    void (*orgqr)(const wg_int *, const wg_int *, const wg_int *, void *, const wg_int *, const void *, void *,
                  const wg_int *, wg_int *);
    /* (side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, lengths) */
    void (*trsm)(const char *, const char *, const char *, const char *, const wg_int *, const wg_int *, const void *,
                 const void *, const wg_int *, void *, const wg_int *, size_t, size_t, size_t, size_t);
    /* (transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, lengths) */
    void (*gemm)(const char *, const char *, const wg_int *, const wg_int *, const wg_int *, const void *, const void *,
                 const wg_int *, const void *, const wg_int *, const void *, void *, const wg_int *, size_t, size_t);
    void *syevd, *gesdd; /* kernels/linalg/lapack_eigen.h has their types */
    int wide;            /* integers have 64 bits */
    char one[16], minus_one[16]; /* in the dtype */
} wg_lapack;

typedef struct {
    const char *data;
    Py_ssize_t row, column; /* bytes from one row, and column, to the next */
    Py_ssize_t steps[64];   /* bytes along the dims in front */
} wg_matrices;

typedef struct {
    const wg_lapack *lapack;
    int code, itemsize, n_batch;
    int upper, left, unit, adjoint, full; /* of what was asked */
    int guarded, failed;
    Py_ssize_t sizes[64];  /* of the dims in front */
    Py_ssize_t m, n, k;    /* the first matrix is [m, n]; k: columns (from the right: rows) of the second, or of Q */
    wg_matrices a, b, p; /* p: pivots, as columns */
    char *out, *second, *values; /* row-major but where it is said */
    int32_t *pivots, *info;
} wg_factoring;

/* ---- copies */

WG_INLINE const char *wg_matrix(const wg_factoring *job, const wg_matrices *x, Py_ssize_t number) {
    const char *at = x->data;
    for (int d = job->n_batch - 1; d >= 0; d--) {
        at += number % job->sizes[d] * x->steps[d];
        number /= job->sizes[d];
    }
    return at;
}

#define WG_COPY_TILES(NAME, TYPE) \
    static void NAME(char *to, const char *from, Py_ssize_t m, Py_ssize_t n, Py_ssize_t row, Py_ssize_t column) { \
        for (Py_ssize_t top = 0; top < m; top += WG_TILE_SIDE) { \
            const Py_ssize_t bottom = top + WG_TILE_SIDE < m ? top + WG_TILE_SIDE : m; \
            for (Py_ssize_t left = 0; left < n; left += WG_TILE_SIDE) { \
                const Py_ssize_t right = left + WG_TILE_SIDE < n ? left + WG_TILE_SIDE : n; \
                for (Py_ssize_t i = top; i < bottom; i++) { \
                    for (Py_ssize_t j = left; j < right; j++) { \
                        ((TYPE *)to)[i * n + j] = *(const TYPE *)(from + i * row + j * column); \
                    } \
                } \
            } \
        } \
    }
WG_COPY_TILES(wg_copy_4, uint32_t)
WG_COPY_TILES(wg_copy_8, uint64_t)
WG_COPY_TILES(wg_copy_16, wg_c128)

/* A row-major copy of an [m, n] matrix; with rows and columns exchanged, a column-major one. */
static void wg_copy_matrix(char *to, const char *from, Py_ssize_t m, Py_ssize_t n, Py_ssize_t row, Py_ssize_t column,
                           int itemsize) {
    if (column == itemsize || n == 1) {
        if (row == n * itemsize) {
            memcpy(to, from, m * n * itemsize);
            return;
        }
        for (Py_ssize_t i = 0; i < m; i++) memcpy(to + i * n * itemsize, from + i * row, n * itemsize);
        return;
    }
    (itemsize == 4 ? wg_copy_4 : itemsize == 8 ? wg_copy_8 : wg_copy_16)(to, from, m, n, row, column);
}

static void wg_swap(char *a, char *b, Py_ssize_t nbytes) {
    char kept[64];
    for (Py_ssize_t size; nbytes > 0; nbytes -= size, a += size, b += size) {
        size = nbytes < 64 ? nbytes : 64;
        memcpy(kept, a, size);
        memcpy(a, b, size);
        memcpy(b, kept, size);
    }
}

/* NaN for every element: the result of a matrix that has none. */
static void wg_fill_nan(int code, char *to, Py_ssize_t count) {
    const Py_ssize_t n = count * (code >= WG_C64 ? 2 : 1);
    if (code == WG_F32 || code == WG_C64) {
        for (Py_ssize_t i = 0; i < n; i++) ((float *)to)[i] = wg_bits_f32(0x7FC00000u);
    } else {
        for (Py_ssize_t i = 0; i < n; i++) ((double *)to)[i] = (double)wg_bits_f32(0x7FC00000u);
    }
}

WG_INLINE Py_ssize_t wg_pivot(const wg_factoring *job, const char *pivots, Py_ssize_t i) {
    return (job->lapack->wide ? (Py_ssize_t)((const int64_t *)pivots)[i] : ((const int32_t *)pivots)[i]) - 1;
}

#endif
