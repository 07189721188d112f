/* Factorizations of matrices and solutions of systems, one matrix after another, by the LAPACK and the BLAS that NumPy
 * brought. Included by drivers/linalg/lapack.pyx, lapack_cholesky.h and lapack_eigen.h only.
 *
 * Note [Row-major matrices in LAPACK]
 *     LAPACK's matrices are column-major, so it sees a row-major X as X^T. Nothing is transposed that need not be:
 *     A X = B is X^T A^T = B^T, a system with its unknowns on the left, and a Hermitian A is conj(A) = A^T, whose
 *     factor L^T in the upper triangle is a row-major L. Only what LU and QR factor is copied column by column, so that
 *     rows are swapped, and zero pivots numbered, as in LAPACK's factors of A itself.
 * Note [Integers of LAPACK]
 *     They have 32 or 64 bits. They are given by reference, from 64 bits of which the low half comes first, and results
 *     are positive and written into zeros: only arrays of pivots differ.
 */
#ifndef WENGERT_FACTORING_H
#define WENGERT_FACTORING_H

#include "lapack_matrices.h"

#define WG_STEP 16         /* rows that substitution takes together */
#define WG_MOST_STEPS 128  /* rows of a triangle up to which that is faster than BLAS */

/* ---- triangular systems: out is the second matrix, and then the solution, [n, k], or [k, n] from the right */

/* A few rows of x, each a stretch of k elements: t x = b with ``x`` for b. */
#define WG_SUBSTITUTE_ROWS(NAME, R) \
    WG_CLONES static void NAME(const char *triangle, Py_ssize_t down, Py_ssize_t across, Py_ssize_t n, int upper, \
                               int unit, char *rows, Py_ssize_t k) { \
        const R *t = (const R *)triangle; \
        for (Py_ssize_t done = 0; done < n; done++) { \
            const Py_ssize_t i = upper ? n - 1 - done : done; \
            R *x = (R *)rows + i * k; \
            for (Py_ssize_t l = upper ? i + 1 : 0; l < (upper ? n : i); l++) { \
                const R factor = t[i * down + l * across], *other = (const R *)rows + l * k; \
                WG_IVDEP \
                for (Py_ssize_t c = 0; c < k; c++) x[c] -= factor * other[c]; \
            } \
            if (unit) continue; \
            const R inverse = 1 / t[i * down + i * across]; \
            WG_IVDEP \
            for (Py_ssize_t c = 0; c < k; c++) x[c] *= inverse; \
        } \
    }
WG_SUBSTITUTE_ROWS(wg_substitute_f32, float)
WG_SUBSTITUTE_ROWS(wg_substitute_f64, double)

/* Steps of a few rows, each taken off the rest by one product. OpenBLAS takes twice as long for 50 rows of 50
   numbers. */
static void wg_substitute_in_steps(const wg_factoring *job, const char *t, wg_int ld, int flipped, int upper, int unit,
                                   char *x) {
    const wg_int n = job->n, k = job->k, size = job->itemsize, down = flipped ? ld : 1, across = flipped ? 1 : ld;
    wg_int step;
    for (wg_int done = 0; done < n; done += step) {
        step = n - done < WG_STEP ? n - done : WG_STEP;
        const wg_int rest = n - done - step, first = upper ? rest : done, other = upper ? 0 : first + step;
        (job->code == WG_F32 ? wg_substitute_f32 : wg_substitute_f64)(t + first * (down + across) * size, down, across,
                                                                      step, upper, unit, x + first * k * size, k);
        if (rest) {
            job->lapack->gemm("N", flipped ? "N" : "T", &k, &rest, &step, job->lapack->minus_one, x + first * k * size,
                              &k, t + (other * down + first * across) * size, &ld, job->lapack->one,
                              x + other * k * size, &k, 1, 1);
        }
    }
}

WG_INLINE int wg_takes_steps(const wg_factoring *job) {
    return job->left && job->k >= 8 && job->n <= WG_MOST_STEPS && (job->code == WG_F32 || job->code == WG_F64);
}

/* t x = b with ``x`` for b, or x t = b. The triangle is column-major with ``ld``, or (flipped) row-major. */
static void wg_substitute(const wg_factoring *job, const char *t, wg_int ld, int flipped, int upper, int unit,
                          char *x) {
    const wg_int n = job->n, k = job->k;
    if (wg_takes_steps(job)) {
        wg_substitute_in_steps(job, t, ld, flipped, upper, unit, x);
        return;
    }
    job->lapack->trsm(job->left ? "R" : "L", upper != flipped ? "U" : "L", flipped ? "N" : "T", unit ? "U" : "N",
                      job->left ? &k : &n, job->left ? &n : &k, job->lapack->one, t, &ld, x, job->left ? &k : &n, 1, 1,
                      1, 1);
}

