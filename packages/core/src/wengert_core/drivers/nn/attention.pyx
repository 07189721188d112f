"""The driver of scaled dot-product attention and its gradient. Note [Attention by blocks] in kernels/nn/attention.h."""
cimport cython
from cpython.object cimport PyTypeObject

from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t
from libc.string cimport memset

from wengert_core.dispatch.arguments cimport scalar_name
from wengert_core.dispatch.keep_alive cimport any_large, hold_slots, in_pieces
from wengert_core.dispatch.op cimport Op, op_error
from wengert_core.drivers.references cimport call_reference, results_into
from wengert_core.drivers.steps cimport record_outputs
from wengert_core.dtypes.dtypes cimport BFLOAT16, CAT_FLOAT, FLOAT16, FLOAT32, DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport array_of, contiguous_copy, convert_copy
from wengert_core.exchange.device_memory cimport without_kernels
from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.runtime.scratch cimport Scratch, scratch
from wengert_core.runtime.thread_pool cimport body_fn
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, new_empty, new_like, shape_tuple

cdef extern from "wengert_core/kernels/nn/attention.h" nogil:
    ctypedef struct wg_tiles:
        int rows
        int vectors
    ctypedef struct wg_operand:
        const char* data
        Py_ssize_t n, size
        char* rows
        char* columns
    ctypedef struct wg_attention:
        const wg_tiles* tiles
        Py_ssize_t batch, block
        wg_operand query, key, value, grad
        const char* mask
        const Py_ssize_t* mask_at
        Py_ssize_t mask_query, mask_key
        bint causal
        double scale
        char* out
        char* sums
        char* dots
        char* by_query
        char* by_key
        char* by_value
        int failed
    const wg_tiles* wg_find_tiles(bint wide)
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
    WITHOUT_GIL = 0x10000
    BLOCK_TILES = 16                   # tiles of keys at a time: their scores stay in the first-level cache

cdef DTypeFacts* FACTS = dtype_facts()
cdef const wg_tiles* TILES = wg_find_tiles(True)


def use_tiles(bint wide):
    """Compute with the widest registers of this machine, or as on a machine that has them not: for tests."""
    global TILES
    TILES = wg_find_tiles(wide)


def configure(Op op, bint backward):
    """Make ``op`` attention: (query, key, value, attn_mask, is_causal, scale); or its gradient:
    (grad_output, query, key, value, attn_mask, result, logsumexp, is_causal, scale)."""
    op.run = backward_run if backward else forward_run


cdef inline int computing_code(int code) noexcept:
    return FLOAT32 if code == FLOAT16 or code == BFLOAT16 else code


cdef Tensor operand(Op op, PyObject** slots, int slot, int code):
    """Contiguous in the dtype that is computed in."""
    cdef Tensor t
    if not isinstance(<object> slots[slot], Tensor):
        raise op_error(op, slot, "Tensor", slots[slot])
    t = <Tensor> slots[slot]
    if t.code != code:
        return convert_copy(t, code)
    return t if t.flags & TF_CONTIGUOUS else contiguous_copy(t)


@cython.binding(False)
cdef class Workspace:
    """The packed matrices, the places of masks, and the sums that are not results."""
    cdef Scratch memory
    cdef Py_ssize_t used

    cdef int ask(self, Py_ssize_t nbytes) except -1:
        self.memory = scratch(nbytes)
        return 0

    cdef char* take(self, Py_ssize_t nbytes) noexcept:
        self.used += nbytes
        return self.memory.data + self.used - nbytes


cdef int set_up(
    Op op, wg_attention* p, Tensor query, Tensor key, Tensor value, Tensor mask, object causal, object scale
) except -1:
    """Sizes; leading dims are equal. mask: of the computing dtype, [leading dims, queries, keys], of any strides."""
    cdef int i, rank = query.rank
    cdef bint fits = rank >= 2 and key.rank == rank and value.rank == rank
    memset(p, 0, sizeof(wg_attention))
    p.tiles, p.batch, p.block, p.causal, p.scale = TILES, 1, BLOCK_TILES * TILES.rows, causal, <double> scale
    for i in range(rank - 2 if fits else 0):
        fits = fits and key.dims[i] == query.dims[i] and value.dims[i] == query.dims[i]
        p.batch *= query.dims[i]
    fits = fits and key.dims[rank - 1] == query.dims[rank - 1] and key.dims[rank - 2] == value.dims[rank - 2]
    fits = fits and key.code == query.code and value.code == query.code
    if fits and mask is not None:
        fits = mask.rank == rank and mask.dims[rank - 2] == query.dims[rank - 2] \
            and mask.dims[rank - 1] == key.dims[rank - 2] and mask.code == query.code
        for i in range(rank - 2 if fits else 0):
            fits = fits and mask.dims[i] == query.dims[i]
    if not fits:
        or_mask = "" if mask is None else f", or the mask of {scalar_name(mask.code)}{list(shape_tuple(mask))}"
        raise RuntimeError(f"{op.name}: query, key and value of shapes {list(shape_tuple(query))}, "
                           f"{list(shape_tuple(key))} and {list(shape_tuple(value))} do not fit{or_mask}")
    p.query.data, p.query.n, p.query.size = query.data, query.dims[rank - 2], query.dims[rank - 1]
    p.key.data, p.key.n, p.key.size = key.data, key.dims[rank - 2], key.dims[rank - 1]
    p.value.data, p.value.n, p.value.size = value.data, value.dims[rank - 2], value.dims[rank - 1]
    if FACTS.category[query.code] != CAT_FLOAT:
        raise NotImplementedError(f"\"{op.name}\" not implemented for '{scalar_name(query.code)}'")
    return 0


