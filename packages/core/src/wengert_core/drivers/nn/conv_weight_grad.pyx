"""The gradient of a convolution's weight, w = W(x, y), by one of two ways: from x channels-last and y packed, or from
gathered columns.
"""
from libc.stdint cimport int32_t
from libc.string cimport memset

from wengert_core.drivers.kernel_launch cimport add_section, add_tensor, tell_kernel
from wengert_core.drivers.nn.conv_plan cimport (at_least, Axis, ENOUGH_UNITS, fill_source, fill_tables, Geometry,
                                                no_memory, Reading, settle_source, share_out, share_pieces, Source,
                                                start_source, tiles, WG_DEEP, WG_SLACK, WG_WIDE, wide_reading, widen,
                                                WORTH_A_THREAD, wg_conv, wg_conv_weight_f32, wg_conv_weight_f64,
                                                wg_turn_rows, wg_turner, wg_pack_above_f32, wg_pack_above_f64,
                                                wg_weigh_f32, wg_weigh_f64, wg_weigher)
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.exchange.copy_launch cimport tell_zeros
from wengert_core.runtime.launches cimport (LAUNCH_DONE, LAUNCH_FAILED, OPERAND_READ, OPERAND_WRITTEN, Launch,
                                            count_recorders, launch_fn)
from wengert_core.runtime.scratch cimport Scratch, scratch
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.tensors.tensor cimport Tensor

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()

cdef struct Room:                      # memory for the work, and how much of it
    char* tables
    Py_ssize_t table_bytes
    char* source
    Py_ssize_t source_bytes
    char* above                        # for y, packed
    Py_ssize_t above_bytes
    char* parts                        # for the results of chunks, where there are several
    Py_ssize_t part_bytes

cdef struct Job:                       # what both ways have
    Geometry g
    Room room
    Py_ssize_t item
    Py_ssize_t count                   # elements of the result
    char* x
    char* y
    char* out

ctypedef bint (*run_fn)(void* plan) noexcept nogil      # False: there is no memory


cdef int weight_gradient(Geometry* g, Tensor x, Tensor y, Tensor out) except -1:
    """out = W(x, y)."""
    cdef Axis* last = &g.axes[2]
    cdef bint merged = g.groups == 1 and last.dilation == 1
    if y.count and g.wide_channels * (last.kernel if merged else 1) >= 8:
        return channels_last(g, x, y, out, merged)
    return gathered_columns(g, x, y, out)


cdef void set_job(Job* job, Geometry* g, Tensor x, Tensor y, Tensor out) noexcept:
    memset(job, 0, sizeof(Job))
    job.g, job.item, job.count = g[0], FACTS.itemsize[x.code], out.count
    job.x, job.y, job.out = x.data, y.data, out.data


cdef int run_job(
    run_fn run, launch_fn launch, void* plan, Py_ssize_t nbytes, Job* job, Tensor x, Tensor y, Tensor out
) except -1:
    """Run a way with memory for its work, and tell it. job: that of the plan."""
    cdef Room* room = &job.room
    cdef Scratch source = None, above = None, parts = None
    cdef bint done
    if room.source_bytes:
        source = scratch(room.source_bytes)
        room.source = source.data
    if room.above_bytes:
        above = scratch(room.above_bytes)
        room.above = above.data
    if room.part_bytes:
        parts = scratch(room.part_bytes)
        room.parts = parts.data
    if job.g.held:
        with nogil:
            done = run(plan)
    else:
        done = run(plan)
    if not done:
        raise MemoryError()
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_job(launch, plan, nbytes, room, x, y, out)
    return 0


cdef int tell_job(
    launch_fn launch, void* plan, Py_ssize_t nbytes, Room* room, Tensor x, Tensor y, Tensor out
) except -1:
    cdef Launch* made = tell_kernel(launch, plan, nbytes)
    made.fail = no_memory
    add_tensor(made, x, OPERAND_READ)
    add_tensor(made, y, OPERAND_READ)
    add_tensor(made, out, OPERAND_WRITTEN)
    add_section(made, room.tables, room.table_bytes, OPERAND_WRITTEN)
    add_section(made, room.source, room.source_bytes, OPERAND_WRITTEN)
    add_section(made, room.above, room.above_bytes, OPERAND_WRITTEN)
    add_section(made, room.parts, room.part_bytes, OPERAND_WRITTEN)
    return 0


cdef void take_operands(Job* job, Launch* launch) noexcept nogil:
    job.x, job.y, job.out = launch.data[0], launch.data[1], launch.data[2]
    job.room.tables, job.room.source = launch.data[3], launch.data[4]
    job.room.above, job.room.parts = launch.data[5], launch.data[6]


# ---- from a channels-last copy of x and a packed one of y

cdef struct Runs:
    Job job                            # first: a plan is a job
    wg_weigher p
    Py_ssize_t inside[3]
    Py_ssize_t outside[3]
    Py_ssize_t before[3]
    Py_ssize_t work
    bint merged                        # the taps of a row of the kernel are one run
    bint border


