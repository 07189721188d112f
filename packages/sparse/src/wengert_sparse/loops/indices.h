/* Sorted indices: keys, a stable sort, and the merge of two sorted lists.
 *
 * The key of an element is the row-major position of its indices in the sparse dims, which the caller knows to be below
 * 2^63. Indices (S, N) are contiguous rows of N; those of an element stand N apart.
 */
#ifndef WENGERT_SPARSE_INDICES_H
#define WENGERT_SPARSE_INDICES_H

#include "wengert_core/kernels/simd.h"

WG_INLINE uint64_t wg_key(const int64_t *indices, wg_ssize count, int rank, const wg_ssize *sizes, wg_ssize i) {
    uint64_t key = (uint64_t)indices[i];
    for (int d = 1; d < rank; d++) key = key * (uint64_t)sizes[d] + (uint64_t)indices[d * count + i];
    return key;
}

/* The keys of all elements. Returns 2 where they ascend strictly, 1 where they do not, 0 where an index is outside. */
WG_INLINE int wg_keys_of_rank(const int64_t *indices, wg_ssize count, const int rank, const wg_ssize *sizes,
                              uint64_t *keys) {
    int outside = 0, unsorted = 0;
    uint64_t before = 0;
    for (wg_ssize i = 0; i < count; i++) {
        for (int d = 0; d < rank; d++) outside |= (uint64_t)indices[d * count + i] >= (uint64_t)sizes[d];
        const uint64_t key = keys[i] = wg_key(indices, count, rank, sizes, i);
        unsorted |= i > 0 && key <= before;
        before = key;
    }
    return outside ? 0 : unsorted ? 1 : 2;
}

static int wg_keys(const int64_t *indices, wg_ssize count, int rank, const wg_ssize *sizes, uint64_t *keys) {
    if (rank == 1) return wg_keys_of_rank(indices, count, 1, sizes, keys);
    if (rank == 2) return wg_keys_of_rank(indices, count, 2, sizes, keys);
    return wg_keys_of_rank(indices, count, rank, sizes, keys);
}

/* ---- sort. What is sorted are words: a key, and below it the number of the element, so that all are different. */

WG_INLINE void wg_insertion_sort(uint64_t *words, wg_ssize count) {
    for (wg_ssize i = 1; i < count; i++) {
        const uint64_t word = words[i];
        wg_ssize k = i;
        for (; k > 0 && words[k - 1] > word; k--) words[k] = words[k - 1];
        words[k] = word;
    }
}

enum { WG_DIGIT = 11, WG_FEW = 48 };

/* By the bits from ``low`` up to ``high``, least significant digits first. other: as much memory again. Returns where
   the sorted words are. */
static uint64_t *wg_sort_words(uint64_t *words, uint64_t *other, wg_ssize count, int low, int high) {
    if (count <= WG_FEW) {
        wg_insertion_sort(words, count);
        return words;
    }
    const int bits = high - low, passes = (bits + WG_DIGIT - 1) / WG_DIGIT;
    for (int pass = 0; pass < passes; pass++) {
        const int from = low + bits * pass / passes, digit = low + bits * (pass + 1) / passes - from;
        const uint64_t mask = ((uint64_t)1 << digit) - 1;
        wg_ssize begins[1 << WG_DIGIT];
        memset(begins, 0, sizeof(begins[0]) << digit);
        for (wg_ssize i = 0; i < count; i++) begins[words[i] >> from & mask]++;
        wg_ssize sum = 0;
        for (wg_ssize d = 0; d <= (wg_ssize)mask; d++) {
            const wg_ssize n = begins[d];
            begins[d] = sum;
            sum += n;
        }
        for (wg_ssize i = 0; i < count; i++) other[begins[words[i] >> from & mask]++] = words[i];
        uint64_t *const swap = words;
        words = other;
        other = swap;
    }
    return words;
}

/* The bits that a number needs. */
WG_INLINE int wg_bits(uint64_t n) {
    int bits = 0;
    for (; n; n >>= 1) bits++;
    return bits;
}

/* How many different keys sorted words have. */
static wg_ssize wg_count_keys(const uint64_t *words, wg_ssize count, int low) {
    wg_ssize n = count > 0;
    for (wg_ssize i = 1; i < count; i++) n += words[i] >> low != words[i - 1] >> low;
    return n;
}