cdef void copy_masks(wg_attention* p, Tensor mask, Py_ssize_t* at) noexcept:
    """Where the mask of each of the batch starts, in elements."""
    cdef Py_ssize_t b, rest, item = FACTS.itemsize[mask.code]
    cdef int i, rank = mask.rank
    p.mask, p.mask_at = mask.data, at
    p.mask_query, p.mask_key = mask.dims[2 * rank - 2] // item, mask.dims[2 * rank - 1] // item
    for b in range(p.batch):
        rest, at[b] = b, 0
        for i in range(rank - 3, -1, -1):
            at[b] += rest % mask.dims[i] * (mask.dims[rank + i] // item)
            rest //= mask.dims[i]


cdef bint is_long(Op op, PyObject** slots, int first) noexcept:
    """Return whether a kernel on query and key from slot ``first`` on, or fitting arguments, should release the GIL."""
    cdef Tensor query, key
    if any_large(op, slots) or not isinstance(<object> slots[first], Tensor) \
            or not isinstance(<object> slots[first + 1], Tensor):
        return True
    query, key = <Tensor> slots[first], <Tensor> slots[first + 1]
    return key.rank < 2 or <double> query.count * key.dims[key.rank - 2] * 32 >= WITHOUT_GIL


cdef int run(body_fn body, Py_ssize_t units, Py_ssize_t work, wg_attention* p, bint held) except -1:
    held = held and work >= WITHOUT_GIL
    in_pieces(units, WORTH_A_THREAD * units // work + 1 if held else 1, body, p, held)
    if p.failed:
        raise MemoryError()
    return 0


cdef inline Py_ssize_t blocks_of(Py_ssize_t n, Py_ssize_t item) noexcept:
    cdef Py_ssize_t lanes = wg_lanes_f32(TILES, n) if item == 4 else wg_lanes_f64(TILES, n)
    return (n + lanes - 1) // lanes


cdef Tensor mask_of(Op op, PyObject** slots, int slot, int code):
    if slots[slot] == <PyObject*> None:
        return None
    if not isinstance(<object> slots[slot], Tensor):
        raise op_error(op, slot, "Tensor", slots[slot])
    return convert_copy(<Tensor> slots[slot], code) if (<Tensor> slots[slot]).code != code else <Tensor> slots[slot]


cdef object forward_run(Op op, PyObject** slots, uint32_t live):
    cdef int code = computing_code((<Tensor> slots[0]).code)
    cdef Tensor query, key, value, mask, out, sums
    cdef PyObject* kept[16]
    cdef PyObject** own = slots
    cdef wg_attention p
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t item = FACTS.itemsize[code]
    cdef Workspace space = Workspace.__new__(Workspace)
    cdef int i
    cdef bint held
    held = is_long(op, slots, 0)
    if held:
        _holds, own = hold_slots(op, slots, kept), kept
    query, key, value = operand(op, own, 0, code), operand(op, own, 1, code), operand(op, own, 2, code)
    mask = mask_of(op, own, 3, code)
    set_up(op, &p, query, key, value, mask, <object> slots[4], <object> slots[5])
    for i in range(query.rank):
        shape[i] = query.dims[i]
    sums = new_empty(code, query.rank - 1, shape)
    shape[query.rank - 1] = p.value.size
    out = new_empty(code, query.rank, shape)
    if without_kernels():
        by_reference(op, own, [out, sums], code)
    elif out.count or sums.count:
        space.ask((key.count + value.count) * item + p.batch * sizeof(Py_ssize_t))
        if mask is not None:
            copy_masks(&p, mask, <Py_ssize_t*> space.take(p.batch * sizeof(Py_ssize_t)))
        p.key.rows, p.value.columns = space.take(key.count * item), space.take(value.count * item)
        p.out, p.sums = out.data, sums.data
        compute(&p, code, held)
    return finish_results(op, slots, [out, sums], 1, live)


cdef int compute(wg_attention* p, int code, bint held) except -1:
    cdef Py_ssize_t work = p.batch * p.query.n * p.key.n * (p.query.size + p.value.size + 16)
    cdef bint single = code == FLOAT32
    cdef Py_ssize_t item = FACTS.itemsize[code]
    run(wg_attention_pack_f32 if single else wg_attention_pack_f64, p.batch,
        p.batch * p.key.n * (p.query.size + p.value.size) * 16, p, held)
    run(wg_attention_units_f32 if single else wg_attention_units_f64, p.batch * blocks_of(p.query.n, item), work, p,
        held)
    return 0


cdef object backward_run(Op op, PyObject** slots, uint32_t live):
    cdef int code
    cdef Tensor grad, query, key, value, mask, out, sums, by_query, by_key, by_value
    cdef PyObject* kept[16]
    cdef PyObject** own = slots
    cdef wg_attention p
    cdef Workspace space = Workspace.__new__(Workspace)
    cdef Py_ssize_t item
    cdef bint held
    held = is_long(op, slots, 1)
    if held:
        _holds, own = hold_slots(op, slots, kept), kept
    if not isinstance(<object> slots[1], Tensor):
        raise op_error(op, 1, "Tensor", slots[1])
    code = computing_code((<Tensor> slots[1]).code)
    item = FACTS.itemsize[code]
    grad, query, key, value = (operand(op, own, 0, code), operand(op, own, 1, code), operand(op, own, 2, code),
                               operand(op, own, 3, code))
    mask = mask_of(op, own, 4, code)
    out, sums = operand(op, own, 5, code), operand(op, own, 6, code)
    set_up(op, &p, query, key, value, mask, <object> slots[7], <object> slots[8])
    if grad.count != p.batch * p.query.n * p.value.size or out.count != grad.count or sums.count != p.batch * p.query.n:
        raise RuntimeError(f"{op.name}: a gradient of shape {list(shape_tuple(grad))} does not fit a query of "
                           f"{list(shape_tuple(query))} and a value of {list(shape_tuple(value))}")
    by_query, by_key, by_value = new_like(query, code), new_like(key, code), new_like(value, code)
    if without_kernels():
        by_reference(op, own, [by_query, by_key, by_value], code)
    else:
        space.ask((2 * query.count + 2 * key.count + value.count + 2 * grad.count + sums.count) * item
                  + p.batch * sizeof(Py_ssize_t))
        if mask is not None:
            copy_masks(&p, mask, <Py_ssize_t*> space.take(p.batch * sizeof(Py_ssize_t)))
        p.grad.data, p.grad.n, p.grad.size = grad.data, p.query.n, p.value.size
        p.query.rows, p.query.columns = space.take(query.count * item), space.take(query.count * item)
        p.key.rows, p.key.columns = space.take(key.count * item), space.take(key.count * item)
        p.value.rows, p.dots = space.take(value.count * item), space.take(sums.count * item)
        p.grad.rows, p.grad.columns = space.take(grad.count * item), space.take(grad.count * item)
        p.out, p.sums = out.data, sums.data
        p.by_query, p.by_key, p.by_value = by_query.data, by_key.data, by_value.data
        compute_back(&p, code, held)
    return finish_results(op, slots, [by_query, by_key, by_value], 0, live)


cdef int compute_back(wg_attention* p, int code, bint held) except -1:
    cdef Py_ssize_t work = p.batch * p.query.n * p.key.n * (2 * p.query.size + p.value.size + 16)
    cdef Py_ssize_t linear = p.batch * (p.query.n + p.key.n) * (p.query.size + p.value.size) * 16
    cdef bint single = code == FLOAT32
    cdef Py_ssize_t item = FACTS.itemsize[code]
    run(wg_attention_pack_f32 if single else wg_attention_pack_f64, p.batch, linear, p, held)
    run(wg_attention_by_query_f32 if single else wg_attention_by_query_f64, p.batch * blocks_of(p.query.n, item), work,
        p, held)
    run(wg_attention_by_key_f32 if single else wg_attention_by_key_f64, p.batch * blocks_of(p.key.n, item), work, p,
        held)
    return 0


cdef int by_reference(Op op, PyObject** slots, list outs, int code) except -1:
    cdef int i
    arguments = []
    for i in range(op.n_params):
        value = <object> slots[i]
        if isinstance(value, Tensor):
            value = array_of(value if (<Tensor> value).code == code else convert_copy(value, code))
        arguments.append(value)
    return results_into(op, call_reference(op, arguments), outs)


cdef object finish_results(Op op, PyObject** slots, list results, int n_plain, uint32_t live):
    """The results, all but the last n_plain in the inputs' dtype, recorded."""
    cdef PyObject* outs[3]
    cdef int i, code = (<Tensor> slots[0]).code
    for i in range(<int> len(results)):
        if i < len(results) - n_plain and (<Tensor> results[i]).code != code:
            results[i] = convert_copy(<Tensor> results[i], code)
        outs[i] = <PyObject*> results[i]
    record_outputs(op, slots, outs, <int> len(results), live)
    return tuple(results)


not_made_by_hand(<PyTypeObject*> Workspace)
