"""Node: a recorded operation. Making and freeing nodes; see node.pxd for the notes."""
cimport cython
import weakref

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyTypeObject, destructor, inquiry, traverseproc, visitproc
from cpython.ref cimport Py_XDECREF, PyObject
from libc.string cimport memset

from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.runtime.state cimport WG_GRAD
from wengert_core.tensors.tensor cimport Tensor, track
from wengert_engine.graph.removable_handle import add_hook

cdef extern from "Python.h":
    void PyObject_GC_Track(PyObject* o) noexcept
    void PyObject_GC_UnTrack(PyObject* o) noexcept
    void Py_DECREF(PyObject* o) noexcept
    void Py_XINCREF(PyObject* o) noexcept

cdef extern from *:
    """
    #define WENGERT_NODES_KEPT 1024
    static PyObject *wengert_nodes[WENGERT_NODES_KEPT];
    static int wengert_n_nodes = 0;

    /* A node of `type` (a subclass with the same layout), from the freelist when it has one. Not tracked. */
    static inline PyObject *wengert_take_node(PyTypeObject *type) {
        if (wengert_n_nodes > 0) {
            PyObject *o = wengert_nodes[--wengert_n_nodes];
            PyObject_Init(o, type);
            return o;
        }
        return (PyObject *)_PyObject_GC_New(type);
    }
    static inline void wengert_keep_node(PyObject *o, Py_ssize_t size) {
        PyTypeObject *type = Py_TYPE(o);
        if (type->tp_basicsize == size && wengert_n_nodes < WENGERT_NODES_KEPT) wengert_nodes[wengert_n_nodes++] = o;
        else PyObject_GC_Del(o);
        if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) Py_DECREF((PyObject *)type);
    }
    static inline void wengert_clear(PyObject **slot) {
        PyObject *old = *slot;
        if (old) { *slot = NULL; Py_DECREF(old); }
    }
    static inline void wengert_weakrefs(PyObject *o) {
        Py_ssize_t at = Py_TYPE(o)->tp_weaklistoffset;
        if (at > 0 && *(PyObject **)((char *)o + at)) PyObject_ClearWeakRefs(o);
    }
    static inline void wengert_null_weakrefs(PyObject *o) {
        *(PyObject **)((char *)o + Py_TYPE(o)->tp_weaklistoffset) = NULL;
    }
    static inline PyObject **wengert_dict_of(PyObject *o) {
        return (PyObject **)((char *)o + Py_TYPE(o)->tp_dictoffset);
    }
    static inline Py_ssize_t wengert_basicsize(PyTypeObject *t) { return t->tp_basicsize; }
    static inline void wengert_adopt(PyTypeObject *t, destructor d) { t->tp_dealloc = d; }
    static inline void wengert_adopt_gc(PyTypeObject *t, traverseproc v, inquiry c) {
        t->tp_traverse = v;
        t->tp_clear = c;
    }
    """
    PyObject* wengert_take_node(PyTypeObject* type) except NULL
    void wengert_keep_node(PyObject* o, Py_ssize_t size) noexcept
    void wengert_clear(PyObject** slot) noexcept
    void wengert_weakrefs(PyObject* o) noexcept
    void wengert_null_weakrefs(PyObject* o) noexcept
    PyObject** wengert_dict_of(PyObject* o) noexcept
    Py_ssize_t wengert_basicsize(PyTypeObject* t) noexcept
    void wengert_adopt(PyTypeObject* t, destructor d) noexcept
    void wengert_adopt_gc(PyTypeObject* t, traverseproc v, inquiry c) noexcept


cdef uint64_t SEQUENCE = 0
cdef OriginHook NOTE_ORIGIN = NULL
cdef object NEXT_FUNCTIONS = None      # of the module shown, which stands above this one: looked up when first needed
cdef PyObject* WAITING = NULL          # nodes whose turn to be freed comes; linked through .sequence
cdef bint FREEING = False

cdef enum:
    PAYLOAD_CLASSES = 16               # payloads of up to 16 * 16 bytes are kept for reuse

cdef char* PAYLOADS[16]
memset(PAYLOADS, 0, sizeof(PAYLOADS))


