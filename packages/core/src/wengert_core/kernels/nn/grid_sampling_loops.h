/* The loops of grid_sampling.h; included once for float and once for double (R, SUF). */
#define FN(name) WG_CAT(WG_CAT(name, _), SUF)
#define CUBIC ((R)-0.75)

typedef struct {
    R pixel[4][WG_PLACES], weight[4][WG_PLACES], slope[4][WG_PLACES];
} FN(wg_taps);

typedef struct {                         /* of a block of places */
    int n, choices, taps;
    int32_t offset[WG_CHOICES][WG_PLACES]; /* in a channel; negative: outside */
    int some_outside;
    R weight[WG_CHOICES][WG_PLACES];
    FN(wg_taps) along[3];
} FN(wg_block);

/* A place brought inside, and the derivative of that. */
WG_INLINE R FN(wg_inside)(const wg_sampling *s, R x, Py_ssize_t size, R *slope) {
    const R last = (R)(size - 1);
    R change = 1;
    if (s->padding == WG_REFLECTION) {
        const R low = s->align_corners ? 0 : (R)-0.5, span = s->align_corners ? last : (R)size;
        if (span == 0) {
            *slope = 0;
            return x * 0;
        }
        const R distance = FABS(x - low), turns = FLOOR(distance / span);
        const R rest = FMOD(distance, span);
        change = x > low ? 1 : x < low ? -1 : 0;
        if (FMOD(turns, 2) != 0) {
            change = -change;
            x = span - rest + low;
        } else x = rest + low;
    }
    *slope = x <= 0 || x >= last ? 0 : change;
    return x <= 0 ? 0 : x >= last ? last : x;
}

/* Taps along dim d of places whose coordinates are s->dims apart. */
WG_CLONES static void FN(wg_find_taps)(const wg_sampling *s, int d, const R *x, int n, FN(wg_taps) *to) {
    const Py_ssize_t size = s->size[d], dims = s->dims;
    const R whole = (R)size, last = (R)(size - 1), half = (R)((size - 1) / 2.0);
    const R base = s->align_corners ? half : (R)(size / 2.0);
    const int taps = s->mode == WG_NEAREST ? 1 : s->mode == WG_LINEAR ? 2 : 4;
    R at[WG_PLACES], scale[WG_PLACES], unused;
    for (int p = 0; p < n; p++) {
        at[p] = s->align_corners ? (x[p * dims] + 1) * half : ((x[p * dims] + 1) * whole - 1) / 2;
        scale[p] = base;
    }
    if (s->mode != WG_BICUBIC && s->padding)
        for (int p = 0; p < n; p++) {
            R slope;
            at[p] = FN(wg_inside)(s, at[p], size, &slope);
            scale[p] *= slope;
        }
    if (s->mode == WG_NEAREST)
        for (int p = 0; p < n; p++) to->pixel[0][p] = RINT(at[p]), to->weight[0][p] = 1;
    else if (s->mode == WG_LINEAR)
        for (int p = 0; p < n; p++) {
            const R low = FLOOR(at[p]);
            to->pixel[0][p] = low;
            to->pixel[1][p] = low + 1;
            to->weight[0][p] = low + 1 - at[p];
            to->weight[1][p] = at[p] - low;
            to->slope[0][p] = -scale[p];
            to->slope[1][p] = scale[p];
        }
    else
        for (int p = 0; p < n; p++) {
            const R low = FLOOR(at[p]), share = at[p] - low, away[4] = {share + 1, share, 1 - share, 2 - share};
            for (int k = 0; k < 4; k += 3) {
                to->weight[k][p] = ((away[k] - 5) * away[k] + 8) * away[k] * CUBIC - 4 * CUBIC;
                to->slope[k][p] = ((3 * away[k] - 10) * away[k] + 8) * CUBIC * (k ? -scale[p] : scale[p]);
            }
            for (int k = 1; k < 3; k++) {
                to->weight[k][p] = ((CUBIC + 2) * away[k] - (CUBIC + 3)) * away[k] * away[k] + 1;
                const R slope = (3 * (CUBIC + 2) * away[k] - 2 * (CUBIC + 3)) * away[k];
                to->slope[k][p] = slope * (k == 2 ? -scale[p] : scale[p]);
            }
            for (int k = 0; k < 4; k++) to->pixel[k][p] = low + (R)(k - 1);
        }
    for (int k = 0; k < taps; k++) {
        R *pixel = to->pixel[k];
        if (s->mode == WG_BICUBIC && s->padding)
            for (int p = 0; p < n; p++) pixel[p] = FN(wg_inside)(s, pixel[p], size, &unused);
        for (int p = 0; p < n; p++) pixel[p] = pixel[p] >= 0 && pixel[p] <= last ? pixel[p] : -1;
    }
}

