/* cumsum, cumprod and logcumsumexp. Included by scan.pyx only.
 *
 * bool and integers accumulate in int64 (wrapping), float16 and bfloat16 in float, the rest in double.
 *
 * Note [How a scan runs]
 * Lines of floats: four at a time, because each element of a line waits for the one before. Lines of 16-bit floats are
 * loaded into a buffer in the first-level cache, block by block, and their results are stored from there: many
 * conversions at a time. Elements side by side (the scanned dim is the farther one in memory): strips of them, row by
 * row; all integers by one loop, loaded to int64 by way of a buffer as well: loops for each dtype would take four times
 * the space.
 */
#ifndef WENGERT_SCAN_H
#define WENGERT_SCAN_H

#include "accumulate.h"
#include "wengert_core/kernels/pointwise/casts.h"

/* BLOCK: no power of two, so that elements of four lines in the buffer do not share the low bits of their addresses. */
enum { WG_SCAN_STRIP = 256, WG_SCAN_BLOCK = 96, WG_SCAN_SIDE = 8 };

typedef void (*wg_scan_fn)(char *, Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t, char *, Py_ssize_t, Py_ssize_t);

typedef struct wg_scan_source wg_scan_source;
typedef void (*wg_lines_fn)(char *src, Py_ssize_t lines, Py_ssize_t line, Py_ssize_t n, Py_ssize_t stride, char *dst,
                            Py_ssize_t dst_line, Py_ssize_t dst_stride, const wg_scan_source *from);
typedef void (*wg_strip_fn)(char *src, Py_ssize_t width, Py_ssize_t near, Py_ssize_t n, Py_ssize_t stride, char *dst,
                            Py_ssize_t dst_stride, const wg_scan_source *from);
struct wg_scan_source {
    wg_lines_fn lines;
    Py_ssize_t most;                   /* lines at a time */
    wg_strip_fn strip;                 /* NULL: lines only */
    wg_cast_fn load, store;            /* to and from what the loops of rows and of halves read and write */
    Py_ssize_t size, out_size;         /* bytes of an element */
    int is_read, is_written;           /* that is the dtype of the source; of the result */
};

/* One line after the other. */
#define WG_SCAN_LINE(NAME, SRC, LOAD, ACC, UNIT, OP, DST, STORE) \
    enum { NAME##_MOST = 0x10000 }; \
    static void NAME##_lines(char *src, Py_ssize_t lines, Py_ssize_t line, Py_ssize_t n, Py_ssize_t stride, char *dst, \
                             Py_ssize_t dst_line, Py_ssize_t dst_stride, const wg_scan_source *from) { \
        (void)from; \
        for (; lines > 0; lines--, src += line, dst += dst_line) { \
            const char *x = src; \
            char *y = dst; \
            ACC acc = UNIT; \
            for (Py_ssize_t i = n; i > 0; i--, x += stride, y += dst_stride) { \
                acc = OP(acc, LOAD(*(const SRC *)x)); \
                *(DST *)y = STORE(acc); \
                WG_SCALAR; \
            } \
        } \
    }

/* One line or four. */
#define WG_SCAN_FOUR(NAME, ACC, OP, T) \
    WG_INLINE void NAME##_one(ACC *acc, const char *x, Py_ssize_t step, char *y, Py_ssize_t y_step, Py_ssize_t n) { \
        ACC a = *acc; \
        for (; n > 0; n--, x += step, y += y_step) *(T *)y = (T)(a = OP(a, *(const T *)x)); \
        *acc = a; \
    } \
    WG_INLINE void NAME##_four(ACC *acc, const char *x, Py_ssize_t line, Py_ssize_t step, char *y, Py_ssize_t y_line, \
                               Py_ssize_t y_step, Py_ssize_t n) { \
        ACC a = acc[0], b = acc[1], c = acc[2], d = acc[3]; \
        for (; n > 0; n--, x += step, y += y_step) { \
            *(T *)y = (T)(a = OP(a, *(const T *)x)); \
            *(T *)(y + y_line) = (T)(b = OP(b, *(const T *)(x + line))); \
            *(T *)(y + 2 * y_line) = (T)(c = OP(c, *(const T *)(x + 2 * line))); \
            *(T *)(y + 3 * y_line) = (T)(d = OP(d, *(const T *)(x + 3 * line))); \
            WG_SCALAR; \
        } \
        acc[0] = a; acc[1] = b; acc[2] = c; acc[3] = d; \
    }