# ---- payloads

cdef inline char* take_payload(uint32_t nbytes) except NULL:
    cdef uint32_t which = (nbytes + 15) >> 4
    cdef char* block
    if which < PAYLOAD_CLASSES:
        block = PAYLOADS[which]
        if block != NULL:
            PAYLOADS[which] = (<char**> block)[0]
            return block
    block = <char*> PyMem_Malloc(which << 4)
    if block == NULL:
        raise MemoryError()
    return block


cdef inline void keep_payload(char* block, uint32_t nbytes) noexcept:
    cdef uint32_t which = (nbytes + 15) >> 4
    if which < PAYLOAD_CLASSES:
        (<char**> block)[0] = PAYLOADS[which]
        PAYLOADS[which] = block
    else:
        PyMem_Free(block)


@cython.binding(False)
@cython.embedsignature(True)
cdef class Node:
    """A recorded operation: what ``grad_fn`` is. Edges lead to the nodes of its inputs."""

    _REFUSAL = (TypeError, "cannot create 'Node' instances: they are made by recorded operations")

    def name(self):
        """The node's name: MulBackward0."""
        return type(self).__name__

    def __reduce_ex__(self, protocol):
        raise TypeError(f"cannot pickle '{type(self).__name__}' object: it belongs to the graph that recorded it")

    def __repr__(self):
        return f"<{type(self).__name__} object at {<Py_ssize_t> <PyObject*> self:#x}>"

    @property
    def next_functions(self):
        """For each input the node its gradient goes to and which of that node's outputs it is: a tuple of pairs."""
        global NEXT_FUNCTIONS
        if NEXT_FUNCTIONS is None:
            from wengert_engine.graph.visible_edges import next_functions
            NEXT_FUNCTIONS = next_functions
        return NEXT_FUNCTIONS(self)

    @property
    def metadata(self):
        """A dict for whatever a user wants to keep with the node. In anomaly mode it has ``traceback_``, the lines that
        recorded the node, and ``parent_``, the node whose derivative it is part of."""
        cdef dict metadata = dict_in(&node_extra(self).metadata)
        if self.extra.trace != NULL and "traceback_" not in metadata:
            trace = <object> self.extra.trace
            metadata["traceback_"] = trace.lines()
            if trace.parent_node is not None:
                metadata["parent_"] = trace.parent_node
        return metadata

    def __call__(self, *grads):
        """The gradients of this node's inputs for given gradients of its outputs."""
        from wengert_engine.reverse.vjp import call_node
        return call_node(self, grads)

    def register_hook(self, hook):
        """Call ``hook(grad_inputs, grad_outputs)`` after this node has run; a tuple it returns replaces grad_inputs.

        Returns a handle with ``remove()``.
        """
        return add_hook(dict_in(&node_extra(self).post_hooks), hook)

    def register_prehook(self, hook):
        """Call ``hook(grad_outputs)`` before this node runs; a tuple it returns replaces grad_outputs."""
        return add_hook(dict_in(&node_extra(self).pre_hooks), hook)

    def _sequence_nr(self):
        """When the node was recorded: larger is later; or what _set_sequence_nr was given. Of an AccumulateGrad torch's
        number, by which it runs before all others that are ready.
        """
        shown = 2**64 - 1 if self.kind == NODE_ACCUMULATE else self.sequence
        return SHOWN_NUMBERS.get(self, shown) if SHOWN_NUMBERS else shown

    def _set_sequence_nr(self, number):
        """Let _sequence_nr() give another number. The order in which nodes are run stays: Note [Order]."""
        set_shown_number(self, number)

    @property
    def _input_metadata(self):
        """For each output what its gradient must agree with: a tuple of objects with shape, dtype and device."""
        from wengert_engine.record.node_attributes import input_metadata
        return input_metadata(self)

    def _register_hook_dict(self, tensor):
        """Call the hooks of ``tensor`` for the gradient of the output with its number."""
        from wengert_engine.record.node_attributes import share_hooks
        share_hooks(self, tensor)

    @property
    def requires_grad(self):
        """True: a node exists only where a gradient is needed."""
        return True


