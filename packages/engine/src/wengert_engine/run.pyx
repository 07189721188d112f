"""Running a graph backward: nodes from the youngest to the oldest, each when all its gradients are there.

Note [Who owns a gradient]
    A gradient that waits for a node is owned by the run's slot. Where it is the only reference to its tensor and the tensor the only
    one to its storage, nobody can see it: the engine then accumulates into it, scales it in place, or gives it to a leaf as its grad
    (``stealable``). All other gradients are left as they are.
Note [Several runs at once]
    A run keeps its waiting gradients itself; a node only remembers in which run and slot they are (run_id, run_slot). A second run
    that meets a node which a first one has claimed (another thread, a backward inside a hook) looks it up in a dict of its own.
"""
from _thread import RLock, _local

from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.ref cimport Py_INCREF, Py_XDECREF, Py_XINCREF, PyObject
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from wengert_core.arrays cimport converted, copy_into, fill_number
from wengert_core.dtypes cimport BOOL, CAT_COMPLEX, DTypeFacts, dtype_facts, dtype_of
from wengert_core.op cimport Op, find_op
from wengert_core.state cimport WG_GRAD, WgState, thread_state
from wengert_core.tensor cimport (TF_CONTIGUOUS, Tensor, alias, extra_of, new_empty, same_shape, set_contiguity,
                                  shape_tuple, strides_of, version_of)
from wengert_engine import errors
from wengert_engine.formula cimport (ARG_GRAD, ARG_GRADS, ARG_NEEDS, ARG_OWN_SHAPE, RULE_CALL, RULE_JOINT, RULE_NEGATE, RULE_PASS, RULE_SCALE,
                                     RULE_SLOPE_CALL, RULE_SLOPE_SAVED, RULE_ZERO, SAVE_VALUE, Formula, InputRule)
from wengert_engine.node cimport (NF_RELEASED, NODE_ACCUMULATE, NODE_COPY_SLICES, NODE_CUSTOM, NODE_ERROR,
                                  NODE_FORMULA, SAVED_OUTPUT, SAVED_TENSOR, Edge, Node, NodeExtra, OutMeta, Saved,
                                  edges_of, metas_of, release_saved, saved_of, set_output, sizes_of)

cdef extern from "Python.h":
    object PyObject_Vectorcall(object f, PyObject** args, size_t n, PyObject* names)
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept
    void Py_DECREF(PyObject* o) noexcept

cdef enum:
    INPLACE_FROM = 4096                # elements from which writing into a gradient beats making a new one

cdef DTypeFacts* FACTS = dtype_facts()
cdef uint32_t RUNS = 0
cdef object LEAF_LOCK = RLock()         # two runs add into one leaf's grad; a kernel may let another thread run
cdef Op MUL = None
cdef Op MUL_ = None
cdef Op ADD = None
cdef Op ADD_ = None
cdef Op NEG = None
cdef Op CONJ = None
cdef Op WHERE = None
cdef object RUN_CUSTOM = None
cdef object FIT = None
cdef object CLONE = None
cdef object EMPTY_STRIDED = None


def set_parts(run_custom, fit, clone, empty_strided):
    """Tell what the run calls outside of its common case.

    run_custom(node, grads): a custom Function's gradients; fit(grad, shape, dtype, node name, index): a gradient of another shape
    or dtype made to fit; clone(tensor), empty_strided(size, stride, dtype=): ops that record.
    """
    global RUN_CUSTOM, FIT, CLONE, EMPTY_STRIDED
    RUN_CUSTOM, FIT, CLONE, EMPTY_STRIDED = run_custom, fit, clone, empty_strided


cdef int fetch_ops() except -1:
    global MUL, MUL_, ADD, ADD_, NEG, CONJ, WHERE
    MUL, MUL_, ADD, ADD_ = find_op("mul"), find_op("mul_"), find_op("add"), find_op("add_")
    NEG, CONJ, WHERE = find_op("neg"), find_op("conj"), find_op("where")
    return 0


cdef struct Waiting:                   # a node with the gradients that have arrived for it
    PyObject* node                     # owned; NULL: the slot is free
    PyObject* grad                     # owned; of the node's only output
    PyObject** grads                   # of all outputs when there are several (own block)

cdef struct Ready:
    uint64_t sequence
    uint32_t slot


