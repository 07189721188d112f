/* Distances of pairs of rows, and their gradients, without a tensor of the rows' differences. Included by
 * drivers/linalg/distances.pyx only.
 *
 * Note [Rows in lanes]
 * A block of WG_LANES rows of x is transposed, WG_WIDE columns at a time, so that the vector units work at as many
 * pairs at once, however short the rows are; each row of y meets all of them. Distances are added up by WG_WIDE
 * columns, gradients by WG_OTHERS rows of y, so that the error grows with a part of their number. The gradients are
 * those of x; there are none of WG_NORM_P, whose powers would be computed twice for each pair.
 */
#ifndef WENGERT_DISTANCES_H
#define WENGERT_DISTANCES_H

#include <math.h>

#include "wengert_core/kernels/simd.h"

enum { WG_LANES = 32, WG_WIDE = 64, WG_OTHERS = 32 };
enum { WG_NORM_0, WG_NORM_1, WG_NORM_2, WG_NORM_3, WG_NORM_MAX, WG_NORM_P, WG_NORMS };

typedef struct {                         /* strides: in elements */
    Py_ssize_t rows, others, columns;    /* rows of x and of y, elements of each */
    Py_ssize_t blocks;                   /* of a batch's rows of x */
    int kind, is_pairs;                  /* is_pairs: y is x, and of (i, j) there is i < j only, one after another */
    double p;
    Py_ssize_t x_batch, y_batch, batch;  /* from one batch to the next; batch: of distances */
    Py_ssize_t row_step, other_step;     /* of distances */
    Py_ssize_t grad_batch, grad_row_step, grad_other_step;
    const char *x, *y, *grad;
    char *distances, *out;               /* out: the gradient, rows of x one after another */
} wg_distances;

/* Where the pair of the rows i < j stands. */
WG_INLINE Py_ssize_t wg_pair(Py_ssize_t n, Py_ssize_t i, Py_ssize_t j) { return i * (2 * n - i - 1) / 2 + j - i - 1; }

#define R float
#define SUF f32
#define FABS fabsf
#define POW powf
#define ROOT sqrtf
#define CBRT cbrtf
#include "distances_loops.h"
#undef R
#undef SUF
#undef FABS
#undef POW
#undef ROOT
#undef CBRT
#define R double
#define SUF f64
#define FABS fabs
#define POW pow
#define ROOT sqrt
#define CBRT cbrt
#include "distances_loops.h"
#undef R
#undef SUF
#undef FABS
#undef POW
#undef ROOT
#undef CBRT

#endif
