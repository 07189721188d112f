/* softmax, log_softmax, their gradients and logsumexp over contiguous rows; included once for float, once for double.
 *
 * The includer defines R and SUF. Short rows are taken several at a time, so that the exponentials of a whole group go
 * through one vector loop. A row whose maximum is infinite, or that holds NaN, becomes NaN, as in torch.
 */
#define FN(name) WG_CAT(WG_CAT(name, _), SUF)
#define EXP WG_CAT(wg_exp_, SUF)
#define LANES ((int)(128 / sizeof(R)))

/* Lanes side by side, then by fours of them, then one after the other: rows are often shorter than two or three vectors. */
enum { FN(WG_FEW) = LANES / 4 };

WG_INLINE R FN(wg_larger)(R a, R b) {                           /* NaN wins */
    const R most = b > a ? b : a;
    return b != b ? b : most;
}

WG_INLINE R FN(wg_row_max)(const R *x, Py_ssize_t n) {
    R lane[LANES], best;
    Py_ssize_t i = 0;
    if (n < FN(WG_FEW)) {
        best = n > 0 ? x[0] : 0;
    } else {
        for (int j = 0; j < FN(WG_FEW); j++) lane[j] = x[j];
        i = FN(WG_FEW);
        if (n >= LANES) {
            for (int j = 0; j < LANES; j++) lane[j] = x[j];
            for (i = LANES; i + LANES <= n; i += LANES)
                for (int j = 0; j < LANES; j++) lane[j] = FN(wg_larger)(lane[j], x[i + j]);
            for (int half = LANES / 2; half >= FN(WG_FEW); half /= 2)
                for (int j = 0; j < half; j++) lane[j] = FN(wg_larger)(lane[j], lane[j + half]);
        }
        for (; i + FN(WG_FEW) <= n; i += FN(WG_FEW))
            for (int j = 0; j < FN(WG_FEW); j++) lane[j] = FN(wg_larger)(lane[j], x[i + j]);
        for (int half = FN(WG_FEW) / 2; half > 0; half /= 2)
            for (int j = 0; j < half; j++) lane[j] = FN(wg_larger)(lane[j], lane[j + half]);
        best = lane[0];
    }
    for (; i < n; i++) best = FN(wg_larger)(best, x[i]);
    return best;
}

WG_INLINE R FN(wg_row_sum)(const R *x, Py_ssize_t n) {
    R lane[LANES], total = 0;
    Py_ssize_t i = 0;
    if (n >= FN(WG_FEW)) {
        for (int j = 0; j < LANES; j++) lane[j] = 0;
        if (n >= LANES) {
            for (; i + LANES <= n; i += LANES)
                for (int j = 0; j < LANES; j++) lane[j] += x[i + j];
            for (int half = LANES / 2; half >= FN(WG_FEW); half /= 2)
                for (int j = 0; j < half; j++) lane[j] += lane[j + half];
        }
        for (; i + FN(WG_FEW) <= n; i += FN(WG_FEW))
            for (int j = 0; j < FN(WG_FEW); j++) lane[j] += x[i + j];
        for (int half = FN(WG_FEW) / 2; half > 0; half /= 2)
            for (int j = 0; j < half; j++) lane[j] += lane[j + half];
        total = lane[0];
    }
    for (; i < n; i++) total += x[i];
    return total;
}

/* A function of its own: inside larger ones GCC 12 does not vectorise this loop. */
WG_CLONES static void FN(wg_exp_block)(const R *x, R *out, Py_ssize_t n) {
    WG_IVDEP
    for (Py_ssize_t j = 0; j < n; j++) out[j] = EXP(x[j]);
}

/* Sum of exp(x - shift), by blocks; the blocks' sums add up in double. */
WG_INLINE double FN(wg_row_sum_exp)(const R *x, R shift, Py_ssize_t n) {
    R block[WG_GROUP];
    double total = 0;
    for (Py_ssize_t i = 0; i < n; i += WG_GROUP) {
        const Py_ssize_t m = n - i < WG_GROUP ? n - i : WG_GROUP;
        for (Py_ssize_t j = 0; j < m; j++) block[j] = x[i + j] - shift;
        FN(wg_exp_block)(block, block, m);
        total += FN(wg_row_sum)(block, m);
    }
    return total;
}

WG_CLONES static void FN(softmax)(const wg_rows *t, Py_ssize_t rows) {
    const Py_ssize_t n = t->n;
    for (Py_ssize_t r = 0; r < rows; r++) {
        const R *x = WG_ROW(R, t->a, r);
        R *out = WG_ROW(R, t->out, r);
        const R top = FN(wg_row_max)(x, n);
        WG_IVDEP
        for (Py_ssize_t j = 0; j < n; j++) out[j] = x[j] - top;
    }
    const int dense = t->out.stride == n * (Py_ssize_t)sizeof(R);
    for (Py_ssize_t r = 0; r < (dense ? 1 : rows); r++) {
        R *out = WG_ROW(R, t->out, r);
        FN(wg_exp_block)(out, out, dense ? rows * n : n);
    }
    for (Py_ssize_t r = 0; r < rows; r++) {
        R *out = WG_ROW(R, t->out, r);
        const R total = FN(wg_row_sum)(out, n);
        WG_IVDEP
        for (Py_ssize_t j = 0; j < n; j++) out[j] = out[j] / total;
    }
}