cdef class Run:
    """One backward pass: its heap of ready nodes and the gradients that wait for them."""
    cdef uint32_t id
    cdef uint32_t n_slots, room
    cdef uint32_t n_free, n_heap
    cdef Waiting* slots
    cdef uint32_t* free_slots
    cdef Ready* heap
    cdef dict elsewhere                # id of a node that another run has claimed -> slot
    cdef dict captures                 # id of node -> list of (output_nr, position, tensor or None); None: no inputs given
    cdef set needed                    # ids of nodes that lead to an input; None: all run
    cdef list results
    cdef bint keep_graph, create_graph
    cdef bint accumulating             # with inputs: leaves take their gradients
    cdef list callbacks

    def __cinit__(self):
        global RUNS
        RUNS += 1
        if RUNS == 0:
            RUNS = 1
        self.id = RUNS
        self.slots = NULL
        self.heap = NULL
        self.free_slots = NULL

    def __dealloc__(self):
        cdef uint32_t i
        for i in range(self.n_slots):
            self.drop(i)
        PyMem_Free(self.slots)
        PyMem_Free(self.heap)
        PyMem_Free(self.free_slots)

    cdef void drop(self, uint32_t i) noexcept:
        """Forget what waits in a slot (an aborted run)."""
        cdef Waiting* w = &self.slots[i]
        cdef PyObject* node = w.node
        cdef int k
        if node == NULL:
            return
        if (<Node> node).run_id == self.id:
            (<Node> node).run_id = 0
        w.node = NULL
        Py_XDECREF(w.grad)
        if w.grads != NULL:
            for k in range((<Node> node).n_outputs):
                Py_XDECREF(w.grads[k])
            PyMem_Free(w.grads)
        Py_DECREF(node)

    cdef int grow(self) except -1:
        cdef uint32_t room = 64 if self.room == 0 else 2 * self.room
        cdef void* slots = PyMem_Realloc(self.slots, room * sizeof(Waiting))
        if slots != NULL:
            self.slots = <Waiting*> slots
        cdef void* heap = PyMem_Realloc(self.heap, room * sizeof(Ready))
        if heap != NULL:
            self.heap = <Ready*> heap
        cdef void* free_slots = PyMem_Realloc(self.free_slots, room * sizeof(uint32_t))
        if free_slots != NULL:
            self.free_slots = <uint32_t*> free_slots
        if slots == NULL or heap == NULL or free_slots == NULL:
            raise MemoryError()
        self.room = room
        return 0

    # ---- the heap: largest sequence number first

    cdef void push(self, uint64_t sequence, uint32_t slot) noexcept:
        cdef uint32_t i = self.n_heap, parent
        self.n_heap += 1
        while i > 0:
            parent = (i - 1) >> 1
            if self.heap[parent].sequence >= sequence:
                break
            self.heap[i] = self.heap[parent]
            i = parent
        self.heap[i].sequence = sequence
        self.heap[i].slot = slot

    cdef uint32_t pop(self) noexcept:
        cdef uint32_t slot = self.heap[0].slot, i = 0, child
        self.n_heap -= 1
        cdef Ready last = self.heap[self.n_heap]
        while True:
            child = 2 * i + 1
            if child >= self.n_heap:
                break
            if child + 1 < self.n_heap and self.heap[child + 1].sequence > self.heap[child].sequence:
                child += 1
            if last.sequence >= self.heap[child].sequence:
                break
            self.heap[i] = self.heap[child]
            i = child
        self.heap[i] = last
        return slot

    # ---- gradients on their way

    cdef int claim(self, Node node) except -1:
        """The slot of a node, made when this is its first gradient."""
        cdef uint32_t slot
        cdef Waiting* w
        if node.run_id == self.id:
            return node.run_slot
        if node.run_id != 0 and self.elsewhere is not None:
            found = self.elsewhere.get(<Py_ssize_t> <PyObject*> node)
            if found is not None:
                return found
        if self.n_free:
            self.n_free -= 1
            slot = self.free_slots[self.n_free]
        else:
            if self.n_slots == self.room:
                self.grow()
            slot = self.n_slots
            self.n_slots += 1
        w = &self.slots[slot]
        Py_INCREF(node)
        w.node = <PyObject*> node
        w.grad = NULL
        w.grads = NULL
        if node.n_outputs > 1:
            w.grads = <PyObject**> PyMem_Malloc(node.n_outputs * sizeof(PyObject*))
            if w.grads == NULL:
                raise MemoryError()
            memset(w.grads, 0, node.n_outputs * sizeof(PyObject*))
        if node.run_id == 0:
            node.run_id = self.id
            node.run_slot = slot
        else:
            if self.elsewhere is None:
                self.elsewhere = {}
            self.elsewhere[<Py_ssize_t> <PyObject*> node] = slot
        self.push(node.sequence, slot)
        return slot

    cdef int deliver(self, Edge* edge, Tensor grad, Node source, int index) except -1:
        """Add a gradient to what waits for an edge's node."""
        cdef Node node = <Node> edge.node
        if self.needed is not None and <Py_ssize_t> edge.node not in self.needed:
            return 0
        cdef Tensor good = fitted(node, edge.input_nr, grad, source, index)
        cdef Waiting* w = &self.slots[self.claim(node)]
        cdef PyObject** place = &w.grad if w.grads == NULL else &w.grads[edge.input_nr]
        cdef PyObject* old = place[0]
        if old == NULL:
            Py_INCREF(good)
            place[0] = <PyObject*> good
            return 0
        grad = None
        if not self.create_graph and stealable(<Tensor> old, 1) and same_shape(<Tensor> old, good) \
                and (<Tensor> old).code == good.code:
            inplace2(ADD_, <Tensor> old, good)
            return 0
        total = ADD.call2(ADD, old, <PyObject*> good)
        Py_INCREF(total)
        # the addition may have run Python code that moved the slots
        w = &self.slots[self.claim(node)]
        place = &w.grad if w.grads == NULL else &w.grads[edge.input_nr]
        place[0] = <PyObject*> total
        Py_XDECREF(old)
        return 0

    # ---- running

    cdef int execute(self) except -1:
        cdef uint32_t slot
        cdef Waiting w
        cdef Node node
        cdef Tensor grad = None
        while self.n_heap:
            slot = self.pop()
            w = self.slots[slot]
            node = <Node> w.node
            Py_DECREF(w.node)          # ``node`` holds it now
            self.slots[slot].node = NULL
            if node.run_id == self.id:
                node.run_id = 0
            elif self.elsewhere is not None:
                self.elsewhere.pop(<Py_ssize_t> <PyObject*> node, None)
            self.free_slots[self.n_free] = slot
            self.n_free += 1
            if w.grads != NULL:
                grad = None
                self.step_general(node, parts_of(node, w.grads))
                continue
            grad = <Tensor> w.grad
            Py_DECREF(w.grad)          # ``grad`` holds it now
            if node.extra != NULL or self.captures is not None or node.kind > NODE_ACCUMULATE or has_hooks(node):
                parts = [grad]
                grad = None
                self.step_general(node, parts)
            elif node.kind == NODE_ACCUMULATE:
                self.accumulate(node, grad)
            elif (<Formula> node.formula).has_list or self.joint(node):
                self.step_general(node, [grad])
            else:
                self.step(node, <Formula> node.formula, grad)
        return 0

    cdef bint joint(self, Node node) noexcept:
        cdef Formula f = <Formula> node.formula
        return f.n_inputs > 0 and f.inputs[f.n_inputs - 1].kind == RULE_JOINT

    cdef int step(self, Node node, Formula f, Tensor grad) except -1:
        """A formula node with one output and no hooks: the common case."""
        cdef Edge* edge = edges_of(node)
        cdef int i, last = -1
        for i in range(f.n_inputs):
            if edge[i].node != NULL:
                last = i
        for i in range(last + 1):
            if edge[i].node == NULL or (self.needed is not None and <Py_ssize_t> edge[i].node not in self.needed):
                continue
            g = self.gradient(node, f, i, grad, i == last)
            if g is not None:
                self.deliver(&edge[i], checked_tensor(g, node, i), node, i)
        if not self.keep_graph and node.n_saved:
            release_saved(node)
        return 0

    cdef object gradient(self, Node node, Formula f, int i, Tensor grad, bint last):
        """The gradient of one input by its rule. last: ``grad`` is not needed any more."""
        cdef InputRule* rule = &f.inputs[i]
        if rule.kind == RULE_PASS:
            return grad
        if rule.kind == RULE_SLOPE_SAVED:
            return self.times(grad, saved_value(node, rule.args[0], self.create_graph), last)
        if rule.kind == RULE_SLOPE_CALL:
            return self.times(grad, self.call(node, rule, &edges_of(node)[i], grad, None), last)
        if rule.kind == RULE_CALL:
            return self.call(node, rule, &edges_of(node)[i], grad, None)
        if rule.kind == RULE_NEGATE:
            return NEG.call1(NEG, <PyObject*> grad)
        if rule.kind == RULE_SCALE:
            return MUL.call2(MUL, <PyObject*> grad, rule.fn)
        return zeros_for(&edges_of(node)[i])

    cdef object times(self, Tensor grad, object slope, bint last):
        """grad * conj(slope), in grad's own memory where nobody sees it; where slope holds, for a slope of truth values."""
        cdef Tensor s
        if isinstance(slope, Tensor):
            s = <Tensor> slope
            if FACTS.category[s.code] == CAT_COMPLEX:
                slope = CONJ.call1(CONJ, <PyObject*> slope)
            elif s.code == BOOL:       # chooses: 0 * inf would be NaN
                return WHERE(slope, grad, 0)
            elif last and not self.create_graph and grad.count >= INPLACE_FROM and stealable(grad, 1) \
                    and s.code == grad.code and same_shape(s, grad):
                inplace2(MUL_, grad, s)
                return grad
        elif isinstance(slope, complex):
            slope = slope.conjugate()
        elif isinstance(slope, int) and slope == 1:
            return grad
        return MUL.call2(MUL, <PyObject*> grad, <PyObject*> slope)

    cdef object call(self, Node node, InputRule* rule, Edge* edge, Tensor grad, list parts):
        """Call a formula with what its parameters ask for. edge: of the input."""
        cdef PyObject* args[12]
        cdef int k, n = 0
        try:
            for k in range(rule.n_args):
                if rule.args[k] == ARG_GRAD:
                    value = grad
                elif rule.args[k] == ARG_GRADS:
                    value = materialized(node, parts if parts is not None else [grad])
                elif rule.args[k] == ARG_OWN_SHAPE:
                    value = shape_of_target(edge)
                elif rule.args[k] == ARG_NEEDS:
                    value = tuple([bool(node.needs >> i & 1) for i in range((<Formula> node.formula).n_inputs)])
                else:
                    value = saved_value(node, rule.args[k], self.create_graph)
                Py_INCREF(value)
                args[n] = <PyObject*> value
                n += 1
            value = None
            return PyObject_Vectorcall(<object> rule.fn, args, n, NULL)
        finally:
            for k in range(n):
                Py_DECREF(args[k])

    # ---- the general way: hooks, captures, several outputs, sequences of inputs, custom Functions

    cdef int step_general(self, Node node, list parts) except -1:
        """parts: the gradients of the node's outputs, None where there is none."""
        cdef Edge* edge = edges_of(node)
        cdef int i
        if node.extra != NULL:
            parts = run_pre_hooks(node, parts)
        if node.kind == NODE_ACCUMULATE:
            parts = run_leaf_hooks(node, parts)
        if self.captures is not None and self.capture(node, parts):
            return 0
        if node.kind == NODE_ACCUMULATE:
            if parts[0] is not None:
                grad = <Tensor> parts[0]
                parts = None
                self.accumulate(node, grad)
            return 0
        if all_none(parts) and node.kind != NODE_CUSTOM:
            return 0
        grads = self.apply(node, parts)
        if node.extra != NULL and node.extra.post_hooks != NULL:
            grads = run_post_hooks(node, grads, parts)
        for i in range(node.n_edges):
            if edge[i].node != NULL and grads[i] is not None:
                self.deliver(&edge[i], checked_tensor(grads[i], node, i), node, i)
        if not self.keep_graph and (node.n_saved or node.kind == NODE_CUSTOM):
            release_saved(node)
        return 0

    cdef bint capture(self, Node node, list parts) except -1:
        """Keep the gradients that the caller asked for; True when nothing behind this node is asked for."""
        cdef int i
        wanted = self.captures.get(<Py_ssize_t> <PyObject*> node)
        if wanted is not None:
            for output_nr, position in wanted:
                self.results[position] = parts[output_nr]
            if node.kind == NODE_ACCUMULATE:
                return not self.accumulating
        for i in range(node.n_edges):
            if edges_of(node)[i].node != NULL and <Py_ssize_t> edges_of(node)[i].node in self.needed:
                return False
        return node.kind != NODE_ACCUMULATE

    cdef list apply(self, Node node, list parts):
        """The gradients for a node's edges, in their order."""
        cdef Formula f
        cdef Edge* edge = edges_of(node)
        cdef int i, at = 0
        cdef Py_ssize_t n
        if node.kind == NODE_CUSTOM:
            return list(RUN_CUSTOM(node, parts))
        if node.kind == NODE_COPY_SLICES:
            return self.apply_slices(node, parts[0])
        f = <Formula> node.formula
        if node.kind == NODE_ERROR:
            raise RuntimeError(f.error)
        cdef Tensor grad = materialized(node, parts[:1])[0] if f.inputs[0].kind != RULE_ZERO or f.n_inputs > 1 else None
        grads = []
        joint = None
        for i in range(f.n_inputs):
            if f.inputs[i].kind == RULE_JOINT:
                if joint is None:
                    joint = iter(self.call(node, &f.inputs[i], &edge[len(grads)], grad, parts))
                grads.append(next(joint))
            elif f.inputs[i].is_list:
                n = node.n_edges - (f.n_inputs - 1)
                grads.extend(self.call(node, &f.inputs[i], &edge[len(grads)], grad, parts) if node.needs >> i & 1 else [None] * n)
            elif edge[len(grads)].node == NULL:
                grads.append(None)
            elif f.inputs[i].kind == RULE_CALL:
                grads.append(self.call(node, &f.inputs[i], &edge[len(grads)], grad, parts))
            elif f.inputs[i].kind == RULE_ZERO:
                grads.append(zeros_for(&edge[len(grads)]))
            else:
                grads.append(self.gradient(node, f, i, grad, False))
        return grads

    cdef list apply_slices(self, Node node, object grad):
        """A write to a view, seen from the base: outside the view the gradient passes, inside it goes through the op."""
        if saved_of(node)[0].value == NULL:
            raise errors.freed_graph("CopySlices")
        cdef Node inner = <Node> saved_of(node)[0].value
        base, view = <object> saved_of(node)[1].value
        whole = EMPTY_STRIDED(base[0], base[1], dtype=grad.dtype)
        whole.copy_(grad)
        part = whole.as_strided(view[0], view[1], view[2] - base[2])
        inside = self.apply(inner, [part.clone()])
        own = None
        for i in range(inner.n_edges):
            if type(<object> edges_of(inner)[i].node if edges_of(inner)[i].node != NULL else None).__name__ == "ViewGradient":
                own, inside[i] = inside[i], None
        if own is None:
            part.zero_()
        else:
            part.copy_(own)
        return [whole] + inside

    cdef int accumulate(self, Node node, Tensor grad) except -1:
        """Add into the leaf's grad. The four rules: documentation, "Default gradient layouts"."""
        cdef Tensor leaf = <Tensor> saved_of(node)[0].value
        extra_of(leaf)
        LEAF_LOCK.acquire()
        try:
            self.add_to_leaf(leaf, grad)
        finally:
            LEAF_LOCK.release()
        if leaf.extra.post_hooks != NULL:
            for hook in list((<dict> leaf.extra.post_hooks).values()):
                hook(leaf)
        return 0

    cdef int add_to_leaf(self, Tensor leaf, Tensor grad) except -1:
        cdef PyObject* old = leaf.extra.grad
        if old == NULL:
            if self.create_graph:
                kept = CLONE(grad) if has_leaf_layout(grad, leaf) else recorded_copy(grad, leaf)
            elif stealable(grad, 1) and has_leaf_layout(grad, leaf):
                kept = grad
            else:
                kept = copy_with_layout(grad, leaf)
        elif self.create_graph:
            kept = ADD.call2(ADD, old, <PyObject*> grad)
        else:
            inplace2(ADD_, <Tensor> old, grad)
            return 0
        Py_INCREF(kept)
        leaf.extra.grad = <PyObject*> kept
        Py_XDECREF(old)
        return 0


