/* The loops of normalization_loops.h for float and for double. Included by drivers/nn/normalization.pyx only.
 *
 * Note [The layout of normalization]
 * A tensor is [outer, images, groups, channels, size] in memory; each of images x groups is normalized over the three
 * other dims, weight and bias are [groups, channels]. Batches: (N, 1, C, 1, positions); layers: (1, rows, 1, columns,
 * 1); groups: (1, N, groups, channels of a group, positions).
 */
#ifndef WENGERT_NORMALIZATION_H
#define WENGERT_NORMALIZATION_H

#include <math.h>

#include "wengert_core/kernels/simd.h"

typedef struct {
    Py_ssize_t outer, images, groups, channels, size;
    const char *x, *grad;                /* grad: of the result; NULL going forward */
    const char *weight, *bias;           /* NULL: 1 and 0 */
    char *mean, *var;                    /* [images, groups] */
    int given;                           /* mean and var are given, not the input's own */
    double eps;
    char *out;                           /* the result, or the gradient of x */
    char *weight_sums, *bias_sums;       /* gradients: [images, groups, channels], or with size 1 [parts, channels] */
    Py_ssize_t rows_of_part;             /* with size 1: images that add to the same sums */
} wg_norm;

#define R float
#define SUF f32
#include "normalization_loops.h"
#undef R
#undef SUF
#define R double
#define SUF f64
#include "normalization_loops.h"
#undef R
#undef SUF

#endif