#define WG_SCAN_LINES(NAME, ACC, UNIT, OP, T) \
    WG_SCAN_FOUR(NAME, ACC, OP, T) \
    enum { NAME##_MOST = 4 }; \
    static void NAME##_lines(char *src, Py_ssize_t lines, Py_ssize_t line, Py_ssize_t n, Py_ssize_t stride, char *dst, \
                             Py_ssize_t dst_line, Py_ssize_t dst_stride, const wg_scan_source *from) { \
        ACC acc[4] = {UNIT, UNIT, UNIT, UNIT}; \
        (void)from; \
        if (lines == 4) NAME##_four(acc, src, line, stride, dst, dst_line, dst_stride, n); \
        else for (int j = 0; j < lines; j++) \
            NAME##_one(acc + j, src + j * line, stride, dst + j * dst_line, dst_stride, n); \
    }

/* One line or four, by way of a buffer; lines that lie behind each other are converted together. */
#define WG_SCAN_HALVES(NAME, UNIT, OP) \
    WG_SCAN_FOUR(NAME, float, OP, float) \
    enum { NAME##_MOST = 4 }; \
    static void NAME##_lines(char *src, Py_ssize_t lines, Py_ssize_t line, Py_ssize_t n, Py_ssize_t stride, char *dst, \
                             Py_ssize_t dst_line, Py_ssize_t dst_stride, const wg_scan_source *from) { \
        enum { BYTES = sizeof(float) }; \
        float acc[4] = {UNIT, UNIT, UNIT, UNIT}, buffer[4 * WG_SCAN_BLOCK]; \
        char *b = (char *)buffer; \
        const int is_short = n <= WG_SCAN_BLOCK; \
        const int packed = is_short && line == n * stride, out_packed = is_short && dst_line == n * dst_stride; \
        const Py_ssize_t far = (is_short ? n : WG_SCAN_BLOCK) * BYTES; /* from line to line in the buffer */ \
        for (; n > 0; n -= WG_SCAN_BLOCK, src += WG_SCAN_BLOCK * stride, dst += WG_SCAN_BLOCK * dst_stride) { \
            const Py_ssize_t m = n < WG_SCAN_BLOCK ? n : WG_SCAN_BLOCK; \
            if (packed) from->load(src, stride, b, BYTES, lines * m); \
            else for (int j = 0; j < lines; j++) from->load(src + j * line, stride, b + j * far, BYTES, m); \
            if (lines == 4) NAME##_four(acc, b, far, BYTES, b, far, BYTES, m); \
            else for (int j = 0; j < lines; j++) NAME##_one(acc + j, b + j * far, BYTES, b + j * far, BYTES, m); \
            if (out_packed) from->store(b, BYTES, dst, dst_stride, lines * m); \
            else for (int j = 0; j < lines; j++) from->store(b + j * far, BYTES, dst + j * dst_line, dst_stride, m); \
        } \
    }

/* Rows of T. */
#define WG_SCAN_ROWS(NAME, ACC, UNIT, OP, T) \
    WG_CLONES static void NAME##_row(ACC *acc, const T *x, T *y, Py_ssize_t width) { \
        WG_IVDEP \
        for (Py_ssize_t j = 0; j < width; j++) { acc[j] = OP(acc[j], x[j]); y[j] = (T)acc[j]; } \
    } \
    static void NAME##_strip(char *src, Py_ssize_t width, Py_ssize_t near, Py_ssize_t n, Py_ssize_t stride, char *dst, \
                             Py_ssize_t dst_stride, const wg_scan_source *from) { \
        ACC acc[WG_SCAN_STRIP]; \
        T buffer[WG_SCAN_STRIP]; \
        const int direct = from->is_read && near == sizeof(T); \
        for (Py_ssize_t j = 0; j < width; j++) acc[j] = UNIT; \
        for (; n > 0; n--, src += stride, dst += dst_stride) { \
            if (!direct) from->load(src, near, (char *)buffer, sizeof(T), width); \
            NAME##_row(acc, direct ? (const T *)src : buffer, from->is_written ? (T *)dst : buffer, width); \
            if (!from->is_written) from->store((char *)buffer, sizeof(T), dst, from->out_size, width); \
        } \
    }

