/* Eigenvalues of Hermitian matrices and singular values, one matrix after another, by LAPACK: Notes in lapack.h.
 * Included by drivers/linalg/lapack.pyx only.
 */
#ifndef WENGERT_SPECTRA_H
#define WENGERT_SPECTRA_H

#include "lapack.h"

/* (jobz, uplo, n, a, lda, w, work, lwork, iwork, liwork, info, lengths), and for complex numbers with rwork, lrwork */
typedef void (*wg_syevd)(const char *, const char *, const wg_int *, void *, const wg_int *, void *, void *,
                         const wg_int *, void *, const wg_int *, wg_int *, size_t, size_t);
typedef void (*wg_heevd)(const char *, const char *, const wg_int *, void *, const wg_int *, void *, void *,
                         const wg_int *, void *, const wg_int *, void *, const wg_int *, wg_int *, size_t, size_t);
/* (jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, iwork, info, length), and for complex numbers with rwork */
typedef void (*wg_gesdd)(const char *, const wg_int *, const wg_int *, void *, const wg_int *, void *, void *,
                         const wg_int *, void *, const wg_int *, void *, const wg_int *, void *, wg_int *, size_t);
typedef void (*wg_gesdd_complex)(const char *, const wg_int *, const wg_int *, void *, const wg_int *, void *, void *,
                                 const wg_int *, void *, const wg_int *, void *, const wg_int *, void *, void *,
                                 wg_int *, size_t);

WG_INLINE int wg_real_code(int code) { return code >= WG_C64 ? code - WG_C64 + WG_F32 : code; }

/* values [n], ascending; out: the eigenvectors [n, n], column-major, or NULL. NaN for what LAPACK has no result for. */
static void wg_eigh(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    wg_factoring *job = (wg_factoring *)ctx;
    const int is_complex = job->code >= WG_C64;
    const wg_int n = job->n, size = job->itemsize, part = is_complex ? size / 2 : size;
    const wg_int lwork = 1 + (6 + WG_LAPACK_BLOCK) * n + 2 * n * n, liwork = 3 + 5 * n;
    const wg_int lrwork = is_complex ? 1 + 5 * n + 2 * n * n : 0;
    char *iwork = (char *)malloc(8 * liwork + (lwork + n * n) * size + lrwork * part);
    if (iwork == NULL) {
        job->failed = WG_NO_MEMORY;
        return;
    }
    char *work = iwork + 8 * liwork, *spare = work + lwork * size, *rwork = spare + n * n * size;
    for (Py_ssize_t i = begin; i < end; i++) {
        char *a = job->out == NULL ? spare : job->out + i * n * n * size, *values = job->values + i * n * part;
        const char *jobz = job->out == NULL ? "N" : "V", *uplo = job->upper ? "U" : "L";
        wg_int info = 0;
        wg_copy_matrix(a, wg_matrix(job, &job->a, i), n, n, job->a.column, job->a.row, (int)size);
        if (is_complex) {
            ((wg_heevd)job->lapack->syevd)(jobz, uplo, &n, a, &n, values, work, &lwork, rwork, &lrwork, iwork, &liwork,
                                           &info, 1, 1);
        } else {
            ((wg_syevd)job->lapack->syevd)(jobz, uplo, &n, a, &n, values, work, &lwork, iwork, &liwork, &info, 1, 1);
        }
        if (info) {
            wg_fill_nan(wg_real_code(job->code), values, n);
            if (job->out != NULL) wg_fill_nan(job->code, job->out + i * n * n * size, n * n);
        }
    }
    free(iwork);
}

/* Whether numbers, so many of them real, are all finite: LAPACK need not come to an end with others. */
static int wg_all_finite(int code, const char *x, Py_ssize_t count) {
    int finite = 1;
    if (wg_real_code(code) == WG_F32) {
        for (Py_ssize_t i = 0; i < count; i++) finite &= ((const float *)x)[i] - ((const float *)x)[i] == 0;
    } else {
        for (Py_ssize_t i = 0; i < count; i++) finite &= ((const double *)x)[i] - ((const double *)x)[i] == 0;
    }
    return finite;
}

