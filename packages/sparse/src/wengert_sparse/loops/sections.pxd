"""The merge of sorted lists, section by section: see indices.h."""
from libc.stdint cimport int64_t, uint8_t

cdef extern from "wengert_sparse/loops/indices.h" nogil:
    ctypedef struct wg_section:
        Py_ssize_t i, i_end, j, j_end
        uint8_t* origins "from"
    ctypedef struct wg_lists:
        const int64_t* a
        const int64_t* b
        Py_ssize_t na, nb
        const Py_ssize_t* sizes
        int rank
    void wg_merge_two(const wg_lists* lists, const wg_section* x, const wg_section* y, Py_ssize_t* counts)
    void wg_merge_indices(const int64_t* a, Py_ssize_t na, const int64_t* b, Py_ssize_t nb, int rank, Py_ssize_t i,
                          Py_ssize_t j, const uint8_t* origins, Py_ssize_t count, int64_t* indices, Py_ssize_t n,
                          Py_ssize_t to)
    void wg_merge_values_f32(const float* x, const float* y, Py_ssize_t width, float scale, const uint8_t* origins,
                             Py_ssize_t count, float* sums)
    void wg_merge_values_f64(const double* x, const double* y, Py_ssize_t width, double scale, const uint8_t* origins,
                             Py_ssize_t count, double* sums)
