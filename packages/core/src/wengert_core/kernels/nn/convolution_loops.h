/* The loops of convolution; included once for float and once for double. Note [Convolution by tables] in
   convolution.h. */
#define FN(name) WG_CAT(WG_CAT(name, _), SUF)
#define OUTER WG_CAT(outer_, SUF)
#define OUTER_AT WG_CAT(outer_at_, SUF)
#define INNER WG_CAT(inner_, SUF)
#define VEC WG_CAT(wg_vec_, SUF)
#define HALF WG_CAT(wg_half_vec_, SUF)
#define LANES ((Py_ssize_t)(64 / sizeof(R)))
#define MOST_LANES (WG_MOST_VECTORS * LANES)
#define MOST_PANELS 8

/* from: [groups][m][channels][of taps] with these steps and chosen taps; to: for each tile of rows [k][rows]. */
WG_CLONES static void FN(wg_pack_weights)(const wg_conv *p, const R *from, Py_ssize_t group_step, Py_ssize_t m_step,
                                          Py_ssize_t channel_step, const int32_t *chosen, R *to) {
    for (Py_ssize_t g = 0; g < p->groups; g++) {
        int rows;
        for (Py_ssize_t r = 0; r < p->m; r += rows) {
            rows = wg_tile_rows(p->tiles, p->m - r);
            for (Py_ssize_t c = 0; c < p->channels; c++)
                for (Py_ssize_t t = 0; t < p->taps; t++) {
                    const R *at = from + g * group_step + r * m_step + c * channel_step + chosen[t];
                    for (int i = 0; i < rows; i++) to[i] = at[i * m_step];
                    to += rows;
                }
        }
    }
}

/* Where columns are read and written. */
WG_INLINE void FN(wg_columns)(const wg_conv *p, Py_ssize_t first, Py_ssize_t count, Py_ssize_t *at, Py_ssize_t *to) {
    Py_ssize_t image = first / p->positions, out_offset = first % p->positions;
    for (Py_ssize_t j = 0; j < count; j++) {
        at[j] = image * p->source_image + p->base[out_offset];
        to[j] = image * p->out_image + (p->out_offset ? p->out_offset[out_offset] : out_offset);
        if (++out_offset == p->positions) out_offset = 0, image++;
    }
}

WG_INLINE int FN(wg_consecutive)(const Py_ssize_t *at, Py_ssize_t n) {
    for (Py_ssize_t j = 1; j < n; j++)
        if (at[j] != at[0] + j) return 0;
    return 1;
}

/* Where consecutive elements start, and how many such runs there are. */
typedef struct { int n; int from[WG_WIDE + 1]; } FN(wg_runs);

WG_INLINE void FN(wg_find_runs)(const Py_ssize_t *at, int n, FN(wg_runs) *runs) {
    runs->n = 0;
    for (int j = 0; j < n; j++)
        if (j == 0 || at[j] != at[j - 1] + 1) runs->from[runs->n++] = j;
    runs->from[runs->n] = n;
}

/* n elements at ``at`` from source, into to: runs by whole vectors, which may write up to one vector too much behind
   them. */
WG_INLINE void FN(wg_gather)(const R *source, const R *limit, const Py_ssize_t *at, int n, const FN(wg_runs) *runs,
                             R *to) {
    if (runs->n * 3 > n) {
        for (int j = 0; j < n; j++) to[j] = source[at[j]];
        return;
    }
    for (int i = 0; i < runs->n; i++) {
        const R *from = source + at[runs->from[i]];
        R *target = to + runs->from[i];
        const int length = runs->from[i + 1] - runs->from[i];
        if (from + length + LANES <= limit)
            for (int j = 0; j < length; j += (int)LANES) memcpy(target + j, from + j, sizeof(VEC));
        else
            for (int j = 0; j < length; j++) target[j] = from[j];
    }
}