cdef int channels_last(Geometry* g, Tensor x, Tensor y, Tensor out, bint merged) except -1:
    cdef Runs w
    cdef wg_weigher* p = &w.p
    cdef Axis* a = g.axes
    cdef Scratch tables
    cdef int i
    set_job(&w.job, g, x, y, out)
    w.merged, w.border = merged, False
    for i in range(3):
        w.inside[i], w.before[i] = a[i].wide, a[i].padding
        w.outside[i] = at_least(a[i].wide + a[i].padding,
                                (a[i].narrow - 1) * a[i].stride + (a[i].kernel - 1) * a[i].dilation + 1)
        w.border = w.border or w.outside[i] != w.inside[i]
    memset(p, 0, sizeof(wg_weigher))
    p.tiles, p.images, p.groups, p.m, p.channels = tiles(), g.images, g.groups, g.narrow_channels, g.wide_channels
    p.positions, p.taps = a[0].narrow * a[1].narrow * a[2].narrow, a[0].kernel * a[1].kernel * a[2].kernel
    p.run_taps = a[2].kernel if merged else 1
    p.runs = p.taps // p.run_taps
    p.source_image = w.outside[0] * w.outside[1] * w.outside[2] * p.groups * p.channels
    w.work = p.images * p.positions * p.groups * p.m * p.channels * p.taps
    cut_runs(p, w.job.item, w.work)
    if w.outside[0] * w.outside[1] * w.outside[2] > 0x7fffffff:
        raise RuntimeError(f"convolution: a channel of {w.outside[0] * w.outside[1] * w.outside[2]} elements is more "
                           "than 2**31 - 1")
    w.job.room.table_bytes = (p.positions + p.runs) * sizeof(int32_t)
    tables = scratch(w.job.room.table_bytes)
    w.job.room.tables = tables.data
    w.job.room.source_bytes = x.dims[0] * p.source_image * w.job.item + WG_SLACK
    w.job.room.above_bytes = y.count * w.job.item
    w.job.room.part_bytes = p.chunks * out.count * w.job.item if p.chunks > 1 else 0
    return run_job(run_runs, run_runs_launch, &w, sizeof(Runs), &w.job, x, y, out)


cdef int run_runs_launch(Launch* launch) noexcept nogil:
    take_operands(<Job*> launch.plan, launch)
    return LAUNCH_DONE if run_runs(launch.plan) else LAUNCH_FAILED


