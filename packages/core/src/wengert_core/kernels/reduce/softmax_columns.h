/* softmax, log_softmax and their gradients along a few columns side by side; included by softmax_rows.h once for
 * float, once for double.
 *
 * t->n columns, 1 to WG_STRIPE, cross lines of contiguous elements. What a column has (its maximum, its sum) is a line
 * too, with a stride of 0. Lines are taken in groups, so that exponentials go through one vector loop; sums of a group
 * add up in double, as those of rows do. An infinite or NaN maximum makes a column NaN.
 */
WG_INLINE wg_matrix FN(wg_from_line)(wg_matrix x, Py_ssize_t r) { return (wg_matrix){x.at + r * x.stride, x.stride}; }

/* The largest element of each column, or any other where one is NaN: the column's sum says so then. */
WG_CLONES static void FN(wg_column_tops)(wg_matrix x, Py_ssize_t lines, Py_ssize_t n, R *tops) {
    memcpy(tops, x.at, n * sizeof(R));
    for (Py_ssize_t r = 1; r < lines; r++) {
        const R *line = WG_ROW(R, x, r);
        WG_IVDEP
        for (Py_ssize_t j = 0; j < n; j++) tops[j] = line[j] > tops[j] ? line[j] : tops[j];
    }
}

WG_CLONES static void FN(wg_column_sums)(wg_matrix x, Py_ssize_t lines, Py_ssize_t n, R *sums) {
    memcpy(sums, x.at, n * sizeof(R));
    for (Py_ssize_t r = 1; r < lines; r++) {
        const R *line = WG_ROW(R, x, r);
        WG_IVDEP
        for (Py_ssize_t j = 0; j < n; j++) sums[j] += line[j];
    }
}

static WG_OUTLINE void FN(wg_add_columns)(wg_matrix x, Py_ssize_t lines, Py_ssize_t n, double *totals) {
    R sums[WG_STRIPE];
    FN(wg_column_sums)(x, lines, n, sums);
    for (Py_ssize_t j = 0; j < n; j++) totals[j] += sums[j];
}

/* out = a - b, a * b or a / b; '=' is a itself. */
WG_CLONES static void FN(wg_each_line)(wg_matrix out, wg_matrix a, char sign, wg_matrix b, Py_ssize_t lines,
                                       Py_ssize_t n) {
#define EACH(OPERATOR) \
    for (Py_ssize_t r = 0; r < lines; r++) { \
        const R *x = WG_ROW(R, a, r), *y = WG_ROW(R, b, r); \
        R *to = WG_ROW(R, out, r); \
        WG_IVDEP \
        for (Py_ssize_t j = 0; j < n; j++) to[j] = x[j] OPERATOR y[j]; \
    } \
    break;
    switch (sign) {
    case '-': EACH(-)
    case '*': EACH(*)
    case '/': EACH(/)
    default:
        for (Py_ssize_t r = 0; r < lines; r++) memcpy(WG_ROW(R, out, r), WG_ROW(R, a, r), n * sizeof(R));
    }
#undef EACH
}

/* The lines m of a group begin at r; a group is packed. */
#define EACH_GROUP for (Py_ssize_t r = 0, m; m = lines - r < most ? lines - r : most, r < lines; r += m)
#define GROUP_OF_LINES \
    R group[WG_GROUP], own[WG_STRIPE]; \
    double totals[WG_STRIPE] = {0}; \
    const Py_ssize_t n = t->n, most = WG_GROUP / n; \
    const wg_matrix packed = {(char *)group, n * (Py_ssize_t)sizeof(R)}, each = {(char *)own, 0};

static void FN(softmax_columns)(const wg_rows *t, Py_ssize_t lines) {
    GROUP_OF_LINES
    FN(wg_column_tops)(t->a, lines, n, own);
    EACH_GROUP {
        FN(wg_each_line)(packed, FN(wg_from_line)(t->a, r), '-', each, m, n);
        FN(wg_exp_block)(group, group, m * n);
        FN(wg_add_columns)(packed, m, n, totals);
        if (lines > most) FN(wg_each_line)(FN(wg_from_line)(t->out, r), packed, '=', packed, m, n);
    }
    for (Py_ssize_t j = 0; j < n; j++) own[j] = (R)totals[j];
    FN(wg_each_line)(t->out, lines > most ? t->out : packed, '/', each, lines, n);
}

static void FN(log_softmax_columns)(const wg_rows *t, Py_ssize_t lines) {
    GROUP_OF_LINES
    R logs[WG_STRIPE];
    const wg_matrix less = {(char *)logs, 0};
    FN(wg_column_tops)(t->a, lines, n, own);
    EACH_GROUP {
        FN(wg_each_line)(packed, FN(wg_from_line)(t->a, r), '-', each, m, n);
        FN(wg_exp_block)(group, group, m * n);
        FN(wg_add_columns)(packed, m, n, totals);
    }
    FN(wg_log_totals)(totals, n);
    for (Py_ssize_t j = 0; j < n; j++) logs[j] = (R)totals[j];
    EACH_GROUP {
        FN(wg_each_line)(packed, FN(wg_from_line)(t->a, r), '-', each, m, n);
        FN(wg_each_line)(FN(wg_from_line)(t->out, r), packed, '-', less, m, n);
    }
}

/* a: the gradient, b: the result of softmax. */
static void FN(softmax_backward_columns)(const wg_rows *t, Py_ssize_t lines) {
    GROUP_OF_LINES
    EACH_GROUP {
        FN(wg_each_line)(packed, FN(wg_from_line)(t->a, r), '*', FN(wg_from_line)(t->b, r), m, n);
        FN(wg_add_columns)(packed, m, n, totals);
    }
    for (Py_ssize_t j = 0; j < n; j++) own[j] = (R)totals[j];
    EACH_GROUP {
        FN(wg_each_line)(packed, FN(wg_from_line)(t->a, r), '-', each, m, n);
        FN(wg_each_line)(FN(wg_from_line)(t->out, r), packed, '*', FN(wg_from_line)(t->b, r), m, n);
    }
}

/* a: the gradient, b: the result of log_softmax. */
static void FN(log_softmax_backward_columns)(const wg_rows *t, Py_ssize_t lines) {
    GROUP_OF_LINES
    EACH_GROUP FN(wg_add_columns)(FN(wg_from_line)(t->a, r), m, n, totals);
    for (Py_ssize_t j = 0; j < n; j++) own[j] = (R)totals[j];
    EACH_GROUP {
        FN(wg_each_line)(packed, FN(wg_from_line)(t->b, r), '=', packed, m, n);
        FN(wg_exp_block)(group, group, m * n);
        FN(wg_each_line)(packed, packed, '*', each, m, n);
        FN(wg_each_line)(FN(wg_from_line)(t->out, r), FN(wg_from_line)(t->a, r), '-', packed, m, n);
    }
}
#undef EACH_GROUP
#undef GROUP_OF_LINES
