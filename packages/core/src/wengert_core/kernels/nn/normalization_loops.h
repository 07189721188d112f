/* Normalization by mean and variance, and its gradient; included once for float and once for double.
 * Note [The layout of normalization] in normalization.h. Sums are taken in lanes over blocks, and blocks are added in
 * double.
 */
#define FN(name) WG_CAT(WG_CAT(name, _), SUF)
#define LANES ((int)(128 / sizeof(R)))
#define BLOCK 1024

#define WG_SUM_LOOP(NAME, TERM) \
    WG_INLINE double FN(NAME)(const R *x, const R *y, R shift, Py_ssize_t n) { \
        double total = 0; \
        (void)y, (void)shift; \
        for (Py_ssize_t b = 0; b < n; b += BLOCK) { \
            const Py_ssize_t end = n - b < BLOCK ? n : b + BLOCK; \
            R lane[LANES], rest = 0; \
            Py_ssize_t i = b; \
            for (int j = 0; j < LANES; j++) lane[j] = 0; \
            for (; i + LANES <= end; i += LANES) \
                for (int j = 0; j < LANES; j++) lane[j] += TERM(i + j); \
            for (; i < end; i++) rest += TERM(i); \
            for (int half = LANES / 2; half > 0; half /= 2) \
                for (int j = 0; j < half; j++) lane[j] += lane[j + half]; \
            total += lane[0] + rest; \
        } \
        return total; \
    }
#define PLAIN(i) x[i]
#define SQUARE(i) ((x[i] - shift) * (x[i] - shift))
#define WITH_OTHER(i) (y[i] * (x[i] - shift))
WG_SUM_LOOP(wg_sum_of, PLAIN)
WG_SUM_LOOP(wg_squares_of, SQUARE)
WG_SUM_LOOP(wg_products_of, WITH_OTHER)
#undef PLAIN
#undef SQUARE
#undef WITH_OTHER

/* The statistics and the result of images x groups from begin to end. */
WG_CLONES static void FN(wg_normalize)(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    const wg_norm *p = ctx;
    const Py_ssize_t length = p->channels * p->size, step = p->images * p->groups * length, count = p->outer * length;
    for (Py_ssize_t u = begin; u < end; u++) {
        const R *x = (const R *)p->x + u * length;
        R *out = (R *)p->out + u * length, *mean = (R *)p->mean + u, *var = (R *)p->var + u;
        const Py_ssize_t first = u % p->groups * p->channels;
        if (!p->given) {
            double total = 0, squares = 0;
            for (Py_ssize_t a = 0; a < p->outer; a++) total += FN(wg_sum_of)(x + a * step, NULL, 0, length);
            *mean = (R)(total / (double)count);
            for (Py_ssize_t a = 0; a < p->outer; a++) squares += FN(wg_squares_of)(x + a * step, NULL, *mean, length);
            *var = (R)(squares / (double)count);
        }
        const R scale = (R)(1 / sqrt((double)*var + p->eps)), shift = *mean;
        const R *weight = p->weight ? (const R *)p->weight + first : NULL;
        const R *bias = p->bias ? (const R *)p->bias + first : NULL;
        for (Py_ssize_t a = 0; a < p->outer; a++) {
            const R *from = x + a * step;
            R *to = out + a * step;
            if (p->size == 1 && weight && bias)
                for (Py_ssize_t i = 0; i < length; i++) to[i] = (from[i] - shift) * scale * weight[i] + bias[i];
            else if (p->size == 1)
                for (Py_ssize_t i = 0; i < length; i++)
                    to[i] = (from[i] - shift) * scale * (weight ? weight[i] : 1) + (bias ? bias[i] : 0);
            else
                for (Py_ssize_t c = 0; c < p->channels; c++, from += p->size, to += p->size) {
                    const R slope = weight ? scale * weight[c] : scale, more = bias ? bias[c] : 0;
                    for (Py_ssize_t i = 0; i < p->size; i++) to[i] = (from[i] - shift) * slope + more;
                }
        }
    }
}