cdef inline bint has_hooks(Node node) noexcept:
    """Whether a leaf's gradient has hooks to pass."""
    cdef PyObject* leaf
    if node.kind != NODE_ACCUMULATE:
        return False
    leaf = saved_of(node)[0].value
    return (<Tensor> leaf).extra != NULL and (<Tensor> leaf).extra.hooks != NULL


cdef list parts_of(Node node, PyObject** grads):
    """The waiting gradients of a node with several outputs as a list; frees the block."""
    cdef int i
    parts = []
    for i in range(node.n_outputs):
        parts.append(<object> grads[i] if grads[i] != NULL else None)
        Py_XDECREF(grads[i])
    PyMem_Free(grads)
    return parts


cdef bint all_none(list parts) noexcept:
    for part in parts:
        if part is not None:
            return False
    return True


cdef inline Tensor checked_tensor(object g, Node node, int index):
    if not isinstance(g, Tensor):
        raise errors.not_a_tensor(type(node).__name__, index, g)
    return <Tensor> g


cdef tuple materialized(Node node, list parts):
    """Gradients with zeros in place of None."""
    return tuple([part if part is not None else zeros_of(node, i) for i, part in enumerate(parts)])


cdef Tensor zeros_of(Node node, int output):
    cdef OutMeta* meta = metas_of(node) + output
    cdef Tensor t = new_empty(meta.code, meta.rank, sizes_of(node) + meta.first_dim)
    fill_number(t, 0)
    return t


