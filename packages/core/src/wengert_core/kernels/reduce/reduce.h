/* Templates of reductions: rows (the reduced dim inside) and columns (the kept dim inside).
 *
 * Note [How a reduction adds up]
 * Rows: blocks of 1024 elements, each over enough independent lanes to fill the vector units; the blocks are combined
 * in pairs, so the error grows with log n. Columns: strips of kept elements; every 16 rows a level of partial
 * results is folded into the next, so the error grows with 16 log16 n. Few rows have few levels: two of them are an
 * addition.
 *
 * OP(a, b) must be associative and commutative up to rounding, with identity ZERO.
 *
 * Note [What a reduction reads]
 * There are loops for one dtype in memory without gaps. Another dtype, and elements with gaps, are loaded into a buffer
 * in the first-level cache, block by block, and the loops run over that: a loop for each dtype, vectorised for strides
 * as well, would be a megabyte. Short rows that lie side by side are loaded many at a time. Sums of integers need no
 * buffer for elements with gaps: a small loop of each dtype adds them. See gaps.h.
 */
#ifndef WENGERT_REDUCE_H
#define WENGERT_REDUCE_H

#include "gaps.h"

#define WG_BLOCK 1024
#define WG_STRIP_BYTES 4096            /* of accumulators of kept elements side by side: long pieces of each page */
#define WG_STRIP(ACC) ((Py_ssize_t)(WG_STRIP_BYTES / sizeof(ACC)))
#define WG_LEVELS 6
#define WG_FAN 16
#define WG_FEW 8                       /* elements with gaps that are read one by one */

/* Attribute of the vectorised loops: WG_CLONES around the instantiations that are worth the space. */
#define WG_REDUCE_ATTR WG_OUTLINE

typedef void (*wg_reduce_fn)(char *, Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t, char *, Py_ssize_t);

/* How the elements of a dtype come into a loop, and its results out of it. Note [What a reduction reads] */
typedef struct {
    wg_cast_fn load;                   /* by strides, to what the loop reads */
    wg_cast_fn store;                  /* from what the loop accumulates in */
    wg_gaps_fn add_gaps;               /* integers with gaps, to int64 */
    Py_ssize_t size;                   /* bytes of an element */
    int is_direct, is_stored, is_whole; /* the loop reads this dtype itself; it accumulates in the result's; both */
} wg_reduce_source;

/* Before a loop of few steps, which the compiler knows: lanes stay in registers. */
#if defined(__GNUC__) && !defined(__clang__)
#define WG_UNROLLED _Pragma("GCC unroll 8")
#else
#define WG_UNROLLED
#endif

/* One block of at most WG_BLOCK elements, ACCESS(i) giving element i as a SRC. */
#define WG_BLOCK_BODY(SRC, LOAD, ACC, ZERO, OP, ACCESS) \
    enum { LANES = sizeof(ACC) == 1 ? 128 : sizeof(ACC) == 16 ? 8 : 32 }; \
    ACC lane[LANES], total = ZERO; \
    Py_ssize_t i = 0; \
    if (n >= LANES) { \
        for (int j = 0; j < LANES; j++) lane[j] = ZERO; \
        for (; i + LANES <= n; i += LANES) \
            for (int j = 0; j < LANES; j++) lane[j] = OP(lane[j], LOAD(ACCESS(i + j))); \
        WG_UNROLLED \
        for (int half = LANES / 2; half >= 8; half /= 2) \
            for (int j = 0; j < half; j++) lane[j] = OP(lane[j], lane[j + half]); \
        for (; i + 8 <= n; i += 8) { \
            for (int j = 0; j < 8; j++) lane[j] = OP(lane[j], LOAD(ACCESS(i + j))); \
            WG_SCALAR; \
        } \
        WG_UNROLLED \
        for (int half = 4; half > 0; half /= 2) \
            for (int j = 0; j < half; j++) lane[j] = OP(lane[j], lane[j + half]); \
        total = lane[0]; \
    } \
    for (; i < n; i++) total = OP(total, LOAD(ACCESS(i))); \
    return total;

#define WG_AT_INDEX(i) (x[i])
#define WG_AT_STRIDE(i) (*(const SRC_T *)(x + (i) * stride))

