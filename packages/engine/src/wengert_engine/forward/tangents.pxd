"""Tangents of tensors: Note [Tangents] in tangents.pyx."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op
from wengert_core.runtime.state cimport WG_DUAL
from wengert_core.tensors.tensor cimport TF_VIEW, Tensor


cdef class Tangent:
    cdef Tensor value                  # None: none
    cdef long epoch
    cdef bint is_cut                   # Note [The primal is no view for tangents]
    cdef Tensor base                   # of a view of such a tensor: that tensor


cdef int open_level(bint of_transform) except -1
cdef int close_level() except -1
cdef bint is_level_of_transform() noexcept

cdef Tensor own_tangent(Tensor t)
cdef Tensor tangent_of(Tensor t)
cdef Tensor tangent_base(Tensor t)
cdef int set_tangent(Tensor t, Tensor value) except -1
cdef int give_tangent(Tensor t, Tensor value) except -1        # RuntimeError for another shape
cdef int cut(Tensor t, Tensor base) except -1
cdef int cut_views(Op op, PyObject** slots, PyObject** outs, int n_outs) except -1
cdef bint same_geometry(Tensor a, Tensor b) noexcept
cdef object element_strides(Tensor t)
cdef Tensor with_geometry_of(Tensor t, Tensor tangent)
cdef int check_shape(Tensor t, Tensor value) except -1
cdef bint has_tangent(Tensor t) except -1

cdef bint any_dual(Op op, PyObject** slots)
cdef object tangents_in(object value)


cdef inline bint is_dual(Tensor t) noexcept:
    """Whether a tensor, or what it is a view of, may have a tangent."""
    return (t.flags & WG_DUAL) != 0 or (t.flags & TF_VIEW != 0 and t.base != NULL
                                        and (<Tensor> t.base).flags & WG_DUAL != 0)
