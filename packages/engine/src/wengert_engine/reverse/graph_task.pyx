"""Running a graph backward: nodes from the youngest to the oldest, each when all its gradients are there."""
cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.ref cimport Py_INCREF, Py_XDECREF, Py_XINCREF
from libc.stdint cimport int64_t
from libc.string cimport memset

from wengert_core.dispatch.hooks cimport EVENT_NODE, Hooks, hooks
from wengert_core.dispatch.op cimport Op, find_op
from wengert_core.runtime.state cimport WG_BATCHED, WG_OBSERVE, WG_STRONG, WgState, thread_state
from wengert_core.tensors.tensor cimport home_device, is_strided
from wengert_engine.anomaly.anomaly cimport check_gradients, enter_node, leave_node
from wengert_engine.graph.node cimport (NF_PACKED, NF_RELEASED, NODE_ACCUMULATE, NODE_CUSTOM, NODE_FORMULA,
                                        FunctionNode, edges_of, release_saved)
from wengert_engine.graph.validate_grad cimport fit_grad, has_one_owner, write
from wengert_engine.messages import errors
from wengert_engine.reverse.accumulate_grad cimport accumulate, is_dense
from wengert_engine.reverse.call_hooks cimport (leaf_has_hooks, run_leaf_hooks, run_output_hooks, run_post_hooks,
                                                run_pre_hooks)
from wengert_engine.reverse.needed cimport first_needed, free_needed, leads_on
from wengert_engine.reverse.ready_queue cimport move_up, pop, push
from wengert_engine.reverse.streams cimport enter, hand_over, leave, stream_of
from wengert_engine.reverse.vjp cimport all_at_once, input_gradient, input_gradients

cdef extern from "Python.h":
    void Py_DECREF(PyObject* o) noexcept
    int PyErr_CheckSignals() except -1
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept

cdef Hooks* HOOKS = hooks()
cdef uint32_t RUNS = 0
cdef Op ADD = None                     # these are looked up when first needed: the import of wengert loads no ops
cdef Op ADD_ = None


cdef int look_up() except -1:
    global ADD, ADD_
    ADD_, ADD = find_op("add_"), find_op("add")
    return 0


