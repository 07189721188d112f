/* Between values at indices (S, N) and a dense tensor whose first S dims are the sparse ones. */
#ifndef WENGERT_SPARSE_DENSE_H
#define WENGERT_SPARSE_DENSE_H

#include "wengert_core/kernels/simd.h"

/* The row-major position of an element; -1 where an index is outside. */
WG_INLINE wg_ssize wg_position(const int64_t *indices, wg_ssize count, int rank, const wg_ssize *sizes, wg_ssize i) {
    wg_ssize position = 0;
    for (int d = 0; d < rank; d++) {
        const int64_t index = indices[d * count + i];
        if ((uint64_t)index >= (uint64_t)sizes[d]) return -1;
        position = position * sizes[d] + (wg_ssize)index;
    }
    return position;
}

/* Add values (count, width); returns 1 where an index is outside. */
#define WG_ADD_TO_DENSE(NAME, T)                                                                                      \
    static int NAME(const int64_t *indices, wg_ssize count, int rank, const wg_ssize *sizes, const T *values,         \
                    wg_ssize width, T *dense) {                                                                       \
        for (wg_ssize i = 0; i < count; i++) {                                                                        \
            const wg_ssize position = wg_position(indices, count, rank, sizes, i);                                    \
            if (position < 0) return 1;                                                                               \
            for (wg_ssize k = 0; k < width; k++) dense[position * width + k] += values[i * width + k];                \
        }                                                                                                             \
        return 0;                                                                                                     \
    }
WG_ADD_TO_DENSE(wg_add_to_dense_f32, float)
WG_ADD_TO_DENSE(wg_add_to_dense_f64, double)

/* Copy rows of nbytes bytes; returns 1 where an index is outside. */
static int wg_gather_from_dense(const int64_t *indices, wg_ssize count, int rank, const wg_ssize *sizes,
                                const char *dense, wg_ssize nbytes, char *values) {
    for (wg_ssize i = 0; i < count; i++) {
        const wg_ssize position = wg_position(indices, count, rank, sizes, i);
        if (position < 0) return 1;
        if (nbytes == 4) memcpy(values + i * 4, dense + position * 4, 4);
        else if (nbytes == 8) memcpy(values + i * 8, dense + position * 8, 8);
        else memcpy(values + i * nbytes, dense + position * nbytes, (size_t)nbytes);
    }
    return 0;
}

#endif
