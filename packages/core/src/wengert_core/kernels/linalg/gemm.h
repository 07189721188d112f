/* Products of matrices by the gemm of a BLAS that the user has chosen, with the signature of NumPy's matmul loop.
 * Included by drivers/linalg/gemm.pyx only. What gemm does not take (vectors, odd strides) goes to NumPy's loop.
 */
#ifndef WENGERT_GEMM_H
#define WENGERT_GEMM_H

#include <stdint.h>

typedef int64_t wg_int; /* of 32 or 64 bits in the library: given by reference, the low half comes first */
typedef struct {
    /* (transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, lengths of the two texts) */
    void (*gemm)(const char *, const char *, const wg_int *, const wg_int *, const wg_int *, const void *, const void *,
                 const wg_int *, const void *, const wg_int *, const void *, void *, const wg_int *, size_t, size_t);
    /* sets how many the calling thread's products take, and returns what it was; NULL: there is none */
    int (*threads)(int);
    double few;          /* multiplications up to which a product is best done by one */
    void (*other)(char **, const npy_intp *, const npy_intp *, void *);
    void *other_data;
    int itemsize, wide; /* wide: its integers have 64 bits */
    char one[16], zero[16];
} wg_gemm_loop;

/* How gemm, which goes by columns, reads the transpose of a row-major [rows, columns]: 'N', 'T', or 0 where it
   cannot. */
static char wg_gemm_reads(npy_intp row, npy_intp column, npy_intp rows, npy_intp columns, npy_intp size, wg_int *ld) {
    if (column == size && row >= columns * size && row % size == 0) {
        *ld = row / size;
        return 'N';
    }
    if (row == size && column >= rows * size && column % size == 0) {
        *ld = column / size;
        return 'T';
    }
    return 0;
}

static void wg_gemm_run(char **args, const npy_intp *sizes, const npy_intp *steps, void *data) {
    const wg_gemm_loop *loop = (const wg_gemm_loop *)data;
    const wg_int m = sizes[1], n = sizes[2], p = sizes[3], most = loop->wide ? INT64_MAX : INT32_MAX;
    wg_int lda, ldb, ldc;
    const char a = wg_gemm_reads(steps[3], steps[4], m, n, loop->itemsize, &lda);
    const char b = wg_gemm_reads(steps[5], steps[6], n, p, loop->itemsize, &ldb);
    const char c = wg_gemm_reads(steps[7], steps[8], m, p, loop->itemsize, &ldc);
    if (!a || !b || c != 'N' || m < 2 || n < 2 || p < 2 || m > most || n > most || p > most || lda > most ||
        ldb > most || ldc > most) {
        loop->other(args, sizes, steps, loop->other_data);
        return;
    }
    const int alone = loop->threads != NULL && (double)m * (double)n * (double)p <= loop->few;
    const int before = alone ? loop->threads(1) : 0;
    for (npy_intp i = 0; i < sizes[0]; i++) {
        loop->gemm(&b, &a, &p, &m, &n, loop->one, args[1] + i * steps[1], &ldb, args[0] + i * steps[0], &lda,
                   loop->zero, args[2] + i * steps[2], &ldc, 1, 1);
    }
    if (alone) loop->threads(before);
}

#endif
