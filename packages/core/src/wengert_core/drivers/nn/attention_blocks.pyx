"""The kernels of attention and their launches: see attention_blocks.pxd."""
from libc.stdlib cimport malloc
from libc.string cimport memcpy

from wengert_core.drivers.kernel_launch cimport add_section, add_tensor
from wengert_core.dtypes.dtypes cimport FLOAT32, DTypeFacts, dtype_facts
from wengert_core.kernels.linalg.register_tiles cimport find_tiles
from wengert_core.runtime.launches cimport (LAUNCH_DONE, LAUNCH_FAILED, LAUNCH_KERNEL, OPERAND_READ, OPERAND_WRITTEN,
                                            Launch, add_launch, launch_fn)
from wengert_core.runtime.thread_pool cimport body_fn, parallel_for
from wengert_core.tensors.tensor cimport Tensor

cdef extern from "wengert_core/kernels/nn/attention.h" nogil:
    Py_ssize_t wg_lanes_f32(const wg_tiles* tiles, Py_ssize_t n)
    Py_ssize_t wg_lanes_f64(const wg_tiles* tiles, Py_ssize_t n)
    void wg_attention_pack_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_attention_pack_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_attention_units_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_attention_units_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_attention_by_query_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_attention_by_query_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_attention_by_key_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_attention_by_key_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)

cdef enum:
    WORTH_A_THREAD = 0x100000          # multiplications that take about 20 us

cdef DTypeFacts* FACTS = dtype_facts()
cdef const wg_tiles* TILES = find_tiles(True)


def use_tiles(bint wide):
    """Compute with the widest registers of this machine, or as on a machine that has them not: for tests."""
    global TILES
    TILES = find_tiles(wide)


cdef const wg_tiles* tiles() noexcept:
    return TILES


# ---- computing

