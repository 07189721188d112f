/* The loops of distances.h for one dtype R. Note [Rows in lanes] */

#define N(name) WG_CAT(name, SUF)

/* Columns of some rows side by side; lanes beyond the last row repeat it. */
static void N(wg_to_lanes_)(const R *rows, Py_ssize_t n, Py_ssize_t stride, Py_ssize_t columns, R *lanes) {
    for (Py_ssize_t l = 0; l < WG_LANES; l++) {
        const R *row = rows + (l < n ? l : n - 1) * stride;
        for (Py_ssize_t k = 0; k < columns; k++) lanes[k * WG_LANES + l] = row[k];
    }
}

/* ---- distances: ``a`` of each lane, to which a difference d is added */
#define WG_DISTANCE(NAME, ATTR, NEXT) \
    ATTR static void N(NAME)(R *sums, const R *lanes, const R *row, Py_ssize_t columns, R p) { \
        R part[WG_LANES]; \
        (void)p; \
        for (Py_ssize_t l = 0; l < WG_LANES; l++) part[l] = 0; \
        for (Py_ssize_t k = 0; k < columns; k++) \
            for (Py_ssize_t l = 0; l < WG_LANES; l++) { \
                const R d = row[k] - lanes[k * WG_LANES + l], a = part[l]; \
                part[l] = NEXT; \
            } \
        for (Py_ssize_t l = 0; l < WG_LANES; l++) { \
            const R a = sums[l], d = part[l]; \
            sums[l] = WG_JOIN; \
        } \
    }
#define WG_JOIN (a + d)
WG_DISTANCE(wg_distance_0_, WG_TWO_CLONES, a + (d == 0 ? 0 : d == d ? 1 : d))
WG_DISTANCE(wg_distance_1_, WG_TWO_CLONES, a + FABS(d))
WG_DISTANCE(wg_distance_2_, WG_TWO_CLONES, a + d * d)
WG_DISTANCE(wg_distance_3_, WG_TWO_CLONES, a + FABS(d) * d * d)
WG_DISTANCE(wg_distance_p_, WG_OUTLINE, a + POW(FABS(d), p))
#undef WG_JOIN
#define WG_JOIN (d > a || d != d ? d : a)
WG_DISTANCE(wg_distance_max_, WG_TWO_CLONES, FABS(d) > a || d != d ? FABS(d) : a)
#undef WG_JOIN
typedef void (*N(wg_distance_))(R *, const R *, const R *, Py_ssize_t, R);
static const N(wg_distance_) N(WG_DISTANCES_)[WG_NORMS] = {
    N(wg_distance_0_), N(wg_distance_1_), N(wg_distance_2_), N(wg_distance_3_), N(wg_distance_max_),
    N(wg_distance_p_)};

/* The distance of a sum. */
WG_INLINE R N(wg_root_)(R sum, int kind, R inverse) {
    return kind == WG_NORM_2 ? ROOT(sum) : kind == WG_NORM_3 ? CBRT(sum) : kind == WG_NORM_P ? POW(sum, inverse) : sum;
}

/* Units: blocks of rows of x of all batches. */
static void N(wg_distances_)(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    const wg_distances *job = (const wg_distances *)ctx;
    const N(wg_distance_) add = N(WG_DISTANCES_)[job->kind];
    const Py_ssize_t columns = job->columns;
    const R p = (R)job->p, inverse = (R)(1 / job->p);
    R lanes[WG_WIDE * WG_LANES], sums[WG_LANES];
    for (; begin < end; begin++) {
        const Py_ssize_t batch = begin / job->blocks, first = begin % job->blocks * WG_LANES;
        const Py_ssize_t n = job->rows - first < WG_LANES ? job->rows - first : WG_LANES;
        const Py_ssize_t others = job->is_pairs ? first + n - 1 : job->others;
        const R *x = (const R *)job->x + batch * job->x_batch + first * columns;
        const R *y = (const R *)job->y + batch * job->y_batch;
        R *out = (R *)job->distances + batch * job->batch + first * job->row_step;
        for (Py_ssize_t k = 0; k < columns; k += WG_WIDE) {
            const Py_ssize_t width = columns - k < WG_WIDE ? columns - k : WG_WIDE;
            const int is_last = k + width == columns;
            N(wg_to_lanes_)(x + k, n, columns, width, lanes);
            for (Py_ssize_t i = 0; i < others; i++) {
                const Py_ssize_t from = job->is_pairs && i >= first ? i - first + 1 : 0;
                R *d = job->is_pairs ? (R *)job->distances + wg_pair(job->rows, i, first) : out + i * job->other_step;
                for (Py_ssize_t l = 0; l < WG_LANES; l++) sums[l] = 0;
                if (k) for (Py_ssize_t l = from; l < n; l++) sums[l] = d[l * job->row_step];
                add(sums, lanes, y + i * columns + k, width, p);
                for (Py_ssize_t l = from; l < n; l++)
                    d[l * job->row_step] = is_last ? N(wg_root_)(sums[l], job->kind, inverse) : sums[l];
            }
        }
    }
}

/* ---- gradients: of lane l and a row of y, g comes from above, r is their distance, 1 where that is 0 and so is g */
#define WG_SLOPE(NAME, ATTR, TERM) \
    ATTR static void N(NAME)(R *sums, const R *lanes, const R *y, Py_ssize_t stride, Py_ssize_t others, \
                                      const R *grads, const R *sizes) { \
        R part[WG_LANES]; \
        (void)sizes; \
        for (Py_ssize_t l = 0; l < WG_LANES; l++) part[l] = 0; \
        for (Py_ssize_t j = 0; j < others; j++) \
            for (Py_ssize_t l = 0; l < WG_LANES; l++) { \
                const R d = lanes[l] - y[j * stride], g = grads[j * WG_LANES + l], r = sizes[j * WG_LANES + l]; \
                (void)r; \
                part[l] += TERM; \
            } \
        for (Py_ssize_t l = 0; l < WG_LANES; l++) sums[l] += part[l]; \
    }
