/* Instantiates softmax_rows.h, and softmax_columns.h with it, and lists their kernels. Included by softmax.pyx only. */
#ifndef WENGERT_SOFTMAX_H
#define WENGERT_SOFTMAX_H

#include "wengert_core/kernels/dtypes.h"
#include "wengert_core/kernels/vecmath.h"

#define WG_GROUP 1024
#define WG_STRIPE 64               /* columns side by side */

typedef struct { char *at; Py_ssize_t stride; } wg_matrix;          /* of contiguous rows, stride bytes apart */
typedef struct { wg_matrix a, b, out; Py_ssize_t n; } wg_rows;
typedef void (*wg_rows_kernel)(const wg_rows *, Py_ssize_t);
#define WG_ROW(T, matrix, r) ((T *)((matrix).at + (r) * (matrix).stride))

/* A vector with its lanes in another order. ACROSS does a step for each half of the lanes, then of those. */
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define WG_TURN(MASK, v, ...) __builtin_shufflevector(v, v, __VA_ARGS__)
#endif
#endif
#ifndef WG_TURN
#define WG_TURN(MASK, v, ...) __builtin_shuffle(v, (MASK){__VA_ARGS__})
#endif
#define WG_LANES(...) __VA_ARGS__

#define R float
#define SUF f32
#define WHOLE int32_t
#define ACROSS(STEP) \
    STEP(WG_LANES(4, 5, 6, 7, 0, 1, 2, 3)) STEP(WG_LANES(2, 3, 0, 1, 6, 7, 4, 5)) \
    STEP(WG_LANES(1, 0, 3, 2, 5, 4, 7, 6))
#define NONE_THEN_ALL 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1
#include "softmax_rows.h"
#define R double
#define SUF f64
#define WHOLE int64_t
#define ACROSS(STEP) STEP(WG_LANES(2, 3, 0, 1)) STEP(WG_LANES(1, 0, 3, 2))
#define NONE_THEN_ALL 0, 0, 0, 0, -1, -1, -1, -1
#include "softmax_rows.h"

/* Groups of rows that fit a block. */
static void wg_run_rows(wg_rows_kernel kernel, wg_rows t, Py_ssize_t rows) {
    const Py_ssize_t group = t.n > 0 && t.n < WG_GROUP ? WG_GROUP / t.n : 1;
    while (rows > 0) {
        const Py_ssize_t m = rows < group ? rows : group;
        kernel(&t, m);
        t.a.at += m * t.a.stride;
        t.b.at += m * t.b.stride;
        t.out.at += m * t.out.stride;
        rows -= m;
    }
}

/* A stripe of columns after another; the rows are lines along which they lie. */
static void wg_run_columns(wg_rows_kernel kernel, wg_rows t, Py_ssize_t lines, Py_ssize_t itemsize) {
    const Py_ssize_t columns = t.n;
    for (Py_ssize_t j = 0; lines > 0 && j < columns; j += WG_STRIPE) {
        t.n = columns - j < WG_STRIPE ? columns - j : WG_STRIPE;
        kernel(&t, lines);
        t.a.at += WG_STRIPE * itemsize;
        t.b.at += t.b.at ? WG_STRIPE * itemsize : 0;
        t.out.at += WG_STRIPE * itemsize;
    }
}

#define WG_SOFTMAX_LOOP(NAME, RUN, ...) \
    static void NAME##_rows(char *a, Py_ssize_t a_stride, char *b, Py_ssize_t b_stride, char *out, \
                            Py_ssize_t out_stride, Py_ssize_t rows, Py_ssize_t n) { \
        const wg_rows t = {{a, a_stride}, {b, b_stride}, {out, out_stride}, n}; \
        RUN(NAME, t, rows __VA_ARGS__); \
    }
typedef void (*wg_rows_fn)(char *, Py_ssize_t, char *, Py_ssize_t, char *, Py_ssize_t, Py_ssize_t, Py_ssize_t);
typedef struct { const char *name; int dtype; wg_rows_fn fn; } wg_softmax_entry;

#define WG_SOFTMAX_LOOPS(NAME) WG_SOFTMAX_LOOP(NAME##_f32, wg_run_rows, ) WG_SOFTMAX_LOOP(NAME##_f64, wg_run_rows, )
#define WG_COLUMN_LOOPS(NAME) \
    WG_SOFTMAX_LOOP(NAME##_f32, wg_run_columns, , sizeof(float)) \
    WG_SOFTMAX_LOOP(NAME##_f64, wg_run_columns, , sizeof(double))
#define WG_SOFTMAX_ROWS(NAME) {#NAME, WG_F32, NAME##_f32_rows}, {#NAME, WG_F64, NAME##_f64_rows}
WG_SOFTMAX_LOOPS(softmax)
WG_SOFTMAX_LOOPS(log_softmax)
WG_SOFTMAX_LOOPS(softmax_backward)
WG_SOFTMAX_LOOPS(log_softmax_backward)
WG_SOFTMAX_LOOPS(logsumexp)
WG_COLUMN_LOOPS(softmax_columns)
WG_COLUMN_LOOPS(log_softmax_columns)
WG_COLUMN_LOOPS(softmax_backward_columns)
WG_COLUMN_LOOPS(log_softmax_backward_columns)

static const wg_softmax_entry WG_SOFTMAX[] = {
    WG_SOFTMAX_ROWS(softmax), WG_SOFTMAX_ROWS(log_softmax), WG_SOFTMAX_ROWS(softmax_backward),
    WG_SOFTMAX_ROWS(log_softmax_backward), WG_SOFTMAX_ROWS(logsumexp),
    WG_SOFTMAX_ROWS(softmax_columns), WG_SOFTMAX_ROWS(log_softmax_columns), WG_SOFTMAX_ROWS(softmax_backward_columns),
    WG_SOFTMAX_ROWS(log_softmax_backward_columns)};

static wg_rows_fn wg_find_softmax(const char *name, int dtype) {
    for (int i = 0; i < WG_COUNT(WG_SOFTMAX); i++)
        if (WG_SOFTMAX[i].dtype == dtype && strcmp(WG_SOFTMAX[i].name, name) == 0) return WG_SOFTMAX[i].fn;
    return NULL;
}

#endif
