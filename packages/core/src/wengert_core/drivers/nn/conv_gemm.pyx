"""Convolutions and their transposes: y = C(x, w) and x = C'(y, w), as products of packed weights with what the tables
gather.
"""
from libc.stdint cimport int32_t
from libc.string cimport memset

from wengert_core.drivers.kernel_launch cimport add_section, add_tensor, tell_kernel
from wengert_core.drivers.nn.conv_plan cimport (at_least, Axis, ENOUGH_UNITS, fill_source, fill_tables, Geometry,
                                                narrow_reading, no_memory, Reading, settle_source, share_out, Source,
                                                start_source, tiles, WG_DEEPEST, wide_reading, widen, WORTH_A_THREAD,
                                                wg_conv, wg_conv_direct_f32,
                                                wg_conv_direct_f64, wg_conv_units_f32, wg_conv_units_f64,
                                                wg_fill_bias_f32, wg_fill_bias_f64, wg_pack_weights_f32,
                                                wg_pack_weights_f64)
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.runtime.launches cimport (LAUNCH_DONE, LAUNCH_FAILED, OPERAND_READ, OPERAND_WRITTEN, Launch,
                                            count_recorders)
from wengert_core.runtime.scratch cimport Scratch, scratch
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.runtime.thread_pool cimport body_fn
from wengert_core.tensors.tensor cimport Tensor

cdef enum:
    PANEL_BYTES = 0x40000              # of a unit's panels: they stay in the second-level cache
    WHOLE_PANEL = 12                   # what a tile's product with one costs,
    PART_OF_PANEL = 2                  # beside its vectors that with fewer columns,
    COPY_OF_PANEL = 30                 # and to copy one that is not read side by side
    LEAST_CHANNELS = 96                # of a unit: filling a panel is worth it

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()


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


cdef bint multiply(wg_conv* p, Py_ssize_t item, bint held) noexcept nogil:
    """The product: straight from the source for groups of one or two channels, else through panels. False: there is no
    memory.
    """
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
    return not p.failed


cdef int convolve(Geometry* g, Tensor x, Tensor w, Tensor bias, Tensor out) except -1:
    """out = C(x, w) + bias."""
    return multiply_tensors(g, x, w, bias, out, False)


cdef int transpose(Geometry* g, Tensor y, Tensor w, Tensor bias, Tensor out) except -1:
    """out = C'(y, w) + bias, one residue of the stride after the other."""
    return multiply_tensors(g, y, w, bias, out, True)


cdef struct Product:
    Geometry g
    Source source
    bint transposed, untouched         # untouched: there are places that no tap meets
    Py_ssize_t item
    Py_ssize_t positions, taps         # of the residue with most of them
    Py_ssize_t most                    # sum of the kernel's sizes
    Py_ssize_t target[3]
    Py_ssize_t kernel[3]
    Py_ssize_t residues[3]
    char* x
    char* weight
    char* bias                         # NULL: none
    char* out
    char* tables                       # memory for offsets,
    char* packed                       # for the weights as tiles need them,
    char* copy                         # and for the source


cdef int multiply_tensors(Geometry* g, Tensor x, Tensor w, Tensor bias, Tensor out, bint transposed) except -1:
    cdef Product c
    cdef Scratch tables, packed, copy = None
    cdef Py_ssize_t table_bytes, packed_bytes
    cdef bint done
    set_sizes(&c, g, FACTS.itemsize[x.code], transposed)
    table_bytes = (2 * c.most + 2 * c.taps + 2 * c.positions) * sizeof(int32_t)
    packed_bytes = g.groups * g.narrow_channels * g.wide_channels * c.taps * c.item
    tables, packed = scratch(table_bytes), scratch(packed_bytes)
    c.x, c.weight, c.bias, c.out = x.data, w.data, NULL if bias is None else bias.data, out.data
    c.tables, c.packed, c.copy = tables.data, packed.data, NULL
    measure(&c, x)
    if c.source.nbytes:
        copy = scratch(c.source.nbytes)
        c.copy = copy.data
    if g.held:
        with nogil:
            done = run_product(&c)
    else:
        done = run_product(&c)
    if not done:
        raise MemoryError()
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_product(&c, x, w, bias, out, table_bytes, packed_bytes)
    return 0


cdef void set_sizes(Product* c, Geometry* g, Py_ssize_t item, bint transposed) noexcept:
    cdef int i
    c.g, c.item, c.transposed = g[0], item, transposed
    c.positions = c.taps = 1
    c.most = 0
    for i in range(3):
        c.kernel[i], c.residues[i] = g.axes[i].kernel, 1
        if transposed:                 # those behind the last position have none
            c.residues[i] = max(min(g.axes[i].stride, g.axes[i].wide), 1)
        c.target[i] = g.axes[i].wide if transposed else g.axes[i].narrow
        c.positions *= (c.target[i] + c.residues[i] - 1) // c.residues[i]
        c.taps *= c.kernel[i]
        c.most += c.kernel[i]
    c.untouched = some_untouched(g, transposed)


