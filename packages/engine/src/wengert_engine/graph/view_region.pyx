"""Regions: where a tensor's elements lie in its storage, and what a view sees of another tensor that is laid out as its
base.

Note [Views of the other kind]
    view_as_real, view_as_complex, real and imag give views whose elements are half or twice as large as the base's.
    Strides and offsets count elements of the tensor's own dtype, so between such a pair they are put into real numbers
    first: a complex view of a real base is as_strided to pairs and then view_as_complex, a real view of a complex base
    as_strided of its view_as_real. Both steps are linear and keep gradients and tangents where the numbers are.
"""
from wengert_core.dispatch.op cimport Op, find_op
from wengert_core.dtypes.dtypes cimport CAT_COMPLEX, DTypeFacts, dtype_facts, dtype_of
from wengert_core.geometry.size_math cimport bytes_between
from wengert_core.tensors.tensor cimport shape_tuple, storage_of, strides_of

cdef DTypeFacts* FACTS = dtype_facts()
cdef Op AS_STRIDED = None              # these are looked up when first needed: the import of wengert loads no ops
cdef Op VIEW_AS_REAL = None
cdef Op VIEW_AS_COMPLEX = None


cdef object geometry(Tensor t):
    """Sizes, strides and storage offset, in elements."""
    cdef int i
    cdef Py_ssize_t itemsize = FACTS.itemsize[t.code]
    return (shape_tuple(t), tuple([strides_of(t)[i] // itemsize for i in range(t.rank)]), offset_of(t))


cdef inline Py_ssize_t offset_of(Tensor t) noexcept:
    return bytes_between(storage_of(t).data, t.data) // FACTS.itemsize[t.code]


cdef object region(Tensor t):
    """Its geometry and dtype."""
    return (*geometry(t), dtype_of(t.code))


cdef bint is_of_other_kind(Tensor a, Tensor b) noexcept:
    """Whether one is real and the other complex."""
    return (FACTS.category[a.code] == CAT_COMPLEX) != (FACTS.category[b.code] == CAT_COMPLEX)


cdef Tensor part_of(Tensor whole, tuple base, tuple view):
    """Return the view's part of a tensor laid out as its base, by ordinary operations. base, view: their regions."""
    global AS_STRIDED, VIEW_AS_REAL, VIEW_AS_COMPLEX
    cdef Py_ssize_t start = offset_of(whole)
    sizes, strides, offset, dtype = view
    if AS_STRIDED is None:
        AS_STRIDED = find_op("as_strided")
    if dtype.is_complex == base[3].is_complex:
        return AS_STRIDED(whole, sizes, strides, offset - base[2] + start)
    if VIEW_AS_REAL is None:
        VIEW_AS_REAL, VIEW_AS_COMPLEX = find_op("view_as_real"), find_op("view_as_complex")
    if dtype.is_complex:
        doubled = (*[2 * step for step in strides], 1)
        return VIEW_AS_COMPLEX(AS_STRIDED(whole, (*sizes, 2), doubled, 2 * offset - base[2] + start))
    return AS_STRIDED(VIEW_AS_REAL(whole), sizes, strides, offset - 2 * base[2] + 2 * start)
