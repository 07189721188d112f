/* cumsum and cumprod: strips of kept elements, each with an accumulator. Included by scan.pyx only.
 *
 * bool and integers accumulate in int64 (wrapping), float16 and bfloat16 in float, the rest in double.
 */
#ifndef WENGERT_SCAN_H
#define WENGERT_SCAN_H

#include "accumulate.h"

#define WG_SCAN_STRIP 64

typedef void (*wg_scan_fn)(char *, Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t, char *, Py_ssize_t, Py_ssize_t);
typedef struct { const char *name; int src, dst; wg_scan_fn fn; } wg_scan_entry;

#define WG_SCAN(NAME, SRC, LOAD, ACC, UNIT, OP, DST, STORE) \
    static void NAME##_line(char *src, Py_ssize_t n, Py_ssize_t stride, char *dst, Py_ssize_t dst_stride) { \
        ACC acc = UNIT; \
        for (; n > 0; n--, src += stride, dst += dst_stride) { \
            const ACC x = (ACC)LOAD(*(const SRC *)src); \
            acc = OP(acc, x); \
            *(DST *)dst = (DST)STORE(acc); \
        } \
    } \
    static void NAME##_strip(char *src, Py_ssize_t width, Py_ssize_t n, Py_ssize_t stride, char *dst, \
                             Py_ssize_t dst_stride) { \
        ACC acc[WG_SCAN_STRIP]; \
        for (Py_ssize_t j = 0; j < width; j++) acc[j] = UNIT; \
        for (; n > 0; n--, src += stride, dst += dst_stride) { \
            const SRC *s = (const SRC *)src; \
            DST *d = (DST *)dst; \
            for (Py_ssize_t j = 0; j < width; j++) acc[j] = OP(acc[j], (ACC)LOAD(s[j])); \
            for (Py_ssize_t j = 0; j < width; j++) d[j] = (DST)STORE(acc[j]); \
        } \
    } \
    static void NAME(char *src, Py_ssize_t outer_n, Py_ssize_t outer_stride, Py_ssize_t n, Py_ssize_t stride, \
                     char *dst, Py_ssize_t dst_outer, Py_ssize_t dst_stride) { \
        const int dense = outer_stride == (Py_ssize_t)sizeof(SRC) && dst_outer == (Py_ssize_t)sizeof(DST); \
        const Py_ssize_t width = dense ? WG_SCAN_STRIP : 1; \
        for (Py_ssize_t i = 0; i < outer_n; i += width, src += width * outer_stride, dst += width * dst_outer) { \
            if (!dense) NAME##_line(src, n, stride, dst, dst_stride); \
            else NAME##_strip(src, outer_n - i < width ? outer_n - i : width, n, stride, dst, dst_stride); \
        } \
    }

