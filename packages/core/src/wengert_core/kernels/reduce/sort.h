/* Ordering the elements of one line: all of them, the k best, the k-th, the most frequent. Included by
 * drivers/reduce/sort.pyx only.
 *
 * Note [Keys]
 *     Each element becomes an unsigned integer whose order is that of the elements: a sign bit turned over, all bits of
 *     a negative float, NaN the largest, -0.0 as 0.0. Descending order turns all bits of the keys over. So there is one
 *     sort for all dtypes, and it is stable: by insertion for a few elements, else by radix, least significant digit
 *     first; a digit in which all keys agree costs no pass. Keys are 32 bits wide, for 64-bit numbers 64.
 */
#ifndef WENGERT_ORDER_H
#define WENGERT_ORDER_H

#include <stdlib.h>
#include <string.h>

#include "wengert_core/kernels/dtypes.h"

#define WG_FEW 24       /* elements that insertion sorts fastest */
#define WG_BLOCK 256    /* keys that the search for the k best looks at together */
#define WG_MANY 4096    /* keys worth several counts */
#define WG_BEST 64      /* up to so many are kept in order while searching */

enum { WG_SORT, WG_BEST_K, WG_KTH, WG_MEDIAN, WG_NANMEDIAN, WG_MODE };

typedef struct {
    int what, code, flip; /* flip: descending */
    Py_ssize_t n, k;      /* of a line; how many are asked for, or which (from 0) */
    Py_ssize_t stride, side, block_stride, side_stride; /* bytes; lines are numbered block * side + place */
    Py_ssize_t kept, out_block, out_side; /* elements of a result line, elements between result lines */
    const char *data;
    char *values;
    int64_t *indices;
    int failed; /* no memory */
} wg_ordering;

#define WG_LOAD_KEYS(NAME, SRC, KEY, EXPR) \
    WG_INLINE void NAME(const char *src, Py_ssize_t stride, Py_ssize_t n, KEY flip, KEY *out) { \
        for (Py_ssize_t i = 0; i < n; i++, src += stride) { \
            SRC x; \
            memcpy(&x, src, sizeof x); \
            out[i] = (KEY)(EXPR) ^ flip; \
        } \
    }

WG_INLINE uint32_t wg_key_16(uint32_t h, uint32_t inf) {
    const uint32_t u = h == 0x8000u ? 0 : h;
    return (u & 0x7FFFu) > inf ? 0xFFFFFFFFu : u ^ (u & 0x8000u ? 0xFFFFu : 0x8000u);
}
WG_INLINE uint32_t wg_key_f32(uint32_t w) {
    const uint32_t u = w == 0x80000000u ? 0 : w;
    return (u & 0x7FFFFFFFu) > 0x7F800000u ? 0xFFFFFFFFu : u ^ ((uint32_t)((int32_t)u >> 31) | 0x80000000u);
}
WG_INLINE uint64_t wg_key_f64(uint64_t w) {
    const uint64_t u = w == 0x8000000000000000u ? 0 : w;
    return (u & 0x7FFFFFFFFFFFFFFFu) > 0x7FF0000000000000u ? 0xFFFFFFFFFFFFFFFFu
                                                           : u ^ ((uint64_t)((int64_t)u >> 63) | 0x8000000000000000u);
}

WG_LOAD_KEYS(wg_keys_u8, uint8_t, uint32_t, x)
WG_LOAD_KEYS(wg_keys_i8, uint8_t, uint32_t, x ^ 0x80u)
WG_LOAD_KEYS(wg_keys_u16, uint16_t, uint32_t, x)
WG_LOAD_KEYS(wg_keys_u32, uint32_t, uint32_t, x)
WG_LOAD_KEYS(wg_keys_u64, uint64_t, uint64_t, x)
WG_LOAD_KEYS(wg_keys_i16, uint16_t, uint32_t, x ^ 0x8000u)
WG_LOAD_KEYS(wg_keys_i32, uint32_t, uint32_t, x ^ 0x80000000u)
WG_LOAD_KEYS(wg_keys_i64, uint64_t, uint64_t, x ^ 0x8000000000000000u)
WG_LOAD_KEYS(wg_keys_f16, uint16_t, uint32_t, wg_key_16(x, 0x7C00u))
WG_LOAD_KEYS(wg_keys_bf16, uint16_t, uint32_t, wg_key_16(x, 0x7F80u))
WG_LOAD_KEYS(wg_keys_f32, uint32_t, uint32_t, wg_key_f32(x))
WG_LOAD_KEYS(wg_keys_f64, uint64_t, uint64_t, wg_key_f64(x))

