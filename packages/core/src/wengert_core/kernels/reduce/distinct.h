/* Runs of equal neighbors, of which a sorted line has one for each distinct value. Included by
 * scan.pyx only. A NaN differs from all, itself too; -0.0 is 0.0.
 */
#ifndef WENGERT_DISTINCT_H
#define WENGERT_DISTINCT_H

#include "wengert_core/kernels/dtypes.h"

#define WG_DIFFER(a, b, inf) ((a) != (b))
#define WG_DIFFER_HALF(a, b, inf) (((a) != (b) && (((a) | (b)) & 0x7FFF)) || ((a) & 0x7FFF) > (inf))

/* As many elements as cannot begin more runs than there is room for. */
#define WG_RUN_STEPS(DIFFER, COUNTS, INVERSE) \
    while (i < n && run + 1 < room) { \
        const Py_ssize_t end = n - i < room - 1 - run ? n : i + room - 1 - run; \
        for (; i < end; i++) { \
            values[run + 1] = x[i]; \
            if (COUNTS) counts[run + 1] = i; \
            run += DIFFER(x[i - 1], x[i], inf); \
            if (INVERSE) inverse[places ? places[i] : i] = run; \
        } \
    }

/* How many runs there are; then, where values are asked for, the first of each, and where they are asked for, too, how
   long each is, and for each element the number of its run, which goes to where the element was (places), or is (NULL).
   There is room for so many runs as were counted: another thread may write to the elements meanwhile. No branch depends
   on the elements: each is written as the first of the next run, until that begins. */
#define WG_RUNS(NAME, T, DIFFER) \
    static Py_ssize_t NAME(const T *x, Py_ssize_t n, unsigned inf, const int64_t *places, Py_ssize_t room, \
                           T *values, int64_t *inverse, int64_t *counts) { \
        Py_ssize_t run = 0, i = 1; \
        (void)inf; \
        if (values == NULL) { \
            for (; i < n; i++) run += DIFFER(x[i - 1], x[i], inf); \
            return run + 1; \
        } \
        values[0] = x[0]; \
        if (counts) counts[0] = 0; \
        if (inverse) inverse[places ? places[0] : 0] = 0; \
        if (counts && inverse) { WG_RUN_STEPS(DIFFER, 1, 1) } \
        else if (counts) { WG_RUN_STEPS(DIFFER, 1, 0) } \
        else if (inverse) { WG_RUN_STEPS(DIFFER, 0, 1) } \
        else { WG_RUN_STEPS(DIFFER, 0, 0) } \
        for (; inverse && i < n; i++) inverse[places ? places[i] : i] = run; \
        for (i = 0; counts && i <= run; i++) counts[i] = (i < run ? counts[i + 1] : n) - counts[i]; \
        return run + 1; \
    }
WG_RUNS(wg_runs_u8, uint8_t, WG_DIFFER)
WG_RUNS(wg_runs_u16, uint16_t, WG_DIFFER)
WG_RUNS(wg_runs_u32, uint32_t, WG_DIFFER)
WG_RUNS(wg_runs_u64, uint64_t, WG_DIFFER)
WG_RUNS(wg_runs_half, uint16_t, WG_DIFFER_HALF)
WG_RUNS(wg_runs_f32, float, WG_DIFFER)
WG_RUNS(wg_runs_f64, double, WG_DIFFER)

/* For real dtypes. */
static Py_ssize_t wg_runs(int code, const char *x, Py_ssize_t n, const int64_t *places, Py_ssize_t room, char *values,
                          int64_t *inverse, int64_t *counts) {
#define WG_RUNS_OF(NAME, T) NAME((const T *)x, n, inf, places, room, (T *)values, inverse, counts)
    const unsigned inf = code == WG_F16 ? 0x7C00 : 0x7F80;
    if (code == WG_F32) return WG_RUNS_OF(wg_runs_f32, float);
    if (code == WG_F64) return WG_RUNS_OF(wg_runs_f64, double);
    if (code == WG_F16 || code == WG_BF16) return WG_RUNS_OF(wg_runs_half, uint16_t);
    switch (wg_itemsize(code)) {
    case 1: return WG_RUNS_OF(wg_runs_u8, uint8_t);
    case 2: return WG_RUNS_OF(wg_runs_u16, uint16_t);
    case 4: return WG_RUNS_OF(wg_runs_u32, uint32_t);
    default: return WG_RUNS_OF(wg_runs_u64, uint64_t);
    }
}

#endif
