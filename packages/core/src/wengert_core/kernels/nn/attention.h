/* The loops of attention_loops.h for float and for double. Included by drivers/nn/attention_blocks.pxd only.
 *
 * Note [Attention by blocks]
 * The scores of all queries with all keys are never in memory at once. A unit has a block of queries, one in each lane,
 * and goes over the keys block by block: scores [keys][lanes], their exponentials against the largest so far, and the
 * sum of the values by these [values' columns][lanes], which shrinks whenever a larger score turns up. What is kept for
 * the gradient is the logarithm of each query's sum of exponentials; from it the gradient computes the scores again,
 * once with queries in the lanes (gradient of the queries) and once with keys (gradients of keys and values), so that
 * no two units add to one place. Matrices are packed once for the tiles: "rows" is [tile of rows][columns][rows of the
 * tile], "columns" is [tile of columns][rows][columns of the tile].
 */
#ifndef WENGERT_ATTENTION_H
#define WENGERT_ATTENTION_H

#include <stdlib.h>

#include "wengert_core/kernels/linalg/tiles.h"
#include "wengert_core/kernels/vecmath.h"

typedef struct { const char *data; Py_ssize_t n, size; char *rows, *columns; } wg_operand;    /* [batch, n, size] */

typedef struct {
    const wg_tiles *tiles;
    Py_ssize_t batch, block;             /* block: keys (or queries) at a time, whole tiles */
    wg_operand query, key, value, grad;  /* grad: of the result, [batch, queries, value's size] */
    const char *mask;                    /* added to scores, or NULL */
    const Py_ssize_t *mask_at;           /* for each of the batch, in elements */
    Py_ssize_t mask_query, mask_key;     /* steps */
    int causal;                          /* query i sees keys 0 .. i */
    double scale;
    char *out, *sums;                    /* result and logarithms of sums; both are given to the gradient */
    char *dots;                          /* gradient: grad times result for each query */
    char *by_query, *by_key, *by_value;
    int failed;                          /* no memory */
} wg_attention;

#define R float
#define SUF f32
#include "attention_loops.h"
#undef R
#undef SUF
#define R double
#define SUF f64
#include "attention_loops.h"
#undef R
#undef SUF

#endif
