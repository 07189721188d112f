/* logcumsumexp of floats: log of the sum of exp of all elements so far. Included by scan.h only.
 *
 * Kept are the largest so far and ``rest``: the sum of exp(x - largest) of all but the largest itself, so that
 * largest + log1p(rest) is precise and cannot overflow. Before the first element the sum is 0 and rest is -1. All but
 * one addition to the rest runs over a block of elements at once; sums are of doubles for every dtype.
 */
#ifndef WENGERT_LOG_SUMS_H
#define WENGERT_LOG_SUMS_H

#include "wengert_core/kernels/vecmath.h"

typedef struct { double largest, rest; } wg_log_sum;

/* A block of at most WG_SCAN_BLOCK elements, in place. */
WG_CLONES static void wg_log_sums(wg_log_sum *sum, double *x, Py_ssize_t n) {
    double e[WG_SCAN_BLOCK], top[WG_SCAN_BLOCK], largest = sum->largest, rest = sum->rest, before = largest;
    const Py_ssize_t whole = (n + 7) & ~(Py_ssize_t)7; /* vectors without remainders */
    for (Py_ssize_t i = 0; i < n; i++) {
        const double v = x[i];
        e[i] = v == largest ? 0 : v > largest ? largest - v : v - largest; /* NaN where either is */
        top[i] = largest = (v > largest) | (v != v) ? v : largest;
    }
    for (Py_ssize_t i = n; i < whole; i++) e[i] = top[i] = 0;
    for (Py_ssize_t i = 0; i < whole; i++) e[i] = wg_exp_f64(e[i]);
    for (Py_ssize_t i = 0; i < n; i++) {
        rest = rest * (top[i] > before ? e[i] : 1) + e[i];
        before = top[i];
        x[i] = rest;
    }
    for (Py_ssize_t i = n; i < whole; i++) x[i] = 0;
    for (Py_ssize_t i = 0; i < whole; i++) {
        const double u = 1 + x[i];
        x[i] = top[i] + (wg_log_f64(u) + (x[i] - (u - 1)) / u); /* log1p */
    }
    sum->largest = largest;
    sum->rest = rest;
}

enum { logcumsumexp_ANY_MOST = 0x10000 };
static void logcumsumexp_ANY_lines(char *src, Py_ssize_t lines, Py_ssize_t line, Py_ssize_t n, Py_ssize_t stride,
                                   char *dst, Py_ssize_t dst_line, Py_ssize_t dst_stride, const wg_scan_source *from) {
    double buffer[WG_SCAN_BLOCK];
    for (; lines > 0; lines--, src += line, dst += dst_line) {
        wg_log_sum sum = {-INFINITY, -1};
        for (Py_ssize_t i = 0; i < n; i += WG_SCAN_BLOCK) {
            const Py_ssize_t m = n - i < WG_SCAN_BLOCK ? n - i : WG_SCAN_BLOCK;
            from->load(src + i * stride, stride, (char *)buffer, sizeof(double), m);
            wg_log_sums(&sum, buffer, m);
            from->store((char *)buffer, sizeof(double), dst + i * dst_stride, dst_stride, m);
        }
    }
}

#define WG_LOG_SUMS(X) \
    X(logcumsumexp, F16, ANY, NULL, F64, F16) X(logcumsumexp, BF16, ANY, NULL, F64, BF16) \
    X(logcumsumexp, F32, ANY, NULL, F64, F32) X(logcumsumexp, F64, ANY, NULL, F64, F64)

#endif