WG_CLONES static void FN(wg_log_totals)(double *totals, Py_ssize_t n) {
    WG_IVDEP
    for (Py_ssize_t r = 0; r < n; r++) totals[r] = wg_log_f64(totals[r]);
}

/* Rows of one group: what is subtracted is found for all of them before it is. */
WG_CLONES static void FN(log_softmax)(const wg_rows *t, Py_ssize_t rows) {
    R group[WG_GROUP];
    double totals[WG_GROUP];
    const Py_ssize_t n = t->n;
    const int small = rows * n <= WG_GROUP;
    for (Py_ssize_t r = 0; r < rows; r++) {
        const R *x = WG_ROW(R, t->a, r);
        R *out = WG_ROW(R, t->out, r), *copy = small ? group + r * n : out;
        const R top = FN(wg_row_max)(x, n);
        WG_IVDEP
        for (Py_ssize_t j = 0; j < n; j++) copy[j] = out[j] = x[j] - top;
    }
    if (small && rows > 0) FN(wg_exp_block)(group, group, rows * n);
    for (Py_ssize_t r = 0; r < rows; r++)
        totals[r] = small ? FN(wg_row_sum)(group + r * n, n) : FN(wg_row_sum_exp)(WG_ROW(R, t->out, r), 0, n);
    FN(wg_log_totals)(totals, rows);
    for (Py_ssize_t r = 0; r < rows; r++) {
        R *out = WG_ROW(R, t->out, r);
        const R shift = (R)totals[r];
        WG_IVDEP
        for (Py_ssize_t j = 0; j < n; j++) out[j] -= shift;
    }
}

/* a: the gradient, b: the result of softmax. */
WG_CLONES static void FN(softmax_backward)(const wg_rows *t, Py_ssize_t rows) {
    R block[WG_GROUP];
    const Py_ssize_t n = t->n;
    for (Py_ssize_t r = 0; r < rows; r++) {
        const R *grad = WG_ROW(R, t->a, r), *y = WG_ROW(R, t->b, r);
        R *out = WG_ROW(R, t->out, r);
        double total = 0;
        for (Py_ssize_t i = 0; i < n; i += WG_GROUP) {
            const Py_ssize_t m = n - i < WG_GROUP ? n - i : WG_GROUP;
            for (Py_ssize_t j = 0; j < m; j++) block[j] = grad[i + j] * y[i + j];
            total += FN(wg_row_sum)(block, m);
        }
        const R dot = (R)total;
        WG_IVDEP
        for (Py_ssize_t j = 0; j < n; j++) out[j] = (grad[j] - dot) * y[j];
    }
}

/* a: the gradient, b: the result of log_softmax. */
WG_CLONES static void FN(log_softmax_backward)(const wg_rows *t, Py_ssize_t rows) {
    const Py_ssize_t n = t->n;
    for (Py_ssize_t r = 0; r < rows; r++) {
        const R *grad = WG_ROW(R, t->a, r), *y = WG_ROW(R, t->b, r);
        R *out = WG_ROW(R, t->out, r);
        double total = 0;
        for (Py_ssize_t i = 0; i < n; i += WG_GROUP)
            total += FN(wg_row_sum)(grad + i, n - i < WG_GROUP ? n - i : WG_GROUP);
        const R sum = (R)total;
        WG_IVDEP
        for (Py_ssize_t j = 0; j < n; j++) out[j] = grad[j] - EXP(y[j]) * sum;
    }
}

/* An infinite or NaN maximum is the result itself; an empty row gives -inf. */
WG_INLINE R FN(wg_logsumexp)(R top, double total) { return top - top == 0 ? (R)(top + log(total)) : top; }

WG_CLONES static void FN(logsumexp)(const wg_rows *t, Py_ssize_t rows) {
    R group[WG_GROUP], tops[WG_GROUP];
    const Py_ssize_t n = t->n;
    if (n == 0 || rows * n > WG_GROUP) {
        for (Py_ssize_t r = 0; r < rows; r++) {
            const R *x = WG_ROW(R, t->a, r);
            const R top = n > 0 ? FN(wg_row_max)(x, n) : -(R)INFINITY;
            *WG_ROW(R, t->out, r) = FN(wg_logsumexp)(top, FN(wg_row_sum_exp)(x, top, n));
        }
        return;
    }
    for (Py_ssize_t r = 0; r < rows; r++) {
        const R *x = WG_ROW(R, t->a, r);
        tops[r] = FN(wg_row_max)(x, n);
        for (Py_ssize_t j = 0; j < n; j++) group[r * n + j] = x[j] - tops[r];
    }
    if (rows > 0) FN(wg_exp_block)(group, group, rows * n);
    for (Py_ssize_t r = 0; r < rows; r++)
        *WG_ROW(R, t->out, r) = FN(wg_logsumexp)(tops[r], FN(wg_row_sum)(group + r * n, n));
}

#undef FN
#undef EXP
#undef LANES
#undef R
#undef SUF