#define WG_REDUCE_BLOCK(NAME, SRC, LOAD, ACC, ZERO, OP) \
    WG_REDUCE_ATTR static ACC NAME##_block(const SRC *x, Py_ssize_t n) { \
        WG_BLOCK_BODY(SRC, LOAD, ACC, ZERO, OP, WG_AT_INDEX) \
    }

/* Elements with gaps: WG_GAPS_LOOP reads them itself, WG_GAPS_LOAD loads them, which takes a tenth of the space, and
   WG_GAPS_SUM has them added. GAP_ROWS: how many rows of columns with gaps are read together; 0: they are loaded. */
#define WG_GAPS_LOOP(NAME, SRC, LOAD, ACC, ZERO, OP) \
    enum { NAME##_GAP_ROWS = 1 }; \
    static WG_OUTLINE ACC NAME##_strided(const char *x, Py_ssize_t stride, Py_ssize_t n) { \
        typedef SRC SRC_T; \
        WG_BLOCK_BODY(SRC, LOAD, ACC, ZERO, OP, WG_AT_STRIDE) \
    } \
    WG_INLINE ACC NAME##_gaps(char *src, Py_ssize_t stride, Py_ssize_t n, SRC *buffer, const wg_reduce_source *from) { \
        if (from->is_direct) return NAME##_strided(src, stride, n); \
        from->load(src, stride, (char *)buffer, sizeof(SRC), n); \
        return NAME##_block(buffer, n); \
    } \
    WG_INLINE void NAME##_gap_rows(ACC *acc, const char *src, Py_ssize_t kept_stride, Py_ssize_t width, \
                                   Py_ssize_t stride, Py_ssize_t n, const wg_reduce_source *from) { \
        for (Py_ssize_t j = 0; j < width; j++, src += kept_stride) acc[j] = OP(acc[j], LOAD(*(const SRC *)src)); \
    }
#define WG_GAPS_LOAD(NAME, SRC, LOAD, ACC, ZERO, OP) \
    enum { NAME##_GAP_ROWS = 0 }; \
    WG_INLINE ACC NAME##_gaps(char *src, Py_ssize_t stride, Py_ssize_t n, SRC *buffer, const wg_reduce_source *from) { \
        ACC total = ZERO; \
        if (n < WG_FEW && from->is_direct) { \
            for (; n > 0; n--, src += stride) { \
                total = OP(total, LOAD(*(const SRC *)src)); \
                WG_SCALAR; \
            } \
            return total; \
        } \
        from->load(src, stride, (char *)buffer, sizeof(SRC), n); \
        return NAME##_block(buffer, n); \
    } \
    WG_INLINE void NAME##_gap_rows(ACC *acc, const char *src, Py_ssize_t kept_stride, Py_ssize_t width, \
                                   Py_ssize_t stride, Py_ssize_t n, const wg_reduce_source *from) {}
#define WG_GAPS_SUM(NAME, SRC, LOAD, ACC, ZERO, OP) \
    enum { NAME##_GAP_ROWS = WG_FAN }; \
    WG_INLINE ACC NAME##_gaps(char *src, Py_ssize_t stride, Py_ssize_t n, SRC *buffer, const wg_reduce_source *from) { \
        ACC total = ZERO; \
        from->add_gaps(&total, src, 0, 1, stride, n); \
        return total; \
    } \
    WG_INLINE void NAME##_gap_rows(ACC *acc, const char *src, Py_ssize_t kept_stride, Py_ssize_t width, \
                                   Py_ssize_t stride, Py_ssize_t n, const wg_reduce_source *from) { \
        from->add_gaps(acc, src, kept_stride, width, stride, n); \
    }

