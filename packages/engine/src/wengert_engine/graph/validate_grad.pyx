"""Gradients as the engine handles them: what is not the common case of validate_grad.pxd, which has the notes."""
from libc.string cimport memset

from wengert_core.dispatch.dispatcher cimport dispatch
from wengert_core.dtypes.dtypes cimport CAT_COMPLEX, DTypeFacts, dtype_facts, dtype_of
from wengert_core.exchange.arrays cimport fill_number
from wengert_core.runtime.state cimport WgState, thread_state
from wengert_core.tensors.tensor cimport home_device, new_empty_at, new_view
from wengert_engine.graph.fit import fit
from wengert_engine.graph.formula cimport Formula
from wengert_engine.graph.node cimport ANY_DTYPE, NODE_CUSTOM, saved_slots
from wengert_engine.messages import errors

from wengert_core.devices.device import DEVICES as _DEVICES
from wengert_core.devices.device import PLUGIN_DEVICES as _PLUGIN_DEVICES

cdef DTypeFacts* FACTS = dtype_facts()
cdef frozenset MOVING = frozenset(("_to_copy", "copy_"))   # operations whose result is on another device than an input


cdef Tensor fit_mismatched_grad(Node node, int output, Tensor grad, Node source, int index):
    """A gradient whose shape or dtype is not that of the output it belongs to, made to fit."""
    name = type(source).__name__ if source is not None else "backward"
    cdef OutMeta* meta = metas_of(node) + output
    cdef int code = meta.code
    if home_device(meta.device) != home_device(grad.device):
        if source is None or source.formula == NULL or (<Formula> source.formula).op.name not in MOVING:
            raise errors.gradient_device(name if source is not None else None, index, _DEVICES[meta.device],
                                         _DEVICES[grad.device])
        grad = grad.to(_DEVICES[meta.device])           # the derivative of a move is the move back
        if code == grad.code and tuple(grad.shape) == shape_of(node, output):
            return grad
    if source is not None and source.kind == NODE_CUSTOM and code != ANY_DTYPE and FACTS.category[code] < CAT_COMPLEX \
            and FACTS.category[grad.code] == CAT_COMPLEX:
        raise errors.complex_for_real(name, index)    # our own formulas may leave this to the engine
    return fit(grad, shape_of(node, output), dtype_of(grad.code if code == ANY_DTYPE else code), name, index)


cdef int write(Op op, Tensor target, Tensor other) except -1:
    """target op= other, with recording off."""
    cdef PyObject* slots[16]
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    cdef int i
    slots[0], slots[1] = <PyObject*> target, <PyObject*> other
    for i in range(2, op.n_params):
        slots[i] = op.defaults[i]
    state.modes = modes & ~(<unsigned int> WG_GRAD)
    try:
        dispatch(op, slots)
    finally:
        state.modes = modes
    return 0


cdef Tensor zeros_of(Node node, int output):
    cdef OutMeta* meta = metas_of(node) + output
    cdef int code = meta.code if meta.code != ANY_DTYPE else (<Tensor> saved_slots(node)[0].value).code
    cdef Tensor t
    if meta.device and home_device(meta.device) != meta.device:
        return _PLUGIN_DEVICES[meta.device][0].zeros(shape_of(node, output), dtype_of(code))
    t = new_empty_at(meta.device, code, meta.rank, sizes_of(node) + meta.first_dim)
    fill_number(t, 0)
    return t


cdef tuple shape_of(Node node, int output):
    cdef OutMeta* meta = metas_of(node) + output
    cdef Py_ssize_t* sizes = sizes_of(node) + meta.first_dim
    cdef int i
    return tuple([sizes[i] for i in range(meta.rank)])


cdef tuple materialize(Node node, list parts):
    return tuple([part if part is not None else nothing_of(node, i) for i, part in enumerate(parts)])


cdef Tensor nothing_of(Node node, int output):
    """Return zeros that a formula only reads: one number, at every position. Formulas know it by its strides of 0."""
    cdef OutMeta* meta = metas_of(node) + output
    cdef Py_ssize_t strides[64]
    cdef Tensor zero
    if meta.rank == 0 or meta.code == ANY_DTYPE or home_device(meta.device) != meta.device:
        return zeros_of(node, output)
    zero = new_empty_at(meta.device, meta.code, 0, NULL)
    fill_number(zero, 0)
    memset(strides, 0, sizeof(strides))
    return new_view(zero, meta.rank, sizes_of(node) + meta.first_dim, strides, zero.data)