WG_INLINE void wg_copy_right_side(const wg_factoring *job, Py_ssize_t i, char *x) {
    wg_copy_matrix(x, wg_matrix(job, &job->b, i), job->left ? job->n : job->k, job->left ? job->k : job->n, job->b.row,
                   job->b.column, job->itemsize);
}

static void wg_triangular(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    wg_factoring *job = (wg_factoring *)ctx;
    const wg_matrices *a = &job->a;
    const Py_ssize_t n = job->n, size = job->itemsize;
    const int by_columns = a->row == size && a->column >= n * size && a->column % size == 0;
    const int by_rows = a->column == size && a->row >= n * size && a->row % size == 0;
    char *copy = by_columns || by_rows ? NULL : (char *)malloc(n * n * size);
    if (!by_columns && !by_rows && copy == NULL) {
        job->failed = WG_NO_MEMORY;
        return;
    }
    for (Py_ssize_t i = begin; i < end; i++) {
        const char *t = wg_matrix(job, a, i);
        char *x = job->out + i * n * job->k * size;
        wg_copy_right_side(job, i, x);
        if (copy != NULL) {
            wg_copy_matrix(copy, t, n, n, a->row, a->column, (int)size);
            t = copy;
        }
        wg_substitute(job, t, by_columns ? a->column / size : by_rows ? a->row / size : n, !by_columns, job->upper,
                      job->unit, x);
    }
    free(copy);
}

/* ---- LU, and what is made of it */

typedef struct {
    char *matrix, *pivots, *work;
    wg_int lwork;
} wg_room;

/* Room for a column-major matrix, its pivots and LAPACK's work; free(room.matrix). */
static int wg_make_room(wg_factoring *job, wg_int rows, wg_int columns, wg_room *room) {
    const size_t size = job->itemsize, most = rows > columns ? rows : columns;
    const size_t whole = (size * rows * columns + 15) / 16 * 16;
    room->lwork = WG_LAPACK_BLOCK * (wg_int)most;
    room->matrix = (char *)malloc(whole + size * room->lwork + 16 * most);
    if (room->matrix == NULL) {
        job->failed = WG_NO_MEMORY;
        return 0;
    }
    room->work = room->matrix + whole;
    room->pivots = room->work + size * room->lwork; /* or the factors of reflections */
    return 1;
}

/* Factors a column-major copy of a matrix; the number of the first zero pivot, or 0. */
static wg_int wg_factor(const wg_factoring *job, Py_ssize_t i, char *copy, char *pivots) {
    const wg_int m = job->m, n = job->n;
    wg_int info = 0;
    wg_copy_matrix(copy, wg_matrix(job, &job->a, i), n, m, job->a.column, job->a.row, job->itemsize);
    job->lapack->getrf(&m, &n, copy, &m, pivots, &info);
    return info;
}

/* second: LU [m, n], column-major; pivots, info. */
static void wg_lu(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    wg_factoring *job = (wg_factoring *)ctx;
    const Py_ssize_t m = job->m, n = job->n, least = m < n ? m : n;
    char *pivots = (char *)malloc(8 * least + 8);
    if (pivots == NULL) {
        job->failed = WG_NO_MEMORY;
        return;
    }
    for (Py_ssize_t i = begin; i < end; i++) {
        job->info[i] = (int32_t)wg_factor(job, i, job->second + i * m * n * job->itemsize, pivots);
        for (Py_ssize_t j = 0; j < least; j++) job->pivots[i * least + j] = (int32_t)wg_pivot(job, pivots, j) + 1;
    }
    free(pivots);
}

/* Rows of x (for the right side: columns of x) in the order of the pivots; back: as they were. */
static void wg_reorder(const wg_factoring *job, const char *pivots, Py_ssize_t step, int back, char *x) {
    const Py_ssize_t n = job->n, k = job->k, size = job->itemsize;
    for (Py_ssize_t done = 0; done < n; done++) {
        const Py_ssize_t j = back ? n - 1 - done : done, other = *(const int32_t *)(pivots + j * step) - 1;
        if (other == j) continue;
        if (job->left) wg_swap(x + j * k * size, x + other * k * size, k * size);
        else for (Py_ssize_t r = 0; r < k; r++) wg_swap(x + (r * n + j) * size, x + (r * n + other) * size, size);
    }
}