@cython.binding(False)
cdef class GraphTask:
    """One backward pass: its heap of ready nodes and the gradients that wait for them."""

    def __cinit__(self):
        global RUNS
        RUNS += 1
        if RUNS == 0:
            RUNS = 1
        self.id = RUNS

    def __dealloc__(self):
        cdef uint32_t i
        for i in range(self.n_slots):
            self.drop(i)
        PyMem_Free(self.slots)
        PyMem_Free(self.heap)
        PyMem_Free(self.free_slots)
        free_needed(&self.wanted)

    # ---- slots

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

    cdef int claim(self, Node node) except -1:
        """The slot of a node, made when this is its first gradient. Note [Several runs at once]."""
        cdef uint32_t slot
        cdef Waiting* w
        if node.run_id == self.id:
            return node.run_slot
        if self.elsewhere is not None:  # also when nobody has the node any more: it is still in our table
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
        w.arrived = 0
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
        push(self.heap, &self.n_heap, node.sequence, slot)
        return slot

    cdef int leave_slot(self, Node node, uint32_t slot) except -1:
        """A node leaves its slot: it is run now."""
        self.slots[slot].node = NULL
        if node.run_id == self.id:
            node.run_id = 0
        elif self.elsewhere is not None:
            self.elsewhere.pop(<Py_ssize_t> <PyObject*> node, None)
        self.free_slots[self.n_free] = slot
        self.n_free += 1
        return 0

    # ---- gradients on their way

    cdef PyObject** grad_slot(self, Node node, uint32_t output) except NULL:
        """Where the gradient of a node's output waits. Valid until Python code may run: that may move the slots."""
        cdef Waiting* w = &self.slots[self.claim(node)]
        return &w.grad if w.grads == NULL else &w.grads[output]

    cdef int deliver(self, Edge* edge, Tensor grad, Node source, int index) except -1:
        """Add a gradient to what waits for an edge's node, which may be a leaf's last one."""
        self.send(edge, grad, source, index)
        if (<Node> edge.node).kind == NODE_ACCUMULATE:
            self.arrive(edge.node)
        return 0

    cdef int send(self, Edge* edge, Tensor grad, Node source, int index) except -1:
        """Add a gradient to what waits for an edge's node."""
        cdef Node node = <Node> edge.node
        if not leads_on(&self.wanted, edge.node):
            return 0
        cdef Tensor good = fit_grad(node, edge.input_nr, grad, source, index)
        if good.device and home_device(good.device):
            return self.deliver_on_stream(node, edge.input_nr, good)
        return self.add_to_waiting(node, edge.input_nr, good)

    cdef inline int add_to_waiting(self, Node node, uint32_t output, Tensor good) except -1:
        cdef PyObject** grad_slot = self.grad_slot(node, output)
        cdef PyObject* old = grad_slot[0]
        if old == NULL:
            Py_INCREF(good)
            grad_slot[0] = <PyObject*> good
            return 0
        if ADD is None:
            look_up()
        if not self.create_graph and has_one_owner(<Tensor> old) and is_dense(<Tensor> old) \
                and not good.flags & WG_BATCHED:       # old may be the same for all
            return write(ADD_, <Tensor> old, good)
        total = ADD.call2(ADD, old, <PyObject*> good) if is_strided(<Tensor> old) or not is_strided(good) \
            else ADD.call2(ADD, <PyObject*> good, old)     # of a sparse and a strided tensor
        Py_INCREF(total)
        grad_slot = self.grad_slot(node, output)
        grad_slot[0] = <PyObject*> total
        Py_XDECREF(old)
        return 0

    cdef int deliver_on_stream(self, Node node, uint32_t output, Tensor good) except -1:
        """On another device: work for a node is done on its stream. streams.pyx, Note [Streams of nodes]."""
        if self.streams is None:
            self.streams = set()
        before = hand_over(good, node, self.streams)
        try:
            return self.add_to_waiting(node, output, good)
        finally:
            leave(before)

    cdef int reach(self, Edge* edge) except -1:
        """Let an edge's node run though no gradient comes from here: a Function may make some, a hook wants to know."""
        if leads_on(&self.wanted, edge.node):
            self.claim(<Node> edge.node)
            if (<Node> edge.node).kind == NODE_ACCUMULATE:
                self.arrive(edge.node)
        return 0

    cdef int arrive(self, PyObject* leaf) except -1:
        """Let a leaf run next when what has arrived came from all edges that lead to it. Note [Leaves run early]"""
        cdef Py_ssize_t held = 1       # references that are no edges: the slot's, and those of inputs
        cdef int32_t i
        cdef Waiting* w
        if (<Node> leaf).run_id != self.id:
            return 0
        w = &self.slots[(<Node> leaf).run_slot]
        w.arrived += 1
        i = first_needed(&self.wanted, leaf)
        while i >= 0:
            held += 1
            i = self.wanted.inputs[i].next
        if w.arrived == Py_REFCNT(leaf) - held:
            move_up(self.heap, self.n_heap, (<Node> leaf).run_slot)
        return 0

    # ---- running

    cdef int execute(self) except -1:
        """Run what waits, and what that leads to, until nothing waits."""
        cdef WgState* state = thread_state()
        cdef int64_t event = -1        # the observed node's
        cdef uint32_t slot, steps = 0
        cdef int32_t first
        cdef Waiting w
        cdef Node node = None
        cdef Tensor grad = None
        try:
            while self.n_heap:
                steps += 1
                if steps & 15 == 0:    # Ctrl-C: nodes of our own formulas run no Python code that would look
                    PyErr_CheckSignals()
                slot = pop(self.heap, &self.n_heap)
                w = self.slots[slot]
                node = <Node> w.node
                Py_DECREF(w.node)          # ``node`` holds it now
                self.leave_slot(node, slot)
                if event >= 0 or state.modes & WG_OBSERVE:
                    event = next_event(event, &w)
                if w.grads != NULL:
                    grad = None
                    self.step_chosen(node, parts_of(node, w.grads))
                    continue
                if w.grad == NULL:
                    self.step_without(node)
                    continue
                grad = <Tensor> w.grad
                Py_DECREF(w.grad)          # ``grad`` holds it now
                first = first_needed(&self.wanted, <PyObject*> node)
                if first >= 0 and node.kind == NODE_ACCUMULATE and not self.accumulating \
                        and not self.watched and node.extra == NULL and not leaf_has_hooks(node):
                    self.give(first, [grad])
                elif node.extra != NULL or self.watched or node.kind > NODE_ACCUMULATE or first >= 0 \
                        or leaf_has_hooks(node):
                    parts = [grad]
                    grad = None
                    self.step_chosen(node, parts)
                elif node.kind == NODE_ACCUMULATE:
                    accumulate(node, grad, self.create_graph)
                elif all_at_once(<Formula> node.formula) or node.flags & NF_PACKED or state.modes & WG_STRONG:
                    self.step_general(node, [grad])
                else:
                    self.step(node, <Formula> node.formula, grad)
            if event >= 0:
                HOOKS.end_event(event)
        except BaseException as error:
            if event >= 0:
                HOOKS.end_event(event)
            if node is not None:
                errors.name_node(error, type(node).__name__)
            raise
        return 0

    cdef int step(self, Node node, Formula f, Tensor grad) except -1:
        """A formula node with one output and no hooks: the common case."""
        cdef Edge* edge = edges_of(node)
        cdef int i, last = -1
        for i in range(f.n_inputs):
            if edge[i].node != NULL:
                last = i
        for i in range(last + 1):
            if edge[i].node == NULL or not leads_on(&self.wanted, edge[i].node):
                continue
            g = input_gradient(node, f, i, grad, i == last, self.create_graph)
            if g is not None:
                self.deliver(&edge[i], checked_tensor(g, node, i), node, i)
            else:
                self.reach(&edge[i])
        if not self.keep_graph and node.n_saved:
            release_saved(node)
        return 0

    cdef int step_without(self, Node node) except -1:
        """A node with one output whose gradients were all None."""
        return self.step_chosen(node, [None])

    cdef int step_chosen(self, Node node, list parts) except -1:
        """Any node that does not take the short way; on its stream, if it has one. Modes and hooks for saved tensors
        that its hooks or its backward leave on are switched off after it."""
        cdef WgState* state = thread_state()
        cdef unsigned int modes = state.modes
        cdef PyObject* saved_hooks = state.saved_hooks
        before = enter(stream_of(node))
        Py_XINCREF(saved_hooks)
        try:
            if self.watched:
                return self.step_watched(node, parts)
            return self.step_general(node, parts)
        finally:
            if state.modes != modes:
                # a hook may begin or end a profile
                state.modes = modes & ~(<unsigned int> WG_OBSERVE) | state.modes & WG_OBSERVE
            if state.saved_hooks != saved_hooks:
                saved_hooks, state.saved_hooks = state.saved_hooks, saved_hooks
            Py_XDECREF(saved_hooks)
            leave(before)

    cdef int step_general(self, Node node, list parts) except -1:
        """A node with hooks, captures, several outputs, sequences of inputs, or a user's Function.

        parts: the gradients of its outputs, None where there is none.
        """
        cdef Edge* edge = edges_of(node)
        cdef int i
        if node.kind == NODE_ACCUMULATE:
            parts = run_leaf_hooks(node, parts)
        if node.extra != NULL:
            parts = run_output_hooks(node, parts)
        if self.wanted.entries != NULL and self.capture(node, parts):
            return 0
        if node.extra != NULL and node.extra.pre_hooks != NULL:
            parts = run_pre_hooks(node, parts)
        if node.kind == NODE_ACCUMULATE:
            grad = <Tensor> parts[0]
            if node.extra == NULL or node.extra.post_hooks == NULL:
                parts[0] = None        # so that the leaf can take the gradient itself
                parts = None
            accumulate(node, grad, self.create_graph)
            if parts is not None:
                run_post_hooks(node, [], parts)
            return 0
        if all_none(parts) and node.kind != NODE_CUSTOM:
            grads = [None] * node.n_edges
        else:
            grads = input_gradients(node, parts, self.create_graph)
        if node.extra != NULL and node.extra.post_hooks != NULL:
            if self.wanted.entries != NULL and node.kind != NODE_CUSTOM:
                self.leave_out(node, grads)
            grads = run_post_hooks(node, fit_to_edges(node, grads), parts)
        if self.watched:
            check_gradients(node, grads, parts)
        for i in range(node.n_edges):
            if edge[i].node == NULL:
                continue
            if grads[i] is not None:
                self.deliver(&edge[i], checked_tensor(grads[i], node, i), node, i)
            elif node.kind != NODE_CUSTOM or not (<object> (<FunctionNode> node).function)._skips_none:
                self.reach(&edge[i])
        if not self.keep_graph and (node.n_saved or node.kind == NODE_CUSTOM):
            release_saved(node)
        return 0

    cdef int step_watched(self, Node node, list parts) except -1:
        """In anomaly mode: when it fails, a warning shows the lines that recorded the node."""
        before = enter_node(node)
        try:
            self.step_general(node, parts)
        except Exception:
            from wengert_engine.anomaly.anomaly_mode import report_failure     # here: most programs never need it
            try:
                report_failure(node)
            except Warning:            # where warnings are errors: what has failed is the error
                pass
            raise
        finally:
            leave_node(before)
        return 0

    cdef bint capture(self, Node node, list parts) except -1:
        """Keep the gradients that the caller asked for; True when nothing behind this node is asked for."""
        cdef int32_t first = first_needed(&self.wanted, <PyObject*> node)
        cdef int i
        if first >= 0:
            self.give(first, parts)
            if node.kind == NODE_ACCUMULATE:
                return not self.accumulating
        for i in range(node.n_edges):
            if edges_of(node)[i].node != NULL and leads_on(&self.wanted, edges_of(node)[i].node):
                return False
        if first >= 0 and self.accumulating:
            return self.ends_here(node)
        return node.kind != NODE_ACCUMULATE

    cdef bint ends_here(self, Node node) noexcept:
        """Return whether a node whose output's grad is set need not be run: it is, as one whose grad is retained, where
        somebody sees it.
        """
        if node.kind != NODE_FORMULA or node.flags & NF_RELEASED \
                or node.extra != NULL and (node.extra.pre_hooks != NULL or node.extra.post_hooks != NULL):
            return False
        if not self.keep_graph and node.n_saved:
            release_saved(node)
        return True

    cdef int leave_out(self, Node node, list grads) except -1:
        """Gradients that nobody has asked for are None for hooks."""
        cdef int i
        for i in range(node.n_edges):
            if edges_of(node)[i].node == NULL or not leads_on(&self.wanted, edges_of(node)[i].node):
                grads[i] = None
        return 0

    cdef int give(self, int32_t position, list parts) except -1:
        """Capture the gradients of a node's outputs as those of inputs that are these outputs. position: the first."""
        while position >= 0:
            self.results[position] = parts[self.wanted.inputs[position].output_nr]
            position = self.wanted.inputs[position].next
        return 0


