/* Pixels read at the places of a grid, and the gradients of both. Included by drivers/nn/resampling.pyx only.
 *
 * Note [Taps of a place]
 * Along each dim a place has taps: pixels, their weights and the derivatives of these by the place. One is chosen for
 * each dim in all ways: what is read is the sum over these choices of the pixel times the product of the weights.
 * Places are taken by blocks of WG_PLACES, so that their taps stay in the first-level cache for all channels. A pixel
 * outside counts as 0, at a place that is no number the weights make it NaN.
 */
#ifndef WENGERT_GRID_SAMPLING_H
#define WENGERT_GRID_SAMPLING_H

#include <math.h>

#include "wengert_core/kernels/simd.h"

enum { WG_PLACES = 32, WG_CHOICES = 16, WG_CHANNELS = 8 };
enum { WG_LINEAR = 0, WG_NEAREST = 1, WG_BICUBIC = 2, WG_REFLECTION = 2 };

typedef struct {
    int dims, mode, padding, align_corners;
    Py_ssize_t channels, places;         /* places: of an image */
    Py_ssize_t size[3], pixels;          /* of the last dims; pixels of a channel: offsets of int32 reach them */
    const char *input, *grid, *grad;
    char *out;                           /* what is read, or one of the gradients */
} wg_sampling;

#define R float
#define SUF f32
#define FLOOR floorf
#define RINT rintf
#define FABS fabsf
#define FMOD fmodf
#include "grid_sampling_loops.h"
#undef R
#undef SUF
#undef FLOOR
#undef RINT
#undef FABS
#undef FMOD
#define R double
#define SUF f64
#define FLOOR floor
#define RINT rint
#define FABS fabs
#define FMOD fmod
#include "grid_sampling_loops.h"
#undef R
#undef SUF
#undef FLOOR
#undef RINT
#undef FABS
#undef FMOD

#endif