cdef Tensor zeros_for(Edge* edge):
    """Zeros of the shape of an edge's target."""
    return zeros_of(<Node> edge.node, edge.input_nr)


cdef tuple shape_of_target(Edge* edge):
    """The sizes of the tensor that an edge's gradient belongs to."""
    cdef OutMeta* meta = metas_of(<Node> edge.node) + edge.input_nr
    cdef Py_ssize_t* sizes = sizes_of(<Node> edge.node) + meta.first_dim
    cdef int i
    return tuple([sizes[i] for i in range(meta.rank)])


def zeros_for_output(Node node, int output):
    """Zeros of the shape of the node's output number ``output``."""
    return zeros_of(node, output)


# ---- saved values

cdef object saved_value(Node node, int index, bint create_graph):
    """A saved value, checked: it was not freed, and nobody has written to it since."""
    cdef Saved* saved = saved_of(node) + index
    cdef Tensor t, out
    if saved.value == NULL:
        if node.flags & NF_RELEASED:
            raise errors.freed_graph(type(node).__name__)
        return None
    if saved.kind != SAVED_TENSOR and saved.kind != SAVED_OUTPUT:
        return <object> saved.value
    t = <Tensor> saved.value
    if version_of(t) != saved.version:
        raise errors.saved_modified(type(node).__name__, (<Formula> node.formula).saved_names[index]
                                    if node.formula != NULL else "a saved tensor", describe(t), saved.version, version_of(t))
    if saved.kind == SAVED_OUTPUT and create_graph:
        out = alias(t)
        set_output(node, saved.output, out)
        return out
    if create_graph and saved.kind == SAVED_TENSOR and node.kind == NODE_FORMULA and not saved.own_history:
        return as_recorded(node, <Formula> node.formula, index, t)
    return t