/* The indices of the different keys of sorted words. */
WG_INLINE void wg_indices_of_rank(const uint64_t *words, wg_ssize count, int low, const int rank, const wg_ssize *sizes,
                                  int64_t *indices, wg_ssize n) {
    uint64_t largest = 0;
    for (int d = 1; d < rank; d++) largest |= (uint64_t)sizes[d];
    const int narrow = count > 0 && ((words[count - 1] >> low | largest) >> 32) == 0;    /* a third of the time */
    wg_ssize to = 0;
    for (wg_ssize i = 0; i < count; i++) {
        uint64_t key = words[i] >> low;
        if (i > 0 && key == words[i - 1] >> low) continue;
        for (int d = rank - 1; d > 0; d--) {
            const uint64_t size = (uint64_t)sizes[d];
            const uint64_t above = narrow ? (uint32_t)key / (uint32_t)size : key / size;
            indices[d * n + to] = (int64_t)(key - above * size);
            key = above;
        }
        indices[to++] = (int64_t)key;
    }
}

static void wg_indices(const uint64_t *words, wg_ssize count, int low, int rank, const wg_ssize *sizes,
                       int64_t *indices, wg_ssize n) {
    if (rank == 1) wg_indices_of_rank(words, count, low, 1, sizes, indices, n);
    else if (rank == 2) wg_indices_of_rank(words, count, low, 2, sizes, indices, n);
    else wg_indices_of_rank(words, count, low, rank, sizes, indices, n);
}

/* The sums (n, width) of the rows of values (count, width) that have the same key, in their order. */
#define WG_ADD_RUNS(NAME, T)                                                                                          \
    static void NAME(const uint64_t *words, wg_ssize count, int low, const T *values, wg_ssize width, T *sums) {      \
        const uint64_t mask = ((uint64_t)1 << low) - 1;                                                               \
        for (wg_ssize i = 0; i < count;) {                                                                            \
            const uint64_t key = words[i] >> low;                                                                     \
            const T *first = values + (wg_ssize)(words[i] & mask) * width;                                            \
            if (width == 1) {                                                                                         \
                T sum = *first;                                                                                       \
                for (i++; i < count && words[i] >> low == key; i++) sum += values[words[i] & mask];                   \
                *sums++ = sum;                                                                                        \
                continue;                                                                                             \
            }                                                                                                         \
            memcpy(sums, first, (size_t)width * sizeof(T));                                                           \
            for (i++; i < count && words[i] >> low == key; i++) {                                                     \
                const T *row = values + (wg_ssize)(words[i] & mask) * width;                                          \
                for (wg_ssize j = 0; j < width; j++) sums[j] += row[j];                                               \
            }                                                                                                         \
            sums += width;                                                                                            \
        }                                                                                                             \
    }
WG_ADD_RUNS(wg_add_runs_f32, float)
WG_ADD_RUNS(wg_add_runs_f64, double)

/* ---- merge of strictly ascending a and b. Two sections at a time: where the next elements are depends on the
   comparison before, so that one alone waits most of the time. */

enum { WG_OF_A = 1, WG_OF_B = 2 };

typedef struct {
    wg_ssize i, i_end, j, j_end;           /* elements of a and of b */
    uint8_t *from;                         /* which of the two each element of the union is from */
} wg_section;

typedef struct {
    const int64_t *a, *b;
    wg_ssize na, nb;
    const wg_ssize *sizes;                 /* of the sparse dims */
    int rank;
} wg_lists;

WG_INLINE int wg_has_both(const wg_section *s) { return s->i < s->i_end && s->j < s->j_end; }

WG_INLINE void wg_merge_step(const wg_lists *m, const int rank, wg_section *s) {
    const uint64_t of_a = wg_key(m->a, m->na, rank, m->sizes, s->i), of_b = wg_key(m->b, m->nb, rank, m->sizes, s->j);
    const int take_a = of_a <= of_b, take_b = of_b <= of_a;
    *s->from++ = (uint8_t)(take_a | take_b << 1);
    s->i += take_a;
    s->j += take_b;
}

/* Returns the number of elements of the union. */
WG_INLINE wg_ssize wg_merge_rest(const wg_lists *m, const int rank, wg_section s, const uint8_t *begin) {
    while (wg_has_both(&s)) wg_merge_step(m, rank, &s);
    memset(s.from, WG_OF_A, (size_t)(s.i_end - s.i));
    s.from += s.i_end - s.i;
    memset(s.from, WG_OF_B, (size_t)(s.j_end - s.j));
    return s.from + (s.j_end - s.j) - begin;
}