/* A tile's rows to where their columns are written. */
WG_INLINE void FN(wg_put)(const R *tile, int rows, Py_ssize_t lanes, Py_ssize_t n, const Py_ssize_t *where,
                          int in_order, R *c, Py_ssize_t c_step, int add) {
    for (int y = 0; y < rows; y++, c += c_step, tile += lanes)
        if (in_order)
            for (Py_ssize_t j = 0; j < n; j++) c[where[0] + j] = (add ? c[where[0] + j] : 0) + tile[j];
        else
            for (Py_ssize_t j = 0; j < n; j++) c[where[j]] = (add ? c[where[j]] : 0) + tile[j];
}

/* Panels of columns: [k][lanes], the elements k0 .. k1 of each column. */
WG_CLONES static void FN(wg_fill_panel)(const wg_conv *p, const R *source, const Py_ssize_t *at, int lanes,
                                        Py_ssize_t k0, Py_ssize_t k1, R *to) {
    const int consecutive = FN(wg_consecutive)(at, lanes);
    FN(wg_runs) runs;
    Py_ssize_t c = k0 / p->taps, t = k0 % p->taps;
    FN(wg_find_runs)(at, lanes, &runs);
    for (Py_ssize_t k = k0; k < k1; k++, to += lanes) {
        const R *from = source + c * p->source_channel + p->tap[t];
        if (consecutive)
            for (int j = 0; j < lanes; j += (int)LANES) memcpy(to + j, from + at[0] + j, sizeof(VEC));
        else
            FN(wg_gather)(from, (const R *)p->limit, at, lanes, &runs, to);
        if (++t == p->taps) t = 0, c++;
    }
}

/* How many columns a panel has, whether they are read side by side (whole vectors of them, so that nothing is copied),
 * and whether they are written so. */
typedef struct { Py_ssize_t n; int straight, in_order; } FN(wg_panel);

/* Panel number ``i`` of all. last: where the last element of a column at 0 is read. at: also of the lanes that are left
   over. */
WG_INLINE FN(wg_panel) FN(wg_find_panel)(const wg_conv *p, Py_ssize_t i, const R *last, Py_ssize_t lanes,
                                         Py_ssize_t *at, Py_ssize_t *to) {
    FN(wg_panel) panel;
    const Py_ssize_t row = p->row_panels ? i / p->row_panels : 0;
    const Py_ssize_t within = (p->row_panels ? i % p->row_panels : i) * lanes;
    const Py_ssize_t left = (p->row_panels ? p->row : p->images * p->positions) - within;
    panel.n = left < lanes ? left : lanes;
    FN(wg_columns)(p, row * p->row + within, panel.n, at, to);
    panel.straight = FN(wg_consecutive)(at, panel.n) &&
                     last + at[0] + (panel.n + LANES - 1) / LANES * LANES <= (const R *)p->limit;
    panel.in_order = FN(wg_consecutive)(to, panel.n);
    for (Py_ssize_t j = panel.n; j < lanes; j++) at[j] = at[0];
    return panel;
}