/* The gradients of images x groups from begin to end: sums for weight and bias, then that of x. size > 1. */
WG_CLONES static void FN(wg_normalize_back)(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    const wg_norm *p = ctx;
    const Py_ssize_t length = p->channels * p->size, step = p->images * p->groups * length;
    const double count = (double)(p->outer * length);
    for (Py_ssize_t u = begin; u < end; u++) {
        const R *x = (const R *)p->x + u * length, *grad = (const R *)p->grad + u * length;
        R *out = (R *)p->out + u * length;
        R *by_weight = (R *)p->weight_sums + u * p->channels, *by_bias = (R *)p->bias_sums + u * p->channels;
        const R shift = ((const R *)p->mean)[u];
        const double scale = 1 / sqrt((double)((const R *)p->var)[u] + p->eps);
        const R *weight = p->weight ? (const R *)p->weight + u % p->groups * p->channels : NULL;
        double sums = 0, products = 0;
        for (Py_ssize_t c = 0; c < p->channels; c++) {
            double sum = 0, product = 0;
            for (Py_ssize_t a = 0; a < p->outer; a++) {
                const Py_ssize_t at = a * step + c * p->size;
                sum += FN(wg_sum_of)(grad + at, NULL, 0, p->size);
                product += FN(wg_products_of)(x + at, grad + at, shift, p->size);
            }
            product *= scale;
            by_bias[c] = (R)sum;
            by_weight[c] = (R)product;
            sums += weight ? sum * weight[c] : sum;
            products += weight ? product * weight[c] : product;
        }
        const R even = p->given ? 0 : (R)(sums / count), slope = p->given ? 0 : (R)(scale * products / count);
        for (Py_ssize_t a = 0; a < p->outer; a++)
            for (Py_ssize_t c = 0; c < p->channels; c++) {
                const Py_ssize_t at = a * step + c * p->size;
                const R *from = x + at, *above = grad + at, factor = weight ? weight[c] : 1, common = (R)scale;
                R *to = out + at;
                for (Py_ssize_t i = 0; i < p->size; i++)
                    to[i] = (above[i] * factor - even - (from[i] - shift) * slope) * common;
            }
    }
}

/* The same for size 1 (and outer 1): parts of rows from begin to end, with sums for weight and bias of each part. */
WG_CLONES static void FN(wg_normalize_back_rows)(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    const wg_norm *p = ctx;
    const Py_ssize_t n = p->channels;
    for (Py_ssize_t part = begin; part < end; part++) {
        R *by_weight = (R *)p->weight_sums + part * n, *by_bias = (R *)p->bias_sums + part * n;
        const Py_ssize_t last = (part + 1) * p->rows_of_part < p->images ? (part + 1) * p->rows_of_part : p->images;
        memset(by_weight, 0, (size_t)n * sizeof(R));
        memset(by_bias, 0, (size_t)n * sizeof(R));
        for (Py_ssize_t u = part * p->rows_of_part; u < last; u++) {
            const R *x = (const R *)p->x + u * n, *grad = (const R *)p->grad + u * n, *weight = (const R *)p->weight;
            R *to = (R *)p->out + u * n;
            const R shift = ((const R *)p->mean)[u], scale = (R)(1 / sqrt((double)((const R *)p->var)[u] + p->eps));
            const R *above = weight ? to : grad;
            WG_IVDEP
            for (Py_ssize_t i = 0; i < n; i++) {
                by_bias[i] += grad[i];
                by_weight[i] += grad[i] * ((x[i] - shift) * scale);
                if (weight) to[i] = grad[i] * weight[i];
            }
            const R even = p->given ? 0 : (R)(FN(wg_sum_of)(above, NULL, 0, n) / (double)n);
            const R slope =
                p->given ? 0 : (R)((double)scale * scale * FN(wg_products_of)(x, above, shift, n) / (double)n);
            WG_IVDEP
            for (Py_ssize_t i = 0; i < n; i++) to[i] = (above[i] - even - (x[i] - shift) * slope) * scale;
        }
    }
}

#undef FN
#undef LANES
#undef BLOCK
