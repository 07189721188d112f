/* A tile of inner products in registers. Included by inner.h, once for each dtype and register file: R, VEC, LANES,
 * ROWS (of a tile), AT_ONCE (rows whose sums are one vector), FEW_ROWS (of which registers hold the sums with eight
 * columns), LOAD, LOAD_FIRST, FMA, LANE_SUMS, STORE_ROWS, FN, TARGET.
 *
 * c[i][j] = sum over k of a[i][k] * b[j][k], for four columns j, or twice four, the second ``second`` behind the first.
 * Each sum has its own lanes, so that its bits depend on its two rows alone, not on how many others there are or on
 * where the tile lies. first: the columns are read for the first time, and asked for before their turn.
 */
#define COLUMN(j) (b + ((j) < 4 ? (j) : second + (j) - 4) * b_step + p)
TARGET WG_INLINE void FN(wg_inner_rows)(const int rows, const int columns, const R *a, Py_ssize_t a_step, const R *b,
                                        Py_ssize_t b_step, Py_ssize_t k, R *c, Py_ssize_t c_step, Py_ssize_t second,
                                        int first) {
    VEC sums[ROWS][8], row[ROWS], column[8];
    Py_ssize_t p = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) sums[i][j] = (VEC){0};
    for (; p + LANES <= k; p += LANES) {
        if (rows == ROWS)               /* the rows stay in registers: for all columns there are too few */
            for (int i = 0; i < rows; i++) row[i] = LOAD(a + i * a_step + p);
        for (int j = 0; j < columns; j++) {
            column[j] = LOAD(COLUMN(j));
            if (first) __builtin_prefetch((const char *)COLUMN(j) + WG_AHEAD);
            if (rows == ROWS)
                for (int i = 0; i < rows; i++) sums[i][j] = FMA(row[i], column[j], sums[i][j]);
        }
        if (rows < ROWS)
            for (int i = 0; i < rows; i++) {
                row[i] = LOAD(a + i * a_step + p);
                for (int j = 0; j < columns; j++) sums[i][j] = FMA(row[i], column[j], sums[i][j]);
            }
    }
    if (p < k) {
        for (int j = 0; j < columns; j++) column[j] = LOAD_FIRST(COLUMN(j), k - p);
        for (int i = 0; i < rows; i++) {
            row[i] = LOAD_FIRST(a + i * a_step + p, k - p);
            for (int j = 0; j < columns; j++) sums[i][j] = FMA(row[i], column[j], sums[i][j]);
        }
    }
    for (int j = 0; j < columns; j += 4)
        for (int i = 0; i < rows; i += AT_ONCE) {
            VEC some[AT_ONCE * 4];
            for (int s = 0; s < AT_ONCE * 4; s++) some[s] = i + s / 4 < rows ? sums[i + s / 4][j + s % 4] : (VEC){0};
            STORE_ROWS(LANE_SUMS(some), c + i * c_step + (j ? second : 0), c_step, rows - i);
        }
}
#undef COLUMN

/* n: 4 or more. Four columns lie over those before them where n is no multiple of 4. */
#define TILE(ROWS_OF_IT, COLUMNS, BEHIND) \
    FN(wg_inner_rows)(ROWS_OF_IT, COLUMNS, rows, a_step, columns + (BEHIND) * b_step, b_step, k, to + (BEHIND), \
                      c_step, second, i == m)
#define TILES(ROWS_OF_IT) \
    do { \
        if (left > 4 && ROWS_OF_IT <= FEW_ROWS) TILE(ROWS_OF_IT, 8, 0); \
        else { \
            TILE(ROWS_OF_IT, 4, 0); \
            if (left > 4) TILE(ROWS_OF_IT, 4, second); \
        } \
    } while (0)
TARGET static void FN(wg_inner_products)(const char *a, Py_ssize_t a_step, const char *b, Py_ssize_t b_step, char *c,
                                         Py_ssize_t c_step, Py_ssize_t m, Py_ssize_t k, Py_ssize_t n) {
    for (Py_ssize_t j = 0; j < n; j += 8) {
        const Py_ssize_t left = n - j, at = left < 4 ? n - 4 : j, second = left < 8 ? left - 4 : 4;
        const R *columns = (const R *)b + at * b_step, *rows = (const R *)a;
        R *to = (R *)c + at;
        Py_ssize_t i = m;
        for (; i >= ROWS; i -= ROWS, rows += ROWS * a_step, to += ROWS * c_step) TILES(ROWS);
        if (i == 1) TILES(1);
        else if (i == 2) TILES(2);
        else if (i == 3) TILES(3);
    }
}
#undef TILE
#undef TILES

#undef FN
#undef R
#undef VEC
#undef LANES
#undef AT_ONCE
#undef LOAD
#undef LOAD_FIRST
#undef FMA
#undef LANE_SUMS
#undef STORE_ROWS
