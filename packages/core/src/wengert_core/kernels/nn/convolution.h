/* What the loops of convolution_loops.h work on, and that file for float and for double. Included by
 * drivers/nn/conv_plan.pxd only.
 *
 * Note [Convolution by tables]
 * A source is padded once, so that every element that a position needs exists: base[position] + tap[tap] within a
 * channel. With a stride in the last dim its rows are laid out by residues, so that a tap reads consecutive elements
 * all the same. One description serves convolution in any number of dims, its transpose (one call for each residue of
 * the stride, where a position is read with the taps that meet it and no others) and the gradient of the weight.
 * Columns are positions of all images, one after another; rows of a column's vector are channels times taps.
 */
#ifndef WENGERT_CONVOLUTION_H
#define WENGERT_CONVOLUTION_H

#include <stdlib.h>

#include "wengert_core/kernels/linalg/tiles.h"

typedef struct {
    const wg_tiles *tiles;
    Py_ssize_t images, groups, m;        /* m: output channels of a group */
    Py_ssize_t channels, taps;           /* of the source, in a group; k = channels * taps */
    Py_ssize_t positions, row;              /* positions of an image; positions in a row of them */
    const char *source, *limit;          /* limit: the end of what may be read */
    Py_ssize_t source_image, source_channel;
    const int32_t *base, *tap;           /* offsets in a source channel, in elements as all others */
    const char *weights, *bias;          /* packed by wg_pack_weights; bias: NULL or one for each output channel */
    char *out;
    Py_ssize_t out_image, out_channel;
    const int32_t *out_offset;                /* of a position in an output channel; NULL: in order */
    /* of a row of positions, where no panel goes beyond one, else 0; of all columns */
    Py_ssize_t row_panels, all_panels;
    Py_ssize_t panels, column_blocks;    /* of a unit; units of all panels */
    Py_ssize_t deep;                     /* k of a panel */
    Py_ssize_t m_block, m_blocks;        /* channels of a unit; units of a group's channels */
    Py_ssize_t row_block, row_blocks;    /* weight gradient: k by units */
    Py_ssize_t chunk, chunks;            /* weight gradient: columns by units, each with a result of its own */
    int failed;                          /* no memory */
} wg_conv;

/* The gradient of the weight of groups with enough channels: the source is channels-last, so that nothing has to be
 * gathered: a row of the product is where a position is, and a run of its taps is consecutive. What comes from above is
 * packed. */
typedef struct {
    const wg_tiles *tiles;
    Py_ssize_t images, positions, groups, m, channels, taps;
    const char *source, *above;          /* [images][pixels][groups * channels], padded; [images][groups][m][places] */
    char *grad;                          /* above, packed: [groups][tiles of m][images * places][rows of the tile] */
    Py_ssize_t source_image;
    const int32_t *base, *run;           /* pixels of positions and of the first taps of runs */
    Py_ssize_t runs, run_taps;           /* run_taps: taps of a run, whose channels are consecutive */
    Py_ssize_t lane_blocks, m_block, m_blocks, chunk, chunks;
    char *parts;                         /* [chunks][groups * m][channels][taps] */
    int failed;
} wg_weigher;

enum { WG_DEEPEST = 192 };               /* k of a panel, at most */
/* of the weight gradient: positions of a sum, which stay in the first-level cache; columns at a time */
enum { WG_DEEP = 128, WG_WIDE = 512 };
enum { WG_SLACK = 1024 };                /* bytes behind a padded source which vectors may read */

typedef struct {                         /* planes with a border of zeros */
    const char *from;
    char *to;
    Py_ssize_t inside[3], outside[3], before[3], item;
    Py_ssize_t split;                    /* rows are laid out by residues of this */
} wg_border;

/* A row, element i at the place of i + before among those of its residue: what a stride reads is consecutive. */
static void wg_split_row(const wg_border *b, const char *from, char *to) {
    const Py_ssize_t s = b->split, each = b->outside[2] / s, n = b->inside[2];
    for (Py_ssize_t r = 0; r < s; r++) {
        const Py_ssize_t first = ((r - b->before[2]) % s + s) % s, at = r * each + (first + b->before[2]) / s;
        if (b->item == 4)
            for (Py_ssize_t i = first, k = at; i < n; i += s, k++) ((float *)to)[k] = ((const float *)from)[i];
        else
            for (Py_ssize_t i = first, k = at; i < n; i += s, k++) ((double *)to)[k] = ((const double *)from)[i];
    }
}

/* Channels last: units are rows of images. planes: channels; zeros around are there already. */
typedef struct { wg_border border; Py_ssize_t channels; } wg_turner;

/* By squares, so that what is written to stays in the first-level cache. */
#define WG_TURN_ROW(R) \
    for (Py_ssize_t first = 0; first < n; first += 32) { \
        const Py_ssize_t last = n - first < 32 ? n : first + 32; \
        for (Py_ssize_t c = 0; c < channels; c += 16) { \
            const Py_ssize_t some = channels - c < 16 ? channels - c : 16; \
            const R *x = (const R *)from + c * plane; \
            R *y = (R *)to + c; \
            if (some == 16) \
                for (Py_ssize_t i = first; i < last; i++) \
                    for (int k = 0; k < 16; k++) y[i * channels + k] = x[k * plane + i]; \
            else \
                for (Py_ssize_t i = first; i < last; i++) \
                    for (Py_ssize_t k = 0; k < some; k++) y[i * channels + k] = x[k * plane + i]; \
        } \
    }

static void wg_turn_rows(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    const wg_turner *t = ctx;
    const wg_border *b = &t->border;
    const Py_ssize_t channels = t->channels, n = b->inside[2], rows = b->inside[0] * b->inside[1], plane = rows * n;
    const Py_ssize_t pixels = b->outside[0] * b->outside[1] * b->outside[2];
    for (Py_ssize_t u = begin; u < end; u++) {
        const Py_ssize_t image = u / rows, i = u % rows / b->inside[1], j = u % b->inside[1];
        const Py_ssize_t at = ((i + b->before[0]) * b->outside[1] + j + b->before[1]) * b->outside[2] + b->before[2];
        const char *from = b->from + (image * channels * plane + u % rows * n) * b->item;
        char *to = b->to + (image * pixels + at) * channels * b->item;
        if (b->item == 4) { WG_TURN_ROW(float) } else { WG_TURN_ROW(double) }
    }
}

static void wg_pad_planes(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    const wg_border *b = ctx;
    const Py_ssize_t row = b->inside[2] * b->item, size = b->outside[0] * b->outside[1] * b->outside[2] * b->item;
    for (Py_ssize_t p = begin; p < end; p++) {
        const char *from = b->from + p * b->inside[0] * b->inside[1] * row;
        char *plane = b->to + p * size;
        memset(plane, 0, (size_t)size);
        for (Py_ssize_t i = 0; i < b->inside[0]; i++)
            for (Py_ssize_t j = 0; j < b->inside[1]; j++, from += row) {
                char *to = plane + ((i + b->before[0]) * b->outside[1] + j + b->before[1]) * b->outside[2] * b->item;
                if (b->split == 1) memcpy(to + b->before[2] * b->item, from, (size_t)row);
                else wg_split_row(b, from, to);
            }
    }
}

#define R float
#define SUF f32
#include "convolution_loops.h"
#undef R
#undef SUF
#define R double
#define SUF f64
#include "convolution_loops.h"
#undef R
#undef SUF

#endif