static void wg_scan(char *src, Py_ssize_t outer_n, Py_ssize_t outer_stride, Py_ssize_t n, Py_ssize_t stride, char *dst,
                    Py_ssize_t dst_outer, Py_ssize_t dst_stride, const wg_scan_source *from) {
    const Py_ssize_t near = outer_stride < 0 ? -outer_stride : outer_stride, far = stride < 0 ? -stride : stride;
    const int gaps = from->is_read && outer_stride != from->size; /* with gaps, and nothing to convert: by lines */
    const int rows = from->strip && !gaps && outer_n >= WG_SCAN_SIDE && near < far && dst_outer == from->out_size;
    const Py_ssize_t most = rows ? WG_SCAN_STRIP : from->most;
    for (; outer_n > 0; outer_n -= most, src += most * outer_stride, dst += most * dst_outer) {
        const Py_ssize_t some = outer_n < most ? outer_n : most;
        if (rows) from->strip(src, some, outer_stride, n, stride, dst, dst_stride, from);
        else from->lines(src, some, outer_stride, n, stride, dst, dst_outer, dst_stride, from);
    }
}

#define WG_SCAN_INTEGER(NAME, UNIT, OP, TAG, T) \
    WG_SCAN_LINE(NAME##_##TAG, T, WG_WIDE, int64_t, UNIT, OP, int64_t, WG_SAME)
#define WG_SCAN_ALL(NAME, UNIT, OPI, OP, UNITC, OPC) \
    WG_SCAN_LINE(NAME##_BOOL, uint8_t, WG_WIDE_BOOL, int64_t, UNIT, OPI, int64_t, WG_SAME) \
    WG_SCAN_INTEGER(NAME, UNIT, OPI, U8, uint8_t) WG_SCAN_INTEGER(NAME, UNIT, OPI, I8, int8_t) \
    WG_SCAN_INTEGER(NAME, UNIT, OPI, I16, int16_t) WG_SCAN_INTEGER(NAME, UNIT, OPI, U16, uint16_t) \
    WG_SCAN_INTEGER(NAME, UNIT, OPI, I32, int32_t) WG_SCAN_INTEGER(NAME, UNIT, OPI, U32, uint32_t) \
    WG_SCAN_INTEGER(NAME, UNIT, OPI, I64, int64_t) \
    WG_SCAN_HALVES(NAME##_HALVES, UNIT, OP) \
    WG_SCAN_LINES(NAME##_F32, double, UNIT, OP, float) \
    WG_SCAN_LINES(NAME##_F64, double, UNIT, OP, double) \
    WG_SCAN_LINE(NAME##_C64, wg_c64, wg_st_C128_c, wg_c128, UNITC, OPC, wg_c64, wg_st_C64_z) \
    WG_SCAN_LINE(NAME##_C128, wg_c128, WG_SAME, wg_c128, UNITC, OPC, wg_c128, WG_SAME) \
    WG_SCAN_ROWS(NAME##_I64, int64_t, UNIT, OPI, int64_t) \
    WG_SCAN_ROWS(NAME##_HALVES, float, UNIT, OP, float) \
    WG_SCAN_ROWS(NAME##_F32, double, UNIT, OP, float) \
    WG_SCAN_ROWS(NAME##_F64, double, UNIT, OP, double)
WG_SCAN_ALL(cumsum, 0, wg_add_i64, WG_ADD, WG_ZERO_wg_c128, wg_add_wg_c128)
WG_SCAN_ALL(cumprod, 1, wg_mul_i64, WG_MUL, WG_ONE_wg_c128, wg_mul_wg_c128)

#include "log_sums.h"

/* Each scan: name, dtype of the source, its lines, its rows, what these read and write, the result. uint64 wraps as
   int64 does: the same bits. Complex numbers have no rows: their lines are as fast. */
#define WG_SCANS_OF(X, NAME) \
    X(NAME, BOOL, BOOL, NAME##_I64_strip, I64, I64) X(NAME, U8, U8, NAME##_I64_strip, I64, I64) \
    X(NAME, I8, I8, NAME##_I64_strip, I64, I64) X(NAME, I16, I16, NAME##_I64_strip, I64, I64) \
    X(NAME, I32, I32, NAME##_I64_strip, I64, I64) X(NAME, I64, I64, NAME##_I64_strip, I64, I64) \
    X(NAME, U16, U16, NAME##_I64_strip, I64, I64) X(NAME, U32, U32, NAME##_I64_strip, I64, I64) \
    X(NAME, U64, I64, NAME##_I64_strip, I64, I64) \
    X(NAME, F16, HALVES, NAME##_HALVES_strip, F32, F16) X(NAME, BF16, HALVES, NAME##_HALVES_strip, F32, BF16) \
    X(NAME, F32, F32, NAME##_F32_strip, F32, F32) X(NAME, F64, F64, NAME##_F64_strip, F64, F64) \
    X(NAME, C64, C64, NULL, C64, C64) X(NAME, C128, C128, NULL, C128, C128)
#define WG_EVERY_SCAN(X) WG_SCANS_OF(X, cumsum) WG_SCANS_OF(X, cumprod) WG_LOG_SUMS(X)

#define WG_SCAN_FUNCTION(NAME, SRC, LINES, STRIP, READ, DST) \
    static wg_scan_source NAME##_##SRC##_source = {NAME##_##LINES##_lines, NAME##_##LINES##_MOST, STRIP}; \
    static void NAME##_of_##SRC(char *src, Py_ssize_t outer_n, Py_ssize_t outer_stride, Py_ssize_t n, \
                                Py_ssize_t stride, char *dst, Py_ssize_t dst_outer, Py_ssize_t dst_stride) { \
        wg_scan(src, outer_n, outer_stride, n, stride, dst, dst_outer, dst_stride, &NAME##_##SRC##_source); \
    }
WG_EVERY_SCAN(WG_SCAN_FUNCTION)

typedef struct {
    const char *name;
    int src, read, dst;                /* dtypes */
    wg_scan_fn fn;
    wg_scan_source *source;            /* the rest is filled in once, by wg_connect_scans */
} wg_scan_entry;
#define WG_SCAN_ENTRY(NAME, SRC, LINES, STRIP, READ, DST) \
    {#NAME, WG_##SRC, WG_##READ, WG_##DST, NAME##_of_##SRC, &NAME##_##SRC##_source},
static const wg_scan_entry WG_SCANS[] = {WG_EVERY_SCAN(WG_SCAN_ENTRY)};

/* Give scans the functions that convert. */
static void wg_connect_scans(wg_cast_fn (*cast)(int, int)) {
    for (int i = 0; i < WG_COUNT(WG_SCANS); i++) {
        const wg_scan_entry *e = &WG_SCANS[i];
        const int same = e->src == WG_U64; /* as int64 */
        e->source->load = cast(same ? WG_I64 : e->src, e->read);
        e->source->store = cast(e->read, e->dst);
        e->source->size = wg_itemsize(e->src);
        e->source->out_size = wg_itemsize(e->dst);
        e->source->is_read = same || e->src == e->read;
        e->source->is_written = e->read == e->dst;
    }
}

static wg_scan_fn wg_find_scan(const char *name, int src, int dst) {
    for (int i = 0; i < WG_COUNT(WG_SCANS); i++)
        if (WG_SCANS[i].src == src && WG_SCANS[i].dst == dst && strcmp(WG_SCANS[i].name, name) == 0)
            return WG_SCANS[i].fn;
    return NULL;
}

#endif