WG_CLONES static void wg_keys_f32_run(const char *src, Py_ssize_t n, uint32_t flip, uint32_t *out) {
    wg_keys_f32(src, 4, n, flip, out); /* a constant stride vectorises */
}

static void wg_load_u32(int code, const char *src, Py_ssize_t stride, Py_ssize_t n, int flip, uint32_t *out) {
    const uint32_t turned = flip ? 0xFFFFFFFFu : 0;
    switch (code) {
    case WG_BOOL: case WG_U8: wg_keys_u8(src, stride, n, turned, out); break;
    case WG_I8: wg_keys_i8(src, stride, n, turned, out); break;
    case WG_I16: wg_keys_i16(src, stride, n, turned, out); break;
    case WG_I32: wg_keys_i32(src, stride, n, turned, out); break;
    case WG_U16: wg_keys_u16(src, stride, n, turned, out); break;
    case WG_U32: wg_keys_u32(src, stride, n, turned, out); break;
    case WG_F16: wg_keys_f16(src, stride, n, turned, out); break;
    case WG_BF16: wg_keys_bf16(src, stride, n, turned, out); break;
    case WG_F32:
        if (stride == 4) wg_keys_f32_run(src, n, turned, out);
        else wg_keys_f32(src, stride, n, turned, out);
        break;
    }
}

static void wg_load_u64(int code, const char *src, Py_ssize_t stride, Py_ssize_t n, int flip, uint64_t *out) {
    const uint64_t turned = flip ? 0xFFFFFFFFFFFFFFFFu : 0;
    if (code == WG_I64) wg_keys_i64(src, stride, n, turned, out);
    else if (code == WG_U64) wg_keys_u64(src, stride, n, turned, out);
    else wg_keys_f64(src, stride, n, turned, out);
}

