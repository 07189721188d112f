"""Products of matrices: the loop for each index of the dims in front, by one thread or several."""
from libc.string cimport memcpy

from wengert_core.drivers.linalg.dot cimport dot_in_units
from wengert_core.runtime.blas_lookup cimport enter_one_thread, leave_one_thread
from wengert_core.runtime.thread_pool cimport parallel_for


cdef inline Py_ssize_t batch_step(Tensor t, int dim) noexcept:
    """t's step along a dim in front, counted from the matrices backwards; 0 where t is broadcast."""
    cdef int i = t.rank - 2 + dim
    return 0 if i < 0 or t.dims[i] == 1 else t.dims[t.rank + i]


cdef void set_batch(Product* p, Tensor a, Tensor b, Tensor out) noexcept:
    """Describe the dims in front. Of a product with a vector out has no two dims behind them."""
    cdef int i
    for i in range(p.n_batch):
        p.batch[i].size = out.dims[i]
        p.batch[i].moves[0] = batch_step(a, i - p.n_batch)
        p.batch[i].moves[1] = batch_step(b, i - p.n_batch)
        p.batch[i].moves[2] = out.dims[out.rank + i]


cdef void run_with_batch(Product* p, char* a, char* b, char* out) noexcept nogil:
    if p.alone:
        enter_one_thread()
    if p.way == PRODUCT_IN_UNITS:
        dot_in_units(p.fn, p.data, p.code, a, p.steps[4], b, p.steps[5], p.sizes[2], out)
    elif p.way == PRODUCT_SHARED:
        share_batch(p, a, b, out)
    else:
        run_batches(p, a, b, out)
    if p.alone:
        leave_one_thread()


cdef void run_batches(Product* p, char* a, char* b, char* out) noexcept nogil:
    """Run the loop for each index of the batch dims: along the last of them in the loop, along the others from here."""
    cdef Py_ssize_t index[64]
    cdef char* args[3]
    cdef char* at[3]
    cdef int i, k, last = p.n_batch - 1
    at[0], at[1], at[2] = a, b, out
    for i in range(last):
        index[i] = 0
    p.steps[0] = p.steps[1] = p.steps[2] = 0
    if last >= 0:
        p.sizes[0] = p.batch[last].size
        for k in range(3):
            p.steps[k] = p.batch[last].moves[k]
    while True:
        for k in range(3):
            args[k] = at[k]
        p.fn(args, p.sizes, p.steps, p.data)
        i = last - 1
        while i >= 0:
            index[i] += 1
            for k in range(3):
                at[k] += p.batch[i].moves[k]
            if index[i] < p.batch[i].size:
                break
            for k in range(3):
                at[k] -= p.batch[i].moves[k] * p.batch[i].size
            index[i] = 0
            i -= 1
        if i < 0:
            return


cdef struct Batch:                     # products of small matrices, which threads share
    Product* product
    char* args[3]


cdef void share_batch(Product* p, char* a, char* b, char* out) noexcept nogil:
    """Run the loop along the only dim in front."""
    cdef Batch batch
    batch.product = p
    batch.args[0], batch.args[1], batch.args[2] = a, b, out
    parallel_for(p.batch[0].size, 1 + SHARE // (p.sizes[1] * p.sizes[2] * p.sizes[3]), share_of_batch, &batch)


cdef void share_of_batch(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    cdef Batch* batch = <Batch*> ctx
    cdef Product* p = batch.product
    cdef npy_intp sizes[4]
    cdef npy_intp steps[9]
    cdef char* args[3]
    cdef int k
    memcpy(sizes, p.sizes, sizeof(sizes))
    memcpy(steps, p.steps, sizeof(steps))
    sizes[0] = end - begin
    for k in range(3):
        steps[k] = p.batch[0].moves[k]
        args[k] = batch.args[k] + begin * steps[k]
    p.fn(args, sizes, steps, p.data)