cdef int64_t next_event(int64_t event, Waiting* w) noexcept:
    """The event of the node which is run now; that of the node before it ends."""
    cdef Node node = <Node> w.node
    if event >= 0:
        HOOKS.end_event(event)
    if not thread_state().modes & WG_OBSERVE or HOOKS.begin_event == NULL:
        return -1
    return HOOKS.begin_event(EVENT_NODE, w.node, &w.grad if w.grads == NULL else w.grads,
                             1 if w.grads == NULL else node.n_outputs)


cdef list parts_of(Node node, PyObject** grads):
    """The waiting gradients of a node with several outputs as a list; frees the block."""
    cdef int i
    parts = []
    for i in range(node.n_outputs):
        parts.append(<object> grads[i] if grads[i] != NULL else None)
        Py_XDECREF(grads[i])
    PyMem_Free(grads)
    return parts


cdef list fit_to_edges(Node node, list grads):
    """The gradients of a node's inputs as their targets will get them: summed over what was broadcast."""
    cdef Edge* edge = edges_of(node)
    cdef int i, n = <int> node.n_edges
    return [fit_grad(<Node> edge[i].node, edge[i].input_nr, checked_tensor(grads[i], node, i), node, i)
            if edge[i].node != NULL and grads[i] is not None else grads[i] for i in range(n)]


cdef bint all_none(list parts) noexcept:
    for part in parts:
        if part is not None:
            return False
    return True


cdef inline Tensor checked_tensor(object g, Node node, int index):
    if not isinstance(g, Tensor):
        raise errors.not_a_tensor(type(node).__name__, index, g)
    return <Tensor> g