cdef Tensor as_recorded(Node node, Formula f, int index, Tensor t):
    """A saved argument with the history it had when it was saved: since then it may have been detached, or come to require grad."""
    cdef Edge* edge = edges_of(node)
    cdef Tensor again
    cdef int i
    if f.saved[index].what != SAVE_VALUE or f.has_list:
        return t
    for i in range(f.n_inputs):
        if f.inputs[i].slot != f.saved[index].slot:
            continue
        if edge[i].node == NULL:
            return alias(t) if t.flags & WG_GRAD else t
        if (<Node> edge[i].node).kind == NODE_ACCUMULATE or (t.grad_fn == edge[i].node and t.output_nr == edge[i].input_nr):
            return t
        again = alias(t)
        set_output(<Node> edge[i].node, edge[i].input_nr, again)
        return again
    return t


cdef str describe(Tensor t):
    return f"{dtype_of(t.code).name}{list(shape_tuple(t))}"


def call_node(Node node, grads):
    """The gradients of a node's inputs for given gradients of its outputs: what calling a node does. The graph is kept."""
    cdef Run run = Run.__new__(Run)
    if MUL is None:
        fetch_ops()
    run.keep_graph = True
    run.create_graph = bool(thread_state().modes & WG_GRAD)
    if len(grads) != node.n_outputs:
        raise TypeError(f"{type(node).__name__} takes {node.n_outputs} gradients but {len(grads)} were given")
    results = run.apply(node, list(grads))
    return results[0] if len(results) == 1 else tuple(results)


