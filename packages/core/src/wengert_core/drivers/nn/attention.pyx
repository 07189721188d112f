"""The driver of scaled dot-product attention and its gradient. Note [Attention by blocks] in kernels/nn/attention.h."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t
from libc.string cimport memset

from wengert_core.dispatch.arguments cimport scalar_name
from wengert_core.dispatch.keep_alive cimport any_large, hold_slots
from wengert_core.dispatch.op cimport Op, op_error
from wengert_core.drivers.nn.attention_blocks cimport (BLOCK_TILES, WITHOUT_GIL, backward_bytes, compute_backward,
                                                       compute_forward, forward_bytes, lay_out_backward,
                                                       lay_out_forward, run, tell_backward, tell_forward, tiles,
                                                       wg_attention)
from wengert_core.drivers.references cimport call_reference, results_into
from wengert_core.drivers.steps cimport record_outputs
from wengert_core.dtypes.dtypes cimport BFLOAT16, CAT_FLOAT, FLOAT16, FLOAT32, DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport array_of, convert_copy, row_major_as
from wengert_core.exchange.device_memory cimport without_kernels
from wengert_core.runtime.launches cimport tell_complete
from wengert_core.runtime.scratch cimport Scratch, scratch
from wengert_core.runtime.state cimport WG_TELL
from wengert_core.tensors.tensor cimport Tensor, new_empty, new_like, shape_tuple

cdef DTypeFacts* FACTS = dtype_facts()


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
    return row_major_as(t, code)


cdef int set_up(
    Op op, wg_attention* p, Tensor query, Tensor key, Tensor value, Tensor mask, object causal, object scale
) except -1:
    """Sizes; leading dims are equal. mask: of the computing dtype, [leading dims, queries, keys], of any strides."""
    cdef int i, rank = query.rank
    cdef bint fits = rank >= 2 and key.rank == rank and value.rank == rank
    memset(p, 0, sizeof(wg_attention))
    p.tiles, p.batch, p.block, p.causal, p.scale = tiles(), 1, BLOCK_TILES * tiles().rows, causal, <double> scale
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
    cdef Scratch space
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
        space = scratch(forward_bytes(&p, code))
        if mask is not None:
            copy_masks(&p, mask, <Py_ssize_t*> space.data)
        lay_out_forward(&p, code, space.data)
        p.out, p.sums = out.data, sums.data
        run(compute_forward, &p, code, held)
        if live & WG_TELL:
            tell_forward(&p, code, held, [query, key, value, mask, out, sums], space.data)
    return finish_results(op, slots, [out, sums], 1, live)


cdef object backward_run(Op op, PyObject** slots, uint32_t live):
    cdef int code
    cdef Tensor grad, query, key, value, mask, out, sums, by_query, by_key, by_value
    cdef PyObject* kept[16]
    cdef PyObject** own = slots
    cdef wg_attention p
    cdef Scratch space
    cdef bint held
    held = is_long(op, slots, 1)
    if held:
        _holds, own = hold_slots(op, slots, kept), kept
    if not isinstance(<object> slots[1], Tensor):
        raise op_error(op, 1, "Tensor", slots[1])
    code = computing_code((<Tensor> slots[1]).code)
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
        p.grad.n, p.grad.size = p.query.n, p.value.size
        space = scratch(backward_bytes(&p, code))
        if mask is not None:
            copy_masks(&p, mask, <Py_ssize_t*> space.data)
        lay_out_backward(&p, code, space.data)
        p.grad.data, p.out, p.sums = grad.data, out.data, sums.data
        p.by_query, p.by_key, p.by_value = by_query.data, by_key.data, by_value.data
        run(compute_backward, &p, code, held)
        if live & WG_TELL:
            tell_backward(&p, code, held, [grad, query, key, value, out], [sums, mask], [by_query, by_key, by_value],
                          space.data)
    return finish_results(op, slots, [by_query, by_key, by_value], 0, live)


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
    if live & WG_TELL:
        tell_complete(<void*> op)
    for i in range(<int> len(results)):
        if i < len(results) - n_plain and (<Tensor> results[i]).code != code:
            results[i] = convert_copy(<Tensor> results[i], code)
        outs[i] = <PyObject*> results[i]
    record_outputs(op, slots, outs, <int> len(results), live)
    return tuple(results)