/* The taps of a choice along dim d: the last dim changes fastest. */
WG_INLINE int FN(wg_tap)(const wg_sampling *s, int taps, int choice, int d) {
    for (int e = s->dims - 1; e > d; e--) choice /= taps;
    return choice % taps;
}

WG_CLONES static void FN(wg_find_block)(const wg_sampling *s, const R *grid, int n, FN(wg_block) *b) {
    const int taps = s->mode == WG_NEAREST ? 1 : s->mode == WG_LINEAR ? 2 : 4;
    b->n = n;
    b->taps = taps;
    b->choices = 1;
    for (int d = 0; d < s->dims; d++) {
        b->choices *= taps;
        FN(wg_find_taps)(s, d, grid + s->dims - 1 - d, n, &b->along[d]);
    }
    for (int c = 0; c < b->choices; c++)
        for (int d = 0; d < s->dims; d++) {
            const int k = FN(wg_tap)(s, taps, c, d);
            const R *pixel = b->along[d].pixel[k], *weight = b->along[d].weight[k];
            const int32_t size = (int32_t)s->size[d];
            int32_t *offset = b->offset[c];
            R *product = b->weight[c];
            if (d == 0)
                for (int p = 0; p < n; p++) offset[p] = (int32_t)pixel[p], product[p] = weight[p];
            else
                for (int p = 0; p < n; p++) {
                    const int32_t next = offset[p] * size + (int32_t)pixel[p];
                    offset[p] = offset[p] < 0 || pixel[p] < 0 ? -1 : next;
                    product[p] *= weight[p];
                }
        }
    int32_t signs = 0;
    for (int c = 0; c < b->choices; c++)
        for (int p = 0; p < n; p++) signs |= b->offset[c][p];
    b->some_outside = signs < 0;
}

/* The sums of a channel's pixels. */
WG_INLINE void FN(wg_read)(const R *x, const FN(wg_block) *b, const int choices, const int some_outside, R *to) {
    for (int p = 0; p < b->n; p++) {
        R sum = 0;
        for (int k = 0; k < choices; k++) {
            const int32_t at = b->offset[k][p];
            sum += (some_outside && at < 0 ? 0 : x[at]) * b->weight[k][p];
        }
        to[p] = sum;
    }
}

/* What the places of a block are worth to each choice. */
WG_INLINE void FN(wg_dot)(const R *x, const FN(wg_block) *b, const R *grad, const int some_outside,
                          R (*sum)[WG_PLACES]) {
    for (int k = 0; k < b->choices; k++)
        for (int p = 0; p < b->n; p++) {
            const int32_t at = b->offset[k][p];
            sum[k][p] += (some_outside && at < 0 ? 0 : x[at]) * grad[p];
        }
}

/* Units: blocks of places of images. */
WG_CLONES static void FN(wg_sample)(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    const wg_sampling *s = ctx;
    const Py_ssize_t blocks = (s->places + WG_PLACES - 1) / WG_PLACES;
    FN(wg_block) b;
    for (Py_ssize_t u = begin; u < end; u++) {
        const Py_ssize_t image = u / blocks, first = u % blocks * WG_PLACES;
        const int n = (int)(s->places - first < WG_PLACES ? s->places - first : WG_PLACES);
        FN(wg_find_block)(s, (const R *)s->grid + (image * s->places + first) * s->dims, n, &b);
        for (Py_ssize_t c = image * s->channels; c < (image + 1) * s->channels; c++) {
            const R *x = (const R *)s->input + c * s->pixels;
            R *to = (R *)s->out + c * s->places + first;
            if (b.some_outside) FN(wg_read)(x, &b, b.choices, 1, to);
            else if (b.choices == 4) FN(wg_read)(x, &b, 4, 0, to);
            else FN(wg_read)(x, &b, b.choices, 0, to);
        }
    }
}

