"""The gradient of a convolution's weight, w = W(x, y), by one of two ways: from x channels-last and y packed, or from
gathered columns.
"""
from libc.stdint cimport int32_t
from libc.string cimport memset

from wengert_core.dispatch.keep_alive cimport in_pieces
from wengert_core.drivers.nn.conv_plan cimport (at_least, Axis, ENOUGH_UNITS, fill_tables, Geometry, Reading,
                                                share_out, Source, new_source, tiles, WG_DEEP, WG_SLACK, WG_WIDE,
                                                wide_reading, WORTH_A_THREAD, wg_conv, wg_conv_weight_f32,
                                                wg_conv_weight_f64, wg_turn_rows, wg_turner, wg_pack_above_f32,
                                                wg_pack_above_f64, wg_weigh_f32, wg_weigh_f64, wg_weigher)
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.runtime.scratch cimport Scratch, scratch
from wengert_core.tensors.tensor cimport Tensor

cdef DTypeFacts* FACTS = dtype_facts()


cdef int weight_gradient(Geometry* g, Tensor x, Tensor y, Tensor out) except -1:
    """out = W(x, y)."""
    cdef Axis* last = &g.axes[2]
    cdef bint merged = g.groups == 1 and last.dilation == 1
    if y.count and g.wide_channels * (last.kernel if merged else 1) >= 8:
        return channels_last(g, x, y, out, merged)
    return gathered_columns(g, x, y, out)


