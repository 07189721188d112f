"""Streams in a backward: a node runs on the stream that its operation ran on, and gradients wait for each other.

Note [Streams of nodes]
    Core's runner for devices tells this module of each recorded operation of a device that has streams (``note``). The
    stream is kept with the node; an AccumulateGrad gets that of the first operation which used its leaf. In a backward,
    work on a gradient for a node is done on that node's stream, which first waits for the stream that made the
    gradient. When the run is over the streams that were current when it was called wait for all of them: what comes
    behind ``backward()`` sees finished leaves. A stream is an object of a device's plugin: it has wait_stream(other)
    and can be compared; see core's devices/plugin.py.
"""
from _thread import _local

from cpython.ref cimport Py_INCREF, PyObject

from wengert_core.tensors.tensor cimport Tensor, home_device
from wengert_engine.graph.node cimport NODE_ACCUMULATE, Edge, Node, edges_of, node_extra

from wengert_core.devices import device as _device


class Leaves(_local):
    """The stream of all leaves in this thread's backwards; None: that of the first operation which used each."""

    stream = None


cdef object LEAVES = Leaves()
cdef object _foreign = None            # core's module of devices' operations, once a device has been asked for


cdef int set_stream(Node node, object stream) except -1:
    Py_INCREF(stream)
    node_extra(node).stream = <PyObject*> stream
    return 0


def note(Tensor tensor, stream):
    """Let the node of a recorded tensor run on a stream."""
    cdef Node node
    cdef Edge* edges
    cdef int i
    if tensor.grad_fn == NULL:
        return
    node = <Node> tensor.grad_fn
    if node.extra == NULL or node.extra.stream == NULL:
        set_stream(node, stream)
    edges = edges_of(node)
    for i in range(<int> node.n_edges):
        if edges[i].node == NULL or (<Node> edges[i].node).kind != NODE_ACCUMULATE:
            continue
        leaf = <Node> edges[i].node
        if leaf.extra == NULL or leaf.extra.stream == NULL:
            set_stream(leaf, stream)


cdef object stream_of(Node node):
    """The stream that a node runs on; None: whichever is current."""
    if node.extra == NULL or node.extra.stream == NULL:
        return None
    if node.kind == NODE_ACCUMULATE:
        found = LEAVES.stream
        if found is not None:
            return found
    return <object> node.extra.stream


cdef object enter(object stream):
    """Make a stream the current one of its device; what was. None: nothing to do."""
    return None if stream is None else _foreign.use_stream(stream)


cdef int leave(object before) except -1:
    if before is not None:
        _foreign.use_stream(before)
    return 0


cdef object hand_over(Tensor grad, Node node, object used):
    """Let a node's stream wait for the current one, where the gradient was made; then make it current. used: streams of
    the run.

    Gives what ``leave`` takes.
    """
    current = _foreign.current_stream(home_device(grad.device))
    stream = stream_of(node)
    if current is None:
        return None
    (<set> used).add(current)
    if stream is None or stream == current:
        return None
    if stream.device != current.device:    # of a copy between devices: the gradient is moved on its own device's stream
        return None
    stream.wait_stream(current)
    _foreign.record_stream(grad, stream)
    (<set> used).add(stream)
    return _foreign.use_stream(stream)


def set_leaf_stream(stream):
    """Let this thread's backwards add up the gradients of leaves on a stream; return what held before.

    None: on that of the first operation which used each leaf, which a backward that is captured must not wait for.

    >>> set_leaf_stream(None) is None
    True
    """
    before = LEAVES.stream
    LEAVES.stream = stream
    return before


def ambient():
    """The current streams of all devices that are in use."""
    return _foreign.current_streams()


def finish(used, before):
    """Let the streams that were current when a backward was called wait for those that it used."""
    for stream in used:
        for own in before:
            if own != stream and own.device == stream.device:
                own.wait_stream(stream)


def connect(foreign):
    """Called with core's module ``intercept`` when the first device is loaded."""
    global _foreign
    _foreign = foreign
    foreign.set_note(note)


_device.when_loaded(connect)