typedef struct {
    char *matrix, *work, *rwork, *iwork;
    wg_int lwork;
} wg_svd_room;

static wg_int wg_gesdd_of(const wg_factoring *job, const wg_svd_room *room, char *values, char *u, char *vh) {
    const wg_int m = job->m, n = job->n, least = m < n ? m : n, rows = job->full ? n : least;
    const char *jobz = u == NULL ? "N" : job->full ? "A" : "S";
    wg_int info = 0;
    if (job->code >= WG_C64) {
        ((wg_gesdd_complex)job->lapack->gesdd)(jobz, &m, &n, room->matrix, &m, values, u, &m, vh, &rows, room->work,
                                               &room->lwork, room->rwork, room->iwork, &info, 1);
    } else {
        ((wg_gesdd)job->lapack->gesdd)(jobz, &m, &n, room->matrix, &m, values, u, &m, vh, &rows, room->work,
                                       &room->lwork, room->iwork, &info, 1);
    }
    return info;
}

/* Room for a matrix and what LAPACK asks for; free(room.matrix). */
static int wg_svd_make_room(wg_factoring *job, wg_svd_room *room) {
    const wg_int most = job->m < job->n ? job->n : job->m, least = job->m < job->n ? job->m : job->n;
    const wg_int size = job->itemsize;
    const wg_int n_reals = job->code >= WG_C64 ? least * (5 * least + 7 + 2 * most + 2 * least) : 0;
    union {
        float f32[2];
        double f64[2];
    } asked = {.f64 = {0, 0}};
    room->lwork = -1, room->work = (char *)&asked, room->matrix = room->rwork = room->iwork = (char *)&asked;
    wg_gesdd_of(job, room, (char *)&asked, job->out == NULL ? NULL : (char *)&asked, (char *)&asked);
    /* the number may have been rounded down to the precision that it is given in */
    room->lwork = 1 + (wg_int)((wg_real_code(job->code) == WG_F32 ? asked.f32[0] : asked.f64[0]) * (1 + 1e-6));
    const size_t whole = (size * job->m * job->n + 15) / 16 * 16, worked = (size * room->lwork + 15) / 16 * 16;
    room->matrix = (char *)malloc(whole + worked + size * n_reals + 64 * least);
    if (room->matrix == NULL) {
        job->failed = WG_NO_MEMORY;
        return 0;
    }
    room->work = room->matrix + whole;
    room->iwork = room->work + worked;
    room->rwork = room->iwork + 64 * least;
    return 1;
}

/* values [least], descending; out: U [m, m or least], second: V^H [n or least, n], both column-major, or both NULL. */
static void wg_svd(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    wg_factoring *job = (wg_factoring *)ctx;
    const int is_complex = job->code >= WG_C64;
    const Py_ssize_t m = job->m, n = job->n, least = m < n ? m : n, size = job->itemsize;
    const Py_ssize_t of_u = m * (job->full ? m : least) * size, of_vh = n * (job->full ? n : least) * size;
    const Py_ssize_t of_values = least * (is_complex ? size / 2 : size);
    wg_svd_room room;
    if (!wg_svd_make_room(job, &room)) return;
    for (Py_ssize_t i = begin; i < end && !job->failed; i++) {
        char *u = job->out == NULL ? NULL : job->out + i * of_u;
        char *vh = job->out == NULL ? NULL : job->second + i * of_vh;
        wg_copy_matrix(room.matrix, wg_matrix(job, &job->a, i), n, m, job->a.column, job->a.row, (int)size);
        if (!wg_all_finite(job->code, room.matrix, m * n * (is_complex ? 2 : 1))
            || wg_gesdd_of(job, &room, job->values + i * of_values, u, vh)) {
            job->failed = WG_NO_RESULT;
        }
    }
    free(room.matrix);
}

#endif