WG_INLINE void wg_merge_of_rank(const wg_lists *lists, const int rank, const wg_section *x, const wg_section *y,
                                wg_ssize *counts) {
    const wg_lists m = *lists;
    wg_section p = *x, q = *y;
    while (wg_has_both(&p) && wg_has_both(&q)) {
        wg_merge_step(&m, rank, &p);
        wg_merge_step(&m, rank, &q);
    }
    counts[0] = wg_merge_rest(&m, rank, p, x->from);
    counts[1] = wg_merge_rest(&m, rank, q, y->from);
}

/* Find where the elements of the unions of two sections are from; counts gets their numbers. */
static void wg_merge_two(const wg_lists *lists, const wg_section *x, const wg_section *y, wg_ssize *counts) {
    if (lists->rank == 1) wg_merge_of_rank(lists, 1, x, y, counts);
    else if (lists->rank == 2) wg_merge_of_rank(lists, 2, x, y, counts);
    else wg_merge_of_rank(lists, lists->rank, x, y, counts);
}

/* The first element of b whose key is not below. */
static wg_ssize wg_lower_bound(const int64_t *b, wg_ssize nb, int rank, const wg_ssize *sizes, uint64_t key) {
    wg_ssize low = 0, high = nb;
    while (low < high) {
        const wg_ssize middle = low + (high - low) / 2;
        if (wg_key(b, nb, rank, sizes, middle) < key) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Which of two pointers, without a branch that nobody can predict. */
WG_INLINE const void *wg_choose(int first, const void *a, const void *b) {
    return (const void *)((uintptr_t)b ^ (((uintptr_t)a ^ (uintptr_t)b) & -(uintptr_t)first));
}

/* The indices of the union, from element ``to`` of n on. */
static void wg_merge_indices(const int64_t *a, wg_ssize na, const int64_t *b, wg_ssize nb, int rank, wg_ssize i,
                             wg_ssize j, const uint8_t *from, wg_ssize count, int64_t *indices, wg_ssize n,
                             wg_ssize to) {
    for (int d = 0; d < rank; d++) {
        const int64_t *row_a = a + d * na + i, *row_b = b + d * nb + j;
        int64_t *row = indices + d * n + to;
        for (wg_ssize k = 0; k < count; k++) {
            const int of_a = from[k] & WG_OF_A, of_b = from[k] >> 1;
            row[k] = *(const int64_t *)wg_choose(of_a, row_a, row_b);
            row_a += of_a;
            row_b += of_b;
        }
    }
}

/* The values of the union: x + scale * y. */
#define WG_MERGE_VALUES(NAME, T)                                                                                      \
    static void NAME(const T *x, const T *y, wg_ssize width, T scale, const uint8_t *from, wg_ssize count, T *sums) { \
        if (width == 1) {                                                                                             \
            for (wg_ssize k = 0; k < count; k++) {                                                                    \
                const int of_a = from[k] & WG_OF_A, of_b = from[k] >> 1;                                              \
                const T of_x = *(const T *)wg_choose(of_a, x, y);      /* no element behind the last is read */       \
                const T of_y = scale * *(const T *)wg_choose(of_b, y, x);                                             \
                const T results[4] = {0, of_x, of_y, of_x + of_y};                                                    \
                sums[k] = results[from[k]];                                                                           \
                x += of_a;                                                                                            \
                y += of_b;                                                                                            \
            }                                                                                                         \
            return;                                                                                                   \
        }                                                                                                             \
        for (wg_ssize k = 0; k < count; k++, sums += width) {                                                         \
            if (from[k] == WG_OF_A) memcpy(sums, x, (size_t)width * sizeof(T));                                       \
            else if (from[k] == WG_OF_B) for (wg_ssize c = 0; c < width; c++) sums[c] = scale * y[c];                 \
            else for (wg_ssize c = 0; c < width; c++) sums[c] = x[c] + scale * y[c];                                  \
            x += from[k] & WG_OF_A ? width : 0;                                                                       \
            y += from[k] & WG_OF_B ? width : 0;                                                                       \
        }                                                                                                             \
    }
WG_MERGE_VALUES(wg_merge_values_f32, float)
WG_MERGE_VALUES(wg_merge_values_f64, double)

#endif