# Before any subclass is made, since they inherit it: nodes come from wengert_take_node, with a header for the
# collector.
not_made_by_hand(<PyTypeObject*> Node)


cdef object SHOWN_NUMBERS = weakref.WeakKeyDictionary()      # what _set_sequence_nr was given


def set_shown_number(node, number):
    """Remember a number of 64 bits for a node to show."""
    if not isinstance(number, int):
        raise TypeError(f"an integer is required: _set_sequence_nr() got {type(number).__name__}")
    if number < 0:
        raise OverflowError(f"can't convert negative int to unsigned: _set_sequence_nr() got {number}")
    if number >= 2**64:
        raise OverflowError(f"int too big to convert: _set_sequence_nr() takes numbers below 2**64, got {number}")
    SHOWN_NUMBERS[node] = number


def order_of(Node node):
    """A node's place in the order of running: Note [Order]."""
    return node.sequence


def accumulated_leaf(Node node):
    """The leaf whose gradient an AccumulateGrad collects; None for other nodes."""
    if node.kind != NODE_ACCUMULATE or saved_slots(node)[0].value == NULL:
        return None
    return <object> saved_slots(node)[0].value


cdef dict dict_in(PyObject** field):
    if field[0] == NULL:
        hold(field, {})
    return <dict> field[0]


@cython.binding(False)
@cython.embedsignature(True)
cdef class FunctionNode(Node):
    """The node of a custom Function; its ``ctx``."""

    def __init__(self):
        raise TypeError(f"cannot create '{type(self).__name__}' instances: they are made by apply()")


# ---- making nodes

cdef inline void blank_node(Node node, int kind) noexcept:
    node.formula = NULL
    node.payload = NULL
    node.extra = NULL
    node.n_edges = node.n_outputs = node.n_saved = 0
    node.kind = kind
    node.flags = 0
    node.needs = 0
    node.run_id = 0
    node.payload_bytes = 0
    node.sequence = 0                  # given by number() once the edges are there: Note [Order]


cdef Node new_node(PyTypeObject* type_, int kind, int n_edges, int n_saved, int n_outputs, int n_sizes):
    """A node with an empty payload; tracked by the collector."""
    cdef PyObject* o = wengert_take_node(type_)
    wengert_null_weakrefs(o)
    cdef Node node = <Node> o
    Py_DECREF(o)
    blank_node(node, kind)
    fill_payload(node, n_edges, n_saved, n_outputs, n_sizes)
    PyObject_GC_Track(<PyObject*> node)
    return node


cdef uint64_t last_number() noexcept:
    return SEQUENCE


cdef void number(Node node) noexcept:
    """Give the node its place in the order. Its edges are there, so those it leads to have smaller numbers."""
    global SEQUENCE
    SEQUENCE += 1
    node.sequence = SEQUENCE
    if NOTE_ORIGIN != NULL:
        NOTE_ORIGIN(node)


cdef void set_origin_hook(OriginHook hook) noexcept:
    global NOTE_ORIGIN
    NOTE_ORIGIN = hook


cdef int fill_payload(Node node, int n_edges, int n_saved, int n_outputs, int n_sizes) except -1:
    cdef uint32_t nbytes = (n_edges * sizeof(Edge) + n_saved * sizeof(SavedSlot) + n_outputs * sizeof(OutMeta)
                            + n_sizes * sizeof(Py_ssize_t))
    node.payload = take_payload(nbytes)
    node.payload_bytes = nbytes
    node.n_edges, node.n_saved, node.n_outputs = n_edges, n_saved, n_outputs
    memset(node.payload, 0, n_edges * sizeof(Edge) + n_saved * sizeof(SavedSlot))
    return 0


cdef void set_meta(Node node, int output, Tensor t, int* next_dim) noexcept:
    """Note shape and dtype of an output; sizes go behind each other from *next_dim on."""
    cdef OutMeta* meta = metas_of(node) + output
    cdef int i
    meta.code = t.code
    meta.rank = t.rank
    meta.device = t.device
    meta.first_dim = next_dim[0]
    for i in range(t.rank):
        sizes_of(node)[next_dim[0] + i] = t.dims[i]
    next_dim[0] += t.rank


