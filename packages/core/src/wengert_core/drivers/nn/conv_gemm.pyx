"""Convolutions and their transposes: y = C(x, w) and x = C'(y, w), as products of packed weights with what the tables
gather.
"""
from libc.stdint cimport int32_t
from libc.string cimport memset

from wengert_core.drivers.nn.conv_plan cimport (at_least, Axis, ENOUGH_UNITS, fill_tables, Geometry, narrow_reading,
                                                Reading, share_out, Source, new_source, tiles, WG_DEEPEST,
                                                wide_reading, WORTH_A_THREAD, wg_conv, wg_conv_direct_f32,
                                                wg_conv_direct_f64, wg_conv_units_f32, wg_conv_units_f64,
                                                wg_fill_bias_f32, wg_fill_bias_f64, wg_pack_weights_f32,
                                                wg_pack_weights_f64)
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.runtime.scratch cimport Scratch, scratch
from wengert_core.runtime.thread_pool cimport body_fn
from wengert_core.tensors.tensor cimport Tensor

cdef enum:
    PANEL_BYTES = 0x40000              # of a unit's panels: they stay in the second-level cache
    WHOLE_PANEL = 12                   # what a tile's product with one costs,
    PART_OF_PANEL = 2                  # beside its vectors that with fewer columns,
    COPY_OF_PANEL = 30                 # and to copy one that is not read side by side
    LEAST_CHANNELS = 96                # of a unit: filling a panel is worth it

cdef DTypeFacts* FACTS = dtype_facts()


cdef bint by_rows(wg_conv* p, Py_ssize_t lanes, Py_ssize_t item) noexcept nogil:
    """Return whether panels that end with a row of positions, uncopied, cost less than whole ones, partly copied."""
    cdef Py_ssize_t n_tiles = (p.m + p.tiles.rows - 1) // p.tiles.rows, cost = p.row // lanes * WHOLE_PANEL
    cdef Py_ssize_t vectors = (p.row % lanes * item + 63) // 64
    if vectors:
        cost += WHOLE_PANEL * vectors // p.tiles.vectors + PART_OF_PANEL
    return cost * lanes * n_tiles < WHOLE_PANEL * p.row * n_tiles + COPY_OF_PANEL * min(p.row, lanes)


