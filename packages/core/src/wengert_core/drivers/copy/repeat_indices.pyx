"""Each index as often as a count says: repeat_interleave."""
from libc.stdint cimport int64_t, uint64_t

from wengert_core.dispatch.keep_alive cimport hold_if_large
from wengert_core.dtypes.dtypes cimport INT32, INT64
from wengert_core.exchange.arrays cimport contiguous_copy, convert_copy
from wengert_core.exchange.device_memory cimport without_kernels
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, new_empty

cdef enum:
    MOST = 0x10000000                  # indices, whose bytes a machine has


def repeat_indices(Tensor counts not None):
    """Each index as often as ``counts`` says: int64. None where the counts are no vector of int32 or int64 on the host,
    one is negative, their sum is beyond what a machine has, or a call is recorded for a replay.

    >>> from wengert_core import tensor
    >>> repeat_indices(tensor([2, 0, 1]))
    tensor([0, 0, 2])
    """
    cdef Py_ssize_t total
    cdef Tensor out
    if counts.code != INT64 and counts.code != INT32 or counts.rank != 1 or counts.device or without_kernels() \
            or thread_state().modes & WG_TELL:
        return None
    counts = hold_if_large(counts)
    if counts.code != INT64:
        counts = convert_copy(counts, INT64)
    elif not counts.flags & TF_CONTIGUOUS:
        counts = contiguous_copy(counts)
    total = sum_counts(<const int64_t*> counts.data, counts.count)
    if total > MOST:
        return None
    out = new_empty(INT64, 1, &total)
    with nogil:
        repeat_each(<const int64_t*> counts.data, counts.count, <int64_t*> out.data, total)
    return out


cdef Py_ssize_t sum_counts(const int64_t* counts, Py_ssize_t n) noexcept nogil:
    """More than MOST where a count is negative, or the sum is too large."""
    cdef Py_ssize_t i, total = 0
    for i in range(n):
        if <uint64_t> counts[i] > MOST or total > MOST:
            return MOST + 1
        total += counts[i]
    return total


cdef void repeat_each(const int64_t* counts, Py_ssize_t n, int64_t* out, Py_ssize_t total) noexcept nogil:
    """Another thread may write to the counts meanwhile: no more than ``total`` are written, and as many."""
    cdef Py_ssize_t i, left, at = 0
    for i in range(n):
        left = min(counts[i], total - at)
        while left > 0:
            out[at] = i
            at += 1
            left -= 1
    while at < total:
        out[at] = n - 1
        at += 1
