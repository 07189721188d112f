/* A stand-in for cuBLAS on memory of the host: what wengert-cuda calls of it, with cuBLAS's rules, and no GPU.
   Matrices are columns in memory. A handle has no workspace after a new stream until it is given one; products need one. */
#include <complex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { void *stream, *workspace; size_t nbytes; } Handle;
enum { OK = 0, NOT_INITIALIZED = 1, ALLOC_FAILED = 3, INVALID_VALUE = 7, NOT_SUPPORTED = 15 };
int fail_next = 0;   /* the status that the next product gives */
int wrong = 0;       /* whether products are wrong */
char calls[1 << 16]; /* names and arguments, one call a line */

static void note(const char *line) {
    if (strlen(calls) + strlen(line) + 2 < sizeof calls) strcat(strcat(calls, line), "\n");
}

int cublasCreate_v2(Handle **handle) {
    note("create");
    *handle = calloc(1, sizeof **handle);
    return *handle ? OK : ALLOC_FAILED;
}

int cublasSetStream_v2(Handle *handle, void *stream) {
    char line[64];
    snprintf(line, sizeof line, "stream %ld", (long)(intptr_t)stream);
    note(line);
    if (!handle) return NOT_INITIALIZED;
    *handle = (Handle){stream, NULL, 0};
    return OK;
}

int cublasSetWorkspace_v2(Handle *handle, void *workspace, size_t nbytes) {
    char line[64];
    snprintf(line, sizeof line, "workspace %zu", nbytes);
    note(line);
    if (!handle) return NOT_INITIALIZED;
    handle->workspace = workspace, handle->nbytes = nbytes;
    return OK;
}

#define PRODUCT(NAME, NUMBER, SUM)                                                                                    \
    static void NAME(int ta, int tb, int m, int n, int k, SUM alpha, const NUMBER *a, int lda, const NUMBER *b,       \
                     int ldb, SUM beta, NUMBER *c, int ldc) {                                                         \
        for (int j = 0; j < n; j++)                                                                                   \
            for (int i = 0; i < m; i++) {                                                                             \
                SUM sum = 0;                                                                                          \
                for (int p = 0; p < k; p++)                                                                           \
                    sum += (SUM)a[ta ? p + (long)i * lda : i + (long)p * lda] *                                       \
                           (SUM)b[tb ? j + (long)p * ldb : p + (long)j * ldb];                                        \
                NUMBER *to = c + i + (long)j * ldc;                                                                   \
                *to = (NUMBER)(beta == 0 ? alpha * sum + wrong : alpha * sum + beta * (SUM)*to);                      \
            }                                                                                                         \
    }
PRODUCT(product_half, _Float16, float)
PRODUCT(product_float, float, float)
PRODUCT(product_double, double, double)
PRODUCT(product_cfloat, float complex, float complex)
PRODUCT(product_cdouble, double complex, double complex)

int cublasGemmStridedBatchedEx(Handle *handle, int ta, int tb, int m, int n, int k, const void *alpha, const char *a,
                               int ka, int lda, long long sa, const char *b, int kb, int ldb, long long sb,
                               const void *beta, char *c, int kc, int ldc, long long sc, int count, int compute,
                               int algorithm) {
    char line[160];
    snprintf(line, sizeof line, "gemm %c%c %dx%dx%d ld %d %d %d step %lld %lld %lld count %d type %d %d",
             ta ? 'T' : 'N', tb ? 'T' : 'N', m, n, k, lda, ldb, ldc, sa, sb, sc, count, ka, compute);
    note(line);
    if (fail_next) {
        int status = fail_next;
        fail_next = 0;
        return status;
    }
    if (!handle) return NOT_INITIALIZED;
    if (!handle->workspace) return ALLOC_FAILED; /* what a capture does not permit */
    if (ta < 0 || ta > 1 || tb < 0 || tb > 1 || m < 0 || n < 0 || k < 0 || count < 0 || algorithm != -1 ||
        lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m || lda < 1 || ldb < 1 || ldc < 1)
        return INVALID_VALUE;
    if (ka != kb || ka != kc || compute != (ka == 1 || ka == 5 ? 70 : 68)) return NOT_SUPPORTED;
    for (int i = 0; i < count; i++) {
#define CASE(KIND, NAME, NUMBER, SUM)                                                                                 \
    case KIND:                                                                                                        \
        NAME(ta, tb, m, n, k, *(const SUM *)alpha, (const NUMBER *)a + i * sa, lda, (const NUMBER *)b + i * sb, ldb,  \
             *(const SUM *)beta, (NUMBER *)c + i * sc, ldc);                                                          \
        break;
        switch (ka) {
            CASE(0, product_float, float, float)
            CASE(1, product_double, double, double)
            CASE(2, product_half, _Float16, float)
            CASE(4, product_cfloat, float complex, float complex)
            CASE(5, product_cdouble, double complex, double complex)
            default: return NOT_SUPPORTED;
        }
    }
    return OK;
}

int cublasGemmEx(Handle *handle, int ta, int tb, int m, int n, int k, const void *alpha, const char *a, int ka, int lda,
                 const char *b, int kb, int ldb, const void *beta, char *c, int kc, int ldc, int compute,
                 int algorithm) {
    return cublasGemmStridedBatchedEx(handle, ta, tb, m, n, k, alpha, a, ka, lda, 0, b, kb, ldb, 0, beta, c, kc, ldc, 0,
                                      1, compute, algorithm);
}