cdef Scratch pad_channels_last(Tensor t, Py_ssize_t* inside, Py_ssize_t* outside, Py_ssize_t* before, bint border,
                               bint held):
    """A channels-last copy, with a border of zeros and room behind it."""
    cdef wg_turner turner
    cdef Py_ssize_t i, pixels = outside[0] * outside[1] * outside[2], item = FACTS.itemsize[t.code], units
    cdef Py_ssize_t size = t.dims[0] * t.dims[1] * pixels * item
    cdef Scratch made = scratch(size + WG_SLACK)
    cdef char* copy = made.data
    for i in range(3):
        turner.border.inside[i], turner.border.outside[i], turner.border.before[i] = inside[i], outside[i], before[i]
    turner.border.from_, turner.border.to, turner.border.item, turner.border.split = t.data, copy, item, 1
    turner.channels = t.dims[1]
    units = t.dims[0] * inside[0] * inside[1]
    memset(copy + (0 if border else size), 0, WG_SLACK + (size if border else 0))
    in_pieces(units, 0x8000 // (inside[2] * t.dims[1] + 1) + 1, wg_turn_rows, &turner, held)
    return made


cdef int channels_last(Geometry* g, Tensor x, Tensor y, Tensor out, bint merged) except -1:
    """The weight's gradient from a channels-last copy of x and a packed one of y. merged: the taps of a row of the
    kernel are one run.
    """
    cdef Py_ssize_t inside[3]
    cdef Py_ssize_t outside[3]
    cdef Py_ssize_t before[3]
    cdef Py_ssize_t i, j, k, n = 0, item = FACTS.itemsize[x.code], work
    cdef wg_weigher p
    cdef Axis* a = g.axes
    cdef Scratch source, grad, tables, parts = None
    cdef int32_t* base
    cdef bint border = False
    for i in range(3):
        inside[i], before[i] = a[i].wide, a[i].padding
        outside[i] = at_least(a[i].wide + a[i].padding,
                              (a[i].narrow - 1) * a[i].stride + (a[i].kernel - 1) * a[i].dilation + 1)
        border = border or outside[i] != inside[i]
    memset(&p, 0, sizeof(p))
    p.tiles, p.images, p.groups, p.m, p.channels = tiles(), g.images, g.groups, g.narrow_channels, g.wide_channels
    p.positions, p.taps = a[0].narrow * a[1].narrow * a[2].narrow, a[0].kernel * a[1].kernel * a[2].kernel
    p.run_taps = a[2].kernel if merged else 1
    p.runs = p.taps // p.run_taps
    p.source_image = outside[0] * outside[1] * outside[2] * p.groups * p.channels
    work = p.images * p.positions * p.groups * p.m * p.channels * p.taps
    cut_runs(&p, item, work)
    if outside[0] * outside[1] * outside[2] > 0x7fffffff:
        raise RuntimeError(f"convolution: a channel of {outside[0] * outside[1] * outside[2]} elements is more than "
                           "2**31 - 1")
    tables = scratch((p.positions + p.runs) * sizeof(int32_t))
    base = <int32_t*> tables.data
    source, grad = pad_channels_last(x, inside, outside, before, border, g.held), scratch(y.count * item)
    for i in range(a[0].narrow):
        for j in range(a[1].narrow):
            for k in range(a[2].narrow):
                base[n] = <int32_t> ((i * a[0].stride * outside[1] + j * a[1].stride) * outside[2] + k * a[2].stride)
                n += 1
    for i in range(a[0].kernel):
        for j in range(a[1].kernel):
            for k in range(1 if merged else a[2].kernel):
                base[n] = <int32_t> ((i * a[0].dilation * outside[1] + j * a[1].dilation) * outside[2]
                                     + k * a[2].dilation)
                n += 1
    p.source, p.above, p.grad, p.parts = source.data, y.data, grad.data, out.data
    p.base, p.run = base, base + p.positions
    if p.chunks > 1:
        parts = scratch(p.chunks * out.count * item)
        p.parts = parts.data
    in_pieces(p.images * p.groups * p.m_blocks, 0x8000 // (p.positions * p.m_block + 1) + 1,
              wg_pack_above_f32 if item == 4 else wg_pack_above_f64, &p, g.held)
    share_out(wg_weigh_f32 if item == 4 else wg_weigh_f64, p.chunks * p.groups * p.runs * p.lane_blocks * p.m_blocks,
              work, &p, g.held)
    if p.failed:
        raise MemoryError()
    sum_parts(p.parts, p.chunks, out, item)
    return 0


cdef void cut_runs(wg_weigher* p, Py_ssize_t item, Py_ssize_t work) noexcept nogil:
    """Choose blocks of a run's elements and of output channels, and chunks of columns where units are too few."""
    cdef Py_ssize_t lanes = p.tiles.vectors * 64 // item, total = p.images * p.positions, units
    cdef Py_ssize_t wanted = min(ENOUGH_UNITS, at_least(work // WORTH_A_THREAD, 1))
    p.lane_blocks = (p.run_taps * p.channels + lanes - 1) // lanes
    p.m_block = min(p.m, 64 // p.tiles.rows * p.tiles.rows)
    p.m_blocks = (p.m + p.m_block - 1) // p.m_block
    units = p.groups * p.runs * p.lane_blocks * p.m_blocks
    p.chunks = at_least(min((wanted + units - 1) // units, total // (2 * WG_DEEP)), 1)
    p.chunk = (total + p.chunks - 1) // p.chunks
    p.chunk = (p.chunk + WG_DEEP - 1) // WG_DEEP * WG_DEEP
    p.chunks = (total + p.chunk - 1) // p.chunk


cdef int gathered_columns(Geometry* g, Tensor x, Tensor y, Tensor out) except -1:
    """The weight's gradient of groups with few channels: rows of taps times what comes from above."""
    cdef Py_ssize_t inside[3]
    cdef Py_ssize_t target[3]
    cdef Py_ssize_t kernel[3]
    cdef Py_ssize_t positions = 1, taps = 1, most = 0, i, total, units, work, item = FACTS.itemsize[x.code]
    cdef Source source = new_source(g)
    cdef Reading readings[3]
    cdef wg_conv p
    cdef Scratch tables, parts = None
    cdef int32_t* numbers
    for i in range(3):
        kernel[i], inside[i], target[i] = g.axes[i].kernel, g.axes[i].wide, g.axes[i].narrow
        source.size[i], source.before[i] = inside[i], 0
        positions *= target[i]
        taps *= kernel[i]
        most += kernel[i]
    memset(&p, 0, sizeof(p))
    p.tiles, p.images, p.groups = tiles(), g.images, g.groups
    p.m, p.channels, p.taps, p.positions = g.narrow_channels, g.wide_channels, taps, positions
    total = p.images * positions
    if total == 0:
        memset(out.data, 0, out.count * item)
        return 0
    tables = scratch((2 * most + 2 * taps + 2 * positions) * sizeof(int32_t))
    numbers = <int32_t*> tables.data
    for i in range(3):
        readings[i].offset, readings[i].chosen = numbers, numbers + kernel[i]
        numbers += 2 * kernel[i]
        wide_reading(&g.axes[i], &readings[i])
        source.widen(<int> i, inside[i], &readings[i])
    source.split = readings[2].step
    source.fill(x, inside, False)
    fill_tables(&p, readings, source.size, source.before, kernel, target, numbers, numbers + positions,
                numbers + 2 * positions, numbers + 2 * positions + taps)
    p.source, p.limit, p.source_channel, p.out_offset = source.data, source.limit, source.channel, NULL
    p.source_image = p.source_channel * p.groups * p.channels
    p.out, p.out_channel = y.data, positions
    p.out_image = positions * p.groups * p.m
    work = total * p.groups * p.m * p.channels * taps
    cut_weight(&p, total, work)
    p.weights = out.data
    if p.chunks > 1:
        parts = scratch(p.chunks * out.count * item)
        p.weights = parts.data
    units = p.chunks * p.groups * p.m_blocks * p.row_blocks
    share_out(wg_conv_weight_f32 if item == 4 else wg_conv_weight_f64, units, work, &p, g.held)
    if p.failed:
        raise MemoryError()
    sum_parts(<char*> p.weights, p.chunks, out, item)
    return 0


cdef void cut_weight(wg_conv* p, Py_ssize_t total, Py_ssize_t work) noexcept nogil:
    """Blocks of output channels and of k, and chunks of columns where these are too few units for all threads."""
    cdef Py_ssize_t k = p.channels * p.taps, wanted = min(ENOUGH_UNITS, at_least(work // WORTH_A_THREAD, 1)), units
    p.m_block, p.row_block = min(p.m, 64 // p.tiles.rows * p.tiles.rows), min(k, 48)
    p.m_blocks, p.row_blocks = (p.m + p.m_block - 1) // p.m_block, (k + p.row_block - 1) // p.row_block
    units = p.groups * p.m_blocks * p.row_blocks
    p.chunks = at_least(min((wanted + units - 1) // units, total // (4 * WG_WIDE)), 1)
    p.chunk = (total + p.chunks - 1) // p.chunks
    p.chunk = (p.chunk + WG_WIDE - 1) // WG_WIDE * WG_WIDE
    p.chunks = (total + p.chunk - 1) // p.chunk


cdef void sum_parts(char* parts, Py_ssize_t n, Tensor out, Py_ssize_t item) noexcept:
    """The results of the chunks, in their order; nothing where there is but one."""
    if n > 1 and item == 4:
        add_parts[float](<float*> parts, n, out.count, <float*> out.data)
    elif n > 1:
        add_parts[double](<double*> parts, n, out.count, <double*> out.data)


ctypedef fused real_t:
    float
    double


cdef void add_parts(real_t* parts, Py_ssize_t n, Py_ssize_t count, real_t* out) noexcept nogil:
    cdef Py_ssize_t i, k
    for k in range(count):
        out[k] = parts[k]
    for i in range(1, n):
        for k in range(count):
            out[k] += parts[i * count + k]