cdef object read_saved(Node node, int index):
    """A saved value as a node's attribute shows it."""
    return saved_value(node, index, True)


def read_saved_value(node, index):
    """What ``node._saved_NAME`` gives."""
    return read_saved(node, index)


# ---- gradients that fit

cdef Tensor fitted(Node node, int output, Tensor grad, Node source, int index):
    """A gradient with the shape and dtype of the output it belongs to: summed over what was broadcast, converted."""
    cdef OutMeta* meta = metas_of(node) + output
    cdef Py_ssize_t* sizes = sizes_of(node) + meta.first_dim
    cdef int i
    cdef bint same = meta.rank == grad.rank
    if same:
        for i in range(meta.rank):
            if sizes[i] != grad.dims[i]:
                same = False
                break
    if same and meta.code == grad.code:
        return grad
    shape = tuple([sizes[i] for i in range(meta.rank)])
    name = type(source).__name__ if source is not None else "backward"
    return FIT(grad, shape, dtype_of(meta.code), name, index)


cdef int inplace2(Op op, Tensor target, Tensor other) except -1:
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
        op.run(op, slots)
    finally:
        state.modes = modes
    return 0


# ---- leaves' layouts

cdef bint is_dense(Tensor t) noexcept:
    """Non-overlapping and dense: the strides are those of a contiguous tensor whose dims were permuted."""
    cdef Py_ssize_t step = FACTS.itemsize[t.code]
    cdef int i, d, found
    cdef uint64_t used = 0
    if t.flags & TF_CONTIGUOUS:
        return True
    for i in range(t.rank):
        found = -1
        for d in range(t.rank):
            if not used >> d & 1 and (t.dims[d] == 1 or strides_of(t)[d] == step):
                if found < 0 or t.dims[found] == 1:
                    found = d
                if t.dims[found] == 1:
                    break
        if found < 0:
            return False
        used |= <uint64_t> 1 << found
        step *= t.dims[found]
    return True