/* One pass of a radix sort: `from` to `to` by the digit of BITS bits at SHIFT; 0 when all keys agree in it. */
#define WG_ORDER(KEY, NAME, WIDTH) \
    static int NAME##_pass(const KEY *k, const uint32_t *p, Py_ssize_t n, KEY *k2, uint32_t *p2, int shift, \
                           int bits) { \
        uint32_t count[2048]; \
        const KEY mask = ((KEY)1 << bits) - 1; \
        memset(count, 0, sizeof(uint32_t) << bits); \
        for (Py_ssize_t i = 0; i < n; i++) count[k[i] >> shift & mask]++; \
        if (count[k[0] >> shift & mask] == (uint32_t)n) return 0; \
        uint32_t before = 0; \
        for (Py_ssize_t d = 0; d <= (Py_ssize_t)mask; d++) { \
            const uint32_t here = count[d]; \
            count[d] = before; \
            before += here; \
        } \
        for (Py_ssize_t i = 0; i < n; i++) { \
            const uint32_t at = count[k[i] >> shift & mask]++; \
            k2[at] = k[i]; \
            p2[at] = p[i]; \
        } \
        return 1; \
    } \
    static void NAME##_insert(KEY *k, uint32_t *p, Py_ssize_t n) { \
        for (Py_ssize_t i = 1; i < n; i++) { \
            const KEY key = k[i]; \
            const uint32_t position = p[i]; \
            Py_ssize_t j = i; \
            for (; j > 0 && k[j - 1] > key; j--) { \
                k[j] = k[j - 1]; \
                p[j] = p[j - 1]; \
            } \
            k[j] = key; \
            p[j] = position; \
        } \
    } \
    /* Sort n keys with their places; what is sorted lies in k and p, or in k2 and p2: then 1. */ \
    static int NAME##_sort(KEY *k, uint32_t *p, Py_ssize_t n, KEY *k2, uint32_t *p2) { \
        int moved = 0; \
        const int bits = n < 4096 ? 8 : 11; \
        if (n <= WG_FEW) { \
            NAME##_insert(k, p, n); \
            return 0; \
        } \
        for (int shift = 0; shift < WIDTH; shift += bits) { \
            if (moved ? NAME##_pass(k2, p2, n, k, p, shift, bits) : NAME##_pass(k, p, n, k2, p2, shift, bits)) \
                moved = !moved; \
        } \
        return moved; \
    } \
    /* The k smallest keys of a line in order, few of many: an ordered list of k, and blocks that hold nothing better \
       are passed over. */ \
    static void NAME##_few(const wg_ordering *o, const char *src, KEY *best, uint32_t *position) { \
        KEY block[WG_BLOCK]; \
        Py_ssize_t have = 0; \
        const Py_ssize_t k = o->k; \
        for (Py_ssize_t start = 0; start < o->n; start += WG_BLOCK) { \
            const Py_ssize_t n = o->n - start < WG_BLOCK ? o->n - start : WG_BLOCK; \
            NAME##_load(o->code, src + start * o->stride, o->stride, n, o->flip, block); \
            if (have == k) { \
                KEY low = block[0]; \
                for (Py_ssize_t i = 1; i < n; i++) low = block[i] < low ? block[i] : low; \
                if (low >= best[k - 1]) continue; \
            } \
            for (Py_ssize_t i = 0; i < n; i++) { \
                const KEY key = block[i]; \
                if (have == k && key >= best[k - 1]) continue; \
                Py_ssize_t j = have < k ? have++ : k - 1; \
                for (; j > 0 && best[j - 1] > key; j--) { \
                    best[j] = best[j - 1]; \
                    position[j] = position[j - 1]; \
                } \
                best[j] = key; \
                position[j] = (uint32_t)(start + i); \
            } \
        } \
    } \
    WG_CLONES static uint32_t NAME##_equal(const KEY *k, uint32_t n, KEY key) { \
        uint32_t count = 0; \
        for (uint32_t i = 0; i < n; i++) count += k[i] == key; \
        return count; \
    } \
    /* The place of the k-th smallest key (from 0); of equal ones, the one that a stable sort would put there. */ \
    static Py_ssize_t NAME##_kth(const KEY *k, Py_ssize_t n, Py_ssize_t kth, KEY *left) { \
        uint32_t count[2048], more[3][2048]; \
        const KEY *some = k; \
        Py_ssize_t m = n; \
        KEY known = 0, mask = 0; \
        for (int top = WIDTH; top > 0;) { \
            const int bits = top < 11 ? top : 11, shift = top - bits; \
            const KEY digit = ((KEY)1 << bits) - 1; \
            Py_ssize_t d = 0, i = 0; \
            memset(count, 0, sizeof count); \
            /* four counts: many keys begin alike, and an addition waits for the last one to its number */ \
            if (m >= WG_MANY) { \
                memset(more, 0, sizeof more); \
                for (; i + 3 < m; i += 4) { \
                    count[some[i] >> shift & digit]++; \
                    more[0][some[i + 1] >> shift & digit]++; \
                    more[1][some[i + 2] >> shift & digit]++; \
                    more[2][some[i + 3] >> shift & digit]++; \
                } \
                for (Py_ssize_t j = 0; j < 2048; j++) count[j] += more[0][j] + more[1][j] + more[2][j]; \
            } \
            for (; i < m; i++) count[some[i] >> shift & digit]++; \
            while (kth >= (Py_ssize_t)count[d]) kth -= count[d++]; \
            known |= (KEY)d << shift; \
            mask |= digit << shift; \
            Py_ssize_t found = 0; \
            for (Py_ssize_t i = 0; i < m; i++) { \
                left[found] = some[i]; \
                found += (some[i] & mask) == known; \
            } \
            some = left; \
            m = found; \
            top = shift; \
        } \
        Py_ssize_t at = 0; \
        for (; n - at > WG_BLOCK; at += WG_BLOCK) { \
            const Py_ssize_t here = NAME##_equal(k + at, WG_BLOCK, known); \
            if (kth < here) break; \
            kth -= here; \
        } \
        for (;; at++) { \
            if (k[at] == known && kth-- == 0) return at; \
        } \
    } \
    /* The end of the longest run of sorted keys, of the first if several are as long; NaN is equal to nothing. */ \
    static Py_ssize_t NAME##_mode(const KEY *k, Py_ssize_t n, int is_float) { \
        Py_ssize_t most = 0, run = 0, end = 0; \
        for (Py_ssize_t i = 0; i < n; i++) { \
            run = i > 0 && k[i] == k[i - 1] && !(is_float && k[i] == (KEY)-1) ? run + 1 : 1; \
            if (run > most) { most = run; end = i; } \
        } \
        return end; \
    } \
    static int NAME##_line(const wg_ordering *o, const char *src, char *memory, uint32_t *order) { \
        KEY *k = (KEY *)memory, *k2 = k + o->n; \
        uint32_t *p = (uint32_t *)(k2 + o->n), *p2 = p + o->n; \
        Py_ssize_t kth = o->k, missing = 0; \
        if (o->what == WG_BEST_K && o->k <= WG_BEST) { \
            NAME##_few(o, src, k, order); \
            return 0; \
        } \
        NAME##_load(o->code, src, o->stride, o->n, o->flip, k); \
        if (o->what == WG_SORT || o->what == WG_BEST_K || o->what == WG_MODE) { \
            for (Py_ssize_t i = 0; i < o->n; i++) p[i] = (uint32_t)i; \
            const int moved = NAME##_sort(k, p, o->n, k2, p2); \
            const KEY *sorted = moved ? k2 : k; \
            const Py_ssize_t from = o->what == WG_MODE ? NAME##_mode(sorted, o->n, wg_is_float(o->code)) : 0; \
            memcpy(order, (moved ? p2 : p) + from, sizeof(uint32_t) * o->kept); \
            return 0; \
        } \
        if (o->what != WG_KTH) { \
            for (Py_ssize_t i = 0; wg_is_float(o->code) && i < o->n; i += WG_BLOCK) \
                missing += NAME##_equal(k + i, (uint32_t)(o->n - i < WG_BLOCK ? o->n - i : WG_BLOCK), (KEY)-1); \
            kth = o->n - missing; \
            if (!missing || (o->what == WG_NANMEDIAN && kth)) kth = (kth - 1) / 2; \
            else if (o->what == WG_NANMEDIAN) kth = 0; \
        } \
        *order = (uint32_t)NAME##_kth(k, o->n, kth, k2); \
        return 0; \
    }
