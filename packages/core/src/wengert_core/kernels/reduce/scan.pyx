"""Running sums, products, log-sums and extremes along one dim of a 2-d strided buffer.

The loops are in scan.h, log_sums.h and running_extremes.h; those of runs of equal neighbors in distinct.h.
"""
from libc.stdint cimport int64_t

from wengert_core.kernels.pointwise.casts cimport cast
from wengert_core.kernels.types cimport cast_fn, npy_intp

cdef extern from "wengert_core/kernels/reduce/scan.h" nogil:
    void wg_connect_scans(cast_fn (*cast)(int, int) noexcept nogil)
    scan_fn wg_find_scan(const char *name, int src, int dst)

cdef extern from "wengert_core/kernels/reduce/distinct.h" nogil:
    Py_ssize_t wg_runs(int code, const char* x, Py_ssize_t n, const int64_t* places, Py_ssize_t room, char* values,
                       int64_t* inverse, int64_t* counts)

cdef extern from "wengert_core/kernels/reduce/running_extremes.h" nogil:
    ctypedef struct wg_extremes:
        pass
    void wg_connect_extremes(cast_fn (*cast)(int, int) noexcept nogil)
    const wg_extremes* wg_find_extremes(const char *name, int code)
    void wg_run_extremes(const wg_extremes *e, char *src, npy_intp outer_n, npy_intp outer_stride, npy_intp n,
                         npy_intp stride, char *dst, int64_t *places, npy_intp dst_outer, npy_intp dst_stride)

wg_connect_scans(cast)
wg_connect_extremes(cast)


cdef scan_fn find_scan(const char *name, int src_dtype, int dst_dtype) noexcept nogil:
    return wg_find_scan(name, src_dtype, dst_dtype)


cdef const void* find_extremes(const char *name, int code) noexcept nogil:
    return wg_find_extremes(name, code)


cdef void run_extremes(const void* extremes, char *src, npy_intp outer_n, npy_intp outer_stride, npy_intp n,
                       npy_intp stride, char *dst, int64_t *places, npy_intp dst_outer,
                       npy_intp dst_stride) noexcept nogil:
    wg_run_extremes(<const wg_extremes*> extremes, src, outer_n, outer_stride, n, stride, dst, places, dst_outer,
                    dst_stride)


cdef Py_ssize_t write_runs(int code, const char* x, Py_ssize_t n, const int64_t* places, Py_ssize_t room, char* values,
                           int64_t* inverse, int64_t* counts) noexcept nogil:
    return wg_runs(code, x, n, places, room, values, inverse, counts)
