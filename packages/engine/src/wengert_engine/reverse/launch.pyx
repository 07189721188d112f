"""Starting a run through a graph, and what is done when it is over.

Note [Backward passes inside of each other]
    A Function whose backward runs a backward, as checkpoints do, may go deep: each pass takes some of the thread's
    stack and of what Python allows of recursion. So each 60th of them (torch's number) runs in a new thread, for which
    the others wait. It goes on with the modes, the hooks for saved tensors and the run of the one that waits.
"""
from cpython.ref cimport Py_XDECREF, PyObject
from libc.stdint cimport int64_t, uint32_t

from wengert_core.dispatch.hooks cimport EVENT_ROOT, Hooks, hooks
from wengert_core.runtime.state cimport WG_CAST, WG_DERIVING, WG_GRAD, WG_LEFT_ON, WG_OBSERVE, WgState, thread_state
from wengert_core.tensors.tensor cimport Tensor
from wengert_engine.anomaly.anomaly cimport ANOMALY_ON, anomaly_flags
from wengert_engine.graph.node cimport Edge, Node, edges_of, hold
from wengert_engine.reverse.graph_task cimport GraphTask
from wengert_engine.reverse.needed cimport find_needed, leads_on

from wengert_engine.reverse.streams import ambient, finish

cdef Hooks* HOOKS = hooks()
cdef object START = object()           # what a profile's event of a start is of

cdef enum:
    DEEP = 60                          # Note [Backward passes inside of each other]

cdef extern from "Python.h":
    PyObject** PySequence_Fast_ITEMS(object o) noexcept       # of a list or a tuple

cdef extern from *:
    """
    static __thread PyObject *wengert_running = NULL;
    """
    # the innermost run of this thread, borrowed: its run_backward holds it; or NULL
    PyObject* RUNNING "wengert_running"


def run_backward(list roots, list grads, bint keep_graph, bint create_graph, list inputs or None, bint accumulate):
    """Run a graph backward.

    roots: list of (node, output_nr); grads: their gradients, checked. inputs: None, or a list of (node, output_nr)
    whose gradients are returned in order (None: not reached). accumulate: with inputs, also add into the leaves' grad.
    """
    if RUNNING != NULL and ((<GraphTask> RUNNING).depth + 1) % DEEP == 0:
        return run_in_thread(roots, grads, keep_graph, create_graph, inputs, accumulate)
    return run_here(roots, grads, keep_graph, create_graph, inputs, accumulate)


cdef list run_here(list roots, list grads, bint keep_graph, bint create_graph, list inputs, bint accumulate):
    """run_backward in this thread."""
    cdef GraphTask run = GraphTask.__new__(GraphTask)
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    cdef Edge edge
    cdef int64_t event = -1
    cdef int i
    if RUNNING != NULL:
        run.depth = (<GraphTask> RUNNING).depth + 1
    run.keep_graph, run.create_graph, run.accumulating = keep_graph, create_graph, accumulate
    run.watched = anomaly_flags() & ANOMALY_ON
    if inputs is not None:
        run.results = [None] * len(inputs)
        find_needed(&run.wanted, roots, inputs)
    state.modes = (modes | WG_GRAD if create_graph else modes & ~(<unsigned int> WG_GRAD)) \
        & ~(<unsigned int> (WG_CAST | WG_DERIVING))
    run.outer = innermost()
    set_innermost(run)
    if modes & WG_OBSERVE and HOOKS.begin_event != NULL:
        event = begin_root(inputs)
    try:
        try:
            for i in range(len(roots)):
                node, edge.input_nr = roots[i]
                edge.node = <PyObject*> node
                run.send(&edge, <Tensor> grads[i], None, i)
        finally:
            if event >= 0:
                HOOKS.end_event(event)
        roots = grads = node = None
        before = ambient() if run.streams is not None else None
        run.execute()
        if before is not None:
            finish(run.streams, before)
        run_callbacks(run)
    finally:
        # a hook may begin or end a profile
        state.modes = modes & ~(<unsigned int> WG_OBSERVE) | state.modes & WG_OBSERVE
        set_innermost(run.outer)
    return run.results


cdef int64_t begin_root(list inputs) except? -1:
    """Tell of the start of a run, with the nodes of its inputs."""
    cdef list nodes = [node for node, _ in inputs or ()]
    cdef Py_ssize_t n = len(nodes)
    return HOOKS.begin_event(EVENT_ROOT, <PyObject*> START, PySequence_Fast_ITEMS(nodes), n)


