/* cummax and cummin: the best so far and the last place where it was; NaN is better than all else, and stays.
 *
 * Four loops serve all dtypes: of int32, int64, float and double; the rest is loaded to one of them and stored from it,
 * block by block, in the first-level cache. A minimum is the maximum of keys: of integers with their bits turned over,
 * of floats with the other sign. uint32 and uint64 are signed with the highest bit turned over.
 *
 * Lines of elements: most stretches have nothing better than the best so far, which is seen with one look at all of
 * them. Elements side by side (the dim is the farther one in memory): strips of them, row by row.
 */
#ifndef WENGERT_RUNNING_EXTREMES_H
#define WENGERT_RUNNING_EXTREMES_H

#include "scan.h"

#if defined(__GNUC__)
#define WG_OPAQUE(x) __asm__("" : "+r"(x)) /* a number that the compiler makes no branch of */
#else
#define WG_OPAQUE(x)
#endif

enum { WG_LOOK = 32 };                 /* elements of a stretch: so many that the loops over them become vectors */

typedef struct wg_extremes wg_extremes;
typedef void (*wg_extreme_line_fn)(const wg_extremes *e, void *best, int64_t *at, const void *src, void *dst,
                                   int64_t *places, Py_ssize_t n, int64_t first);
typedef wg_extreme_line_fn wg_extreme_row_fn; /* of n elements side by side, each with its best */
struct wg_extremes {
    wg_extreme_line_fn line;
    wg_extreme_row_fn row;
    wg_cast_fn load, store;            /* to and from what the loops read */
    Py_ssize_t size, read_size;        /* bytes of an element; of one that the loops read */
    int is_read;                       /* the loops read this dtype itself */
    int64_t turned;                    /* bits of integers to turn over */
    double sign;                       /* of floats */
};

#define WG_KEY_INTEGER(T, x, e) ((x) ^ (T)(e)->turned)
#define WG_KEY_FLOAT(T, x, e) ((x) * (T)(e)->sign)

/* BITS: an integer as wide as T. */
#define WG_EXTREMES(NAME, T, BITS, KEY) \
    WG_CLONES static void NAME##_line(const wg_extremes *e, void *state, int64_t *state_at, const void *src, \
                                      void *dst, int64_t *places, Py_ssize_t n, int64_t first) { \
        const T *x = (const T *)src; \
        T *y = (T *)dst, best = first == 0 ? KEY(T, *x, e) : *(T *)state; \
        int64_t at = *state_at; \
        for (Py_ssize_t i = 0; i < n; i += WG_LOOK) { \
            const Py_ssize_t end = n - i < WG_LOOK ? n : i + WG_LOOK; \
            BITS missing = best != best; \
            if (end == i + WG_LOOK) { \
                BITS better = missing; \
                for (int k = 0; k < WG_LOOK; k++) { \
                    const T v = KEY(T, x[i + k], e); \
                    better |= v >= best; \
                    missing |= v != v; \
                } \
                if (!(better | missing)) { \
                    for (int k = 0; k < WG_LOOK; k++) { y[i + k] = KEY(T, best, e); places[i + k] = at; } \
                    continue; \
                } \
            } else { \
                for (Py_ssize_t k = i; k < end; k++) { missing |= x[k] != x[k]; WG_SCALAR; } \
            } \
            if (missing) { \
                for (Py_ssize_t k = i; k < end; k++) { \
                    const T v = KEY(T, x[k], e); \
                    const int take = (v >= best) | (v != v); \
                    best = take ? v : best; \
                    at = take ? first + k : at; \
                    y[k] = KEY(T, best, e); \
                    places[k] = at; \
                    WG_SCALAR; \
                } \
                continue; \
            } \
            for (Py_ssize_t k = i; k < end; k++) { /* without branches: there may be many equal ones */ \
                const T v = KEY(T, x[k], e), before = best; \
                best = before > v ? before : v; \
                int64_t seen = v >= before; \
                WG_OPAQUE(seen); \
                seen = (first + k) & -seen; \
                at = seen > at ? seen : at; \
                y[k] = KEY(T, best, e); \
                places[k] = at; \
                WG_SCALAR; \
            } \
        } \
        *(T *)state = best; \
        *state_at = at; \
    } \
    static WG_OUTLINE void NAME##_row(const wg_extremes *e, void *state, int64_t *at, const void *src, void *dst, \
                                      int64_t *places, Py_ssize_t width, int64_t row) { \
        const T *x = (const T *)src; \
        T *y = (T *)dst, *best = (T *)state; \
        if (row == 0) for (Py_ssize_t j = 0; j < width; j++) { best[j] = KEY(T, x[j], e); WG_SCALAR; } \
        WG_IVDEP \
        for (Py_ssize_t j = 0; j < width; j++) { \
            const T v = KEY(T, x[j], e), b = best[j]; \
            const int take = (v >= b) | (v != v); \
            best[j] = take ? v : b; \
            places[j] = at[j] = take ? row : at[j]; \
            y[j] = KEY(T, best[j], e); \
        } \
    }