#define WG_SIGN(d) ((R)(d > 0) - (R)(d < 0))
WG_SLOPE(wg_slope_1_, WG_TWO_CLONES, d > 0 ? g : d < 0 ? -g : 0)
WG_SLOPE(wg_slope_2_, WG_TWO_CLONES, g * d)                             /* g is divided by the distance */
WG_SLOPE(wg_slope_3_, WG_TWO_CLONES, g * (d / r) * (FABS(d) / r))
WG_SLOPE(wg_slope_max_, WG_TWO_CLONES, FABS(d) == r ? g * WG_SIGN(d) : 0)
typedef void (*N(wg_slope_))(R *, const R *, const R *, Py_ssize_t, Py_ssize_t, const R *, const R *);
static const N(wg_slope_) N(WG_SLOPES_)[WG_NORMS] = {
    N(wg_slope_1_), N(wg_slope_1_), N(wg_slope_2_), N(wg_slope_3_), N(wg_slope_max_), NULL};

/* What comes from above and the distances, of a block of rows of x and ``count`` rows of y from ``other`` on. */
WG_TWO_CLONES static void N(wg_mask_zeros_)(R *grads, R *sizes, Py_ssize_t n, int is_divided) {
    for (Py_ssize_t i = 0; i < n; i++) {
        const R r = sizes[i] == 0 ? 1 : sizes[i], g = sizes[i] == 0 ? 0 : grads[i];
        sizes[i] = r;
        grads[i] = is_divided ? g / r : g;
    }
}
static void N(wg_load_pairs_)(const wg_distances *job, Py_ssize_t batch, Py_ssize_t first, Py_ssize_t n,
                              Py_ssize_t other, Py_ssize_t count, R *grads, R *sizes) {
    const Py_ssize_t row = job->row_step, step = job->other_step, grad_row = job->grad_row_step;
    const Py_ssize_t grad_step = job->grad_other_step;
    const R *g = (const R *)job->grad + batch * job->grad_batch, *r = (const R *)job->distances + batch * job->batch;
    memset(grads, 0, count * WG_LANES * sizeof(R));
    if (n < WG_LANES || job->is_pairs) memset(sizes, 0, count * WG_LANES * sizeof(R));
    for (Py_ssize_t l = 0; l < n; l++, grads++, sizes++) {
        const Py_ssize_t a = first + l, end = other + count;
        Py_ssize_t b = other, to = 0, pair;
        if (!job->is_pairs)
            for (; b < end; b++, to += WG_LANES) {
                grads[to] = g[a * grad_row + b * grad_step];
                sizes[to] = r[a * row + b * step];
            }
        else {
            for (pair = wg_pair(job->rows, b, a); b < end && b < a; pair += job->rows - b - 2, b++, to += WG_LANES) {
                grads[to] = g[pair * grad_row];
                sizes[to] = r[pair];
            }
            if (b == a) b++, to += WG_LANES;
            for (pair = wg_pair(job->rows, a, b); b < end; pair++, b++, to += WG_LANES) {
                grads[to] = g[pair * grad_row];
                sizes[to] = r[pair];
            }
        }
    }
    if (job->kind != WG_NORM_MAX) N(wg_mask_zeros_)(grads - n, sizes - n, count * WG_LANES, job->kind == WG_NORM_2);
}

/* Units: blocks of rows of x of all batches. */
static void N(wg_distances_back_)(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    const wg_distances *job = (const wg_distances *)ctx;
    const N(wg_slope_) add = N(WG_SLOPES_)[job->kind];
    const Py_ssize_t columns = job->columns;
    R lanes[WG_WIDE * WG_LANES], sums[WG_WIDE * WG_LANES], grads[WG_OTHERS * WG_LANES], sizes[WG_OTHERS * WG_LANES];
    for (; begin < end; begin++) {
        const Py_ssize_t batch = begin / job->blocks, first = begin % job->blocks * WG_LANES;
        const Py_ssize_t n = job->rows - first < WG_LANES ? job->rows - first : WG_LANES;
        const R *x = (const R *)job->x + batch * job->x_batch + first * columns;
        const R *y = (const R *)job->y + batch * job->y_batch;
        R *out = (R *)job->out + (batch * job->rows + first) * columns;
        for (Py_ssize_t k = 0; k < columns; k += WG_WIDE) {
            const Py_ssize_t width = columns - k < WG_WIDE ? columns - k : WG_WIDE;
            N(wg_to_lanes_)(x + k, n, columns, width, lanes);
            memset(sums, 0, sizeof sums);
            for (Py_ssize_t j = 0; j < job->others; j += WG_OTHERS) {
                const Py_ssize_t count = job->others - j < WG_OTHERS ? job->others - j : WG_OTHERS;
                N(wg_load_pairs_)(job, batch, first, n, j, count, grads, sizes);
                for (Py_ssize_t c = 0; c < width; c++)
                    add(sums + c * WG_LANES, lanes + c * WG_LANES, y + j * columns + k + c, columns, count, grads,
                        sizes);
            }
            for (Py_ssize_t l = 0; l < n; l++)
                for (Py_ssize_t c = 0; c < width; c++) out[l * columns + k + c] = sums[c * WG_LANES + l];
        }
    }
}

#undef WG_DISTANCE
#undef WG_SLOPE
#undef WG_SIGN
#undef N
