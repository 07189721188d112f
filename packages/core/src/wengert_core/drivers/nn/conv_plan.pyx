"""Offset tables and padded copy of a convolution's source. Note [Convolution by tables]: kernels/nn/convolution.h."""
from libc.stdint cimport int32_t
from libc.string cimport memset

from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.geometry.size_math cimport mul_add
from wengert_core.kernels.linalg.register_tiles cimport find_tiles
from wengert_core.runtime.launches cimport Launch
from wengert_core.runtime.thread_pool cimport body_fn, parallel_for
from wengert_core.tensors.tensor cimport Tensor

cdef DTypeFacts* FACTS = dtype_facts()
cdef const wg_tiles* TILES = find_tiles(True)


def use_tiles(bint wide):
    """Compute with the widest registers of this machine, or as on a machine that has them not: for tests."""
    global TILES
    TILES = find_tiles(wide)


cdef const wg_tiles* tiles() noexcept nogil:
    return TILES


cdef void wide_reading(Axis* a, Reading* r) noexcept nogil:
    """The wide side, read for positions of the narrow one."""
    cdef Py_ssize_t t
    r.positions, r.step, r.taps, r.first, r.between = a.narrow, a.stride, a.kernel, 0, 1
    for t in range(a.kernel):
        r.offset[t] = <int32_t> (t * a.dilation - a.padding)
        r.chosen[t] = <int32_t> t


cdef void narrow_reading(Axis* a, Py_ssize_t residue, Reading* r) noexcept nogil:
    """The narrow side, read for those positions of the wide one that have this residue by the stride."""
    cdef Py_ssize_t t, distance
    r.positions = (a.wide - residue + a.stride - 1) // a.stride if residue < a.wide else 0
    r.step, r.taps, r.first, r.between = 1, 0, residue, a.stride
    for t in range(a.kernel):
        distance = residue + a.padding - t * a.dilation
        if distance % a.stride == 0:
            r.offset[r.taps] = <int32_t> (distance // a.stride)
            r.chosen[r.taps] = <int32_t> t
            r.taps += 1


cdef void start_source(Source* s, Tensor t, Py_ssize_t* inside) noexcept:
    cdef int i
    s.planes, s.item = t.dims[0] * t.dims[1], FACTS.itemsize[t.code]
    for i in range(3):
        s.inside[i] = s.size[i] = inside[i]
        s.before[i] = 0


cdef void widen(Source* s, int axis, Reading* r) noexcept:
    """Make room for what a reading needs along an axis."""
    cdef Py_ssize_t t, last
    for t in range(r.taps if r.positions else 0):
        last = (r.positions - 1) * r.step + r.offset[t]
        if -r.offset[t] > s.before[axis]:
            s.before[axis] = -r.offset[t]
        if last >= s.size[axis]:
            s.size[axis] = last + 1    # counted from the first element inside; before[] is added in the end


cdef int settle_source(Source* s, Py_ssize_t split, bint slack) except -1:
    cdef int i
    cdef bint same = not slack and split == 1
    s.channel, s.split = 1, split
    s.size[2] += (split - (s.size[2] + s.before[2]) % split) % split
    for i in range(3):
        s.size[i] += s.before[i]
        same = same and s.size[i] == s.inside[i]
        s.channel = mul_add("convolution", s.channel, s.size[i], 0)
    if s.channel > 0x7fffffff:
        raise RuntimeError(f"convolution: a channel of {s.channel} elements is more than 2**31 - 1")
    s.nbytes = 0 if same else s.planes * s.channel * s.item + WG_SLACK
    return 0


cdef void fill_source(Source* s, char* given, char* copy, bint held) noexcept nogil:
    """Copy the tensor where there is a border, or where slack behind it is wanted."""
    cdef wg_border b
    cdef int i
    s.given = given
    s.data = copy if s.nbytes else given
    s.limit = s.data + s.planes * s.channel * s.item + (WG_SLACK if s.nbytes else 0)
    if s.nbytes == 0:
        return
    for i in range(3):
        b.inside[i], b.outside[i], b.before[i] = s.inside[i], s.size[i], s.before[i]
    b.from_, b.to, b.item, b.split = given, copy, s.item, s.split
    memset(copy + s.planes * s.channel * s.item, 0, WG_SLACK)
    share_pieces(wg_pad_planes, s.planes, 0x20000 // (s.channel + 1) + 1, &b, held)


cdef void fill_tables(
    wg_conv* p, Reading* r, Py_ssize_t* size, Py_ssize_t* before, Py_ssize_t* kernel, Py_ssize_t* target, int32_t* base,
    int32_t* out_offset, int32_t* tap, int32_t* chosen
) noexcept nogil:
    """Offsets of positions in the source (base) and in the result (place), of taps in the source (tap) and the kernel
    (chosen).

    A step in the last dim is 1 within the elements of one residue, which a tap chooses.
    """
    cdef Py_ssize_t i, j, k, last, split = r[2].step, n = 0
    for i in range(r[0].positions):
        for j in range(r[1].positions):
            for k in range(r[2].positions):
                base[n] = <int32_t> (((i * r[0].step + before[0]) * size[1] + j * r[1].step + before[1]) * size[2] + k)
                out_offset[n] = <int32_t> (((r[0].first + i * r[0].between) * target[1]
                                            + r[1].first + j * r[1].between) * target[2]
                                           + r[2].first + k * r[2].between)
                n += 1
    n = 0
    for i in range(r[0].taps):
        for j in range(r[1].taps):
            for k in range(r[2].taps):
                last = r[2].offset[k] + before[2]
                tap[n] = <int32_t> ((r[0].offset[i] * size[1] + r[1].offset[j]) * size[2]
                                    + last % split * (size[2] // split) + last // split)
                chosen[n] = <int32_t> ((r[0].chosen[i] * kernel[1] + r[1].chosen[j]) * kernel[2] + r[2].chosen[k])
                n += 1
    p.base, p.tap, p.out_offset = base, tap, out_offset
    p.row = r[2].positions


cdef Py_ssize_t at_least(Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    return a if a > b else b


cdef void share_out(body_fn body, Py_ssize_t units, Py_ssize_t work, void* ctx, bint held) noexcept nogil:
    held = held and work >= WITHOUT_GIL
    share_pieces(body, units, WORTH_A_THREAD * units // work if held else 1, ctx, held)


cdef void share_pieces(body_fn body, Py_ssize_t units, Py_ssize_t grain, void* ctx, bint held) noexcept nogil:
    if held:
        parallel_for(units, grain, body, ctx)
    else:
        body(0, units, ctx)


cdef int no_memory(Launch* launch) except -1:
    raise MemoryError()
