"""Results that lie in memory as an input does: with the channels of images last, or all dims in the same order.

The kernels give contiguous results, so such a result is a copy. Only who asks for the layout pays for it.
"""
from wengert_core.exchange.arrays cimport copy_into
from wengert_core.tensors.memory_format cimport (FORMAT_CHANNELS_LAST, FORMAT_CHANNELS_LAST_3D, Format, has_format,
                                                 lay_out, new_preserved)
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, new_like, same_shape


cdef inline Format form_of(Tensor t) noexcept:
    return FORMAT_CHANNELS_LAST if t.rank == 4 else FORMAT_CHANNELS_LAST_3D


cdef bint is_channels_last(Tensor t) noexcept:
    """Whether t, of four or five dims, has its channels last. Elsewhere a tensor is as the device made it."""
    return not t.flags & TF_CONTIGUOUS and not t.device and (t.rank == 4 or t.rank == 5) and has_format(t, form_of(t))


cdef int lay_channels_last(Tensor out) except -1:
    """Give a fresh tensor of four or five dims the strides of one with its channels last."""
    return lay_out(out, form_of(out))


cdef Tensor with_channels_last(Tensor out):
    """A copy of a fresh result of four or five dims, with the channels last."""
    cdef Tensor copy = new_like(out, out.code)
    lay_channels_last(copy)
    copy_into(copy, out)
    return copy


cdef Tensor restore_layout(Tensor t, Tensor out):
    """The fresh result, with its channels last if those of t are."""
    return with_channels_last(out) if is_channels_last(t) else out


cdef Tensor as_ordered(Tensor t, Tensor out):
    """The fresh result, of t's shape, with its dims in t's order: what torch calls preserve_format."""
    cdef Tensor copy
    if t.flags & TF_CONTIGUOUS or not same_shape(t, out):
        return out
    copy = new_preserved(t, out.code)
    if copy.flags & TF_CONTIGUOUS:
        return out
    copy_into(copy, out)
    return copy