WG_EXTREMES(wg_extremes_i32, int32_t, int32_t, WG_KEY_INTEGER)
WG_EXTREMES(wg_extremes_i64, int64_t, int64_t, WG_KEY_INTEGER)
WG_EXTREMES(wg_extremes_f32, float, int32_t, WG_KEY_FLOAT)
WG_EXTREMES(wg_extremes_f64, double, int64_t, WG_KEY_FLOAT)

/* outer_n lines of n elements; dst_outer and dst_stride: of both results, in elements. */
static void wg_run_extremes(const wg_extremes *e, char *src, Py_ssize_t outer_n, Py_ssize_t outer_stride, Py_ssize_t n,
                            Py_ssize_t stride, char *dst, int64_t *places, Py_ssize_t dst_outer,
                            Py_ssize_t dst_stride) {
    const Py_ssize_t near = outer_stride < 0 ? -outer_stride : outer_stride, far = stride < 0 ? -stride : stride;
    const int rows = outer_n >= WG_SCAN_SIDE && near < far && dst_outer == 1;
    const Py_ssize_t most = rows ? WG_SCAN_STRIP : 1, block = rows ? 1 : WG_SCAN_STRIP;
    const Py_ssize_t step = rows ? outer_stride : stride, dst_step = rows ? 1 : dst_stride;
    const int is_direct = e->is_read && step == e->size, is_written = e->is_read && dst_step == 1;
    double best[WG_SCAN_STRIP], buffer[WG_SCAN_STRIP];
    int64_t at[WG_SCAN_STRIP], place[WG_SCAN_STRIP];
    for (; outer_n > 0; outer_n -= most, src += most * outer_stride, dst += most * dst_outer * e->size,
                        places += most * dst_outer) {
        const Py_ssize_t width = outer_n < most ? outer_n : most;
        memset(at, 0, (size_t)width * sizeof *at);
        for (Py_ssize_t i = 0; i < n; i += block) {
            const Py_ssize_t m = rows ? width : n - i < block ? n - i : block;
            char *x = src + i * stride, *y = dst + i * dst_stride * e->size;
            int64_t *p = places + i * dst_stride;
            if (!is_direct) e->load(x, step, (char *)buffer, e->read_size, m);
            (rows ? e->row : e->line)(e, best, at, is_direct ? x : (char *)buffer, is_written ? y : (char *)buffer,
                                      dst_step == 1 ? p : place, m, i);
            if (!is_written) e->store((char *)buffer, e->read_size, y, dst_step * e->size, m);
            if (dst_step != 1) for (Py_ssize_t k = 0; k < m; k++) p[k * dst_step] = place[k];
        }
    }
}

/* Both by dtype: cummax, then cummin. Complex numbers have none. */
static wg_extremes WG_RUNNING_EXTREMES[2][WG_N_DTYPES];

static void wg_connect_extremes(wg_cast_fn (*cast)(int, int)) {
    for (int least = 0; least < 2; least++)
        for (int code = 0; code < WG_N_DTYPES; code++) {
            wg_extremes *e = &WG_RUNNING_EXTREMES[least][code];
            const int is_signed = code == WG_U32 ? WG_I32 : code == WG_U64 ? WG_I64 : code; /* the same bits */
            const int integer = is_signed == WG_I64 ? WG_I64 : WG_I32;
            const int read = code == WG_F64 ? WG_F64 : wg_is_float(code) ? WG_F32 : integer;
            if (code == WG_C64 || code == WG_C128) continue;
#define WG_LOOPS_OF(LOOP) (read == WG_F64 ? wg_extremes_f64_##LOOP : read == WG_F32 ? wg_extremes_f32_##LOOP \
                           : read == WG_I64 ? wg_extremes_i64_##LOOP : wg_extremes_i32_##LOOP)
            e->line = WG_LOOPS_OF(line);
            e->row = WG_LOOPS_OF(row);
            e->load = cast(is_signed, read);
            e->store = cast(read, is_signed);
            e->size = wg_itemsize(code);
            e->read_size = wg_itemsize(read);
            e->is_read = is_signed == read;
            e->turned = (code == WG_U32 ? INT32_MIN : code == WG_U64 ? INT64_MIN : 0) ^ -(int64_t)least;
            e->sign = least ? -1 : 1;
        }
}

/* NULL when absent. */
static const wg_extremes *wg_find_extremes(const char *name, int code) {
    const wg_extremes *e = &WG_RUNNING_EXTREMES[strcmp(name, "cummin") == 0][code];
    return e->line ? e : NULL;
}

#endif