cdef void share_out(body_fn body, Py_ssize_t units, Py_ssize_t work, wg_attention* p, bint held) noexcept nogil:
    if held and work >= WITHOUT_GIL:
        parallel_for(units, WORTH_A_THREAD * units // work + 1, body, p)
    else:
        body(0, units, p)


cdef int run(compute_fn compute, wg_attention* p, int code, bint held) except -1:
    """Compute, without the GIL where the arguments are held."""
    if held:
        with nogil:
            compute(p, code, held)
    else:
        compute(p, code, held)
    if p.failed:
        raise MemoryError()
    return 0


cdef inline Py_ssize_t blocks_of(wg_attention* p, Py_ssize_t n, int code) noexcept nogil:
    cdef Py_ssize_t lanes = wg_lanes_f32(p.tiles, n) if code == FLOAT32 else wg_lanes_f64(p.tiles, n)
    return (n + lanes - 1) // lanes


cdef inline Py_ssize_t nbytes_of(wg_attention* p, wg_operand* o, int code) noexcept nogil:
    return p.batch * o.n * o.size * FACTS.itemsize[code]


cdef Py_ssize_t forward_bytes(wg_attention* p, int code) noexcept:
    """Bytes of the places of masks, and of the packed matrices."""
    return p.batch * <Py_ssize_t> sizeof(Py_ssize_t) + nbytes_of(p, &p.key, code) + nbytes_of(p, &p.value, code)


cdef void lay_out_forward(wg_attention* p, int code, char* space) noexcept nogil:
    p.key.rows = space + p.batch * <Py_ssize_t> sizeof(Py_ssize_t)
    p.value.columns = p.key.rows + nbytes_of(p, &p.key, code)


cdef void compute_forward(wg_attention* p, int code, bint held) noexcept nogil:
    cdef Py_ssize_t work = p.batch * p.query.n * p.key.n * (p.query.size + p.value.size + 16)
    cdef bint single = code == FLOAT32
    p.failed = 0
    share_out(wg_attention_pack_f32 if single else wg_attention_pack_f64, p.batch,
              p.batch * p.key.n * (p.query.size + p.value.size) * 16, p, held)
    share_out(wg_attention_units_f32 if single else wg_attention_units_f64, p.batch * blocks_of(p, p.query.n, code),
              work, p, held)


cdef Py_ssize_t backward_bytes(wg_attention* p, int code) noexcept:
    """Bytes of the places of masks, of the packed matrices, and of a number for each query."""
    return p.batch * (<Py_ssize_t> sizeof(Py_ssize_t) + p.query.n * FACTS.itemsize[code]) \
        + 2 * nbytes_of(p, &p.query, code) + 2 * nbytes_of(p, &p.key, code) + nbytes_of(p, &p.value, code) \
        + 2 * nbytes_of(p, &p.grad, code)


cdef void lay_out_backward(wg_attention* p, int code, char* space) noexcept nogil:
    p.query.rows = space + p.batch * <Py_ssize_t> sizeof(Py_ssize_t)
    p.query.columns = p.query.rows + nbytes_of(p, &p.query, code)
    p.key.rows = p.query.columns + nbytes_of(p, &p.query, code)
    p.key.columns = p.key.rows + nbytes_of(p, &p.key, code)
    p.value.rows = p.key.columns + nbytes_of(p, &p.key, code)
    p.grad.rows = p.value.rows + nbytes_of(p, &p.value, code)
    p.grad.columns = p.grad.rows + nbytes_of(p, &p.grad, code)
    p.dots = p.grad.columns + nbytes_of(p, &p.grad, code)


cdef void compute_backward(wg_attention* p, int code, bint held) noexcept nogil:
    pack_all(p, code, held)
    compute_by_query(p, code, held)
    compute_by_key(p, code, held)


cdef void pack_all(wg_attention* p, int code, bint held) noexcept nogil:
    p.failed = 0
    share_out(wg_attention_pack_f32 if code == FLOAT32 else wg_attention_pack_f64, p.batch,
              p.batch * (p.query.n + p.key.n) * (p.query.size + p.value.size) * 16, p, held)


cdef inline Py_ssize_t back_work(wg_attention* p) noexcept nogil:
    return p.batch * p.query.n * p.key.n * (2 * p.query.size + p.value.size + 16)


cdef void compute_by_query(wg_attention* p, int code, bint held) noexcept nogil:
    share_out(wg_attention_by_query_f32 if code == FLOAT32 else wg_attention_by_query_f64,
              p.batch * blocks_of(p, p.query.n, code), back_work(p), p, held)


cdef void compute_by_key(wg_attention* p, int code, bint held) noexcept nogil:
    share_out(wg_attention_by_key_f32 if code == FLOAT32 else wg_attention_by_key_f64,
              p.batch * blocks_of(p, p.key.n, code), back_work(p), p, held)


# ---- launches

cdef struct AttentionPlan:             # behind it: p.mask_at, where there is a mask
    wg_attention p
    int code
    bint held


cdef Launch* new_launch(launch_fn run, wg_attention* p, int code, bint held) except NULL:
    cdef size_t places = p.batch * sizeof(Py_ssize_t) if p.mask != NULL else 0
    cdef AttentionPlan* plan = <AttentionPlan*> malloc(sizeof(AttentionPlan) + places)
    if plan == NULL:
        raise MemoryError()
    plan.p, plan.code, plan.held = p[0], code, held
    if places:
        memcpy(plan + 1, p.mask_at, places)
    cdef Launch* made = add_launch(run, LAUNCH_KERNEL, plan)
    made.fail = no_memory
    return made


cdef int no_memory(Launch* launch) except -1:
    raise MemoryError()


cdef inline wg_attention* with_mask(AttentionPlan* plan, char* mask) noexcept nogil:
    """Let the mask of a plan lie there; return what the kernels get."""
    plan.p.mask, plan.p.mask_at, plan.p.failed = mask, <Py_ssize_t*> (plan + 1), 0
    return &plan.p


cdef int tell_forward(wg_attention* p, int code, bint held, list tensors, char* space) except -1:
    """tensors: query, key, value, mask and, written, out, sums."""
    cdef Launch* made = new_launch(run_forward_launch, p, code, held)
    cdef int i
    for i in range(6):
        add_tensor(made, <Tensor> tensors[i], OPERAND_READ if i < 4 else OPERAND_WRITTEN)
    add_section(made, space, forward_bytes(p, code), OPERAND_WRITTEN)
    return 0


cdef int run_forward_launch(Launch* launch) noexcept nogil:
    cdef AttentionPlan* plan = <AttentionPlan*> launch.plan
    cdef wg_attention* p = with_mask(plan, launch.data[3])
    p.query.data, p.key.data, p.value.data = launch.data[0], launch.data[1], launch.data[2]
    p.out, p.sums = launch.data[4], launch.data[5]
    lay_out_forward(p, plan.code, launch.data[6])
    compute_forward(p, plan.code, plan.held)
    return LAUNCH_FAILED if p.failed else LAUNCH_DONE


cdef int tell_backward(
    wg_attention* p, int code, bint held, list inputs, list others, list outs, char* space
) except -1:
    """Three launches, as one has not so many operands. inputs: grad, query, key, value, out; others: sums, mask."""
    cdef Py_ssize_t nbytes = backward_bytes(p, code)
    cdef Launch* made = new_launch(run_pack_launch, p, code, held)
    for t in inputs:
        add_tensor(made, <Tensor> t, OPERAND_READ)
    add_section(made, space, nbytes, OPERAND_WRITTEN)
    made = new_launch(run_by_query_launch, p, code, held)
    for t in (inputs[0], inputs[1], *others):
        add_tensor(made, <Tensor> t, OPERAND_READ)
    add_section(made, space, nbytes, OPERAND_READ)
    add_tensor(made, <Tensor> outs[0], OPERAND_WRITTEN)
    made = new_launch(run_by_key_launch, p, code, held)
    for t in (inputs[2], inputs[3], *others):
        add_tensor(made, <Tensor> t, OPERAND_READ)
    add_section(made, space, nbytes, OPERAND_READ)
    add_tensor(made, <Tensor> outs[1], OPERAND_WRITTEN)
    add_tensor(made, <Tensor> outs[2], OPERAND_WRITTEN)
    return 0


cdef int run_pack_launch(Launch* launch) noexcept nogil:
    cdef AttentionPlan* plan = <AttentionPlan*> launch.plan
    cdef wg_attention* p = &plan.p
    p.grad.data, p.query.data, p.key.data = launch.data[0], launch.data[1], launch.data[2]
    p.value.data, p.out = launch.data[3], launch.data[4]
    lay_out_backward(p, plan.code, launch.data[5])
    pack_all(p, plan.code, plan.held)
    return LAUNCH_FAILED if p.failed else LAUNCH_DONE


cdef int run_by_query_launch(Launch* launch) noexcept nogil:
    cdef AttentionPlan* plan = <AttentionPlan*> launch.plan
    cdef wg_attention* p = with_mask(plan, launch.data[3])
    p.grad.data, p.query.data, p.sums = launch.data[0], launch.data[1], launch.data[2]
    lay_out_backward(p, plan.code, launch.data[4])
    p.by_query = launch.data[5]
    compute_by_query(p, plan.code, plan.held)
    return LAUNCH_FAILED if p.failed else LAUNCH_DONE


cdef int run_by_key_launch(Launch* launch) noexcept nogil:
    cdef AttentionPlan* plan = <AttentionPlan*> launch.plan
    cdef wg_attention* p = with_mask(plan, launch.data[3])
    p.key.data, p.value.data, p.sums = launch.data[0], launch.data[1], launch.data[2]
    lay_out_backward(p, plan.code, launch.data[4])
    p.by_key, p.by_value = launch.data[5], launch.data[6]
    compute_by_key(p, plan.code, plan.held)
    return LAUNCH_FAILED if p.failed else LAUNCH_DONE
