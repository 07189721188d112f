"""Cumulative sums and products along one dim of a 2-d strided buffer. The loops are in scan.h."""
from wengert_core.kernels.pointwise.casts cimport cast
from wengert_core.kernels.types cimport cast_fn

cdef extern from "wengert_core/kernels/reduce/scan.h" nogil:
    void wg_connect_scans(cast_fn (*cast)(int, int) noexcept nogil)
    scan_fn wg_find_scan(const char *name, int src, int dst)

wg_connect_scans(cast)


cdef scan_fn find_scan(const char *name, int src_dtype, int dst_dtype) noexcept nogil:
    return wg_find_scan(name, src_dtype, dst_dtype)