#define WG_REDUCE_ROWS(NAME, SRC, LOAD, ACC, ZERO, OP) \
    static ACC NAME##_row(char *src, Py_ssize_t n, Py_ssize_t stride, const wg_reduce_source *from) { \
        SRC buffer[WG_BLOCK]; \
        ACC stack[64], total; \
        int top = 0; \
        size_t blocks = 0; \
        const int direct = from->is_direct && stride == (Py_ssize_t)sizeof(SRC); \
        /* extremes and truths of small integers are the same in any order: one block */ \
        const Py_ssize_t most = direct && sizeof(ACC) <= 2 ? n : WG_BLOCK; \
        for (;;) { \
            const Py_ssize_t m = n > most ? most : n; \
            total = direct ? NAME##_block((const SRC *)src, m) : NAME##_gaps(src, stride, m, buffer, from); \
            n -= m; \
            if (n == 0) break; \
            src += m * stride; \
            for (size_t k = ++blocks; !(k & 1); k >>= 1) { --top; total = OP(stack[top], total); } \
            stack[top++] = total; \
        } \
        while (top > 0) { --top; total = OP(stack[top], total); } \
        return total; \
    } \
    static void NAME##_rows(char *src, Py_ssize_t outer_n, Py_ssize_t n, char *dst, Py_ssize_t dst_stride, \
                            const wg_reduce_source *from) { \
        SRC buffer[WG_BLOCK]; \
        const Py_ssize_t many = WG_BLOCK / n; \
        for (Py_ssize_t i = 0; i < outer_n; i += many, src += many * n * from->size) { \
            const Py_ssize_t m = outer_n - i < many ? outer_n - i : many; \
            from->load(src, from->size, (char *)buffer, sizeof(SRC), m * n); \
            for (Py_ssize_t k = 0; k < m; k++, dst += dst_stride) { \
                ACC total = NAME##_block(buffer + k * n, n); \
                if (from->is_stored) *(ACC *)dst = total; \
                else from->store((char *)&total, 0, dst, 0, 1); \
            } \
        } \
    }

#define WG_REDUCE_STEPS(NAME, SRC, LOAD, ACC, ZERO, OP) \
    WG_REDUCE_ATTR static void NAME##_fold(ACC *into, ACC *from, Py_ssize_t width) { \
        for (Py_ssize_t j = 0; j < width; j++) { into[j] = OP(into[j], from[j]); from[j] = ZERO; } \
    } \
    WG_REDUCE_ATTR static void NAME##_four(ACC *acc, const char *src, Py_ssize_t stride, Py_ssize_t width) { \
        const SRC *a = (const SRC *)src, *b = (const SRC *)(src + stride), *c = (const SRC *)(src + 2 * stride), \
                  *d = (const SRC *)(src + 3 * stride); \
        WG_IVDEP \
        for (Py_ssize_t j = 0; j < width; j++) { \
            const ACC ab = OP(LOAD(a[j]), LOAD(b[j])), cd = OP(LOAD(c[j]), LOAD(d[j])), four = OP(ab, cd); \
            acc[j] = OP(acc[j], four); \
        } \
    } \
    WG_REDUCE_ATTR static void NAME##_next(ACC *acc, const char *src, Py_ssize_t width) { \
        const SRC *a = (const SRC *)src; \
        WG_IVDEP \
        for (Py_ssize_t j = 0; j < width; j++) acc[j] = OP(acc[j], LOAD(a[j])); \
    }

