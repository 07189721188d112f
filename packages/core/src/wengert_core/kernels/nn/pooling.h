/* The largest elements of windows that lie side by side, and where they are. Included by drivers/nn/pooling_loops.pyx
 * only.
 *
 * WG_OUTPUTS windows are compared at once, element by element: the vector units keep the largest of each, and where in
 * its window it stands. Of equal elements the first counts; NaN counts above all, and of several the last.
 */
#ifndef WENGERT_POOLING_H
#define WENGERT_POOLING_H

#include "wengert_core/kernels/simd.h"

enum { WG_OUTPUTS = 32 };

typedef struct {                         /* windows of one size */
    Py_ssize_t first, stride;            /* the first element of the first one; from a window to the next */
    Py_ssize_t count[3], step[3];        /* of their elements: how many, and elements of the input between them */
} wg_windows;

#if defined(__GNUC__) && !defined(__clang__)
#define WG_EACH_OUTPUT(i) _Pragma("GCC unroll 1") for (int i = 0; i < WG_OUTPUTS; i++) /* unrolled, gcc spills them */
#else
#define WG_EACH_OUTPUT(i) for (int i = 0; i < WG_OUTPUTS; i++)
#endif

#define WG_LARGEST(R, I, SUF) \
    WG_INLINE void wg_compare_##SUF(const R *x, const Py_ssize_t stride, I at, R *most, I *where) { \
        WG_EACH_OUTPUT(i) { \
            const R one = x[i * stride], old = most[i]; \
            const I is_better = (one > old) | (one != one); \
            most[i] = is_better ? one : old; \
            where[i] = is_better ? at : where[i]; \
        } \
    } \
    WG_INLINE void wg_block_##SUF(const R *x, const wg_windows *w, const Py_ssize_t stride, Py_ssize_t first, R *out, \
                                  int64_t *index) { \
        R most[WG_OUTPUTS]; \
        I where[WG_OUTPUTS]; \
        x += first; \
        WG_EACH_OUTPUT(i) most[i] = x[i * stride], where[i] = 0; \
        for (Py_ssize_t a = 0; a < w->count[0]; a++) \
            for (Py_ssize_t b = 0; b < w->count[1]; b++) \
                for (Py_ssize_t c = !(a + b); c < w->count[2]; c++) { \
                    const Py_ssize_t at = a * w->step[0] + b * w->step[1] + c * w->step[2]; \
                    wg_compare_##SUF(x + at, stride, (I)at, most, where); \
                } \
        memcpy(out, most, sizeof most); \
        WG_EACH_OUTPUT(i) index[i] = first + i * stride + where[i]; \
    } \
    /* n: at least WG_OUTPUTS; where it is no multiple, the last of them are computed twice. */ \
    WG_TWO_CLONES static void wg_largest_##SUF(const R *x, const wg_windows *w, Py_ssize_t n, R *out, \
                                               int64_t *index) { \
        for (Py_ssize_t k = 0; k < n; k += WG_OUTPUTS) { \
            const Py_ssize_t at = k + WG_OUTPUTS > n ? n - WG_OUTPUTS : k, first = w->first + at * w->stride; \
            if (w->stride == 1) wg_block_##SUF(x, w, 1, first, out + at, index + at); \
            else if (w->stride == 2) wg_block_##SUF(x, w, 2, first, out + at, index + at); \
            else wg_block_##SUF(x, w, w->stride, first, out + at, index + at); \
        } \
    }
WG_LARGEST(float, int32_t, f32)
WG_LARGEST(double, int64_t, f64)
#undef WG_LARGEST
#undef WG_EACH_OUTPUT

#endif
