"""What a node shows of itself beyond its name and edges: saved tensors as objects, metadata of its outputs."""
cimport cython
from cpython.object cimport PyTypeObject
from wengert_core.devices.device import DEVICES as _DEVICES
from wengert_core.geometry.size import Size

from libc.stdint cimport uint32_t

from wengert_core.dtypes.dtypes cimport dtype_of
from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.tensors.tensor cimport Tensor, alias
from wengert_engine.graph.node cimport (NF_RELEASED, NO_TENSOR, SAVED_OUTPUT, SAVED_PACKED, SAVED_PLAIN, SAVED_SEVERAL,
                                        SAVED_TENSOR, Edge, FunctionNode, Node, OutMeta, SavedSlot, dict_in, edges_of,
                                        metas_of, node_extra, saved_slots)
from wengert_engine.graph.tensor_hooks import hooks_of
from wengert_engine.graph.validate_grad cimport shape_of
from wengert_engine.messages import errors
from wengert_engine.record.saved_hooks_stack cimport Several, pack_one
from wengert_engine.record.saved_hooks_stack import PackedValue
from wengert_engine.record.saved_values cimport saved_value


@cython.binding(False)
@cython.embedsignature(True)
cdef class SavedTensor:
    """A tensor that a node has saved, before it is read: ``node._raw_saved_NAME``."""
    cdef Node node
    cdef int index
    cdef int item                      # which of several that are saved together; -1: it is saved by itself

    _REFUSAL = (RuntimeError, "Trying to create a SavedTensor object from Python is forbidden.")

    @property
    def data(self):
        """What is kept: the tensor, unchecked, or what a pack hook made of it. None once it has been freed."""
        cdef SavedSlot* saved = saved_slots(self.node) + self.index
        if saved.value == NULL or saved.kind == SAVED_PLAIN:
            return None
        value = <object> saved.value
        if saved.kind == SAVED_SEVERAL:
            value = (<Several> value).values[self.item]
        return value.value if isinstance(value, PackedValue) else value

    @property
    def unpack_hook(self):
        """The hook that makes the tensor; None where there is none."""
        cdef SavedSlot* saved = saved_slots(self.node) + self.index
        if saved.value == NULL:
            return None
        value = <object> saved.value
        if saved.kind == SAVED_SEVERAL:
            value = (<Several> value).values[self.item]
        return value.unpack if isinstance(value, PackedValue) else None

    def unpack(self):
        """The tensor as the node's formula gets it: checked, with its history. None where none was saved."""
        value = saved_value(self.node, self.index, True)
        if self.item >= 0 and isinstance(value, tuple):
            value = value[self.item]
        return value if isinstance(value, Tensor) else None

    def register_hooks(self, *hooks):
        """``register_hooks(pack_hook, unpack_hook)``: pack this tensor now, and unpack it whenever it is read.

        Raises RuntimeError when it was freed, is None or has hooks already.
        """
        cdef SavedSlot* saved = saved_slots(self.node) + self.index
        if len(hooks) != 2 or not callable(hooks[0]) or not callable(hooks[1]):
            raise errors.hooks_not_callable()
        if saved.value == NULL:
            raise errors.hooks_of_freed() if self.node.flags & NF_RELEASED else errors.hooks_of_none()
        if saved.kind == SAVED_SEVERAL:
            value = (<Several> saved.value).values[self.item]
            if value is None or isinstance(value, Tensor):
                if value is None:
                    raise errors.hooks_of_none()
                (<Several> saved.value).pack_item(self.item, hooks[0], hooks[1])
                return
        if saved.kind == SAVED_PACKED or saved.kind == SAVED_SEVERAL:
            raise errors.hooks_already()
        if saved.kind != SAVED_TENSOR and saved.kind != SAVED_OUTPUT:
            raise errors.hooks_of_none()
        source = <Tensor> saved_value(self.node, self.index, True)
        pack_one(self.node, self.index, source, alias(source), hooks[0], hooks[1])


cdef SavedTensor new_saved(Node node, int index, int item):
    cdef SavedTensor saved = SavedTensor.__new__(SavedTensor)
    saved.node, saved.index, saved.item = node, index, item
    return saved


def saved_tensor(Node node, int index):
    """The SavedTensor of one of a node's saved values; of several that are saved together a tuple."""
    cdef SavedSlot* saved = saved_slots(node) + index
    if saved.value != NULL and saved.kind == SAVED_SEVERAL:
        return tuple([new_saved(node, index, i) for i in range(<int> len((<Several> saved.value).values))])
    return new_saved(node, index, -1)


def saved_tensors(FunctionNode node):
    """The SavedTensors of a custom Function's node."""
    if node.flags & NF_RELEASED:
        raise errors.freed_graph(type(node).__name__)
    return tuple([new_saved(node, i, -1) for i in range(node.n_saved)])


# ---- sizes of arguments that are not saved, for an edge's target knows them

def argument_sizes(Node node, int index):
    """The sizes of a formula's input by the number of its rule; None where no gradient of it is asked for."""
    cdef Edge* edge = edges_of(node) + index
    if index >= node.n_edges or edge.node == NULL:
        return None
    return shape_of(<Node> edge.node, edge.input_nr)


# ---- metadata

class InputMetadata:
    """What a gradient that reaches a node must agree with."""

    is_nested_tensor = is_cpp_nested_tensor = False

    def __init__(self, shape, dtype, device):
        self.shape, self.dtype, self.device = shape, dtype, device


cdef object describe_saved(Node node, int output):
    cdef OutMeta* meta = metas_of(node) + output
    place = _DEVICES[meta.device]
    dtype = dtype_of(meta.code) if meta.code < NO_TENSOR else None
    return InputMetadata(Size(shape_of(node, output)), dtype, place)


def input_metadata(Node node):
    """For each output of a node what its gradient must agree with."""
    return tuple([describe_saved(node, i) for i in range(node.n_outputs)])


def share_hooks(Node node, tensor):
    """Let a node call the hooks of a tensor, for the output with the tensor's number."""
    if not isinstance(tensor, Tensor):
        raise TypeError("_register_hook_dict expected a variable")
    cdef uint32_t number = (<Tensor> tensor).output_nr
    if number < node.n_outputs:
        dict_in(&node_extra(node).tensor_hooks).setdefault(number, hooks_of(tensor))


not_made_by_hand(<PyTypeObject*> SavedTensor)