/* Units of the product: for each group, block of panels and block of output channels. */
static void FN(wg_conv_units)(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    wg_conv *p = ctx;
    const Py_ssize_t lanes = p->tiles->vectors * LANES, k = p->channels * p->taps, panel = p->deep * lanes;
    Py_ssize_t at[MOST_PANELS * MOST_LANES], to[MOST_PANELS * MOST_LANES], element[WG_DEEPEST];
    Py_ssize_t farthest = 0;
    FN(wg_panel) found[MOST_PANELS];
    R tile[WG_MOST_ROWS * MOST_LANES];
    R *panels = malloc((size_t)(p->panels * panel + LANES) * sizeof(R));
    if (panels == NULL) {
        p->failed = 1;
        return;
    }
    for (Py_ssize_t t = 0; t < p->taps; t++)
        if (p->tap[t] > farthest) farthest = p->tap[t];
    for (Py_ssize_t u = begin; u < end; u++) {
        const Py_ssize_t mb = u % p->m_blocks, cb = u / p->m_blocks % p->column_blocks;
        const Py_ssize_t g = u / p->m_blocks / p->column_blocks;
        const Py_ssize_t first = cb * p->panels, rest = p->all_panels - first;
        const Py_ssize_t n_panels = rest < p->panels ? rest : p->panels;
        const Py_ssize_t m0 = mb * p->m_block, m1 = m0 + p->m_block < p->m ? m0 + p->m_block : p->m;
        const R *source = (const R *)p->source + g * p->channels * p->source_channel;
        const R *last = source + (p->channels - 1) * p->source_channel + farthest;
        const R *weights = (const R *)p->weights + g * p->m * k, *bias = p->bias ? (const R *)p->bias + g * p->m : NULL;
        R *out = (R *)p->out + g * p->m * p->out_channel;
        for (Py_ssize_t i = 0; i < n_panels; i++)
            found[i] = FN(wg_find_panel)(p, first + i, last, lanes, at + i * lanes, to + i * lanes);
        for (Py_ssize_t k0 = 0; k0 < k; k0 += p->deep) {
            const Py_ssize_t depth = k - k0 < p->deep ? k - k0 : p->deep;
            int rows;
            for (Py_ssize_t i = 0, c = k0 / p->taps * p->source_channel, t = k0 % p->taps; i < depth; i++) {
                element[i] = c + p->tap[t];
                if (++t == p->taps) t = 0, c += p->source_channel;
            }
            for (Py_ssize_t i = 0; i < n_panels; i++)
                if (!found[i].straight)
                    FN(wg_fill_panel)(p, source, at + i * lanes, (int)lanes, k0, k0 + depth, panels + i * panel);
            for (Py_ssize_t r = m0; r < m1; r += rows) {
                rows = wg_tile_rows(p->tiles, p->m - r);
                for (Py_ssize_t i = 0; i < n_panels; i++) {
                    const Py_ssize_t *where = to + i * lanes, n = found[i].n;
                    const R *a = weights + r * k + k0 * rows, *start = k0 || !bias ? NULL : bias + r;
                    const int wide = (int)((n + LANES - 1) / LANES), whole = found[i].in_order && n == wide * LANES;
                    const int add = whole && k0 > 0;
                    R *c = out + r * p->out_channel, *target = whole ? c + where[0] : tile;
                    const Py_ssize_t step = whole ? p->out_channel : lanes;
                    if (found[i].straight)
                        p->tiles->OUTER_AT(rows, wide, a, rows, source + at[i * lanes], element, depth, start, target,
                                           step, add);
                    else
                        p->tiles->OUTER(rows, wide, a, panels + i * panel, lanes, depth, start, target, step, add);
                    if (!whole) FN(wg_put)(tile, rows, lanes, n, where, found[i].in_order, c, p->out_channel, k0 > 0);
                }
            }
        }
    }
    free(panels);
}

/* The bias, or zeros, where no tap meets any element. */
static void FN(wg_fill_bias)(const wg_conv *p) {
    for (Py_ssize_t i = 0; i < p->images; i++)
        for (Py_ssize_t c = 0; c < p->groups * p->m; c++) {
            R *out = (R *)p->out + i * p->out_image + c * p->out_channel;
            const R one = p->bias ? ((const R *)p->bias)[c] : 0;
            for (Py_ssize_t j = 0; j < p->out_channel; j++) out[j] = one;
        }
}

/* Units of groups with one output channel (or two): an image's group, straight from the source, row by row of
   positions. */
