/* Sums of squared distances from the mean, for float and double. Included by drivers/reduce/row_reduce.pyx only.
 *
 * Note [How a variance adds up]
 * A row is cut into chunks that stay in the first-level cache. A chunk's mean is computed first, then the distances
 * from it, all in double precision: what rounding left in the mean is taken out by the sum of the distances. Two
 * stretches of n and m elements with the means a and b have together the squares of both and (a - b)^2 n m / (n + m).
 */
#ifndef WENGERT_SPREAD_H
#define WENGERT_SPREAD_H

#include "wengert_core/kernels/simd.h"

enum { WG_CHUNK = 4096, WG_SPREAD_LANES = 32 };

typedef struct { double mean, squares; } wg_variance;

typedef struct {
    const char *source;                  /* [rows][n] */
    char *target;                        /* [rows] */
    wg_variance *parts;                    /* [rows][chunks] */
    Py_ssize_t rows, n, chunks;
    double left;                         /* what the squares are divided by */
} wg_variances;

WG_INLINE wg_variance wg_together(wg_variance a, double n, wg_variance b, double m) {
    const double distance = b.mean - a.mean;
    a.mean += distance * (m / (n + m));
    a.squares += b.squares + distance * distance * (n * m / (n + m));
    return a;
}

#define WG_FOLD_LANES(LANE) \
    for (int half = WG_SPREAD_LANES / 2; half > 0; half /= 2) \
        for (int j = 0; j < half; j++) LANE[j] += LANE[j + half];

#define WG_SPREAD(R, SUF) \
    WG_CLONES static wg_variance wg_spread_chunk_##SUF(const R *x, Py_ssize_t n) { \
        double sum[WG_SPREAD_LANES] = {0}, square[WG_SPREAD_LANES] = {0}; \
        const Py_ssize_t whole = n - n % WG_SPREAD_LANES; \
        for (Py_ssize_t i = 0; i < whole; i += WG_SPREAD_LANES) \
            for (int j = 0; j < WG_SPREAD_LANES; j++) sum[j] += (double)x[i + j]; \
        for (Py_ssize_t i = whole; i < n; i++) sum[i - whole] += (double)x[i]; \
        WG_FOLD_LANES(sum) \
        const double mean = sum[0] / (double)n; \
        memset(sum, 0, sizeof sum); \
        for (Py_ssize_t i = 0; i < whole; i += WG_SPREAD_LANES) \
            for (int j = 0; j < WG_SPREAD_LANES; j++) { \
                const double distance = (double)x[i + j] - mean; \
                sum[j] += distance; \
                square[j] += distance * distance; \
            } \
        for (Py_ssize_t i = whole; i < n; i++) { \
            const double distance = (double)x[i] - mean; \
            sum[i - whole] += distance; \
            square[i - whole] += distance * distance; \
        } \
        WG_FOLD_LANES(sum) \
        WG_FOLD_LANES(square) \
        wg_variance result = {mean + sum[0] / (double)n, square[0] - sum[0] * sum[0] / (double)n}; \
        return result; \
    } \
    static void wg_spread_units_##SUF(Py_ssize_t begin, Py_ssize_t end, void *ctx) { \
        const wg_variances *p = ctx; \
        for (Py_ssize_t u = begin; u < end; u++) { \
            const Py_ssize_t row = u / p->chunks, first = u % p->chunks * WG_CHUNK, rest = p->n - first; \
            const R *x = (const R *)p->source + row * p->n + first; \
            const wg_variance one = wg_spread_chunk_##SUF(x, rest < WG_CHUNK ? rest : WG_CHUNK); \
            if (p->parts) p->parts[u] = one; \
            else ((R *)p->target)[row] = (R)(one.squares / p->left); \
        } \
    } \
    static void wg_spread_rows_##SUF(const wg_variances *p) { \
        for (Py_ssize_t row = 0; row < p->rows; row++) { \
            const wg_variance *parts = p->parts + row * p->chunks; \
            wg_variance all = parts[0]; \
            for (Py_ssize_t c = 1; c < p->chunks; c++) { \
                const Py_ssize_t before = c * WG_CHUNK, rest = p->n - before; \
                all = wg_together(all, (double)before, parts[c], (double)(rest < WG_CHUNK ? rest : WG_CHUNK)); \
            } \
            ((R *)p->target)[row] = (R)(all.squares / p->left); \
        } \
    }

WG_SPREAD(float, f32)
WG_SPREAD(double, f64)

#endif