#define WG_REDUCE_COLUMNS(NAME, SRC, LOAD, ACC, ZERO, OP) \
    static void NAME##_strip(char *src, Py_ssize_t width, Py_ssize_t kept_stride, Py_ssize_t n, Py_ssize_t stride, \
                             char *dst, Py_ssize_t dst_stride, const wg_reduce_source *from) { \
        enum { STRIP = WG_STRIP(ACC) }; \
        ACC level[WG_LEVELS][STRIP]; \
        SRC buffer[4 * STRIP]; \
        const int contiguous = kept_stride == from->size, direct = contiguous && from->is_direct; \
        const int gaps = !contiguous && (NAME##_GAP_ROWS > 1 || (NAME##_GAP_ROWS && from->is_direct)); \
        /* rows to load together: as many as fit where they lie side by side */ \
        const Py_ssize_t most = contiguous ? stride == width * from->size ? 4 * (STRIP / width) : 4 : 1; \
        const Py_ssize_t step = direct ? stride : width * (Py_ssize_t)sizeof(SRC); \
        const char *x = src; \
        int levels = 1; \
        Py_ssize_t row = 0, loaded = 0; \
        for (Py_ssize_t k = n; k >= WG_FAN && levels < WG_LEVELS; k /= WG_FAN) levels++; \
        for (int k = 0; k < levels; k++) \
            for (Py_ssize_t j = 0; j < width; j++) level[k][j] = ZERO; \
        while (row < n) { \
            const Py_ssize_t left = n - row, some = left < NAME##_GAP_ROWS ? left : NAME##_GAP_ROWS; \
            const Py_ssize_t m = gaps ? some : contiguous && left >= 4 ? 4 : 1; \
            if (gaps) NAME##_gap_rows(level[0], src + row * stride, kept_stride, width, stride, m, from); \
            else if (!direct && row == loaded) { \
                const Py_ssize_t k = n - row < most ? n - row : most; \
                x = (const char *)buffer; \
                if (most > 4) from->load(src + row * stride, from->size, (char *)buffer, sizeof(SRC), k * width); \
                else for (int i = 0; i < k; i++) \
                    from->load(src + (row + i) * stride, kept_stride, (char *)(buffer + i * width), sizeof(SRC), \
                               width); \
                loaded = row + k; \
            } \
            if (!gaps && m == 4) NAME##_four(level[0], x, step, width); \
            else if (!gaps) NAME##_next(level[0], x, width); \
            row += m; \
            x += m * step; \
            Py_ssize_t done = row; \
            for (int k = 0; k + 1 < levels && done % WG_FAN == 0; k++, done /= WG_FAN) \
                NAME##_fold(level[k + 1], level[k], width); \
        } \
        for (int k = 0; k + 1 < levels; k++) NAME##_fold(level[k + 1], level[k], width); \
        from->store((char *)level[levels - 1], sizeof(ACC), dst, dst_stride, width); \
    }

/* NAME_at_once: one row of a block at most, which needs nothing but the loop; 0 where it is something else.
   NAME_from: by columns when the kept dim is the closer one in memory and not short. */
#define WG_REDUCE_LOOPS(NAME, GAPS, SRC, LOAD, ACC, ZERO, OP) \
    GAPS(NAME, SRC, LOAD, ACC, ZERO, OP) \
    WG_REDUCE_ROWS(NAME, SRC, LOAD, ACC, ZERO, OP) \
    WG_REDUCE_COLUMNS(NAME, SRC, LOAD, ACC, ZERO, OP) \
    WG_INLINE int NAME##_at_once(char *src, Py_ssize_t outer_n, Py_ssize_t n, Py_ssize_t stride, char *dst, \
                                 const wg_reduce_source *from) { \
        if (outer_n != 1 || n > WG_BLOCK || stride != (Py_ssize_t)sizeof(SRC) || !from->is_whole) return 0; \
        *(ACC *)dst = NAME##_block((const SRC *)src, n); \
        return 1; \
    } \
    static WG_OUTLINE void NAME##_from(char *src, Py_ssize_t outer_n, Py_ssize_t outer_stride, Py_ssize_t n, \
                                       Py_ssize_t stride, char *dst, Py_ssize_t dst_stride, \
                                       const wg_reduce_source *from) { \
        const Py_ssize_t near = outer_stride < 0 ? -outer_stride : outer_stride, far = stride < 0 ? -stride : stride; \
        if (outer_n >= 8 && near < far) { \
            for (Py_ssize_t i = 0; i < outer_n; i += WG_STRIP(ACC)) \
                NAME##_strip(src + i * outer_stride, outer_n - i < WG_STRIP(ACC) ? outer_n - i : WG_STRIP(ACC), \
                             outer_stride, n, stride, dst + i * dst_stride, dst_stride, from); \
        } else if (!from->is_direct && 0 < n && n <= WG_BLOCK / 2 && stride == from->size && \
                   outer_stride == n * stride) { \
            NAME##_rows(src, outer_n, n, dst, dst_stride, from); \
        } else { \
            for (; outer_n > 0; outer_n--, src += outer_stride, dst += dst_stride) { \
                ACC total = NAME##_row(src, n, stride, from); \
                if (from->is_stored) *(ACC *)dst = total; \
                else from->store((char *)&total, 0, dst, 0, 1); \
            } \
        } \
    }