WG_CLONES static void FN(wg_conv_direct)(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    const wg_conv *p = ctx;
    const Py_ssize_t k = p->channels * p->taps;
    for (Py_ssize_t u = begin; u < end; u++) {
        const Py_ssize_t image = u / p->groups, g = u % p->groups;
        const R *source = (const R *)p->source + image * p->source_image + g * p->channels * p->source_channel;
        for (Py_ssize_t r = 0; r < p->m; r++) {
            const R start = p->bias ? ((const R *)p->bias)[g * p->m + r] : 0;
            const R *weights = (const R *)p->weights + g * p->m * k + r;
            R *out = (R *)p->out + image * p->out_image + (g * p->m + r) * p->out_channel;
            for (Py_ssize_t first = 0; first < p->positions; first += p->row)
                for (Py_ssize_t j = 0; j < p->row; j += 2 * LANES) {
                    const R *from = source + p->base[first] + j;
                    HALF sums[4] = {start - (HALF){0}, start - (HALF){0}, start - (HALF){0}, start - (HALF){0}};
                    const Py_ssize_t n = p->row - j < 2 * LANES ? p->row - j : 2 * LANES;
                    for (Py_ssize_t c = 0, at = 0; c < p->channels; c++)
                        for (Py_ssize_t t = 0; t < p->taps; t++, at++) {
                            const R *x = from + c * p->source_channel + p->tap[t];
                            const HALF w = weights[at * p->m] - (HALF){0}, *columns = (const HALF *)x;
                            sums[0] += w * columns[0];
                            sums[1] += w * columns[1];
                            if (n > LANES) {
                                sums[2] += w * columns[2];
                                sums[3] += w * columns[3];
                            }
                        }
                    if (p->out_offset == NULL && n == 2 * LANES) {
                        memcpy(out + first + j, sums, sizeof sums);
                        continue;
                    }
                    const R *computed = (const R *)sums;
                    for (Py_ssize_t i = 0; i < n; i++)
                        out[p->out_offset ? p->out_offset[first + j + i] : first + j + i] = computed[i];
                }
        }
    }
}

/* Rows of columns: [k0 .. k1][WG_WIDE], and zeros up to whole vectors. */
WG_CLONES static void FN(wg_fill_rows)(const wg_conv *p, const R *source, const Py_ssize_t *at, int n, Py_ssize_t k0,
                                       Py_ssize_t k1, R *to) {
    FN(wg_runs) runs;
    Py_ssize_t c = k0 / p->taps, t = k0 % p->taps;
    FN(wg_find_runs)(at, n, &runs);
    for (Py_ssize_t k = k0; k < k1; k++, to += WG_WIDE) {
        FN(wg_gather)(source + c * p->source_channel + p->tap[t], (const R *)p->limit, at, n, &runs, to);
        for (int j = n; j % LANES; j++) to[j] = 0;
        if (++t == p->taps) t = 0, c++;
    }
}

WG_CLONES static void FN(wg_fill_values)(const wg_conv *p, const R *values, const R *limit, const Py_ssize_t *at, int n,
                                         Py_ssize_t rows, R *to) {
    FN(wg_runs) runs;
    FN(wg_find_runs)(at, n, &runs);
    for (Py_ssize_t r = 0; r < rows; r++, to += WG_WIDE, values += p->out_channel) {
        FN(wg_gather)(values, limit, at, n, &runs, to);
        for (int j = n; j % LANES; j++) to[j] = 0;
    }
}

/* Units of the weight's gradient: for each chunk of columns, group, block of output channels and block of k. ``out``
 * holds what comes from above, ``weights`` the results: [chunks][groups][m][k]. */