static void wg_conjugate(const wg_factoring *job, char *x, Py_ssize_t count) {
    if (job->code == WG_C64) {
        for (Py_ssize_t i = 0; i < count; i++) ((float *)x)[2 * i + 1] = -((float *)x)[2 * i + 1];
    } else if (job->code == WG_C128) {
        for (Py_ssize_t i = 0; i < count; i++) ((double *)x)[2 * i + 1] = -((double *)x)[2 * i + 1];
    }
}

/* The solution in b's place of A x = b, or from the right of x A = b; adjoint: of A^H. A = P L U, column-major with
 * ``ld``. The system of A^H is the conjugate of that of A^T with a conjugate b. */
static void wg_solve_factored(const wg_factoring *job, const char *lu, wg_int ld, const char *pivots, Py_ssize_t step,
                              char *x) {
    const int turned = job->adjoint;
    if (turned) wg_conjugate(job, x, job->n * job->k);
    if (job->left != turned) { /* L, or its transpose, meets x first */
        wg_reorder(job, pivots, step, 0, x);
        wg_substitute(job, lu, ld, turned, turned, 1, x);
        wg_substitute(job, lu, ld, turned, !turned, 0, x);
    } else {
        wg_substitute(job, lu, ld, turned, !turned, 0, x);
        wg_substitute(job, lu, ld, turned, turned, 1, x);
        wg_reorder(job, pivots, step, 1, x);
    }
    if (turned) wg_conjugate(job, x, job->n * job->k);
}

WG_INLINE int wg_has_zero_pivot(const wg_factoring *job, const char *lu, wg_int ld) {
    const int parts = job->code >= WG_C64 ? 2 : 1, single = job->code == WG_F32 || job->code == WG_C64;
    for (wg_int j = 0; j < job->n; j++) {
        const char *number = lu + j * (ld + 1) * job->itemsize;
        int part = 0;
        while (part < parts &&
               (single ? ((const float *)number)[part] == 0 : ((const double *)number)[part] == 0)) part++;
        if (part == parts) return 1;
    }
    return 0;
}

/* out: x of A x = b, where a has LU and pivots are A's; NaN where U has a zero, if those are guarded against. */
static void wg_solve(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    wg_factoring *job = (wg_factoring *)ctx;
    const Py_ssize_t n = job->n, k = job->k, size = job->itemsize;
    const wg_matrices *a = &job->a;
    const int as_it_is = a->row == size && a->column >= n * size && a->column % size == 0;
    char *copy = as_it_is ? NULL : (char *)malloc(n * n * size);
    if (!as_it_is && copy == NULL) {
        job->failed = WG_NO_MEMORY;
        return;
    }
    for (Py_ssize_t i = begin; i < end; i++) {
        const char *lu = wg_matrix(job, a, i), *pivots = wg_matrix(job, &job->p, i);
        char *x = job->out + i * n * k * size;
        for (Py_ssize_t j = 0; j < n; j++) {
            const int32_t pivot = *(const int32_t *)(pivots + j * job->p.row);
            if (pivot < 1 || pivot > n) job->failed = WG_NO_SUCH_ROW;
        }
        if (job->failed) break;
        if (copy != NULL) {
            wg_copy_matrix(copy, lu, n, n, a->column, a->row, (int)size);
            lu = copy;
        }
        if (job->guarded && wg_has_zero_pivot(job, lu, copy == NULL ? a->column / size : n)) {
            wg_fill_nan(job->code, x, n * k);
            continue;
        }
        wg_copy_right_side(job, i, x);
        wg_solve_factored(job, lu, copy == NULL ? a->column / size : n, pivots, job->p.row, x);
    }
    free(copy);
}

