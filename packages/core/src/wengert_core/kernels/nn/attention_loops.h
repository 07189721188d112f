/* Attention and its gradient; included once for float and once for double. Note [Attention by blocks] in
   attention.h. */
#define FN(name) WG_CAT(WG_CAT(name, _), SUF)
#define OUTER WG_CAT(outer_, SUF)
#define EXP WG_CAT(wg_exp_, SUF)
#define LANES ((Py_ssize_t)(64 / sizeof(R)))
#define MOST_LANES (WG_MOST_VECTORS * LANES)

/* Lanes of a unit: whole vectors, as few as serve n in as many units as of the largest tiles. */
static Py_ssize_t FN(wg_lanes)(const wg_tiles *tiles, Py_ssize_t n) {
    const Py_ssize_t most = tiles->vectors * LANES, units = n > 0 ? (n + most - 1) / most : 1;
    const Py_ssize_t each = (n + units - 1) / units;
    return each > LANES ? (each + LANES - 1) / LANES * LANES : LANES;
}

/* ---- packing */

WG_CLONES static void FN(wg_pack_operand)(const wg_tiles *tiles, const wg_operand *o, Py_ssize_t b) {
    const R *from = (const R *)o->data + b * o->n * o->size;
    const Py_ssize_t size = o->size;
    R *to = (R *)o->rows + b * o->n * size;
    int count;
    for (Py_ssize_t r = 0; o->rows && r < o->n; r += count, to += count * size) {
        const R *x = from + r * size;
        count = wg_tile_rows(tiles, o->n - r);
        if (count == 8)
            for (Py_ssize_t c = 0; c < size; c++)
                for (int i = 0; i < 8; i++) to[c * 8 + i] = x[i * size + c];
        else
            for (Py_ssize_t c = 0; c < size; c++)
                for (int i = 0; i < count; i++) to[c * count + i] = x[i * size + c];
    }
    to = (R *)o->columns + b * o->n * size;
    for (Py_ssize_t c = 0; o->columns && c < size; c += count, to += count * o->n) {
        count = wg_tile_rows(tiles, size - c);
        if (count == 8)
            for (Py_ssize_t r = 0; r < o->n; r++) memcpy(to + r * 8, from + r * size + c, 8 * sizeof(R));
        else
            for (Py_ssize_t r = 0; r < o->n; r++)
                for (int i = 0; i < count; i++) to[r * count + i] = from[r * size + c + i];
    }
}

static void FN(wg_attention_pack)(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    wg_attention *p = ctx;
    for (Py_ssize_t b = begin; b < end; b++) {
        FN(wg_pack_operand)(p->tiles, &p->query, b);
        FN(wg_pack_operand)(p->tiles, &p->key, b);
        FN(wg_pack_operand)(p->tiles, &p->value, b);
        if (p->grad.data == NULL) continue;
        FN(wg_pack_operand)(p->tiles, &p->grad, b);
        const Py_ssize_t n = p->query.n, size = p->value.size;
        for (Py_ssize_t i = b * n; i < (b + 1) * n; i++) {
            const R *x = (const R *)p->grad.data + i * size, *y = (const R *)p->out + i * size;
            double total = 0;
            for (Py_ssize_t j = 0; j < size; j++) total += (double)x[j] * y[j];
            ((R *)p->dots)[i] = (R)total;
        }
    }
}

/* Rows first .. of an operand as lanes: [size][lanes], times scale; zeros in lanes that are left. From the packed rows,
 * where there are any: a row of a tile is a piece of a row of lanes. */
WG_CLONES static void FN(wg_fill_lanes)(const wg_tiles *tiles, const wg_operand *o, Py_ssize_t b, Py_ssize_t first,
                                        Py_ssize_t lanes, R scale, R *to) {
    const Py_ssize_t left = o->n - first, n = left < lanes ? left : lanes, size = o->size;
    int count = 1;
    if (n < lanes) memset(to, 0, (size_t)(size * lanes) * sizeof(R));
    if (o->rows && first % tiles->rows == 0 && lanes % tiles->rows == 0) {
        const R *from = (const R *)o->rows + (b * o->n + first) * size;
        for (Py_ssize_t i = 0; i < n; i += count, from += count * size) {
            count = wg_tile_rows(tiles, o->n - first - i);
            if (count == 8)
                for (Py_ssize_t c = 0; c < size; c++)
                    for (int k = 0; k < 8; k++) to[c * lanes + i + k] = from[c * 8 + k] * scale;
            else
                for (Py_ssize_t c = 0; c < size; c++)
                    for (int k = 0; k < count; k++) to[c * lanes + i + k] = from[c * count + k] * scale;
        }
        return;
    }
    const R *from = (const R *)o->data + (b * o->n + first) * size;
    for (Py_ssize_t i = 0; i < n; i += 16)
        for (Py_ssize_t c = 0; c < size; c++)
            for (Py_ssize_t k = i; k < n && k < i + 16; k++) to[c * lanes + k] = from[k * size + c] * scale;
}