static void FN(wg_conv_weight)(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    wg_conv *p = ctx;
    const int vectors = p->tiles->vectors;
    const Py_ssize_t k = p->channels * p->taps, total = p->images * p->positions;
    const Py_ssize_t most_tiles = (p->m_block / p->tiles->rows + 3) * ((p->row_block + vectors - 1) / vectors);
    const Py_ssize_t n_sums = most_tiles * WG_MOST_ROWS * vectors;
    Py_ssize_t at[WG_WIDE], to[WG_WIDE];
    VEC *sums = malloc((size_t)n_sums * sizeof(VEC));
    R *rows = calloc((size_t)((p->row_block + vectors) * WG_WIDE), sizeof(R));
    R *values = malloc((size_t)(p->m_block * WG_WIDE + LANES) * sizeof(R));
    if (sums == NULL || rows == NULL || values == NULL) p->failed = 1;
    for (Py_ssize_t u = begin; u < end && !p->failed; u++) {
        const Py_ssize_t kb = u % p->row_blocks, mb = u / p->row_blocks % p->m_blocks;
        const Py_ssize_t g = u / p->row_blocks / p->m_blocks % p->groups;
        const Py_ssize_t chunk = u / p->row_blocks / p->m_blocks / p->groups;
        const Py_ssize_t k0 = kb * p->row_block, k1 = k0 + p->row_block < k ? k0 + p->row_block : k;
        const Py_ssize_t m0 = mb * p->m_block, m1 = m0 + p->m_block < p->m ? m0 + p->m_block : p->m;
        const Py_ssize_t last = (chunk + 1) * p->chunk < total ? (chunk + 1) * p->chunk : total;
        const R *source = (const R *)p->source + g * p->channels * p->source_channel;
        const R *above = (const R *)p->out + (g * p->m + m0) * p->out_channel;
        R *result = (R *)p->weights + ((chunk * p->groups + g) * p->m + m0) * k;
        int n_rows;
        memset(sums, 0, (size_t)n_sums * sizeof(VEC));
        for (Py_ssize_t first = chunk * p->chunk; first < last; first += WG_WIDE) {
            const int n = (int)(last - first < WG_WIDE ? last - first : WG_WIDE);
            const Py_ssize_t whole = (n + LANES - 1) / LANES * LANES;
            VEC *sum = sums;
            FN(wg_columns)(p, first, n, at, to);
            FN(wg_fill_rows)(p, source, at, n, k0, k1, rows);
            FN(wg_fill_values)(p, above, (const R *)p->out + p->images * p->out_image, to, n, m1 - m0, values);
            for (Py_ssize_t y = 0; y < k1 - k0; y += vectors)
                for (Py_ssize_t r = 0; r < m1 - m0; r += n_rows, sum += WG_MOST_ROWS * vectors) {
                    n_rows = wg_tile_rows(p->tiles, m1 - m0 - r);
                    p->tiles->INNER(n_rows, values + r * WG_WIDE, WG_WIDE, rows + y * WG_WIDE, WG_WIDE, whole, sum);
                }
        }
        const R *sum = (const R *)sums;
        for (Py_ssize_t y = 0; y < k1 - k0; y += vectors)
            for (Py_ssize_t r = 0; r < m1 - m0; r += n_rows, sum += WG_MOST_ROWS * vectors * LANES) {
                n_rows = wg_tile_rows(p->tiles, m1 - m0 - r);
                for (int i = 0; i < n_rows; i++)
                    for (int j = 0; j < vectors && y + j < k1 - k0; j++) {
                        const R *lane = sum + (i * vectors + j) * LANES;
                        R one = 0;
                        for (int l = 0; l < LANES; l++) one += lane[l];
                        result[(r + i) * k + k0 + y + j] = one;
                    }
            }
    }
    free(sums);
    free(rows);
    free(values);
}

/* What comes from above, for each tile of a group's rows [positions of all images][rows]: read in order. Units: images'
   groups' blocks. */
WG_INLINE void FN(wg_pack_tile)(const R *x, Py_ssize_t channel, Py_ssize_t n, int rows, R *to) {
    for (Py_ssize_t i = 0; i < n; i++)
        for (int k = 0; k < rows; k++) to[i * rows + k] = x[k * channel + i];
}