/* out: the inverse [n, n], column-major; info. k is n. */
static void wg_inverse(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    wg_factoring *job = (wg_factoring *)ctx;
    const wg_int n = job->n, size = job->itemsize;
    wg_room room;
    if (!wg_make_room(job, n, n, &room)) return;
    for (Py_ssize_t i = begin; i < end; i++) {
        char *out = job->out + i * n * n * size;
        wg_int info = wg_factor(job, i, room.matrix, room.pivots);
        job->info[i] = (int32_t)info;
        if (info) {
            wg_fill_nan(job->code, out, n * n);
        } else if (wg_takes_steps(job)) { /* A^T x = 1 row by row */
            for (wg_int j = 0; j < n; j++) ((int32_t *)room.work)[j] = (int32_t)wg_pivot(job, room.pivots, j) + 1;
            memset(out, 0, n * n * size);
            for (wg_int j = 0; j < n; j++) memcpy(out + j * (n + 1) * size, job->lapack->one, size);
            wg_solve_factored(job, room.matrix, n, room.work, 4, out);
        } else {
            job->lapack->getri(&n, room.matrix, &n, room.pivots, room.work, &room.lwork, &info);
            memcpy(out, room.matrix, n * n * size);
        }
    }
    free(room.matrix);
}

/* ---- determinants: a has LU, pivots are A's; out: the determinant, or its sign (or phase) with the logarithm of its
   size in second */

#define WG_DETERMINANT(NAME, R, PARTS, ABS) \
    static void NAME(const wg_factoring *job, const char *lu, const char *pivots, Py_ssize_t i) { \
        R re = 1, im = 0, log_size = 0; \
        for (Py_ssize_t j = 0; j < job->n; j++) { \
            const R *x = (const R *)(lu + j * (job->a.row + job->a.column)); \
            R u = x[0], v = PARTS == 2 ? x[PARTS - 1] : 0; \
            if (job->second != NULL) { \
                const R size = PARTS == 2 ? ABS(u, v) : u < 0 ? -u : u; \
                log_size += (R)log(size); \
                if (PARTS == 1) { \
                    u = u < 0 ? -1 : u > 0 ? 1 : u; \
                } else if (size != 0) { \
                    u /= size, v /= size; \
                } \
            } \
            const R kept = re; \
            re = PARTS == 2 ? re * u - im * v : re * u; \
            im = PARTS == 2 ? kept * v + im * u : 0; \
            if (*(const int32_t *)(pivots + j * job->p.row) != j + 1) re = -re, im = -im; \
        } \
        ((R *)job->out)[i * PARTS] = re; \
        if (PARTS == 2) ((R *)job->out)[i * PARTS + PARTS - 1] = im; \
        if (job->second != NULL) ((R *)job->second)[i] = log_size; \
    }
WG_DETERMINANT(wg_determinant_f32, float, 1, hypotf)
WG_DETERMINANT(wg_determinant_f64, double, 1, hypot)
WG_DETERMINANT(wg_determinant_c64, float, 2, hypotf)
WG_DETERMINANT(wg_determinant_c128, double, 2, hypot)

static void wg_determinant(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    const wg_factoring *job = (const wg_factoring *)ctx;
    for (Py_ssize_t i = begin; i < end; i++) {
        (job->code == WG_F32   ? wg_determinant_f32
         : job->code == WG_F64 ? wg_determinant_f64
         : job->code == WG_C64 ? wg_determinant_c64
                               : wg_determinant_c128)(job, wg_matrix(job, &job->a, i), wg_matrix(job, &job->p, i), i);
    }
}

/* ---- QR: out is Q [m, k], or NULL; second is R [k, n], of which less than n rows are not zeros */

static void wg_qr(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    wg_factoring *job = (wg_factoring *)ctx;
    const wg_int m = job->m, n = job->n, k = job->k, size = job->itemsize, least = m < n ? m : n;
    wg_room room;
    if (!wg_make_room(job, m, n > k ? n : k, &room)) return;
    for (Py_ssize_t i = begin; i < end; i++) {
        char *r = job->second + i * k * n * size;
        wg_int info = 0;
        wg_copy_matrix(room.matrix, wg_matrix(job, &job->a, i), n, m, job->a.column, job->a.row, (int)size);
        job->lapack->geqrf(&m, &n, room.matrix, &m, room.pivots, room.work, &room.lwork, &info);
        wg_copy_matrix(r, room.matrix, k, n, size, m * size, (int)size);
        for (wg_int row = 1; row < k; row++) memset(r + row * n * size, 0, (row < n ? row : n) * size);
        if (job->out == NULL) continue;
        job->lapack->orgqr(&m, &k, &least, room.matrix, &m, room.pivots, room.work, &room.lwork, &info);
        wg_copy_matrix(job->out + i * m * k * size, room.matrix, m, k, size, m * size, (int)size);
    }
    free(room.matrix);
}

#endif
