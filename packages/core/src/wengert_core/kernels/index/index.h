/* Whether an index is within its bounds. Included by index.pyx only. */
#ifndef WENGERT_INDEX_H
#define WENGERT_INDEX_H

#include "wengert_core/kernels/simd.h"

/* Whether no entry is below low, or size and more; what wraps is outside. */
WG_CLONES static int wg_all_within(const int64_t *entries, wg_ssize n, int64_t low, int64_t size) {
    uint64_t outside = 0; /* a sign bit: on one of both sides */
    for (wg_ssize i = 0; i < n; i++)
        outside |= ((uint64_t)entries[i] - (uint64_t)low) | ((uint64_t)size - 1 - (uint64_t)entries[i]);
    return (int64_t)outside >= 0;
}

#endif
