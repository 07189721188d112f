/* softmax, log_softmax, their gradients and logsumexp over contiguous rows; included once for float, once for double.
 *
 * The includer defines R, SUF, WHOLE (the integer of R's size), ACROSS and NONE_THEN_ALL. Short rows are taken several
 * at a time, so that the exponentials of a whole group go through one vector loop. A row whose maximum is infinite, or
 * that holds NaN, becomes NaN, as in torch.
 */
#define FN(name) WG_CAT(WG_CAT(name, _), SUF)
#define EXP WG_CAT(wg_exp_, SUF)

/* A vector: rows are often shorter than two or three, so that what is left over counts. */
enum { FN(WG_FEW) = 32 / sizeof(R) };
typedef R FN(wg_few) __attribute__((vector_size(32)));
typedef WHOLE FN(wg_mask) __attribute__((vector_size(32)));

WG_INLINE FN(wg_few) FN(wg_load)(const R *x) {
    FN(wg_few) v;
    memcpy(&v, x, sizeof v);
    return v;
}

WG_INLINE void FN(wg_store)(R *x, FN(wg_few) v) { memcpy(x, &v, sizeof v); }

WG_INLINE FN(wg_few) FN(wg_larger)(FN(wg_few) a, FN(wg_few) b) {
    const FN(wg_mask) beyond = b > a;
    return (FN(wg_few))(((FN(wg_mask))b & beyond) | ((FN(wg_mask))a & ~beyond));
}

static const WHOLE FN(WG_NONE_THEN_ALL)[2 * FN(WG_FEW)] = {NONE_THEN_ALL};

/* The last lanes, 0 for the others. */
WG_INLINE FN(wg_few) FN(wg_last)(FN(wg_few) v, int lanes) {
    FN(wg_mask) taken;
    memcpy(&taken, FN(WG_NONE_THEN_ALL) + lanes, sizeof taken);
    return (FN(wg_few))((FN(wg_mask))v & taken);
}

/* The largest element, or any other where one is NaN: the row's sum says so then. */
WG_INLINE R FN(wg_row_max)(const R *x, Py_ssize_t n) {
    R best = n > 0 ? x[0] : 0;
    if (n < FN(WG_FEW)) {
        for (Py_ssize_t i = 1; i < n; i++) best = x[i] > best ? x[i] : best;
        return best;
    }
    FN(wg_few) v = FN(wg_load)(x + n - FN(WG_FEW));
    Py_ssize_t i = 0;
    if (n >= 8 * FN(WG_FEW)) {
        FN(wg_few) a = v, b = v, c = v;
        for (; i + 4 * FN(WG_FEW) <= n; i += 4 * FN(WG_FEW)) {
            v = FN(wg_larger)(v, FN(wg_load)(x + i));
            a = FN(wg_larger)(a, FN(wg_load)(x + i + FN(WG_FEW)));
            b = FN(wg_larger)(b, FN(wg_load)(x + i + 2 * FN(WG_FEW)));
            c = FN(wg_larger)(c, FN(wg_load)(x + i + 3 * FN(WG_FEW)));
        }
        v = FN(wg_larger)(FN(wg_larger)(v, a), FN(wg_larger)(b, c));
    }
    for (; i + FN(WG_FEW) <= n; i += FN(WG_FEW)) v = FN(wg_larger)(v, FN(wg_load)(x + i));
#define LARGER(...) v = FN(wg_larger)(v, WG_TURN(FN(wg_mask), v, __VA_ARGS__));
    ACROSS(LARGER)
    return v[0];
}

WG_INLINE R FN(wg_row_sum)(const R *x, Py_ssize_t n) {
    R total = 0;
    Py_ssize_t i = 0;
    if (n >= FN(WG_FEW)) {
        FN(wg_few) v = FN(wg_load)(x);
        i = FN(WG_FEW);
        if (n >= 8 * FN(WG_FEW)) {
            FN(wg_few) a = FN(wg_load)(x + i), b = FN(wg_load)(x + 2 * i), c = FN(wg_load)(x + 3 * i);
            for (i = 4 * FN(WG_FEW); i + 4 * FN(WG_FEW) <= n; i += 4 * FN(WG_FEW)) {
                v += FN(wg_load)(x + i);
                a += FN(wg_load)(x + i + FN(WG_FEW));
                b += FN(wg_load)(x + i + 2 * FN(WG_FEW));
                c += FN(wg_load)(x + i + 3 * FN(WG_FEW));
            }
            v = (v + a) + (b + c);
        }
        for (; i + FN(WG_FEW) <= n; i += FN(WG_FEW)) v += FN(wg_load)(x + i);
        v += FN(wg_last)(FN(wg_load)(x + n - FN(WG_FEW)), (int)(n - i));
#define ADDED(...) v += WG_TURN(FN(wg_mask), v, __VA_ARGS__);
        ACROSS(ADDED)
        return v[0];
    }
    for (; i < n; i++) total += x[i];
    return total;
}

/* out[j] = x[j] - shift, copy[j] the same unless it is NULL. The last vector is read at first and written at the end,
 * so that no element is left over for a loop of its own.
 */
WG_INLINE void FN(wg_row_less)(const R *x, R shift, R *out, R *copy, Py_ssize_t n) {
    if (n < FN(WG_FEW)) {
        for (Py_ssize_t j = 0; j < n; j++) out[j] = x[j] - shift;
        for (Py_ssize_t j = 0; copy != NULL && j < n; j++) copy[j] = out[j];
        return;
    }
    const FN(wg_few) last = FN(wg_load)(x + n - FN(WG_FEW)) - shift;
    for (Py_ssize_t i = 0; i + FN(WG_FEW) <= n; i += FN(WG_FEW)) {
        const FN(wg_few) some = FN(wg_load)(x + i) - shift;
        FN(wg_store)(out + i, some);
        if (copy != NULL) FN(wg_store)(copy + i, some);
    }
    FN(wg_store)(out + n - FN(WG_FEW), last);
    if (copy != NULL) FN(wg_store)(copy + n - FN(WG_FEW), last);
}