cdef void set_output(Node node, int output, Tensor t) noexcept:
    """Let ``t`` be the node's output number ``output``."""
    cdef PyObject* old = t.grad_fn
    Py_XINCREF(<PyObject*> node)
    t.grad_fn = <PyObject*> node
    t.output_nr = output
    t.flags |= WG_GRAD
    track(t)
    Py_XDECREF(old)


cdef NodeExtra* node_extra(Node node) except NULL:
    if node.extra == NULL:
        node.extra = <NodeExtra*> PyMem_Malloc(sizeof(NodeExtra))
        if node.extra == NULL:
            raise MemoryError()
        memset(node.extra, 0, sizeof(NodeExtra))
    return node.extra


# ---- freeing nodes

cdef void release_saved(Node node) noexcept:
    """Free the saved tensors, and numbers in their place; a further backward that needs one is an error from here on.
    Other numbers and shapes stay."""
    cdef SavedSlot* saved = saved_slots(node)
    cdef PyObject* value
    cdef int i, n = <int> node.n_saved
    for i in range(n):
        value = saved[i].value
        if value != NULL and (saved[i].kind != SAVED_PLAIN or node.kind == NODE_COPY_SLICES
                              or node.flags & NF_NUMBERS):
            saved[i].value = NULL
            Py_DECREF(value)
    node.flags = node.flags | NF_RELEASED


# A dying node is only looked at through borrowed casts: a reference taken to it would free it twice. That is why these
# two take the pointer: an argument of type Node may be given a temporary reference.

cdef inline Edge* raw_edges(PyObject* o) noexcept:
    return <Edge*> (<Node> o).payload


cdef inline SavedSlot* raw_saved(PyObject* o) noexcept:
    return <SavedSlot*> ((<Node> o).payload + (<Node> o).n_edges * sizeof(Edge))


cdef void free_saved(PyObject* o) noexcept:
    cdef SavedSlot* saved = raw_saved(o)
    cdef int i, n = <int> (<Node> o).n_saved
    cdef PyObject* value
    for i in range(n):
        value = saved[i].value
        if value != NULL:
            saved[i].value = NULL
            Py_DECREF(value)


cdef void free_extra(PyObject* o) noexcept:
    cdef NodeExtra* extra = (<Node> o).extra
    if extra == NULL:
        return
    (<Node> o).extra = NULL
    Py_XDECREF(extra.metadata)
    Py_XDECREF(extra.pre_hooks)
    Py_XDECREF(extra.post_hooks)
    Py_XDECREF(extra.tensor_hooks)
    Py_XDECREF(extra.retained)
    Py_XDECREF(extra.trace)
    Py_XDECREF(extra.stream)
    PyMem_Free(extra)


cdef void forget_accumulate(PyObject* o) noexcept:
    """The leaf knows its AccumulateGrad without owning it: let it forget a dying one."""
    if (<Node> o).payload == NULL or raw_saved(o)[0].value == NULL:
        return
    if (<Tensor> raw_saved(o)[0].value).extra != NULL and (<Tensor> raw_saved(o)[0].value).extra.accumulate == o:
        (<Tensor> raw_saved(o)[0].value).extra.accumulate = NULL


cdef int node_clear(PyObject* o) noexcept:
    """Break cycles: drop everything the node refers to. Used by the collector and when the node is freed."""
    cdef Edge* edges
    cdef PyObject* target
    cdef int i, n = <int> (<Node> o).n_edges
    if (<Node> o).kind == NODE_ACCUMULATE:
        forget_accumulate(o)
    if (<Node> o).payload != NULL:
        free_saved(o)
        (<Node> o).flags = (<Node> o).flags | NF_RELEASED    # not "|=", which takes a reference
        edges = raw_edges(o)
        for i in range(n):
            target = edges[i].node
            if target != NULL:
                edges[i].node = NULL
                Py_DECREF(target)
    free_extra(o)
    if (<Node> o).kind == NODE_CUSTOM:
        wengert_clear(&(<FunctionNode> o).to_save)
        wengert_clear(&(<FunctionNode> o).dirty)
        wengert_clear(&(<FunctionNode> o).non_differentiable)
        wengert_clear(&(<FunctionNode> o).needs_input)
        wengert_clear(&(<FunctionNode> o).for_forward)
        wengert_clear(&(<FunctionNode> o).edge_of_arg)
        wengert_clear(&(<FunctionNode> o).function)
        wengert_clear(wengert_dict_of(o))
    return 0


