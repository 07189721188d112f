/* Products of few rows with the transpose of a row-major matrix, with the signature of NumPy's matmul loop. Included
 * by drivers/linalg/gemm.pyx only. What else there is goes to the loop that stood there before.
 *
 * Note [Few rows]
 * x @ weight.T is a table of inner products of rows, which registers can hold as they lie. BLAS packs both matrices
 * first, which takes longer than multiplying while there are few rows to use what has been packed: 8 rows of 64 with
 * 256 took OpenBLAS 11 us, and take 3 here. WG_WIDE_ROWS and WG_USUAL_ROWS are where packing has paid itself off.
 */
#ifndef WENGERT_INNER_H
#define WENGERT_INNER_H

#include "wengert_core/kernels/simd.h"

typedef void (*wg_inner_fn)(const char *a, Py_ssize_t a_step, const char *b, Py_ssize_t b_step, char *c,
                            Py_ssize_t c_step, Py_ssize_t m, Py_ssize_t k, Py_ssize_t n); /* steps in elements */

enum { WG_WIDE_ROWS = 64, WG_USUAL_ROWS = 16 };
/* For machines with wide registers OpenBLAS has kernels without packing, which are better for two rows and not more
   columns than these. */
enum { WG_COLUMNS_OF_TWO_ROWS = 512 };
enum { WG_AHEAD = 512 };                /* bytes of a column that are asked for before their turn */
enum { WG_INNER_COLUMNS = 16 };         /* of a unit that threads share out; the last takes what is left */
enum { WG_SHORTEST_INNER = 16 };        /* elements of a row from which on vectors are worth it */

#ifdef WG_HAS_WIDE
#include "wengert_core/kernels/linalg/lane_sums.h"

#define ROWS 4
#define FEW_ROWS 2
#define TARGET WG_V4
#define FN(name) WG_CAT(name, _f32_wide)
#define R float
#define VEC __m512
#define LANES 16
#define AT_ONCE 4
#define LOAD _mm512_loadu_ps
#define LOAD_FIRST wg_load_first_f32_wide
#define FMA _mm512_fmadd_ps
#define LANE_SUMS wg_lane_sums_f32_wide
#define STORE_ROWS wg_store_rows_f32_wide
#include "inner_tile.h"
#define FN(name) WG_CAT(name, _f64_wide)
#define R double
#define VEC __m512d
#define LANES 8
#define AT_ONCE 2
#define LOAD _mm512_loadu_pd
#define LOAD_FIRST wg_load_first_f64_wide
#define FMA _mm512_fmadd_pd
#define LANE_SUMS wg_lane_sums_f64_wide
#define STORE_ROWS wg_store_rows_f64_wide
#include "inner_tile.h"
#undef ROWS
#undef FEW_ROWS
#undef TARGET

#define ROWS 3
#define FEW_ROWS 1
#define TARGET WG_V3
#define FN(name) WG_CAT(name, _f32_usual)
#define R float
#define VEC __m256
#define LANES 8
#define AT_ONCE 2
#define LOAD _mm256_loadu_ps
#define LOAD_FIRST wg_load_first_f32_usual
#define FMA _mm256_fmadd_ps
#define LANE_SUMS wg_lane_sums_f32_usual
#define STORE_ROWS wg_store_rows_f32_usual
#include "inner_tile.h"
#define FN(name) WG_CAT(name, _f64_usual)
#define R double
#define VEC __m256d
#define LANES 4
#define AT_ONCE 1
#define LOAD _mm256_loadu_pd
#define LOAD_FIRST wg_load_first_f64_usual
#define FMA _mm256_fmadd_pd
#define LANE_SUMS wg_lane_sums_f64_usual
#define STORE_ROWS wg_store_rows_f64_usual
#include "inner_tile.h"
#undef ROWS
#undef FEW_ROWS
#undef TARGET
#endif

typedef struct {
    wg_inner_fn products;               /* NULL: this machine has none */
    Py_ssize_t most_rows, itemsize;
    Py_ssize_t two_rows;                /* two rows are taken with more columns than these */
    void (*other)(char **, const npy_intp *, const npy_intp *, void *);
    void *other_data;
    /* parallel_for, and the multiplications of a product, and of a thread's share, from which on it is asked */
    int (*parallel_for)(Py_ssize_t, Py_ssize_t, void (*)(Py_ssize_t, Py_ssize_t, void *), void *);
    Py_ssize_t large, share;
} wg_inner_loop;

typedef struct {
    const wg_inner_loop *loop;
    const char *a, *b;
    char *c;
    Py_ssize_t a_step, b_step, c_step, m, k, n, units;
} wg_inner_job;

/* Choose the widest products that this machine has, or (wide: 0) those of x86-64-v3. */
static void wg_find_inner(wg_inner_loop *loop, int is_double, int wide) {
    loop->products = NULL;
#ifdef WG_HAS_WIDE
    if (wide && __builtin_cpu_supports("x86-64-v4")) {
        loop->products = is_double ? wg_inner_products_f64_wide : wg_inner_products_f32_wide;
        loop->most_rows = WG_WIDE_ROWS;
        loop->two_rows = WG_COLUMNS_OF_TWO_ROWS;
    } else if (__builtin_cpu_supports("x86-64-v3")) {
        loop->products = is_double ? wg_inner_products_f64_usual : wg_inner_products_f32_usual;
        loop->most_rows = WG_USUAL_ROWS;
        loop->two_rows = 0;
    }
#else
    (void)is_double;
    (void)wide;
#endif
}

static void wg_inner_units(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    const wg_inner_job *job = (const wg_inner_job *)ctx;
    const Py_ssize_t size = job->loop->itemsize, first = begin * WG_INNER_COLUMNS;
    const Py_ssize_t last = end == job->units ? job->n : end * WG_INNER_COLUMNS;
    job->loop->products(job->a, job->a_step, job->b + first * job->b_step * size, job->b_step, job->c + first * size,
                        job->c_step, job->m, job->k, last - first);
}

static int wg_inner_takes(const wg_inner_loop *loop, const npy_intp *sizes, const npy_intp *steps) {
    const npy_intp size = loop->itemsize;
    return steps[5] == size && steps[4] == size && steps[8] == size && sizes[1] >= 2 && sizes[1] <= loop->most_rows &&
           sizes[2] >= WG_SHORTEST_INNER && sizes[3] >= 4 && (sizes[1] > 2 || sizes[3] > loop->two_rows) &&
           steps[3] % size == 0 && steps[6] % size == 0 && steps[7] % size == 0;
}

static void wg_inner_run(char **args, const npy_intp *sizes, const npy_intp *steps, void *data) {
    const wg_inner_loop *loop = (const wg_inner_loop *)data;
    if (!wg_inner_takes(loop, sizes, steps)) {
        loop->other(args, sizes, steps, loop->other_data);
        return;
    }
    const Py_ssize_t size = loop->itemsize, n = sizes[3], work = sizes[1] * sizes[2] * n;
    const Py_ssize_t units = n < 2 * WG_INNER_COLUMNS ? 1 : n / WG_INNER_COLUMNS;
    for (npy_intp i = 0; i < sizes[0]; i++) {
        wg_inner_job job = {loop, args[0] + i * steps[0], args[1] + i * steps[1], args[2] + i * steps[2],
                            steps[3] / size, steps[6] / size, steps[7] / size, sizes[1], sizes[2], n, units};
        if (work > loop->large) loop->parallel_for(units, 1 + loop->share * units / work, wg_inner_units, &job);
        else wg_inner_units(0, units, &job);
    }
}

#endif
