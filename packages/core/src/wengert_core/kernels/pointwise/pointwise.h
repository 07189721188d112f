/* The frame of pointwise loops: a kernel over contiguous blocks, and NumPy's loop signature around it.
 *
 * A kernel gets pointers to n contiguous elements of each argument, the output last, and the op's parameters. Operands
 * with another stride pass through blocks on the stack, so each op has one loop, the one that is vectorised.
 */
#ifndef WENGERT_POINTWISE_H
#define WENGERT_POINTWISE_H

#include "casts.h"

#define WG_CHUNK 256

typedef void (*wg_kernel_fn)(char **, Py_ssize_t, const double *);
typedef void (*wg_loop_fn)(char **, Py_ssize_t *, Py_ssize_t *, void *);

static void wg_chunked(char **args, Py_ssize_t n, const Py_ssize_t *strides, const double *params,
                       wg_kernel_fn kernel, int nin, const int *sizes) {
    wg_c128 buffers[4][WG_CHUNK];
    char *at[4], *moving[4];
    for (int k = 0; k <= nin; k++) moving[k] = args[k];
    for (int k = 0; k < nin; k++)
        if (strides[k] == 0)
            wg_find_copy(sizes[k])(args[k], 0, (char *)buffers[k], sizes[k], n < WG_CHUNK ? n : WG_CHUNK);
    while (n > 0) {
        const Py_ssize_t m = n < WG_CHUNK ? n : WG_CHUNK;
        for (int k = 0; k <= nin; k++) {
            at[k] = strides[k] == sizes[k] ? moving[k] : (char *)buffers[k];
            if (k < nin && strides[k] != 0 && strides[k] != sizes[k])
                wg_find_copy(sizes[k])(moving[k], strides[k], at[k], sizes[k], m);
        }
        kernel(at, m, params);
        if (strides[nin] != sizes[nin]) wg_find_copy(sizes[nin])(at[nin], sizes[nin], moving[nin], strides[nin], m);
        for (int k = 0; k <= nin; k++) moving[k] += m * strides[k];
        n -= m;
    }
}

static void wg_run(char **args, Py_ssize_t n, const Py_ssize_t *strides, const double *params,
                   wg_kernel_fn kernel, int nin, const int *sizes) {
    int contiguous = 1;
    for (int k = 0; k <= nin; k++) contiguous &= strides[k] == sizes[k];
    if (contiguous || n == 1) kernel(args, n, params);
    else wg_chunked(args, n, strides, params, kernel, nin, sizes);
}

#define WG_LOOP(NAME, NIN, ...) \
    static void WG_CAT(NAME, _loop)(char **args, Py_ssize_t *n, Py_ssize_t *strides, void *data) { \
        static const int sizes[] = {__VA_ARGS__}; \
        wg_run(args, n[0], strides, (const double *)data, WG_CAT(NAME, _kernel), NIN, sizes); \
    }

/* WG_OPn(NAME, input types, output type, setup of parameters, expression in x, y, z), compiled as WG_OP_CLONES says. */
#define WG_OP_CLONES WG_CLONES
#define WG_OP1(NAME, X, OUT, SETUP, EXPR) \
    WG_OP_CLONES static void WG_CAT(NAME, _kernel)(char **args, Py_ssize_t n, const double *params) { \
        const X *xs = (const X *)args[0]; \
        OUT *out = (OUT *)args[1]; \
        SETUP; \
        WG_IVDEP \
        for (Py_ssize_t i = 0; i < n; i++) { const X x = xs[i]; out[i] = EXPR; } \
    } \
    WG_LOOP(NAME, 1, sizeof(X), sizeof(OUT))
#define WG_OP2(NAME, X, Y, OUT, SETUP, EXPR) \
    WG_OP_CLONES static void WG_CAT(NAME, _kernel)(char **args, Py_ssize_t n, const double *params) { \
        const X *xs = (const X *)args[0]; \
        const Y *ys = (const Y *)args[1]; \
        OUT *out = (OUT *)args[2]; \
        SETUP; \
        WG_IVDEP \
        for (Py_ssize_t i = 0; i < n; i++) { const X x = xs[i]; const Y y = ys[i]; out[i] = EXPR; } \
    } \
    WG_LOOP(NAME, 2, sizeof(X), sizeof(Y), sizeof(OUT))
#define WG_OP3(NAME, X, Y, Z, OUT, SETUP, EXPR) \
    WG_OP_CLONES static void WG_CAT(NAME, _kernel)(char **args, Py_ssize_t n, const double *params) { \
        const X *xs = (const X *)args[0]; \
        const Y *ys = (const Y *)args[1]; \
        const Z *zs = (const Z *)args[2]; \
        OUT *out = (OUT *)args[3]; \
        SETUP; \
        WG_IVDEP \
        for (Py_ssize_t i = 0; i < n; i++) { const X x = xs[i]; const Y y = ys[i]; const Z z = zs[i]; out[i] = EXPR; } \
    } \
    WG_LOOP(NAME, 3, sizeof(X), sizeof(Y), sizeof(Z), sizeof(OUT))

#define WG_NO_PARAMS (void)params
#define WG_PARAM(T, name, k) const T name = (T)params[k]

typedef struct { const char *name; int dtype, nin, nparams, out; wg_loop_fn loop; } wg_pointwise_entry;

#endif
