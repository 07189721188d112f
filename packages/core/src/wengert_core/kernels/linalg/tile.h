/* Products of small tiles of matrices in registers: what convolution and attention compute with. Included by
 * tiles_table.h, once for float and once for double (R, SUF), for each of two register files (TM, TV, ISA, TARGET;
 * PARTS: registers that hold a vector of 64 bytes).
 *
 * Note [Tiles]
 * outer: c[TM][TV vectors] (+)= a[k][TM] * b[k][TV vectors]: one column of a, broadcast, times one row of b for each k.
 * outer_at: the same where rows of b are at places of their own, and columns of a are not packed.
 * inner: sums[TM][TV] vectors += a[TM][k] * b[TV][k], both contiguous along k: the lanes are added up by the caller,
 * once.
 * Where an outer product is written is asked for at its start: the sums take as long as memory needs to bring it.
 * Outer tiles may be of 1 to TV vectors. Tiles of fewer rows are their own instances, so that nothing is multiplied in
 * vain when a group has 1, 2 or 4 channels.
 */
#define FN(name) WG_CAT(WG_CAT(WG_CAT(name, _), SUF), ISA)
#define VEC WG_CAT(wg_vec_, SUF)
#if PARTS == 2
#define PART WG_CAT(wg_half_vec_, SUF)
#else
#define PART VEC
#endif
#define LANES ((Py_ssize_t)(64 / sizeof(R)))
#define PART_LANES (LANES / PARTS)

WG_INLINE void FN(wg_outer)(const int rows, const int wide, const R *a, const R *b, Py_ssize_t b_step, Py_ssize_t k,
                            const R *start, R *c, Py_ssize_t c_step, int add) {
    PART acc[TM][TV * PARTS];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < wide * PARTS; j++) {
            if (j % PARTS == 0) __builtin_prefetch(c + i * c_step + j * PART_LANES, 1);
            acc[i][j] = (start ? start[i] : 0) - (PART){0};
        }
    for (Py_ssize_t p = 0; p < k; p++, a += rows, b += b_step) {
        PART row[TV * PARTS];
        for (int j = 0; j < wide * PARTS; j++) row[j] = *(const PART *)(b + j * PART_LANES);
        for (int i = 0; i < rows; i++) {
            const PART x = a[i] - (PART){0};
            for (int j = 0; j < wide * PARTS; j++) acc[i][j] += x * row[j];
        }
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < wide * PARTS; j++) {
            PART *at = (PART *)(c + i * c_step + j * PART_LANES);
            if (add) acc[i][j] += *at;
            *at = acc[i][j];
        }
}

#define WG_PLAIN(ROWS, WIDE) FN(wg_outer)(ROWS, WIDE, a, b, b_step, k, start, c, c_step, add)
#define WG_PLAIN_ROWS(WIDE) \
    (rows == TM  ? WG_PLAIN(TM, WIDE) \
     : rows == 4 ? WG_PLAIN(4, WIDE) \
     : rows == 2 ? WG_PLAIN(2, WIDE) \
                 : WG_PLAIN(1, WIDE))
TARGET static void FN(wg_outer_tile)(int rows, int wide, const R *a, const R *b, Py_ssize_t b_step, Py_ssize_t k,
                                     const R *start, R *c, Py_ssize_t c_step, int add) {
    if (wide == TV) WG_PLAIN_ROWS(TV);
#if TV == 3
    else if (wide == 2) WG_PLAIN_ROWS(2);
    else WG_PLAIN_ROWS(1);
#endif
}
#undef WG_PLAIN
#undef WG_PLAIN_ROWS

WG_INLINE void FN(wg_outer_at)(const int rows, const int wide, const R *a, Py_ssize_t a_step, const R *b,
                               const Py_ssize_t *at, Py_ssize_t k, const R *start, R *c, Py_ssize_t c_step, int add) {
    PART acc[TM][TV * PARTS];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < wide * PARTS; j++) {
            if (j % PARTS == 0) __builtin_prefetch(c + i * c_step + j * PART_LANES, 1);
            acc[i][j] = (start ? start[i] : 0) - (PART){0};
        }
    for (Py_ssize_t p = 0; p < k; p++, a += a_step) {
        PART row[TV * PARTS];
        for (int j = 0; j < wide * PARTS; j++) row[j] = *(const PART *)(b + at[p] + j * PART_LANES);
        for (int i = 0; i < rows; i++) {
            const PART x = a[i] - (PART){0};
            for (int j = 0; j < wide * PARTS; j++) acc[i][j] += x * row[j];
        }
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < wide * PARTS; j++) {
            PART *to = (PART *)(c + i * c_step + j * PART_LANES);
            if (add) acc[i][j] += *to;
            *to = acc[i][j];
        }
}

#define WG_AT(ROWS, WIDE) FN(wg_outer_at)(ROWS, WIDE, a, a_step, b, at, k, start, c, c_step, add)
#define WG_AT_ROWS(WIDE) \
    (rows == TM  ? WG_AT(TM, WIDE) \
     : rows == 4 ? WG_AT(4, WIDE) \
     : rows == 2 ? WG_AT(2, WIDE) \
                 : WG_AT(1, WIDE))
TARGET static void FN(wg_outer_at_tile)(int rows, int wide, const R *a, Py_ssize_t a_step, const R *b,
                                        const Py_ssize_t *at, Py_ssize_t k, const R *start, R *c, Py_ssize_t c_step,
                                        int add) {
    if (wide == TV) WG_AT_ROWS(TV);
#if TV == 3
    else if (wide == 2) WG_AT_ROWS(2);
    else WG_AT_ROWS(1);
#endif
}
#undef WG_AT
#undef WG_AT_ROWS

/* k: a multiple of LANES. */
WG_INLINE void FN(wg_inner)(const int rows, const R *a, Py_ssize_t a_step, const R *b, Py_ssize_t b_step, Py_ssize_t k,
                            VEC *sums) {
    PART acc[TM][TV * PARTS];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < TV * PARTS; j++) acc[i][j] = ((PART *)sums)[i * TV * PARTS + j];
    for (Py_ssize_t p = 0; p < k; p += LANES) {
        PART other[TV * PARTS];
        for (int j = 0; j < TV * PARTS; j++)
            other[j] = *(const PART *)(b + j / PARTS * b_step + p + j % PARTS * PART_LANES);
        for (int i = 0; i < rows; i++)
            for (int h = 0; h < PARTS; h++) {
                const PART x = *(const PART *)(a + i * a_step + p + h * PART_LANES);
                for (int j = h; j < TV * PARTS; j += PARTS) acc[i][j] += x * other[j];
            }
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < TV * PARTS; j++) ((PART *)sums)[i * TV * PARTS + j] = acc[i][j];
}

TARGET static void FN(wg_inner_tile)(int rows, const R *a, Py_ssize_t a_step, const R *b, Py_ssize_t b_step,
                                     Py_ssize_t k, void *sums) {
    if (rows == TM) FN(wg_inner)(TM, a, a_step, b, b_step, k, sums);
    else if (rows == 4) FN(wg_inner)(4, a, a_step, b, b_step, k, sums);
    else if (rows == 2) FN(wg_inner)(2, a, a_step, b, b_step, k, sums);
    else FN(wg_inner)(1, a, a_step, b, b_step, k, sums);
}

#undef FN
#undef VEC
#undef PART
#undef LANES
#undef PART_LANES