#define wg_order_u32_load wg_load_u32
#define wg_order_u64_load wg_load_u64
WG_ORDER(uint32_t, wg_order_u32, 32)
WG_ORDER(uint64_t, wg_order_u64, 64)

#define WG_GATHER(T) \
    for (Py_ssize_t i = 0; i < o->kept; i++) { \
        if (values != NULL) ((T *)values)[i * o->out_side] = *(const T *)(src + order[i] * o->stride); \
        indices[i * o->out_side] = order[i]; \
    }

/* Lines begin .. end of the input; values may be NULL. */
static void wg_order_lines(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    wg_ordering *o = (wg_ordering *)ctx;
    const int wide = o->code == WG_I64 || o->code == WG_U64 || o->code == WG_F64;
    const Py_ssize_t item = wg_itemsize(o->code);
    const Py_ssize_t room = o->what == WG_BEST_K && o->k <= WG_BEST ? WG_BEST : o->n;
    char small[24 * WG_BLOCK];
    uint32_t small_order[WG_BLOCK];
    const int on_stack = room <= WG_BLOCK;
    char *memory = on_stack ? small : malloc((size_t)room * (wide ? 24 : 16));
    uint32_t *order = on_stack ? small_order : malloc((size_t)room * sizeof(uint32_t));
    if (memory == NULL || order == NULL) o->failed = 1;
    for (Py_ssize_t line = begin; line < end && !o->failed; line++) {
        const char *src = o->data + line / o->side * o->block_stride + line % o->side * o->side_stride;
        const Py_ssize_t at = line / o->side * o->out_block + line % o->side;
        char *values = o->values == NULL ? NULL : o->values + at * item;
        int64_t *indices = o->indices + at;
        if (wide) wg_order_u64_line(o, src, memory, order);
        else wg_order_u32_line(o, src, memory, order);
        switch (item) {
        case 1: WG_GATHER(uint8_t) break;
        case 2: WG_GATHER(uint16_t) break;
        case 4: WG_GATHER(uint32_t) break;
        default: WG_GATHER(uint64_t) break;
        }
    }
    if (!on_stack) {
        free(memory);
        free(order);
    }
}

#endif