WG_CLONES static void FN(wg_empty_lanes)(const R *from, const wg_operand *o, Py_ssize_t b, Py_ssize_t first,
                                         Py_ssize_t lanes, R scale, char *target) {
    R *to = (R *)target + (b * o->n + first) * o->size;
    const Py_ssize_t n = o->n - first < lanes ? o->n - first : lanes, size = o->size;
    for (Py_ssize_t c = 0; c < size; c += 16)
        for (Py_ssize_t i = 0; i < n; i++)
            for (Py_ssize_t k = c; k < size && k < c + 16; k++) to[i * size + k] = from[k * lanes + i] * scale;
}

/* ---- products */

/* to[rows first .. first + n of o][lanes] = o * panel. */
static void FN(wg_times_rows)(const wg_tiles *tiles, const wg_operand *o, Py_ssize_t b, Py_ssize_t first, Py_ssize_t n,
                              const R *panel, Py_ssize_t lanes, R *to) {
    const R *packed = (const R *)o->rows + (b * o->n + first) * o->size;
    int count;
    for (Py_ssize_t r = 0; r < n; r += count, packed += count * o->size) {
        count = wg_tile_rows(tiles, o->n - first - r);
        tiles->OUTER(count, (int)(lanes / LANES), packed, panel, lanes, o->size, NULL, to + r * lanes, lanes, 0);
    }
}

/* to[columns of o][lanes] += o[first .. first + n] transposed * weights[n][lanes]. */
static void FN(wg_add_columns)(const wg_tiles *tiles, const wg_operand *o, Py_ssize_t b, Py_ssize_t first, Py_ssize_t n,
                               const R *weights, Py_ssize_t lanes, R *to) {
    const R *packed = (const R *)o->columns + b * o->n * o->size;
    int count;
    for (Py_ssize_t c = 0; c < o->size; c += count) {
        count = wg_tile_rows(tiles, o->size - c);
        tiles->OUTER(count, (int)(lanes / LANES), packed + c * o->n + first * count, weights, lanes, n, NULL,
                     to + c * lanes, lanes, 1);
    }
}

/* ---- scores [n rows][lanes] */

/* The mask added, and -inf where a key comes after its query. Rows are keys, or (by_key) queries. */
static void FN(wg_mask_scores)(const wg_attention *p, Py_ssize_t b, Py_ssize_t row, Py_ssize_t n, Py_ssize_t lane,
                               Py_ssize_t lanes, int by_key, R *scores) {
    const Py_ssize_t row_step = by_key ? p->mask_query : p->mask_key, lane_step = by_key ? p->mask_key : p->mask_query;
    const Py_ssize_t all = by_key ? p->key.n : p->query.n, there = all - lane < lanes ? all - lane : lanes;
    if (p->mask) {
        const R *mask = (const R *)p->mask + p->mask_at[b] + row * row_step + lane * lane_step;
        for (Py_ssize_t r = 0; r < n; r++)
            for (Py_ssize_t i = 0; i < there; i++) scores[r * lanes + i] += mask[r * row_step + i * lane_step];
    }
    if (p->causal)
        for (Py_ssize_t r = 0; r < n; r++)
            for (Py_ssize_t i = 0; i < lanes; i++) {
                const Py_ssize_t key = by_key ? lane + i : row + r, query = by_key ? row + r : lane + i;
                if (key > query) scores[r * lanes + i] = -(R)INFINITY;
            }
}

/* Exponentials against the largest so far; sums and what was added before shrink with it. */
WG_CLONES static void FN(wg_soften)(R *scores, Py_ssize_t n, Py_ssize_t lanes, R *top, R *total, R *out,
                                    Py_ssize_t size) {
    R shift[MOST_LANES], shrink[MOST_LANES];
    for (Py_ssize_t i = 0; i < lanes; i++) shift[i] = top[i];
    for (Py_ssize_t r = 0; r < n; r++)
        for (Py_ssize_t i = 0; i < lanes; i++)
            shift[i] = scores[r * lanes + i] > shift[i] ? scores[r * lanes + i] : shift[i];
    for (Py_ssize_t i = 0; i < lanes; i++) {
        const R old = top[i];
        top[i] = shift[i];
        shift[i] = shift[i] == -(R)INFINITY ? 0 : shift[i];      /* nothing is seen yet */
        shrink[i] = old - shift[i];
    }
    for (Py_ssize_t i = 0; i < lanes; i++) shrink[i] = EXP(shrink[i]);
    for (Py_ssize_t i = 0; i < lanes; i++) total[i] *= shrink[i];
    for (Py_ssize_t r = 0; r < n; r++)
        for (Py_ssize_t i = 0; i < lanes; i++) scores[r * lanes + i] -= shift[i];
    WG_IVDEP
    for (Py_ssize_t i = 0; i < n * lanes; i++) scores[i] = EXP(scores[i]);
    for (Py_ssize_t r = 0; r < n; r++)
        for (Py_ssize_t i = 0; i < lanes; i++) total[i] += scores[r * lanes + i];
    for (Py_ssize_t c = 0; c < size; c++)
        for (Py_ssize_t i = 0; i < lanes; i++) out[c * lanes + i] *= shrink[i];
}

