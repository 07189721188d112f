"""The edges of a node as users see them: ``next_functions``, the results of a call, ``grad_inputs`` of hooks.

Note [Edges of numbers]
    A node has an edge for each input that its formula names, and none of what runs a graph looks further. In torch an
    overload of an op that takes a number has no edge for it: ``(x ** 2).grad_fn.next_functions`` is one pair. The name
    of a node says which overload it is (formula.pyx, Note [Names of nodes]), so the class tells what is hidden. An op
    without such names makes a tensor of a number, and has an edge with None for it: ``x * 2``. A node that only raises
    an error shows the edges which lead somewhere.
"""
from cpython.object cimport PyTypeObject
from cpython.ref cimport PyObject

from wengert_engine.graph.formula cimport Formula
from wengert_engine.graph.node cimport NODE_COPY_SLICES, NODE_ERROR, Edge, edges_of

cdef extern from "Python.h":
    PyTypeObject* Py_TYPE(PyObject* o) noexcept


cdef uint32_t hidden_edges(Node node) noexcept:
    cdef uint32_t hidden = 0
    cdef int i
    if node.kind == NODE_ERROR:
        for i in range(min(<int> node.n_edges, 32)):
            if edges_of(node)[i].node == NULL:
                hidden |= <uint32_t> 1 << i
    elif node.formula != NULL and (<Formula> node.formula).n_named:
        return (<Formula> node.formula).hidden_inputs(<PyObject*> Py_TYPE(<PyObject*> node))
    return hidden


def next_functions(Node node):
    """For each input the node its gradient goes to and which of that node's outputs it is: a tuple of pairs."""
    cdef Edge* edges = edges_of(node)
    cdef uint32_t hidden = hidden_edges(node)
    cdef int i
    return tuple([(<object> edges[i].node if edges[i].node != NULL else None, edges[i].input_nr)
                  for i in range(<int> node.n_edges) if is_shown(hidden, i)])


def values_of_visible(Node node, values):
    """Of one value for each edge those for the edges that users see."""
    cdef uint32_t hidden = hidden_edges(node)
    cdef int i
    return tuple([values[i] for i in range(<int> node.n_edges) if is_shown(hidden, i)])


cdef list shown_gradients(Node node, list grads):
    """None also where what gives all gradients at once has computed one that nobody asked for; in a list of tensors
    that stays.
    """
    cdef uint32_t hidden = hidden_edges(node)
    cdef bint asked = node.kind == NODE_COPY_SLICES or (node.formula != NULL and not (<Formula> node.formula).has_list)
    cdef int i
    return [grads[i] if not asked or edges_of(node)[i].node != NULL else None
            for i in range(<int> node.n_edges) if is_shown(hidden, i)]


cdef list recorded_gradients(Node node, list shown):
    cdef uint32_t hidden = hidden_edges(node)
    cdef int i, n = 0
    grads = []
    for i in range(<int> node.n_edges):
        if is_shown(hidden, i):
            grads.append(shown[n])
            n += 1
        else:
            grads.append(None)
    return grads


cdef int shown_number(Node node, int edge) noexcept:
    """The number that a recorded edge has among those that users see."""
    cdef uint32_t hidden = hidden_edges(node)
    cdef int i, n = 0
    for i in range(edge):
        n += is_shown(hidden, i)
    return n