/* out[j] = x[j] / total */
WG_INLINE void FN(wg_row_quotient)(const R *x, R total, R *out, Py_ssize_t n) {
    Py_ssize_t i = 0;
    if (n >= FN(WG_FEW)) {
        const FN(wg_few) last = FN(wg_load)(x + n - FN(WG_FEW)) / total;
        for (; i + FN(WG_FEW) <= n; i += FN(WG_FEW)) FN(wg_store)(out + i, FN(wg_load)(x + i) / total);
        FN(wg_store)(out + n - FN(WG_FEW), last);
        return;
    }
    for (; i < n; i++) out[i] = x[i] / total;
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
    R group[WG_GROUP];
    const Py_ssize_t n = t->n;
    const int small = rows * n <= WG_GROUP;
    for (Py_ssize_t r = 0; r < rows; r++) {
        const R *x = WG_ROW(R, t->a, r);
        R *out = WG_ROW(R, t->out, r);
        FN(wg_row_less)(x, FN(wg_row_max)(x, n), out, small ? group + r * n : NULL, n);
        if (!small) FN(wg_exp_block)(out, out, n);
    }
    if (small && rows > 0) FN(wg_exp_block)(group, group, rows * n);
    for (Py_ssize_t r = 0; r < rows; r++) {
        R *out = WG_ROW(R, t->out, r), *from = small ? group + r * n : out;
        FN(wg_row_quotient)(from, FN(wg_row_sum)(from, n), out, n);
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
        FN(wg_row_less)(x, FN(wg_row_max)(x, n), WG_ROW(R, t->out, r), small ? group + r * n : NULL, n);
    }
    if (small && rows > 0) FN(wg_exp_block)(group, group, rows * n);
    for (Py_ssize_t r = 0; r < rows; r++)
        totals[r] = small ? FN(wg_row_sum)(group + r * n, n) : FN(wg_row_sum_exp)(WG_ROW(R, t->out, r), 0, n);
    FN(wg_log_totals)(totals, rows);
    for (Py_ssize_t r = 0; r < rows; r++) {
        R *out = WG_ROW(R, t->out, r);
        FN(wg_row_less)(out, (R)totals[r], out, NULL, n);
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
    R group[WG_GROUP];
    const Py_ssize_t n = t->n;
    const int together = rows * n <= WG_GROUP && t->b.stride == n * (Py_ssize_t)sizeof(R);
    if (together && rows > 0) FN(wg_exp_block)(WG_ROW(R, t->b, 0), group, rows * n);
    for (Py_ssize_t r = 0; r < rows; r++) {
        const R *grad = WG_ROW(R, t->a, r), *y = WG_ROW(R, t->b, r);
        R *out = WG_ROW(R, t->out, r);
        double total = 0;
        for (Py_ssize_t i = 0; i < n; i += WG_GROUP)
            total += FN(wg_row_sum)(grad + i, n - i < WG_GROUP ? n - i : WG_GROUP);
        const R sum = (R)total;
        for (Py_ssize_t i = 0; i < n; i += WG_GROUP) {
            const Py_ssize_t m = n - i < WG_GROUP ? n - i : WG_GROUP;
            const R *exps = together ? group + r * n : group;
            if (!together) FN(wg_exp_block)(y + i, group, m);
            WG_IVDEP
            for (Py_ssize_t j = 0; j < m; j++) out[i + j] = grad[i + j] - exps[j] * sum;
        }
    }
}

/* An infinite maximum is the result itself, unless NaN is in the row; an empty row gives -inf. */
WG_INLINE R FN(wg_logsumexp)(const R *x, R top, double total, Py_ssize_t n) {
    if (top - top == 0) return (R)(top + log(total));
    for (Py_ssize_t j = 0; j < n; j++)
        if (x[j] != x[j]) return x[j];
    return top;
}

WG_CLONES static void FN(logsumexp)(const wg_rows *t, Py_ssize_t rows) {
    R group[WG_GROUP], tops[WG_GROUP];
    const Py_ssize_t n = t->n;
    if (n == 0 || rows * n > WG_GROUP) {
        for (Py_ssize_t r = 0; r < rows; r++) {
            const R *x = WG_ROW(R, t->a, r);
            const R top = n > 0 ? FN(wg_row_max)(x, n) : -(R)INFINITY;
            *WG_ROW(R, t->out, r) = FN(wg_logsumexp)(x, top, FN(wg_row_sum_exp)(x, top, n), n);
        }
        return;
    }
    for (Py_ssize_t r = 0; r < rows; r++) {
        R *own = group + r * n;
        tops[r] = FN(wg_row_max)(WG_ROW(R, t->a, r), n);
        FN(wg_row_less)(WG_ROW(R, t->a, r), tops[r], own, own, n);
    }
    if (rows > 0) FN(wg_exp_block)(group, group, rows * n);
    for (Py_ssize_t r = 0; r < rows; r++)
        *WG_ROW(R, t->out, r) = FN(wg_logsumexp)(WG_ROW(R, t->a, r), tops[r], FN(wg_row_sum)(group + r * n, n), n);
}

#include "softmax_columns.h"

#undef FN
#undef EXP
#undef WHOLE
#undef ACROSS
#undef NONE_THEN_ALL
#undef LARGER
#undef ADDED
#undef R
#undef SUF