cdef void cut(wg_conv* p, Py_ssize_t item) noexcept nogil:
    """Units of the product: as many panels as the cache holds, fewer where there would not be work for all threads."""
    cdef Py_ssize_t lanes = p.tiles.vectors * 64 // item, k = p.channels * p.taps, wanted
    cdef Py_ssize_t total = p.images * p.positions
    cdef Py_ssize_t blocks = (k + WG_DEEPEST - 1) // WG_DEEPEST, panel
    p.deep = (k + blocks - 1) // blocks
    panel = p.deep * lanes * item
    p.row_panels = (p.row + lanes - 1) // lanes if by_rows(p, lanes, item) else 0
    p.all_panels = p.images * (p.positions // p.row) * p.row_panels if p.row_panels else (total + lanes - 1) // lanes
    p.panels = min(at_least(PANEL_BYTES // panel, 1), 8)
    wanted = min(ENOUGH_UNITS, at_least(total * k * p.m * p.groups // WORTH_A_THREAD, 1))
    p.panels = min(p.panels, at_least(total * p.groups // (lanes * wanted), 1))
    p.column_blocks = (p.all_panels + p.panels - 1) // p.panels
    p.m_blocks = (wanted + p.column_blocks * p.groups - 1) // (p.column_blocks * p.groups)
    p.m_block = at_least((p.m + p.m_blocks - 1) // p.m_blocks, LEAST_CHANNELS)
    p.m_block = (p.m_block + p.tiles.rows - 1) // p.tiles.rows * p.tiles.rows
    p.m_blocks = (p.m + p.m_block - 1) // p.m_block


cdef int multiply(wg_conv* p, Py_ssize_t item, bint held) except -1:
    """The product: straight from the source for groups of one or two channels, else through panels."""
    cdef Py_ssize_t work = p.images * p.positions * p.groups * p.m * p.channels * p.taps, units
    cdef body_fn body
    if p.m <= 2 and p.row >= 4:
        body = wg_conv_direct_f32 if item == 4 else wg_conv_direct_f64
        units = p.images * p.groups
        work *= 8                      # what is read is not used again
    else:
        cut(p, item)
        body = wg_conv_units_f32 if item == 4 else wg_conv_units_f64
        units = p.groups * p.column_blocks * p.m_blocks
    p.failed = 0
    share_out(body, units, work, p, held)
    if p.failed:
        raise MemoryError()
    return 0


cdef int convolve(Geometry* g, Tensor x, Tensor w, Tensor bias, Tensor out) except -1:
    """out = C(x, w) + bias."""
    return product(g, x, w, bias, out, False)


cdef int transpose(Geometry* g, Tensor y, Tensor w, Tensor bias, Tensor out) except -1:
    """out = C'(y, w) + bias, one residue of the stride after the other."""
    return product(g, y, w, bias, out, True)


cdef int product(Geometry* g, Tensor x, Tensor w, Tensor bias, Tensor out, bint transposed) except -1:
    cdef Py_ssize_t inside[3]
    cdef Py_ssize_t target[3]
    cdef Py_ssize_t kernel[3]
    cdef Py_ssize_t residues[3]
    cdef Py_ssize_t positions = 1, taps = 1, i, a, b, c, item = FACTS.itemsize[x.code], kernels, most = 0
    cdef Source source = new_source(g)
    cdef Reading readings[3]
    cdef wg_conv p
    cdef Scratch tables, weights
    cdef int32_t* numbers
    cdef char* packed
    for i in range(3):
        kernel[i], residues[i] = g.axes[i].kernel, 1
        if transposed:                 # those behind the last position have none
            residues[i] = max(min(g.axes[i].stride, g.axes[i].wide), 1)
        inside[i] = g.axes[i].narrow if transposed else g.axes[i].wide
        target[i] = g.axes[i].wide if transposed else g.axes[i].narrow
        source.size[i], source.before[i] = inside[i], 0
        positions *= (target[i] + residues[i] - 1) // residues[i]
        taps *= kernel[i]
        most += kernel[i]
    kernels = taps
    memset(&p, 0, sizeof(p))
    p.tiles, p.images, p.groups = tiles(), g.images, g.groups
    p.m, p.channels = g.narrow_channels, g.wide_channels
    if transposed:
        p.m, p.channels = g.wide_channels, g.narrow_channels
    tables = scratch((2 * most + 2 * taps + 2 * positions) * sizeof(int32_t))
    weights = scratch(p.groups * p.m * p.channels * taps * item)
    packed = weights.data
    numbers = <int32_t*> tables.data
    for i in range(3):
        readings[i].offset, readings[i].chosen = numbers, numbers + kernel[i]
        numbers += 2 * kernel[i]
        for a in range(residues[i]):
            read(&g.axes[i], transposed, a, &readings[i])
            source.widen(<int> i, inside[i], &readings[i])
    source.split = readings[2].step
    source.fill(x, inside, p.m <= 2)
    p.source, p.limit, p.source_channel = source.data, source.limit, source.channel
    p.source_image = p.source_channel * p.groups * p.channels
    p.bias = NULL if bias is None else bias.data
    p.out, p.out_channel = out.data, target[0] * target[1] * target[2]
    p.out_image, p.weights = p.out_channel * p.groups * p.m, packed
    if some_untouched(g, transposed) or p.channels == 0:
        if item == 4:
            wg_fill_bias_f32(&p)
        else:
            wg_fill_bias_f64(&p)
    for a in range(residues[0]):
        read(&g.axes[0], transposed, a, &readings[0])
        for b in range(residues[1]):
            read(&g.axes[1], transposed, b, &readings[1])
            for c in range(residues[2]):
                read(&g.axes[2], transposed, c, &readings[2])
                p.taps = readings[0].taps * readings[1].taps * readings[2].taps
                p.positions = readings[0].positions * readings[1].positions * readings[2].positions
                if not p.positions or not p.taps or not p.channels:
                    continue
                fill_tables(&p, readings, source.size, source.before, kernel, target, numbers, numbers + positions,
                            numbers + 2 * positions, numbers + 2 * positions + taps)
                pack(&p, <char*> w.data, kernels, transposed, numbers + 2 * positions + taps, packed, item)
                if residues[0] * residues[1] * residues[2] == 1:
                    p.out_offset = NULL
                multiply(&p, item, g.held)
    return 0


cdef bint some_untouched(Geometry* g, bint transposed) noexcept nogil:
    """Whether a transposed convolution has places that no tap meets."""
    cdef int i
    for i in range(3):
        if transposed and g.axes[i].stride > 1 and (g.axes[i].kernel < g.axes[i].stride or g.axes[i].dilation > 1):
            return True
    return False


cdef inline void read(Axis* axis, bint transposed, Py_ssize_t residue, Reading* r) noexcept nogil:
    if transposed:
        narrow_reading(axis, residue, r)
    else:
        wide_reading(axis, r)


cdef void pack(
    wg_conv* p, char* weights, Py_ssize_t kernels, bint transposed, int32_t* chosen, char* packed, Py_ssize_t item
) noexcept nogil:
    """The weights of the chosen taps, [narrow channels of all groups][wide channels][kernel], for the tiles."""
    cdef Py_ssize_t group = p.m * p.channels * kernels, m_step = p.channels * kernels, channel_step = kernels
    if transposed:
        m_step, channel_step = kernels, p.m * kernels
    if item == 4:
        wg_pack_weights_f32(p, <float*> weights, group, m_step, channel_step, chosen, <float*> packed)
    else:
        wg_pack_weights_f64(p, <double*> weights, group, m_step, channel_step, chosen, <double*> packed)