/* ---- the result: units are blocks of queries */
static void FN(wg_attention_units)(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    wg_attention *p = ctx;
    const Py_ssize_t lanes = FN(wg_lanes)(p->tiles, p->query.n), blocks = (p->query.n + lanes - 1) / lanes;
    const Py_ssize_t size = p->query.size, width = p->value.size;
    R top[MOST_LANES], total[MOST_LANES];
    R *queries = malloc((size_t)((size + width + p->block) * lanes) * sizeof(R));
    if (queries == NULL) {
        p->failed = 1;
        return;
    }
    R *out = queries + size * lanes, *scores = out + width * lanes;
    for (Py_ssize_t u = begin; u < end; u++) {
        const Py_ssize_t b = u / blocks, first = u % blocks * lanes;
        const Py_ssize_t left = p->query.n - first, n = left < lanes ? left : lanes;
        const Py_ssize_t keys = p->causal && first + n < p->key.n ? first + n : p->key.n;
        FN(wg_fill_lanes)(p->tiles, &p->query, b, first, lanes, (R)p->scale, queries);
        memset(out, 0, (size_t)(width * lanes) * sizeof(R));
        for (Py_ssize_t i = 0; i < lanes; i++) top[i] = -(R)INFINITY, total[i] = 0;
        for (Py_ssize_t k = 0; k < keys; k += p->block) {
            const Py_ssize_t m = keys - k < p->block ? keys - k : p->block;
            const Py_ssize_t whole = p->key.n - k < p->block ? p->key.n - k : p->block;   /* whole tiles */
            FN(wg_times_rows)(p->tiles, &p->key, b, k, whole, queries, lanes, scores);
            if (p->mask || p->causal) FN(wg_mask_scores)(p, b, k, m, first, lanes, 0, scores);
            FN(wg_soften)(scores, m, lanes, top, total, out, width);
            FN(wg_add_columns)(p->tiles, &p->value, b, k, m, scores, lanes, out);
        }
        for (Py_ssize_t i = 0; i < lanes; i++) {
            const R sum = total[i];
            if (i < n)
                ((R *)p->sums)[b * p->query.n + first + i] = sum == 0 ? (R)INFINITY : top[i] + (R)log((double)sum);
            total[i] = sum == 0 ? 0 : 1 / sum;   /* who sees no key gets zeros */
        }
        for (Py_ssize_t c = 0; c < width; c++)
            for (Py_ssize_t i = 0; i < lanes; i++) out[c * lanes + i] *= total[i];
        wg_operand result = {NULL, p->query.n, width, NULL, NULL};
        FN(wg_empty_lanes)(out, &result, b, first, lanes, 1, p->out);
    }
    free(queries);
}

/* ---- gradients */

/* scores become weights exp(score - sum), slopes weights * (slope - dot); sums and dots of rows or of lanes. */
WG_CLONES static void FN(wg_slopes)(R *scores, R *slopes, Py_ssize_t n, Py_ssize_t lanes, const R *sums, const R *dots,
                                    int by_row) {
    for (Py_ssize_t r = 0; r < n; r++)
        for (Py_ssize_t i = 0; i < lanes; i++) scores[r * lanes + i] -= by_row ? sums[r] : sums[i];
    WG_IVDEP
    for (Py_ssize_t i = 0; i < n * lanes; i++) scores[i] = EXP(scores[i]);
    for (Py_ssize_t r = 0; r < n; r++)
        for (Py_ssize_t i = 0; i < lanes; i++)
            slopes[r * lanes + i] = scores[r * lanes + i] * (slopes[r * lanes + i] - (by_row ? dots[r] : dots[i]));
}

