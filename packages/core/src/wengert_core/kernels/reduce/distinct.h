/* Runs of equal neighbors, of which a sorted line has one for each distinct value. Included by
 * drivers/reduce/unique.pyx only. A NaN differs from all, itself too; -0.0 is 0.0.
 */
#ifndef WENGERT_DISTINCT_H
#define WENGERT_DISTINCT_H

#include "wengert_core/kernels/dtypes.h"

#define WG_DIFFER(a, b, inf) ((a) != (b))
#define WG_DIFFER_HALF(a, b, inf) (((a) != (b) && (((a) | (b)) & 0x7FFF)) || ((a) & 0x7FFF) > (inf))

/* How many runs there are; then, where values are asked for, the first of each, how long each is, and for each element
   the number of its run, which goes to where the element was (places), or is (NULL). There is room for so many runs as
   were counted: another thread may write to the elements meanwhile. */
#define WG_RUNS(NAME, T, DIFFER) \
    static Py_ssize_t NAME(const T *x, Py_ssize_t n, unsigned inf, const int64_t *places, Py_ssize_t room, \
                           T *values, int64_t *inverse, int64_t *counts) { \
        Py_ssize_t run = 0, start = 0; \
        (void)inf; \
        if (values == NULL) { \
            for (Py_ssize_t i = 1; i < n; i++) run += DIFFER(x[i - 1], x[i], inf); \
            return run + 1; \
        } \
        values[0] = x[0]; \
        for (Py_ssize_t i = 0; i < n; i++) { \
            if (i > 0 && run + 1 < room && DIFFER(x[i - 1], x[i], inf)) { \
                counts[run++] = i - start; \
                values[run] = x[i]; \
                start = i; \
            } \
            inverse[places ? places[i] : i] = run; \
        } \
        counts[run] = n - start; \
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
