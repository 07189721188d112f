"""Node: a recorded operation. Its struct, and what the engine's modules may do with it.

Note [What a node holds]
    One block (``payload``) made for its formula: the edges to the nodes of its inputs, the saved values, and for each
    output the facts that an arriving gradient must agree with. A chain of nodes is freed without recursion: a node that
    dies while another is being freed waits in a list (node_dealloc).
Note [Order]
    ``sequence`` grows with every node, so an edge always leads to a smaller number: running nodes from the largest down
    is a topological order. A node of a view that was made anew is younger than the write that made it necessary.
"""
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from wengert_core.tensors.tensor cimport Tensor


cdef enum NodeKind:
    NODE_FORMULA = 0                   # run by the op's formula
    NODE_ACCUMULATE = 1                # adds into a leaf's grad; saved[0] is the leaf
    NODE_COPY_SLICES = 2               # an in-place op on a view, seen from the base
    NODE_CUSTOM = 3                    # a user's Function
    NODE_ERROR = 4                     # raises its formula's error when run

cdef enum NodeFlags:
    NF_RELEASED = 1          # saved values were freed by a backward without retain_graph
    NF_NUMBERS = 2           # an operand is a number that could be a tensor: it is freed like one, as x * 2 is in torch
    NF_PACKED = 4            # hooks have packed what it saved
    NF_KEEPS = 8             # it is run: what is unpacked is kept until that is done

cdef enum:
    TF_CUT = 0x100000                  # Tensor.flags: detach_() has taken its node away

cdef enum SavedKind:
    SAVED_NOTHING = 0
    SAVED_PLAIN = 1                    # not a tensor
    SAVED_TENSOR = 2                   # an input; owned
    SAVED_OUTPUT = 3                   # an output of this node, as an alias without history; owned
    SAVED_PACKED = 4                   # what a pack hook gave: a Packed
    SAVED_SEVERAL = 5                  # a sequence with tensors in it, such as an index: a Several

cdef struct Edge:
    PyObject* node                     # owned; NULL: no gradient is needed there
    uint32_t input_nr                  # which output of ``node``
    uint32_t reserved

cdef struct SavedSlot:
    PyObject* value                    # owned; NULL: not saved
    uint32_t version                   # of the tensor's storage when it was saved
    uint8_t kind                       # SavedKind
    uint8_t own_history                # SAVED_TENSOR: not the argument itself but a recorded copy of it
    uint16_t output                    # SAVED_OUTPUT: which

cdef enum:
    ANY_DTYPE = 255                    # OutMeta.code of a leaf whose grad_dtype is None
    NO_TENSOR = 254                    # of an output of a Function which is no tensor

cdef struct OutMeta:                   # what a gradient of this output must agree with
    uint8_t code                       # DTypeCode
    uint8_t rank
    uint16_t device
    uint32_t first_dim                 # index into the payload's sizes

cdef struct NodeExtra:                 # hooks and metadata; few nodes have any
    PyObject* metadata                 # dict
    PyObject* pre_hooks                # dict id -> hook on the node's incoming gradients
    PyObject* post_hooks               # dict id -> hook(grad_inputs, grad_outputs)
    PyObject* tensor_hooks             # dict output_nr -> dict id -> hook
    PyObject* retained                 # dict output_nr -> weak reference to a tensor that retains its gradient
    PyObject* trace                    # Trace: where it was recorded (anomaly mode)
    PyObject* stream                   # the device's stream that its operation ran on


cdef class Node:
    cdef object __weakref__
    cdef PyObject* formula             # Formula; borrowed, formulas live as long as the process. NULL for other kinds
    cdef uint64_t sequence             # Note [Order]; links the list of nodes waiting to be freed
    cdef char* payload                 # edges, saved, metas, sizes; Note [What a node holds]
    cdef NodeExtra* extra              # owned; or NULL
    cdef uint32_t n_edges              # 32 bits: cat and stack take, and unbind gives, any number of tensors
    cdef uint32_t n_outputs
    cdef uint32_t n_saved
    cdef uint8_t kind                  # NodeKind
    cdef uint8_t flags                 # NodeFlags
    cdef uint32_t payload_bytes
    cdef uint32_t needs                # bit per input of the formula that needs a gradient
    cdef uint32_t run_id               # the run that has gradients waiting for this node, 0: none
    cdef uint32_t run_slot             # where they are


cdef class FunctionNode(Node):         # the ctx of a custom Function
    cdef dict __dict__
    cdef PyObject* function            # the Function class; owned
    cdef PyObject* to_save             # tuple given to save_for_backward; owned until recorded
    cdef PyObject* dirty               # tuple or NULL
    cdef PyObject* non_differentiable  # tuple or NULL
    cdef PyObject* needs_input         # tuple of bool
    cdef PyObject* for_forward         # tuple given to save_for_forward
    cdef PyObject* edge_of_arg         # tuple of bool: which arguments of forward are tensors and have an edge
    cdef uint8_t materialize
    cdef uint8_t in_forward            # forward is running: marking and saving are allowed


cdef inline Edge* edges_of(Node node) noexcept:
    return <Edge*> node.payload

cdef inline SavedSlot* saved_slots(Node node) noexcept:
    return <SavedSlot*> (node.payload + node.n_edges * sizeof(Edge))

cdef inline OutMeta* metas_of(Node node) noexcept:
    return <OutMeta*> (node.payload + node.n_edges * sizeof(Edge) + node.n_saved * sizeof(SavedSlot))

cdef inline Py_ssize_t* sizes_of(Node node) noexcept:
    return <Py_ssize_t*> (node.payload + node.n_edges * sizeof(Edge) + node.n_saved * sizeof(SavedSlot)
                          + node.n_outputs * sizeof(OutMeta))

cdef inline void hold(PyObject** field, object value) noexcept:
    """Let an owned field hold ``value`` in place of what it had."""
    cdef PyObject* old = field[0]
    Py_INCREF(value)
    field[0] = <PyObject*> value
    Py_XDECREF(old)

cdef dict dict_in(PyObject** field)                              # an owned field's dict, made when absent
cdef Node new_node(PyTypeObject* type_, int kind, int n_edges, int n_saved, int n_outputs, int n_sizes)
cdef int fill_payload(Node node, int n_edges, int n_saved, int n_outputs, int n_sizes) except -1
cdef void set_meta(Node node, int output, Tensor t, int* next_dim) noexcept
cdef void set_output(Node node, int output, Tensor t) noexcept   # t.grad_fn = node
cdef void release_saved(Node node) noexcept
cdef NodeExtra* node_extra(Node node) except NULL
cdef object make_node_class(str name)
cdef void number(Node node) noexcept
cdef uint64_t last_number() noexcept                             # what number() gave last, to any thread's node
ctypedef void (*OriginHook)(Node node) noexcept
cdef void set_origin_hook(OriginHook hook) noexcept              # called with every new node; NULL: nothing is