/* The gradient of the queries: units are blocks of queries. */
static void FN(wg_attention_by_query)(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    wg_attention *p = ctx;
    const Py_ssize_t lanes = FN(wg_lanes)(p->tiles, p->query.n), blocks = (p->query.n + lanes - 1) / lanes;
    const Py_ssize_t size = p->query.size, width = p->value.size;
    R sums[MOST_LANES], dots[MOST_LANES];
    R *queries = malloc((size_t)((2 * size + width + 2 * p->block) * lanes) * sizeof(R));
    if (queries == NULL) {
        p->failed = 1;
        return;
    }
    R *grads = queries + size * lanes, *out = grads + width * lanes, *scores = out + size * lanes;
    R *slopes = scores + p->block * lanes;
    for (Py_ssize_t u = begin; u < end; u++) {
        const Py_ssize_t b = u / blocks, first = u % blocks * lanes;
        const Py_ssize_t left = p->query.n - first, n = left < lanes ? left : lanes;
        const Py_ssize_t keys = p->causal && first + n < p->key.n ? first + n : p->key.n;
        FN(wg_fill_lanes)(p->tiles, &p->query, b, first, lanes, (R)p->scale, queries);
        FN(wg_fill_lanes)(p->tiles, &p->grad, b, first, lanes, 1, grads);
        memset(out, 0, (size_t)(size * lanes) * sizeof(R));
        for (Py_ssize_t i = 0; i < lanes; i++) {
            sums[i] = i < n ? ((const R *)p->sums)[b * p->query.n + first + i] : 0;
            dots[i] = i < n ? ((const R *)p->dots)[b * p->query.n + first + i] : 0;
        }
        for (Py_ssize_t k = 0; k < keys; k += p->block) {
            const Py_ssize_t m = keys - k < p->block ? keys - k : p->block;
            const Py_ssize_t whole = p->key.n - k < p->block ? p->key.n - k : p->block;
            FN(wg_times_rows)(p->tiles, &p->key, b, k, whole, queries, lanes, scores);
            if (p->mask || p->causal) FN(wg_mask_scores)(p, b, k, m, first, lanes, 0, scores);
            FN(wg_times_rows)(p->tiles, &p->value, b, k, whole, grads, lanes, slopes);
            FN(wg_slopes)(scores, slopes, m, lanes, sums, dots, 0);
            FN(wg_add_columns)(p->tiles, &p->key, b, k, m, slopes, lanes, out);
        }
        FN(wg_empty_lanes)(out, &p->query, b, first, lanes, (R)p->scale, p->by_query);
    }
    free(queries);
}

/* The gradients of keys and values: units are blocks of keys. */
static void FN(wg_attention_by_key)(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    wg_attention *p = ctx;
    const Py_ssize_t lanes = FN(wg_lanes)(p->tiles, p->key.n), blocks = (p->key.n + lanes - 1) / lanes;
    const Py_ssize_t size = p->query.size, width = p->value.size;
    R *keys = malloc((size_t)((2 * size + 2 * width + 2 * p->block) * lanes) * sizeof(R));
    if (keys == NULL) {
        p->failed = 1;
        return;
    }
    R *values = keys + size * lanes, *by_key = values + width * lanes, *by_value = by_key + size * lanes;
    R *scores = by_value + width * lanes, *slopes = scores + p->block * lanes;
    for (Py_ssize_t u = begin; u < end; u++) {
        const Py_ssize_t b = u / blocks, first = u % blocks * lanes;
        FN(wg_fill_lanes)(p->tiles, &p->key, b, first, lanes, (R)p->scale, keys);
        FN(wg_fill_lanes)(p->tiles, &p->value, b, first, lanes, 1, values);
        memset(by_key, 0, (size_t)((size + width) * lanes) * sizeof(R));
        for (Py_ssize_t q = p->causal ? first / p->block * p->block : 0; q < p->query.n; q += p->block) {
            const Py_ssize_t m = p->query.n - q < p->block ? p->query.n - q : p->block;
            const R *sums = (const R *)p->sums + b * p->query.n + q, *dots = (const R *)p->dots + b * p->query.n + q;
            FN(wg_times_rows)(p->tiles, &p->query, b, q, m, keys, lanes, scores);
            if (p->mask || p->causal) FN(wg_mask_scores)(p, b, q, m, first, lanes, 1, scores);
            FN(wg_times_rows)(p->tiles, &p->grad, b, q, m, values, lanes, slopes);
            FN(wg_slopes)(scores, slopes, m, lanes, sums, dots, 1);
            FN(wg_add_columns)(p->tiles, &p->grad, b, q, m, scores, lanes, by_value);
            FN(wg_add_columns)(p->tiles, &p->query, b, q, m, slopes, lanes, by_key);
        }
        FN(wg_empty_lanes)(by_key, &p->key, b, first, lanes, (R)p->scale, p->by_key);
        FN(wg_empty_lanes)(by_value, &p->value, b, first, lanes, 1, p->by_value);
    }
    free(keys);
}

#undef FN
#undef OUTER
#undef EXP
#undef LANES
#undef MOST_LANES