cdef bint has_leaf_layout(Tensor grad, Tensor leaf) noexcept:
    """Whether the gradient has the strides that the rules ask for."""
    cdef int i
    if not is_dense(leaf):
        return grad.flags & TF_CONTIGUOUS != 0
    for i in range(grad.rank):
        if grad.dims[i] != 1 and strides_of(grad)[i] != strides_of(leaf)[i]:
            return False
    return True


cdef Tensor copy_with_layout(Tensor grad, Tensor leaf):
    """A copy with the leaf's strides when the leaf is dense, else contiguous."""
    cdef Tensor out = new_empty(grad.code, grad.rank, grad.dims)
    cdef int i
    if is_dense(leaf) and leaf.code == grad.code:
        for i in range(leaf.rank):
            strides_of(out)[i] = strides_of(leaf)[i]
        set_contiguity(out)
    copy_into(out, grad)
    return out


cdef object recorded_copy(Tensor grad, Tensor leaf):
    """copy_with_layout with its history."""
    cdef Tensor layout = copy_with_layout(grad, leaf)
    return EMPTY_STRIDED(shape_tuple(layout), [strides_of(layout)[i] // FACTS.itemsize[layout.code] for i in range(layout.rank)],
                         dtype=dtype_of(layout.code)).copy_(grad)


# ---- hooks

cdef list run_pre_hooks(Node node, list parts):
    """Tensor hooks by output, retained gradients, then node pre-hooks."""
    cdef NodeExtra* extra = node.extra
    if extra.tensor_hooks != NULL:
        for output_nr, hooks in list((<dict> extra.tensor_hooks).items()):
            parts[output_nr] = run_tensor_hooks(hooks, parts[output_nr])
    if extra.retained != NULL:
        for output_nr, reference in (<dict> extra.retained).items():
            retain(reference(), parts[output_nr])
    if extra.pre_hooks != NULL:
        for hook in list((<dict> extra.pre_hooks).values()):
            result = hook(tuple(parts))
            if result is not None:
                parts = list(result) if isinstance(result, tuple) else [result]
    return parts


cdef object run_tensor_hooks(dict hooks, object grad):
    if grad is None:
        return None
    for hook in list(hooks.values()):
        result = hook(grad)
        if result is not None:
            if not isinstance(result, Tensor):
                raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
            if (<Tensor> result).count != (<Tensor> grad).count or not same_shape(<Tensor> result, <Tensor> grad):
                raise RuntimeError(f"hook '{getattr(hook, '__name__', hook)}' has changed the size of value: "
                                   f"{list(shape_tuple(<Tensor> grad))} became {list(shape_tuple(<Tensor> result))}")
            grad = result
    return grad


cdef int retain(object tensor, object grad) except -1:
    """Set the grad of a tensor that retains it."""
    cdef Tensor t
    if tensor is None or grad is None:
        return 0
    t = <Tensor> tensor
    cdef PyObject* old = extra_of(t).grad
    if old != NULL:
        grad = ADD.call2(ADD, old, <PyObject*> grad)
    elif Py_REFCNT(<PyObject*> grad) > 1:
        grad = CLONE(grad)
    Py_INCREF(grad)
    t.extra.grad = <PyObject*> grad
    Py_XDECREF(old)
    return 0


cdef list run_leaf_hooks(Node node, list parts):
    cdef Tensor leaf = <Tensor> saved_of(node)[0].value
    if leaf.extra != NULL and leaf.extra.hooks != NULL:
        parts[0] = run_tensor_hooks(<dict> leaf.extra.hooks, parts[0])
    return parts


cdef list run_post_hooks(Node node, list grads, list parts):
    for hook in list((<dict> node.extra.post_hooks).values()):
        result = hook(tuple(grads), tuple(parts))
        if result is not None:
            result = list(result) if isinstance(result, tuple) else [result]
            if len(result) != len(grads):
                raise RuntimeError(f"hook '{getattr(hook, '__name__', hook)}' has returned an incorrect number of values: "
                                   f"{len(result)} instead of {len(grads)}")
            grads = result
    return grads


# ---- starting a run

def run_backward(roots, grads, bint keep_graph, bint create_graph, inputs, bint accumulate):
    """Run a graph backward.

    roots: list of (node, output_nr); grads: their gradients, checked. inputs: None, or a list of (node, output_nr) whose gradients
    are returned in order (None: not reached). accumulate: with inputs, add into the leaves' grad instead.
    """
    cdef Run run = Run.__new__(Run)
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    cdef Edge edge
    cdef int i
    if MUL is None:
        fetch_ops()
    run.keep_graph, run.create_graph, run.accumulating = keep_graph, create_graph, accumulate
    if inputs is not None:
        prepare_captures(run, roots, inputs)
    state.modes = modes | WG_GRAD if create_graph else modes & ~(<unsigned int> WG_GRAD)
    if not hasattr(RUNNING, "runs"):
        RUNNING.runs = []
    RUNNING.runs.append(run)
    try:
        for i in range(len(roots)):
            node, edge.input_nr = roots[i]
            edge.node = <PyObject*> node
            run.deliver(&edge, <Tensor> grads[i], None, i)
        roots = grads = node = None
        run.execute()
        run_callbacks(run)
    finally:
        state.modes = modes
        RUNNING.runs.pop()
    return run.results


cdef object RUNNING = _local()


def queue_callback(callback):
    """Call ``callback()`` when the innermost running backward has finished. RuntimeError when none is running."""
    runs = getattr(RUNNING, "runs", None)
    if not runs:
        raise RuntimeError("Final callbacks can only be installed during backward pass.")
    cdef Run run = runs[len(runs) - 1]
    if run.callbacks is None:
        run.callbacks = []
    run.callbacks.append(callback)


cdef int run_callbacks(Run run) except -1:
    cdef int i = 0
    while run.callbacks is not None and i < len(run.callbacks):
        run.callbacks[i]()
        i += 1
    return 0


cdef int prepare_captures(Run run, roots, inputs) except -1:
    """Which nodes lead to the inputs: an iterative walk; nodes older than all inputs are not entered."""
    cdef uint64_t oldest = <uint64_t> -1
    cdef Node node
    cdef Edge* edges
    cdef int i
    run.captures = {}
    run.results = [None] * len(inputs)
    for position, (node, output_nr) in enumerate(inputs):
        run.captures.setdefault(<Py_ssize_t> <PyObject*> node, []).append((output_nr, position))
        if node.sequence < oldest:
            oldest = node.sequence
    leads = {}
    stack = [root for root, _ in roots]
    while stack:
        node = <Node> stack[len(stack) - 1]
        key = <Py_ssize_t> <PyObject*> node
        edges = edges_of(node)
        if key not in leads:
            leads[key] = key in run.captures
            for i in range(node.n_edges):
                if edges[i].node != NULL and <Py_ssize_t> edges[i].node not in leads \
                        and (<Node> edges[i].node).sequence >= oldest:
                    stack.append(<object> edges[i].node)
        else:
            stack.pop()
            for i in range(node.n_edges):
                if edges[i].node != NULL and leads.get(<Py_ssize_t> edges[i].node, False):
                    leads[key] = True
    run.needed = {key for key, value in leads.items() if value}
    return 0


cdef inline bint stealable(Tensor t, Py_ssize_t references) noexcept:
    """Note [Who owns a gradient]: nobody else sees this tensor or its memory."""
    return Py_REFCNT(<PyObject*> t) <= references and Py_REFCNT(t.storage) == 1 and t.flags & TF_CONTIGUOUS \
        and not t.flags & WG_GRAD and t.base == NULL and t.extra == NULL
