"""The CUDA source of kernels along rows: the row of a block, sums over it, and each kernel's few lines.

A row's threads keep it in their registers when it fits there. Sums go by the lanes of a warp and then by the warps,
always in one order, so that they are the same in every run.
"""

from __future__ import annotations

from typing import NamedTuple

MOST_THREADS, MOST_KEPT = 1024, 16
SHORT = 256  # rows up to that length are taken by a warp each, several by a block
REAL = {"f4": "float", "f8": "double"}


class Shape(NamedTuple):
    """How rows are shared out; constants for the compiler, which leaves out what a length does not need."""

    threads: int  # of a row
    kept: int  # elements that each of them keeps in its registers; 0: none, as a row is too long
    full: bool  # whether that is the row exactly
    together: int  # rows of a block, when a row has one warp


def shape_of(n: int) -> Shape:
    """For rows of n elements."""
    if n <= SHORT:
        kept = 1 << (-(-n // 32) - 1).bit_length()
        return Shape(32, kept, n == 32 * kept, 8)
    threads = min(max(64, 1 << (-(-n // MOST_KEPT) - 1).bit_length()), MOST_THREADS)
    kept = -(-n // (4 * threads)) * 4 if n <= threads * MOST_KEPT else 0
    return Shape(threads, kept, n == threads * kept, 1)


HEAD = """
#ifndef WARP
#define WARP 32
#endif
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
typedef %(real)s real;
const int THREADS = %(threads)d, KEPT = %(kept)d, TOGETHER = %(together)d;
const bool FITS = KEPT > 0, FULL = %(full)d;

__device__ real larger(real a, real b) { return a > b || a != a ? a : b; }  // a NaN stays

__device__ long long my_row() { return (long long) blockIdx.x * TOGETHER + threadIdx.y; }

__device__ real sum_of(real value, real* part) {
    for (int step = WARP / 2; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
    if (THREADS == WARP) return value;
    if (threadIdx.x %% WARP == 0) part[threadIdx.x / WARP] = value;
    __syncthreads();
    real total = part[0];
    for (int warp = 1; warp < THREADS / WARP; warp++) total += part[warp];
    __syncthreads();
    return total;
}

__device__ real largest_of(real value, real* part) {
    for (int step = WARP / 2; step > 0; step /= 2) value = larger(value, __shfl_xor_sync(0xffffffff, value, step));
    if (THREADS == WARP) return value;
    if (threadIdx.x %% WARP == 0) part[threadIdx.x / WARP] = value;
    __syncthreads();
    real top = part[0];
    for (int warp = 1; warp < THREADS / WARP; warp++) top = larger(top, part[warp]);
    __syncthreads();
    return top;
}

// This block's row of an array: read once, where it fits into the threads' registers.
struct Row {
    const real* x;
    long long n;
    real kept[FITS ? KEPT : 1];

    __device__ Row(const real* all, long long n) : x(all + my_row() * n), n(n) {
        #pragma unroll
        for (int k = 0; k < KEPT; k++) {
            int i = threadIdx.x + k * THREADS;
            kept[k] = FULL || i < (int) n ? x[i] : real(0);
        }
    }

    template <class Use> __device__ void each(Use use) {  // use(place, element), of this thread's share
        #pragma unroll
        for (int k = 0; k < KEPT; k++) {
            int i = threadIdx.x + k * THREADS;
            if (FULL || i < (int) n) use(i, kept[k]);
        }
        #pragma unroll 4
        for (long long i = FITS ? n : threadIdx.x; i < n; i += THREADS) {
            real value = x[i];
            use(i, value);
        }
    }

    template <class Use> __device__ void each_of(const Row& other, Use use) const {  // use(place, element, the other's)
        #pragma unroll
        for (int k = 0; k < KEPT; k++) {
            int i = threadIdx.x + k * THREADS;
            if (FULL || i < (int) n) use(i, kept[k], other.kept[k]);
        }
        #pragma unroll 4
        for (long long i = FITS ? n : threadIdx.x; i < n; i += THREADS) use(i, x[i], other.x[i]);
    }
};
#define EACH [&](long long i, real& value)
#define BOTH [&](long long i, real grad, real value)
"""
# the row's largest element, and the sum of the exponentials of all: below it
HIGHEST = """
    Row row(x, n);
    real top = -INFINITY, total = real(0);
    row.each(EACH { top = larger(top, value); });
    top = largest_of(top, part);
"""
TOP = HIGHEST + "row.each(EACH { total += exp(value - top); }); total = sum_of(total, part);"
SPREAD = """
    Row row(x, n);
    real mean = real(0), total = real(0);
    row.each(EACH { mean += value; });
    mean = sum_of(mean, part) / n;
    row.each(EACH { total += (value - mean) * (value - mean); });
    total = sum_of(total, part);
"""
SOURCES: dict[str, tuple[str, str]] = {}
"""By kernel: its arguments and its body."""


def add(name: str, arguments: str, body: str) -> None:
    """A kernel by its arguments, and its body for the row ``my_row()`` of n elements."""
    SOURCES[name] = arguments, body


add(
    "softmax",
    "const real* x, real* y, long long n",
    f"{HIGHEST} y += my_row() * n;"  # the exponentials stay where the row was, or in the result
    " row.each(EACH { real e = exp(value - top); total += e; if (FITS) value = e; else y[i] = e; });"
    " total = real(1) / sum_of(total, part);"
    " if (FITS) row.each(EACH { y[i] = value * total; });"
    " else for (long long i = threadIdx.x; i < n; i += blockDim.x) y[i] *= total;",
)
add(
    "log_softmax",
    "const real* x, real* y, long long n",
    f"{TOP} y += my_row() * n; real sum = log(total); row.each(EACH {{ y[i] = value - top - sum; }});",
)
add(
    "softmax_backward",
    "const real* g, const real* x, real* y, long long n",
    "Row grads(g, n), values(x, n); y += my_row() * n; real total = real(0);"
    " grads.each_of(values, BOTH { total += grad * value; }); total = sum_of(total, part);"
    " grads.each_of(values, BOTH { y[i] = value * (grad - total); });",
)
add(
    "log_softmax_backward",
    "const real* g, const real* x, real* y, long long n",
    "Row grads(g, n), values(x, n); y += my_row() * n; real total = real(0);"
    " grads.each(EACH { total += value; }); total = sum_of(total, part);"
    " grads.each_of(values, BOTH { y[i] = grad - exp(value) * total; });",
)
add(
    "layer_norm",
    "const real* x, const real* weight, const real* bias, real* y, real* means, real* vars, long long n, real eps",
    f"{SPREAD} real var = total / n, scale = real(1) / sqrt(var + eps); y += my_row() * n;"
    " if (threadIdx.x == 0) { means[my_row()] = mean; vars[my_row()] = var; }"
    " row.each(EACH { y[i] = (value - mean) * scale * (weight ? weight[i] : real(1)) + (bias ? bias[i] : real(0)); });",
)
add(
    "layer_norm_backward",
    "const real* g, const real* x, const real* weight, const real* means, const real* vars, real* y, long long n,"
    " real eps",
    "Row grads(g, n), values(x, n); y += my_row() * n; real mean = means[my_row()];"
    " real scale = real(1) / sqrt(vars[my_row()] + eps), one = real(0), two = real(0);"
    " grads.each_of(values, BOTH { real s = grad * (weight ? weight[i] : real(1)); one += s;"
    " two += s * (value - mean) * scale; });"
    " one = sum_of(one, part) / n; two = sum_of(two, part) / n;"
    " grads.each_of(values, BOTH { y[i] = scale * (grad * (weight ? weight[i] : real(1)) - one"
    " - (value - mean) * scale * two); });",
)
# the gradients of weight and bias: a thread's column, summed over all rows by 8 threads
BY_COLUMN = """
typedef %(real)s real;
extern "C" __global__ void layer_norm_weights(const real* g, const real* x, const real* means, const real* vars,
                                              real* by_weight, real* by_bias, long long rows, long long n, real eps) {
    __shared__ real one[256], two[256];
    long long column = (long long) blockIdx.x * blockDim.x + threadIdx.x;
    int me = threadIdx.y * blockDim.x + threadIdx.x;
    real a = real(0), b = real(0);
    if (column < n)
        for (long long row = threadIdx.y; row < rows; row += blockDim.y) {
            real grad = g[row * n + column];
            a += grad * (x[row * n + column] - means[row]) / sqrt(vars[row] + eps);
            b += grad;
        }
    one[me] = a;
    two[me] = b;
    __syncthreads();
    for (int half = blockDim.y / 2; half > 0; half /= 2) {
        if (threadIdx.y < half) {
            one[me] += one[me + half * blockDim.x];
            two[me] += two[me + half * blockDim.x];
        }
        __syncthreads();
    }
    if (threadIdx.y == 0 && column < n) {
        by_weight[column] = one[me];
        by_bias[column] = two[me];
    }
}
"""


def source(real: str, shape: Shape, *names: str) -> str:
    """The CUDA source of some kernels for one type of numbers."""
    text = [HEAD % {"real": real, **shape._asdict()}]
    for name in names:
        arguments, body = SOURCES[name]
        head = f'extern "C" __global__ void {name}(long long rows, {arguments})'
        text.append(f"{head} {{ __shared__ real part[{MOST_THREADS // 32}]; if (my_row() >= rows) return; {body} }}\n")
    return "".join(text)
