/* A dim of images with another size: each new element is a weighted sum of a few old ones. Included by
 * drivers/nn/resampling.pyx only.
 *
 * An element whose weight is 0 does not count, not even if it is infinite. Units are what lies before the dim.
 */
#ifndef WENGERT_RESIZING_H
#define WENGERT_RESIZING_H

#include "wengert_core/kernels/simd.h"

typedef struct {
    Py_ssize_t size, made, inner, taps;  /* of the dim, before and behind; elements behind it; neighbors of each sum */
    const int32_t *places;               /* [taps][made], below size */
    const char *weights;                 /* [taps][made] */
    const char *source;                  /* [units][size][inner], of the adjoint [units][made][inner] */
    char *target;
} wg_resize;

#define WG_RESIZE(R, SUF) \
    WG_CLONES static void wg_resize_##SUF(Py_ssize_t begin, Py_ssize_t end, void *ctx) { \
        const wg_resize d = *(const wg_resize *)ctx; \
        for (Py_ssize_t u = begin; u < end; u++) { \
            const R *from = (const R *)d.source + u * d.size * d.inner, *w = (const R *)d.weights; \
            const int32_t *at = d.places; \
            R *to = (R *)d.target + u * d.made * d.inner; \
            if (d.inner == 1 && d.taps == 2) { \
                for (Py_ssize_t j = 0; j < d.made; j++) { \
                    const R a = w[j], b = w[d.made + j], x = a * from[at[j]], y = b * from[at[d.made + j]]; \
                    to[j] = (a != 0 ? x : 0) + (b != 0 ? y : 0); \
                } \
                continue; \
            } \
            if (d.inner == 1) { \
                for (Py_ssize_t j = 0; j < d.made; j++) { \
                    R sum = 0; \
                    for (Py_ssize_t k = 0; k < d.taps; k++) { \
                        const R weight = w[k * d.made + j], term = weight * from[at[k * d.made + j]]; \
                        sum += weight != 0 ? term : 0; \
                    } \
                    to[j] = sum; \
                } \
                continue; \
            } \
            for (Py_ssize_t j = 0; j < d.made; j++, to += d.inner, w++, at++) { \
                int first = 1; \
                for (Py_ssize_t k = 0; k < d.taps; k++) { \
                    const R weight = w[k * d.made], *row = from + (Py_ssize_t)at[k * d.made] * d.inner; \
                    if (weight == 0) continue; \
                    if (first) for (Py_ssize_t i = 0; i < d.inner; i++) to[i] = weight * row[i]; \
                    else for (Py_ssize_t i = 0; i < d.inner; i++) to[i] += weight * row[i]; \
                    first = 0; \
                } \
                if (first) memset(to, 0, (size_t)d.inner * sizeof(R)); \
            } \
        } \
    } \
    WG_CLONES static void wg_resize_back_##SUF(Py_ssize_t begin, Py_ssize_t end, void *ctx) { \
        const wg_resize d = *(const wg_resize *)ctx; \
        for (Py_ssize_t u = begin; u < end; u++) { \
            const R *from = (const R *)d.source + u * d.made * d.inner, *w = (const R *)d.weights; \
            const int32_t *at = d.places; \
            R *to = (R *)d.target + u * d.size * d.inner; \
            memset(to, 0, (size_t)(d.size * d.inner) * sizeof(R)); \
            for (Py_ssize_t j = 0; j < d.made; j++, from += d.inner, w++, at++) \
                for (Py_ssize_t k = 0; k < d.taps; k++) { \
                    R *row = to + (Py_ssize_t)at[k * d.made] * d.inner; \
                    const R weight = w[k * d.made]; \
                    if (weight == 0) continue; \
                    if (d.inner == 1) row[0] += weight * from[0]; \
                    else for (Py_ssize_t i = 0; i < d.inner; i++) row[i] += weight * from[i]; \
                } \
        } \
    }
WG_RESIZE(float, f32)
WG_RESIZE(double, f64)
#undef WG_RESIZE

#endif