cdef int node_traverse(PyObject* o, visitproc visit, void* arg) noexcept:
    cdef PyObject* parts[14]
    cdef int i, n = 0, code
    cdef NodeExtra* extra = (<Node> o).extra
    if (<Node> o).payload != NULL:
        for i in range((<Node> o).n_edges):
            if raw_edges(o)[i].node != NULL:
                code = visit(raw_edges(o)[i].node, arg)
                if code:
                    return code
        for i in range((<Node> o).n_saved):
            if raw_saved(o)[i].value != NULL:
                code = visit(raw_saved(o)[i].value, arg)
                if code:
                    return code
    if extra != NULL:
        parts[0], parts[1], parts[2] = extra.metadata, extra.pre_hooks, extra.post_hooks
        parts[3], parts[4], parts[5], parts[6] = extra.tensor_hooks, extra.retained, extra.trace, extra.stream
        n = 7
    if (<Node> o).kind == NODE_CUSTOM:
        parts[n] = (<FunctionNode> o).to_save
        parts[n + 1] = (<FunctionNode> o).dirty
        parts[n + 2] = (<FunctionNode> o).non_differentiable
        parts[n + 3] = (<FunctionNode> o).for_forward
        parts[n + 4] = (<FunctionNode> o).function
        parts[n + 5] = wengert_dict_of(o)[0]
        n += 6
    for i in range(n):
        if parts[i] != NULL:
            code = visit(parts[i], arg)
            if code:
                return code
    return 0


cdef void free_node(PyObject* o) noexcept:
    wengert_weakrefs(o)
    node_clear(o)
    if (<Node> o).payload != NULL:
        keep_payload((<Node> o).payload, (<Node> o).payload_bytes)
        (<Node> o).payload = NULL
    wengert_keep_node(o, NODE_BYTES)


cdef void node_dealloc(PyObject* o) noexcept:
    """Free a node, and then all that died because of it, one after the other. Note [What a node holds]."""
    global FREEING, WAITING
    PyObject_GC_UnTrack(o)
    if (<Node> o).kind == NODE_ACCUMULATE:
        forget_accumulate(o)
    if FREEING:
        (<Node> o).sequence = <uint64_t> WAITING
        WAITING = o
        return
    FREEING = True
    free_node(o)
    while WAITING != NULL:
        o = WAITING
        WAITING = <PyObject*> (<Node> o).sequence
        free_node(o)
    FREEING = False


cdef object make_node_class(str name):
    """A class of nodes for one op, so that type(grad_fn) tells what was recorded. Its ``name()`` is the whole name,
    with a C++ namespace where torch's has one.
    """
    short = name.rpartition("::")[2]
    members = {"__slots__": (), "__module__": "wengert.autograd"}
    if short != name:
        members["name"] = lambda self: name
    cls = type(short, (Node,), members)
    wengert_adopt(<PyTypeObject*> cls, <destructor> node_dealloc)
    return cls


def make_function_node_class(str name, tuple bases, dict members):
    """A class of nodes for one custom Function."""
    members = {"__slots__": (), **members}
    cls = type(name, bases, members)
    wengert_adopt(<PyTypeObject*> cls, <destructor> node_dealloc)
    return cls


cdef Py_ssize_t NODE_BYTES = wengert_basicsize(<PyTypeObject*> Node)
wengert_adopt(<PyTypeObject*> Node, <destructor> node_dealloc)
wengert_adopt_gc(<PyTypeObject*> Node, <traverseproc> node_traverse, <inquiry> node_clear)
wengert_adopt(<PyTypeObject*> FunctionNode, <destructor> node_dealloc)
wengert_adopt_gc(<PyTypeObject*> FunctionNode, <traverseproc> node_traverse, <inquiry> node_clear)