WG_CLONES static void FN(wg_pack_above)(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    const wg_weigher *p = ctx;
    const Py_ssize_t n = p->positions, total = p->images * n;
    for (Py_ssize_t u = begin; u < end; u++) {
        const Py_ssize_t mb = u % p->m_blocks, g = u / p->m_blocks % p->groups, image = u / p->m_blocks / p->groups;
        const Py_ssize_t m1 = (mb + 1) * p->m_block < p->m ? (mb + 1) * p->m_block : p->m;
        const R *from = (const R *)p->above + (image * p->groups + g) * p->m * n;
        R *to = (R *)p->grad + g * p->m * total;
        int rows;
        for (Py_ssize_t r = mb * p->m_block; r < m1; r += rows) {
            const R *x = from + r * n;
            R *y = to + r * total;
            rows = wg_tile_rows(p->tiles, m1 - r);
            y += image * n * rows;
            if (rows == 8) FN(wg_pack_tile)(x, n, n, 8, y);
            else if (rows == 6) FN(wg_pack_tile)(x, n, n, 6, y);
            else FN(wg_pack_tile)(x, n, n, rows, y);
        }
    }
}

/* Units: for each chunk of columns, group, run of taps, block of the run's elements and block of output channels. */
static void FN(wg_weigh)(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    wg_weigher *p = ctx;
    const Py_ssize_t lanes = p->tiles->vectors * LANES, length = p->run_taps * p->channels;
    const Py_ssize_t total = p->images * p->positions;
    const Py_ssize_t source_step = p->groups * p->channels;
    Py_ssize_t at[WG_DEEP];
    R *sums = malloc((size_t)((p->m_block + WG_MOST_ROWS) * lanes) * sizeof(R));
    if (sums == NULL) {
        p->failed = 1;
        return;
    }
    for (Py_ssize_t u = begin; u < end; u++) {
        Py_ssize_t rest = u;
        const Py_ssize_t m0 = rest % p->m_blocks * p->m_block, rows = p->m - m0 < p->m_block ? p->m - m0 : p->m_block;
        rest /= p->m_blocks;
        const Py_ssize_t l0 = rest % p->lane_blocks * lanes, width = length - l0 < lanes ? length - l0 : lanes;
        rest /= p->lane_blocks;
        const Py_ssize_t run = rest % p->runs, g = rest / p->runs % p->groups, chunk = rest / p->runs / p->groups;
        const Py_ssize_t last = (chunk + 1) * p->chunk < total ? (chunk + 1) * p->chunk : total;
        const R *source = (const R *)p->source + p->run[run] * source_step + g * p->channels + l0;
        const R *grad = (const R *)p->grad + (g * p->m + m0) * total;
        const int wide = (int)((width + LANES - 1) / LANES);
        int count;
        for (Py_ssize_t first = chunk * p->chunk; first < last; first += WG_DEEP) {
            const Py_ssize_t n = last - first < WG_DEEP ? last - first : WG_DEEP;
            Py_ssize_t image = first / p->positions, out_offset = first % p->positions;
            for (Py_ssize_t j = 0; j < n; j++) {
                at[j] = image * p->source_image + p->base[out_offset] * source_step;
                if (++out_offset == p->positions) out_offset = 0, image++;
            }
            for (Py_ssize_t r = 0; r < rows; r += count) {
                count = wg_tile_rows(p->tiles, rows - r);
                p->tiles->OUTER_AT(count, wide, grad + r * total + first * count, count, source, at, n, NULL,
                                   sums + r * lanes, lanes, first > chunk * p->chunk);
            }
        }
        R *result = (R *)p->parts + ((chunk * p->groups + g) * p->m + m0) * p->channels * p->taps + run * p->run_taps;
        for (Py_ssize_t r = 0; r < rows; r++, result += p->channels * p->taps)
            for (Py_ssize_t l = 0; l < width; l++)
                result[(l0 + l) % p->channels * p->taps + (l0 + l) / p->channels] = sums[r * lanes + l];
    }
    free(sums);
}

#undef FN
#undef OUTER_AT
#undef OUTER
#undef INNER
#undef VEC
#undef HALF
#undef LANES
#undef MOST_LANES
#undef MOST_PANELS