cdef bint run_runs(void* plan) noexcept nogil:
    cdef Runs* w = <Runs*> plan
    cdef wg_weigher* p = &w.p
    cdef Py_ssize_t item = w.job.item
    cdef bint held = w.job.g.held
    fill_run_tables(w)
    pad_channels_last(w)
    p.source, p.above, p.grad = w.job.room.source, w.job.y, w.job.room.above
    p.parts = w.job.room.parts if p.chunks > 1 else w.job.out
    p.failed = 0
    share_pieces(wg_pack_above_f32 if item == 4 else wg_pack_above_f64, p.images * p.groups * p.m_blocks,
                 0x8000 // (p.positions * p.m_block + 1) + 1, p, held)
    share_out(wg_weigh_f32 if item == 4 else wg_weigh_f64, p.chunks * p.groups * p.runs * p.lane_blocks * p.m_blocks,
              w.work, p, held)
    sum_parts(p.parts, p.chunks, &w.job)
    return not p.failed


cdef void fill_run_tables(Runs* w) noexcept nogil:
    cdef Axis* a = w.job.g.axes
    cdef int32_t* base = <int32_t*> w.job.room.tables
    cdef Py_ssize_t* outside = w.outside
    cdef Py_ssize_t i, j, k, n = 0
    for i in range(a[0].narrow):
        for j in range(a[1].narrow):
            for k in range(a[2].narrow):
                base[n] = <int32_t> ((i * a[0].stride * outside[1] + j * a[1].stride) * outside[2] + k * a[2].stride)
                n += 1
    for i in range(a[0].kernel):
        for j in range(a[1].kernel):
            for k in range(1 if w.merged else a[2].kernel):
                base[n] = <int32_t> ((i * a[0].dilation * outside[1] + j * a[1].dilation) * outside[2]
                                     + k * a[2].dilation)
                n += 1
    w.p.base, w.p.run = base, base + w.p.positions


cdef void pad_channels_last(Runs* w) noexcept nogil:
    """Make a channels-last copy of x, with a border of zeros and room behind it."""
    cdef wg_turner turner
    cdef char* copy = w.job.room.source
    cdef Py_ssize_t size = w.job.room.source_bytes - WG_SLACK, channels = w.p.groups * w.p.channels
    cdef int i
    for i in range(3):
        turner.border.inside[i], turner.border.outside[i] = w.inside[i], w.outside[i]
        turner.border.before[i] = w.before[i]
    turner.border.from_, turner.border.to, turner.border.item, turner.border.split = w.job.x, copy, w.job.item, 1
    turner.channels = channels
    memset(copy + (0 if w.border else size), 0, WG_SLACK + (size if w.border else 0))
    share_pieces(wg_turn_rows, w.p.images * w.inside[0] * w.inside[1], 0x8000 // (w.inside[2] * channels + 1) + 1,
                 &turner, w.job.g.held)


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


# ---- groups with few channels: rows of taps times what comes from above

cdef struct Columns:
    Job job                            # first: a plan is a job
    Source source
    wg_conv p
    Py_ssize_t target[3]
    Py_ssize_t kernel[3]
    Py_ssize_t work


cdef int gathered_columns(Geometry* g, Tensor x, Tensor y, Tensor out) except -1:
    cdef Columns w
    cdef Py_ssize_t inside[3]
    cdef Py_ssize_t most = 0, i, total
    cdef Reading readings[3]
    cdef wg_conv* p = &w.p
    cdef Scratch tables
    set_job(&w.job, g, x, y, out)
    memset(p, 0, sizeof(wg_conv))
    p.tiles, p.images, p.groups = tiles(), g.images, g.groups
    p.m, p.channels, p.taps, p.positions = g.narrow_channels, g.wide_channels, 1, 1
    for i in range(3):
        w.kernel[i], inside[i], w.target[i] = g.axes[i].kernel, g.axes[i].wide, g.axes[i].narrow
        p.positions *= w.target[i]
        p.taps *= w.kernel[i]
        most += w.kernel[i]
    total = p.images * p.positions
    if total == 0:
        return clear(out)
    w.job.room.table_bytes = (2 * most + 2 * p.taps + 2 * p.positions) * sizeof(int32_t)
    tables = scratch(w.job.room.table_bytes)
    w.job.room.tables = tables.data
    number_readings(&w, readings)
    start_source(&w.source, x, inside)
    for i in range(3):
        wide_reading(&g.axes[i], &readings[i])
        widen(&w.source, <int> i, &readings[i])
    settle_source(&w.source, readings[2].step, False)
    w.work = total * p.groups * p.m * p.channels * p.taps
    cut_weight(p, total, w.work)
    w.job.room.source_bytes = w.source.nbytes
    w.job.room.part_bytes = p.chunks * out.count * w.job.item if p.chunks > 1 else 0
    return run_job(run_columns, run_columns_launch, &w, sizeof(Columns), &w.job, x, y, out)


cdef int clear(Tensor out) except -1:
    memset(out.data, 0, out.count * FACTS.itemsize[out.code])
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_zeros(out)
    return 0


cdef int32_t* number_readings(Columns* w, Reading* readings) noexcept nogil:
    """Let readings lie at the beginning of the tables; return what is behind."""
    cdef int32_t* numbers = <int32_t*> w.job.room.tables
    cdef int i
    for i in range(3):
        readings[i].offset, readings[i].chosen = numbers, numbers + w.kernel[i]
        numbers += 2 * w.kernel[i]
    return numbers


cdef int run_columns_launch(Launch* launch) noexcept nogil:
    take_operands(<Job*> launch.plan, launch)
    return LAUNCH_DONE if run_columns(launch.plan) else LAUNCH_FAILED


cdef bint run_columns(void* plan) noexcept nogil:
    cdef Columns* w = <Columns*> plan
    cdef wg_conv* p = &w.p
    cdef Reading readings[3]
    cdef int32_t* numbers = number_readings(w, readings)
    cdef int32_t* taps = numbers + 2 * p.positions
    cdef int i
    for i in range(3):
        wide_reading(&w.job.g.axes[i], &readings[i])
    fill_source(&w.source, w.job.x, w.job.room.source, w.job.g.held)
    fill_tables(p, readings, w.source.size, w.source.before, w.kernel, w.target, numbers, numbers + p.positions, taps,
                taps + p.taps)
    p.source, p.limit, p.source_channel, p.out_offset = w.source.data, w.source.limit, w.source.channel, NULL
    p.source_image = p.source_channel * p.groups * p.channels
    p.out, p.out_channel = w.job.y, p.positions
    p.out_image = p.positions * p.groups * p.m
    p.weights = w.job.room.parts if p.chunks > 1 else w.job.out
    p.failed = 0
    share_out(wg_conv_weight_f32 if w.job.item == 4 else wg_conv_weight_f64,
              p.chunks * p.groups * p.m_blocks * p.row_blocks, w.work, p, w.job.g.held)
    sum_parts(<char*> p.weights, p.chunks, &w.job)
    return not p.failed


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


# ---- chunks

cdef void sum_parts(char* parts, Py_ssize_t n, Job* job) noexcept nogil:
    """Add the results of the chunks, in their order; nothing where there is but one."""
    if n > 1 and job.item == 4:
        add_parts[float](<float*> parts, n, job.count, <float*> job.out)
    elif n > 1:
        add_parts[double](<double*> parts, n, job.count, <double*> job.out)


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
