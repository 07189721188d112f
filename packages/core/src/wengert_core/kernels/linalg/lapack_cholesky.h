/* Factors of Hermitian matrices by Cholesky, one matrix after another, by LAPACK: Notes in lapack.h. Included by
 * drivers/linalg/lapack.pyx only.
 *
 * Note [A factorization that stops]
 * Where a leading minor of order ``info`` is not positive, the result is what the algorithm that goes by columns leaves
 * (LAPACK's potf2): columns before it are those of the factor in all rows, the pivot is what was found not positive,
 * and all behind it is the matrix's. Algorithms that go by blocks leave other things there, each its own.
 */
#ifndef WENGERT_CHOLESKY_H
#define WENGERT_CHOLESKY_H

#include "lapack.h"

WG_INLINE int wg_is_nan(int code, const char *number) { /* of a complex number, the real part */
    return code == WG_F32 || code == WG_C64 ? isnan(*(const float *)number) : isnan(*(const double *)number);
}

/* What Note [A factorization that stops] says, in place of what a factorization has left in ``out``. */
static void wg_redo_columns(const wg_factoring *job, const char *a, char *out, wg_int info) {
    const wg_int n = job->n, size = job->itemsize, k = info - 1, rest = n - k;
    char *pivot = out + k * (n + 1) * size, negative[16];
    wg_int again = 0;
    memcpy(negative, pivot, size);
    wg_copy_matrix(out, a, n, n, job->a.row, job->a.column, (int)size);
    if (k) {
        job->lapack->potrf(job->upper ? "L" : "U", &k, out, &n, &again, 1);
        if (job->upper)
            job->lapack->trsm("R", "L", "C", "N", &rest, &k, job->lapack->one, out, &n, out + k * size, &n, 1, 1, 1, 1);
        else
            job->lapack->trsm("L", "U", "C", "N", &k, &rest, job->lapack->one, out, &n, out + k * n * size, &n, 1, 1, 1,
                              1);
    }
    memcpy(pivot, negative, size);
}

/* The order of the first leading minor whose pivot is NaN: OpenBLAS does not say. Pivots behind it are NaN as well. */
static wg_int wg_first_nan_pivot(const wg_factoring *job, const char *factor) {
    const wg_int n = job->n, step = (n + 1) * job->itemsize;
    wg_int order = n;
    if (n == 0) return 0;
    while (order && wg_is_nan(job->code, factor + (order - 1) * step)) order--;
    return order < n ? order + 1 : 0;
}

static void wg_cholesky(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    const wg_factoring *job = (const wg_factoring *)ctx;
    const wg_int n = job->n, size = job->itemsize;
    for (Py_ssize_t i = begin; i < end; i++) {
        const char *a = wg_matrix(job, &job->a, i);
        char *out = job->out + i * n * n * size;
        wg_int info = 0;
        wg_copy_matrix(out, a, n, n, job->a.row, job->a.column, (int)size);
        job->lapack->potrf(job->upper ? "L" : "U", &n, out, &n, &info, 1);
        if (!info) info = wg_first_nan_pivot(job, out);
        job->info[i] = (int32_t)info;
        if (info) wg_redo_columns(job, a, out, info);
        for (wg_int r = 0; r < n; r++) { /* zeros in the other triangle */
            const wg_int from = job->upper ? 0 : r + 1, to = job->upper ? r : n;
            memset(out + (r * n + from) * size, 0, (to - from) * size);
        }
    }
}

#endif