#define WG_SCANS(NAME, UNIT, OPI, OP) \
    WG_SCAN(NAME##_BOOL, uint8_t, WG_WIDE_BOOL, int64_t, UNIT, OPI, int64_t, WG_SAME) \
    WG_SCAN(NAME##_U8, uint8_t, WG_WIDE, int64_t, UNIT, OPI, int64_t, WG_SAME) \
    WG_SCAN(NAME##_I8, int8_t, WG_WIDE, int64_t, UNIT, OPI, int64_t, WG_SAME) \
    WG_SCAN(NAME##_I16, int16_t, WG_WIDE, int64_t, UNIT, OPI, int64_t, WG_SAME) \
    WG_SCAN(NAME##_U16, uint16_t, WG_WIDE, int64_t, UNIT, OPI, int64_t, WG_SAME) \
    WG_SCAN(NAME##_U32, uint32_t, WG_WIDE, int64_t, UNIT, OPI, int64_t, WG_SAME) \
    WG_SCAN(NAME##_I32, int32_t, WG_WIDE, int64_t, UNIT, OPI, int64_t, WG_SAME) \
    WG_SCAN(NAME##_I64, int64_t, WG_SAME, int64_t, UNIT, OPI, int64_t, WG_SAME) \
    WG_SCAN(NAME##_F16, uint16_t, wg_half_to_float, float, UNIT, OP, uint16_t, wg_float_to_half) \
    WG_SCAN(NAME##_BF16, uint16_t, wg_bfloat_to_float, float, UNIT, OP, uint16_t, wg_float_to_bfloat) \
    WG_SCAN(NAME##_F32, float, WG_SAME, double, UNIT, OP, float, WG_SAME) \
    WG_SCAN(NAME##_F64, double, WG_SAME, double, UNIT, OP, double, WG_SAME)
WG_SCANS(cumsum, 0, wg_add_i64, WG_ADD)
WG_SCANS(cumprod, 1, wg_mul_i64, WG_MUL)

#define WG_SCAN_COMPLEX(NAME, T, PART, UNIT, OP) \
    static void NAME(char *src, Py_ssize_t outer_n, Py_ssize_t outer_stride, Py_ssize_t n, Py_ssize_t stride, \
                     char *dst, Py_ssize_t dst_outer, Py_ssize_t dst_stride) { \
        for (Py_ssize_t i = 0; i < outer_n; i++) { \
            wg_c128 acc = UNIT; \
            for (Py_ssize_t k = 0; k < n; k++) { \
                const T *x = (const T *)(src + i * outer_stride + k * stride); \
                T *sum = (T *)(dst + i * dst_outer + k * dst_stride); \
                const wg_c128 wide = {x->re, x->im}; \
                acc = OP(acc, wide); \
                sum->re = (PART)acc.re; \
                sum->im = (PART)acc.im; \
            } \
        } \
    }
WG_SCAN_COMPLEX(cumsum_C64, wg_c64, float, WG_ZERO_wg_c128, wg_add_wg_c128)
WG_SCAN_COMPLEX(cumsum_C128, wg_c128, double, WG_ZERO_wg_c128, wg_add_wg_c128)
WG_SCAN_COMPLEX(cumprod_C64, wg_c64, float, WG_ONE_wg_c128, wg_mul_wg_c128)
WG_SCAN_COMPLEX(cumprod_C128, wg_c128, double, WG_ONE_wg_c128, wg_mul_wg_c128)

/* uint64 wraps as int64 does: the same bits. */
#define WG_SCAN_ROWS(NAME) \
    {#NAME, WG_BOOL, WG_I64, NAME##_BOOL}, {#NAME, WG_U8, WG_I64, NAME##_U8}, {#NAME, WG_I8, WG_I64, NAME##_I8}, \
    {#NAME, WG_I16, WG_I64, NAME##_I16}, {#NAME, WG_I32, WG_I64, NAME##_I32}, {#NAME, WG_I64, WG_I64, NAME##_I64}, \
    {#NAME, WG_F16, WG_F16, NAME##_F16}, {#NAME, WG_BF16, WG_BF16, NAME##_BF16}, {#NAME, WG_F32, WG_F32, NAME##_F32}, \
    {#NAME, WG_F64, WG_F64, NAME##_F64}, {#NAME, WG_C64, WG_C64, NAME##_C64}, {#NAME, WG_C128, WG_C128, NAME##_C128}, \
    {#NAME, WG_U16, WG_I64, NAME##_U16}, {#NAME, WG_U32, WG_I64, NAME##_U32}, {#NAME, WG_U64, WG_I64, NAME##_I64}
static const wg_scan_entry WG_SCANS_TABLE[] = {WG_SCAN_ROWS(cumsum), WG_SCAN_ROWS(cumprod)};

static wg_scan_fn wg_find_scan(const char *name, int src, int dst) {
    for (int i = 0; i < WG_COUNT(WG_SCANS_TABLE); i++) {
        const wg_scan_entry *entry = &WG_SCANS_TABLE[i];
        if (entry->src == src && entry->dst == dst && strcmp(entry->name, name) == 0) return entry->fn;
    }
    return NULL;
}

#endif