/* Units: images' groups of WG_CHANNELS channels, whose pixels each have what they were read for. */
static void FN(wg_sample_back)(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    const wg_sampling *s = ctx;
    const Py_ssize_t groups = (s->channels + WG_CHANNELS - 1) / WG_CHANNELS;
    FN(wg_block) b;
    for (Py_ssize_t u = begin; u < end; u++) {
        const Py_ssize_t image = u / groups, c0 = image * s->channels + u % groups * WG_CHANNELS;
        const Py_ssize_t c1 = u % groups == groups - 1 ? (image + 1) * s->channels : c0 + WG_CHANNELS;
        memset((R *)s->out + c0 * s->pixels, 0, (size_t)((c1 - c0) * s->pixels) * sizeof(R));
        for (Py_ssize_t first = 0; first < s->places; first += WG_PLACES) {
            const int n = (int)(s->places - first < WG_PLACES ? s->places - first : WG_PLACES);
            FN(wg_find_block)(s, (const R *)s->grid + (image * s->places + first) * s->dims, n, &b);
            for (Py_ssize_t c = c0; c < c1; c++) {
                const R *grad = (const R *)s->grad + c * s->places + first;
                R *x = (R *)s->out + c * s->pixels;
                for (int k = 0; k < b.choices; k++)
                    for (int p = 0; p < n; p++)
                        if (b.offset[k][p] >= 0) x[b.offset[k][p]] += b.weight[k][p] * grad[p];
            }
        }
    }
}

/* Units: blocks of places of images, whose coordinates move what is read. */
WG_CLONES static void FN(wg_sample_grid)(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    const wg_sampling *s = ctx;
    const Py_ssize_t blocks = (s->places + WG_PLACES - 1) / WG_PLACES;
    FN(wg_block) b;
    for (Py_ssize_t u = begin; u < end; u++) {
        const Py_ssize_t image = u / blocks, first = u % blocks * WG_PLACES;
        const int n = (int)(s->places - first < WG_PLACES ? s->places - first : WG_PLACES);
        R sum[WG_CHOICES][WG_PLACES], *out = (R *)s->out + (image * s->places + first) * s->dims;
        FN(wg_find_block)(s, (const R *)s->grid + (image * s->places + first) * s->dims, n, &b);
        memset(sum, 0, sizeof sum);
        for (Py_ssize_t c = image * s->channels; c < (image + 1) * s->channels; c++) {
            const R *x = (const R *)s->input + c * s->pixels, *grad = (const R *)s->grad + c * s->places + first;
            if (b.some_outside) FN(wg_dot)(x, &b, grad, 1, sum);
            else FN(wg_dot)(x, &b, grad, 0, sum);
        }
        for (int d = 0; d < s->dims; d++) {
            R moved[WG_PLACES];
            memset(moved, 0, sizeof moved);
            for (int k = 0; k < b.choices; k++) {
                R slope[WG_PLACES];
                for (int e = 0; e < s->dims; e++) {
                    const int tap = FN(wg_tap)(s, b.taps, k, e);
                    const R *factor = e == d ? b.along[e].slope[tap] : b.along[e].weight[tap];
                    for (int p = 0; p < n; p++) slope[p] = e ? slope[p] * factor[p] : factor[p];
                }
                for (int p = 0; p < n; p++) moved[p] += slope[p] * sum[k][p];
            }
            for (int p = 0; p < n; p++) out[p * s->dims + s->dims - 1 - d] = moved[p];
        }
    }
}

#undef FN
#undef CUBIC