cdef int32_t* number_readings(Product* c, Reading* readings) noexcept nogil:
    """Let readings lie at the beginning of the tables; return what is behind."""
    cdef int32_t* numbers = <int32_t*> c.tables
    cdef int i
    for i in range(3):
        readings[i].offset, readings[i].chosen = numbers, numbers + c.kernel[i]
        numbers += 2 * c.kernel[i]
    return numbers


cdef int measure(Product* c, Tensor x) except -1:
    """Find how large the source is with its border."""
    cdef Reading readings[3]
    cdef Py_ssize_t inside[3]
    cdef Py_ssize_t a
    cdef int i
    number_readings(c, readings)
    for i in range(3):
        inside[i] = c.g.axes[i].narrow if c.transposed else c.g.axes[i].wide
    start_source(&c.source, x, inside)
    for i in range(3):
        for a in range(c.residues[i]):
            read(&c.g.axes[i], c.transposed, a, &readings[i])
            widen(&c.source, i, &readings[i])
    return settle_source(&c.source, readings[2].step, (c.g.wide_channels if c.transposed else c.g.narrow_channels) <= 2)


cdef bint run_product(Product* c) noexcept nogil:
    """All that has to be done with the elements of a product. False: there is no memory."""
    cdef Geometry* g = &c.g
    cdef Reading readings[3]
    cdef wg_conv p
    cdef Py_ssize_t i, j, k
    cdef int32_t* numbers = number_readings(c, readings)
    memset(&p, 0, sizeof(p))
    p.tiles, p.images, p.groups = tiles(), g.images, g.groups
    p.m, p.channels = g.narrow_channels, g.wide_channels
    if c.transposed:
        p.m, p.channels = g.wide_channels, g.narrow_channels
    fill_source(&c.source, c.x, c.copy, g.held)
    p.source, p.limit, p.source_channel = c.source.data, c.source.limit, c.source.channel
    p.source_image = p.source_channel * p.groups * p.channels
    p.bias = c.bias
    p.out, p.out_channel = c.out, c.target[0] * c.target[1] * c.target[2]
    p.out_image, p.weights = p.out_channel * p.groups * p.m, c.packed
    if c.untouched or p.channels == 0:
        if c.item == 4:
            wg_fill_bias_f32(&p)
        else:
            wg_fill_bias_f64(&p)
    for i in range(c.residues[0]):
        read(&g.axes[0], c.transposed, i, &readings[0])
        for j in range(c.residues[1]):
            read(&g.axes[1], c.transposed, j, &readings[1])
            for k in range(c.residues[2]):
                read(&g.axes[2], c.transposed, k, &readings[2])
                if not multiply_residue(c, &p, readings, numbers):
                    return False
    return True


cdef bint multiply_residue(Product* c, wg_conv* p, Reading* readings, int32_t* numbers) noexcept nogil:
    """Compute the positions of one residue of the stride."""
    cdef int32_t* taps = numbers + 2 * c.positions
    p.taps = readings[0].taps * readings[1].taps * readings[2].taps
    p.positions = readings[0].positions * readings[1].positions * readings[2].positions
    if not p.positions or not p.taps or not p.channels:
        return True
    fill_tables(p, readings, c.source.size, c.source.before, c.kernel, c.target, numbers, numbers + c.positions, taps,
                taps + c.taps)
    pack(p, c.weight, c.taps, c.transposed, taps + c.taps, c.packed, c.item)
    if c.residues[0] * c.residues[1] * c.residues[2] == 1:
        p.out_offset = NULL
    return multiply(p, c.item, c.g.held)


cdef int tell_product(
    Product* c, Tensor x, Tensor w, Tensor bias, Tensor out, Py_ssize_t table_bytes, Py_ssize_t packed_bytes
) except -1:
    cdef Launch* made = tell_kernel(run_launch, c, sizeof(Product))
    made.fail = no_memory
    add_tensor(made, x, OPERAND_READ)
    add_tensor(made, w, OPERAND_READ)
    add_tensor(made, bias, OPERAND_READ)
    add_tensor(made, out, OPERAND_WRITTEN)
    add_section(made, c.tables, table_bytes, OPERAND_WRITTEN)
    add_section(made, c.packed, packed_bytes, OPERAND_WRITTEN)
    add_section(made, c.copy, c.source.nbytes, OPERAND_WRITTEN)
    return 0


cdef int run_launch(Launch* launch) noexcept nogil:
    cdef Product* c = <Product*> launch.plan
    c.x, c.weight, c.bias, c.out = launch.data[0], launch.data[1], launch.data[2], launch.data[3]
    c.tables, c.packed, c.copy = launch.data[4], launch.data[5], launch.data[6]
    return LAUNCH_DONE if run_product(c) else LAUNCH_FAILED


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