cdef object run_in_thread(list roots, list grads, bint keep_graph, bint create_graph, list inputs, bint accumulate):
    """run_here in a thread of its own, for which this one waits. Note [Backward passes inside of each other]"""
    from threading import Thread

    cdef WgState* state = thread_state()
    modes, transform, anomaly = state.modes & ~(<unsigned int> WG_LEFT_ON), state.transform, state.anomaly
    saved_hooks = <object> state.saved_hooks if state.saved_hooks != NULL else None
    outer = innermost()
    found = []

    def work():
        cdef WgState* own = thread_state()
        cdef PyObject* left
        own.modes, own.transform, own.anomaly = modes, transform, anomaly
        if saved_hooks is not None:
            hold(&own.saved_hooks, saved_hooks)
        set_innermost(outer)
        try:
            found.append(run_here(roots, grads, keep_graph, create_graph, inputs, accumulate))
        except BaseException as error:
            found.append(error)
        finally:
            set_innermost(None)
            left, own.saved_hooks = own.saved_hooks, NULL
            Py_XDECREF(left)

    thread = Thread(target=work, name="wengert-backward")
    thread.start()
    thread.join()
    result = found.pop()
    if isinstance(result, BaseException):
        raise result
    return result


def is_running(number):
    """Whether the backward with a number, as run_number gives it, runs in this thread."""
    cdef GraphTask run = innermost()
    while run is not None:
        if run.id == number:
            return True
        run = run.outer
    return False


def queue_callback(callback):
    """Call ``callback()`` when the innermost running backward has finished. RuntimeError when none is running."""
    cdef GraphTask run = innermost()
    if run is None:
        raise RuntimeError("Final callbacks can only be installed during backward pass.")
    if run.callbacks is None:
        run.callbacks = []
    run.callbacks.append(callback)


def run_number():
    """A number for the innermost backward that runs in this thread; 0 when none is running.

    >>> from wengert_engine.reverse.launch import run_number
    >>> run_number()
    0
    """
    cdef GraphTask run = innermost()
    return 0 if run is None else run.id


def wants_inputs():
    """Whether one of the backward passes that run in this thread was asked for the gradients of certain inputs only.

    >>> from wengert_engine.reverse.launch import wants_inputs
    >>> wants_inputs()
    False
    """
    cdef GraphTask run = innermost()
    while run is not None:
        if run.results is not None:
            return True
        run = run.outer
    return False


cdef GraphTask innermost():
    """The innermost run of this thread, or None."""
    return <GraphTask> RUNNING if RUNNING != NULL else None


cdef void set_innermost(GraphTask run) noexcept:
    global RUNNING
    RUNNING = <PyObject*> run if run is not None else NULL


cdef GraphTask current_run():
    cdef GraphTask run = innermost()
    if run is None:
        raise RuntimeError("no backward is running in this thread")
    return run


def run_notes():
    """A dict for what hooks keep for the time of the innermost running backward. RuntimeError when none is running."""
    cdef GraphTask run = current_run()
    if run.notes is None:
        run.notes = {}
    return run.notes


def will_run(nodes, Node current):
    """Map each node to whether the innermost running backward reaches it. current: the node whose hooks are running."""
    cdef GraphTask run = current_run()
    if run.reachable is None:
        run.reachable = reachable_nodes(run, current)
    return [<Py_ssize_t> <PyObject*> node in run.reachable for node in nodes]


cdef set reachable_nodes(GraphTask run, Node current):
    """Ids of the nodes that a run still comes to: those which wait, the current one, and what they lead to."""
    cdef Node node
    cdef Edge* edges
    cdef uint32_t k
    cdef int i
    stack = [current]
    for k in range(run.n_slots):
        if run.slots[k].node != NULL:
            stack.append(<object> run.slots[k].node)
    found = {<Py_ssize_t> <PyObject*> node for node in stack}
    while stack:
        node = <Node> stack.pop()
        edges = edges_of(node)
        for i in range(node.n_edges):
            key = <Py_ssize_t> edges[i].node
            if key and key not in found and leads_on(&run.wanted, edges[i].node):
                found.add(key)
                stack.append(<object> edges[i].node)
    return found


cdef int run_callbacks(GraphTask run) except -1:
    cdef int i = 0
    while run.callbacks is not None and i < len(run.callbacks):
        run.callbacks[i]()
        i += 1
    return 0