#define WG_REDUCE(NAME, GAPS, SRC, LOAD, ACC, ZERO, OP) \
    WG_REDUCE_BLOCK(NAME, SRC, LOAD, ACC, ZERO, OP) \
    WG_REDUCE_STEPS(NAME, SRC, LOAD, ACC, ZERO, OP) \
    WG_REDUCE_LOOPS(NAME, GAPS, SRC, LOAD, ACC, ZERO, OP)

typedef struct {
    const char *name;
    int src, read, acc, dst;           /* dtypes: of the source, of what the loop reads, accumulates in, and gives */
    wg_reduce_fn fn;
    wg_reduce_source *source;          /* filled once, by wg_connect */
} wg_reduce_entry;

/* Truths of 16-bit floats, which are those of their bits without the sign. */
static void wg_load_true_half(char *src, Py_ssize_t stride, char *dst, Py_ssize_t dst_stride, Py_ssize_t n) {
    uint8_t *truth = (uint8_t *)dst;   /* a buffer of bytes: dst_stride is 1 */
    (void)dst_stride;
    if (stride == 2)
        for (Py_ssize_t i = 0; i < n; i++) truth[i] = (((const uint16_t *)src)[i] & 0x7FFF) != 0;
    else
        for (Py_ssize_t i = 0; i < n; i++, src += stride) truth[i] = (*(const uint16_t *)src & 0x7FFF) != 0;
}

/* Elements of 16-bit floats with gaps come closer together before they are converted, many at a time. */
static wg_cast_fn wg_widen_f16, wg_widen_bf16;
static void wg_load_halves(wg_cast_fn widen, char *src, Py_ssize_t stride, char *dst, Py_ssize_t n) {
    uint16_t near[WG_BLOCK];
    if (stride != 2) {
        wg_load_gaps_2(src, stride, (char *)near, 2, n);
        src = (char *)near;
    }
    widen(src, 2, dst, sizeof(float), n);
}
static void wg_load_f16(char *src, Py_ssize_t stride, char *dst, Py_ssize_t dst_stride, Py_ssize_t n) {
    (void)dst_stride;                  /* a buffer of floats */
    wg_load_halves(wg_widen_f16, src, stride, dst, n);
}
static void wg_load_bf16(char *src, Py_ssize_t stride, char *dst, Py_ssize_t dst_stride, Py_ssize_t n) {
    (void)dst_stride;
    wg_load_halves(wg_widen_bf16, src, stride, dst, n);
}

/* Give reductions the functions that convert. */
static void wg_connect(const wg_reduce_entry *table, int entries, wg_cast_fn (*cast)(int, int)) {
    wg_widen_f16 = cast(WG_F16, WG_F32);
    wg_widen_bf16 = cast(WG_BF16, WG_F32);
    for (int i = 0; i < entries; i++) {
        const wg_reduce_entry *e = &table[i];
        const int is_half = e->src == WG_F16 || e->src == WG_BF16, size = wg_itemsize(e->src);
        e->source->load = is_half && e->read == WG_BOOL ? wg_load_true_half : cast(e->src, e->read);
        if (is_half && e->read == WG_F32) e->source->load = e->src == WG_F16 ? wg_load_f16 : wg_load_bf16;
        e->source->store = cast(e->acc, e->dst);
        e->source->add_gaps = wg_find_add_gaps(e->src);
        e->source->size = size;
        e->source->is_direct = e->src == e->read || (e->read == WG_BOOL && size == 1);
        if (e->source->is_direct && size <= 2) e->source->load = size == 1 ? wg_load_gaps_1 : wg_load_gaps_2;
        e->source->is_stored = e->acc == e->dst;
        e->source->is_whole = e->source->is_direct && e->source->is_stored;
    }
}

static wg_reduce_fn wg_find_in(const wg_reduce_entry *table, int size, const char *name, int src, int dst) {
    for (int i = 0; i < size; i++)
        if (table[i].src == src && table[i].dst == dst && strcmp(table[i].name, name) == 0) return table[i].fn;
    return NULL;
}

#endif
