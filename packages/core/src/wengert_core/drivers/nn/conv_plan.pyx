"""Offset tables and padded copy of a convolution's source. Note [Convolution by tables]: kernels/nn/convolution.h."""
cimport cython
from cpython.object cimport PyTypeObject
from libc.stdint cimport int32_t
from libc.string cimport memset

from wengert_core.dispatch.keep_alive cimport in_pieces
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.geometry.size_math cimport mul_add
from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.runtime.scratch cimport scratch
from wengert_core.runtime.thread_pool cimport body_fn
from wengert_core.tensors.tensor cimport Tensor

cdef DTypeFacts* FACTS = dtype_facts()
cdef const wg_tiles* TILES = wg_find_tiles(True)


def use_tiles(bint wide):
    """Compute with the widest registers of this machine, or as on a machine that has them not: for tests."""
    global TILES
    TILES = wg_find_tiles(wide)


cdef const wg_tiles* tiles() noexcept:
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


@cython.binding(False)
cdef class Source:
    """A padded copy of a tensor of images, or the tensor itself where no padding is needed."""

    cdef int widen(self, int axis, Py_ssize_t inside, Reading* r) noexcept:
        """Make room for what a reading needs along an axis."""
        cdef Py_ssize_t t, last
        for t in range(r.taps if r.positions else 0):
            last = (r.positions - 1) * r.step + r.offset[t]
            if -r.offset[t] > self.before[axis]:
                self.before[axis] = -r.offset[t]
            if last >= self.size[axis]:
                self.size[axis] = last + 1    # counted from the first element inside; before[] is added in the end
        return 0

    cdef int fill(self, Tensor t, Py_ssize_t* inside, bint slack) except -1:
        """Copy the tensor where there is a border, or where ``slack`` behind it is wanted."""
        cdef wg_border b
        cdef int i
        cdef Py_ssize_t planes = t.dims[0] * t.dims[1], item = FACTS.itemsize[t.code]
        cdef bint same = not slack and self.split == 1
        self.channel = 1
        self.size[2] += (self.split - (self.size[2] + self.before[2]) % self.split) % self.split
        for i in range(3):
            self.size[i] += self.before[i]
            same = same and self.size[i] == inside[i]
            self.channel = mul_add("convolution", self.channel, self.size[i], 0)
            b.inside[i], b.outside[i], b.before[i] = inside[i], self.size[i], self.before[i]
        if self.channel > 0x7fffffff:
            raise RuntimeError(f"convolution: a channel of {self.channel} elements is more than 2**31 - 1")
        if same:
            self.tensor, self.data, self.limit = t, t.data, t.data + t.count * item
            return 0
        self.copy = scratch(planes * self.channel * item + WG_SLACK)
        self.data = self.copy.data
        self.limit = self.data + planes * self.channel * item + WG_SLACK
        b.from_, b.to, b.item, b.split = t.data, self.data, item, self.split
        memset(self.data + planes * self.channel * item, 0, WG_SLACK)
        in_pieces(planes, 0x20000 // (self.channel + 1) + 1, wg_pad_planes, &b, self.held)
        return 0


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


cdef int share_out(body_fn body, Py_ssize_t units, Py_ssize_t work, void* ctx, bint held) noexcept:
    held = held and work >= WITHOUT_GIL
    in_pieces(units, WORTH_A_THREAD * units // work if held else 1, body, ctx, held)
    return 0


cdef Source new_source(Geometry* g):
    cdef Source new = Source.__new__(Source)
    new.held = g.held
    return new


not_made_by_hand(<PyTypeObject*> Source)
