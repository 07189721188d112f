"""What tools may see of a node: nothing is run, checked or changed, no hook is called. For graph views and reports."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t, uint64_t

from wengert_core.dtypes.dtypes cimport dtype_of
from wengert_engine.graph.formula cimport RULE_ZERO, Formula
from wengert_engine.graph.node cimport (NF_RELEASED, NO_TENSOR, NODE_ACCUMULATE, NODE_COPY_SLICES, NODE_FORMULA,
                                        SAVED_OUTPUT, SAVED_PACKED, SAVED_PLAIN, SAVED_SEVERAL, SAVED_TENSOR, Edge,
                                        Node, SavedSlot, edges_of, metas_of, saved_slots, sizes_of)
from wengert_engine.graph.visible_edges import values_of_visible
from wengert_engine.record.saved_hooks_stack cimport Several
from wengert_engine.record.saved_hooks_stack import PackedValue

cdef dict KINDS = {SAVED_PLAIN: "plain", SAVED_TENSOR: "tensor", SAVED_OUTPUT: "output", SAVED_PACKED: "packed",
                   SAVED_SEVERAL: "several"}


def saved_values(Node node):
    """(name, kind, value) of each value that the node holds for its formula, as it is stored.

    kind: 'tensor', 'output' (of the node itself), 'packed' (what a pack hook gave), 'several' (a tuple of such:
    indices) or 'plain' (a number, a shape ...). A leaf's accumulator holds none; of a write to a view they are those of
    the operation that wrote.

    >>> import wengert_core as wc, wengert_engine as we
    >>> x = wc.ones(2, requires_grad=True)
    >>> from wengert_engine.record.node_probe import saved_values
    >>> [(name, kind) for name, kind, value in saved_values(x.exp().grad_fn)]
    [('result', 'output')]
    """
    cdef SavedSlot* saved
    cdef int i
    if node.kind == NODE_ACCUMULATE or node.payload == NULL:
        return []
    saved = saved_slots(node)
    if node.kind == NODE_COPY_SLICES:
        return [] if saved[0].value == NULL else saved_values(<Node> saved[0].value)
    found = []
    for i in range(node.n_saved):
        if saved[i].value != NULL:
            value = as_stored(<object> saved[i].value)
            found.append((saved_name(node, i), KINDS.get(saved[i].kind, "plain"), value))
    return found


cdef object as_stored(object value):
    if isinstance(value, PackedValue):
        return value.value
    if isinstance(value, Several):
        return tuple([as_stored(one) for one in (<Several> value).values])
    return value


cdef str saved_name(Node node, int index):
    if node.formula != NULL and index < len((<Formula> node.formula).saved_names):
        return (<Formula> node.formula).saved_names[index]
    return f"saved_tensors[{index}]"


cdef Formula formula_at(Node node):
    return <Formula> node.formula if node.kind == NODE_FORMULA and node.formula != NULL else None


def input_names(Node node):
    """What the operation calls the input of each edge of ``next_functions``; '' where it cannot be told.

    >>> import wengert_core as wc, wengert_engine as we
    >>> from wengert_engine.record.node_probe import input_names
    >>> input_names((wc.ones(2, requires_grad=True) * 3).grad_fn)
    ('self', 'other')
    """
    cdef Formula f = formula_at(node)
    cdef int i, spare
    names = []
    if f is not None:
        spare = node.n_edges - f.n_inputs    # a list's further tensors
        for i in range(f.n_inputs):
            name = f.op.params[f.inputs[i].slot]
            if f.inputs[i].is_list:
                names += [f"{name}[{k}]" for k in range(spare + 1)]
            else:
                names.append(name)
    return values_of_visible(node, names if len(names) == node.n_edges else [""] * node.n_edges)


def zero_inputs(Node node):
    """For each edge of ``next_functions`` whether the operation's derivative there is zero everywhere: floor, sign ...

    >>> import wengert_core as wc, wengert_engine as we
    >>> from wengert_engine.record.node_probe import zero_inputs
    >>> zero_inputs(wc.ones(2, requires_grad=True).floor().grad_fn)
    (True,)
    """
    cdef Formula f = formula_at(node)
    cdef int i
    if f is None or f.has_list or f.n_inputs != node.n_edges:
        return values_of_visible(node, [False] * node.n_edges)
    return values_of_visible(node, [f.inputs[i].kind == RULE_ZERO for i in range(f.n_inputs)])


def outputs(Node node):
    """(dtype, shape) of each output of the operation; the dtype is None where a Function returned something else.

    >>> import wengert_core as wc, wengert_engine as we
    >>> from wengert_engine.record.node_probe import outputs
    >>> outputs(wc.ones(2, 3, requires_grad=True).sum(0).grad_fn)
    ((torch.float32, (3,)),)
    """
    cdef int i, d
    if node.payload == NULL:
        return ()
    return tuple([(dtype_of(metas_of(node)[i].code) if metas_of(node)[i].code != NO_TENSOR else None,
                   tuple([sizes_of(node)[metas_of(node)[i].first_dim + d] for d in range(metas_of(node)[i].rank)]))
                  for i in range(node.n_outputs)])


def is_released(Node node):
    """Whether a backward has freed what the node had saved.

    >>> import wengert_core as wc, wengert_engine as we
    >>> from wengert_engine.record.node_probe import is_released
    >>> y = wc.ones(2, requires_grad=True).exp().sum()
    >>> node = y.grad_fn.next_functions[0][0]
    >>> y.backward()
    >>> is_released(node)
    True
    """
    return bool(node.flags & NF_RELEASED)


def metadata_of(Node node):
    """The node's metadata where it has any, else None; ``node.metadata`` would make a dict for each node asked.

    >>> import wengert_core as wc, wengert_engine as we
    >>> from wengert_engine.record.node_probe import metadata_of
    >>> node = wc.ones(2, requires_grad=True).exp().grad_fn
    >>> metadata_of(node) is None, node.metadata, metadata_of(node)
    (True, {}, {})
    """
    if node.extra == NULL or (node.extra.metadata == NULL and node.extra.trace == NULL):
        return None
    return node.metadata


def reachable_leaves(roots not None, stops not None, uint64_t oldest):
    """Return the leaves that nodes lead to, and whether they lead to an operation's node before number ``oldest``.

    stops: nodes where the search ends.   oldest: compared with what ``_sequence_nr()`` gives.

    >>> import wengert_core as wc, wengert_engine as we
    >>> x, y = wc.ones(2, requires_grad=True), wc.ones(2, requires_grad=True)
    >>> from wengert_engine.record.node_probe import reachable_leaves
    >>> h = x * y
    >>> leaves, has_older = reachable_leaves([(h * y).grad_fn], [], 0)
    >>> [one is y for one in leaves], has_older
    ([True, False], False)
    >>> leaves, has_older = reachable_leaves([(h * y).grad_fn], [h.grad_fn], 0)
    >>> [one is y for one in leaves]
    [True]
    """
    cdef set seen = {<size_t> <PyObject*> node for node in stops}
    cdef list pending = list(roots), leaves = []
    cdef bint has_older = False
    cdef Edge* edges
    cdef Node node
    cdef uint32_t i
    while pending:
        node = pending.pop()
        key = <size_t> <PyObject*> node
        if key in seen:
            continue
        seen.add(key)
        if node.kind == NODE_ACCUMULATE:
            if saved_slots(node)[0].value != NULL:
                leaves.append(<object> saved_slots(node)[0].value)
            continue
        if node.sequence < oldest:
            has_older = True
            continue
        edges = edges_of(node)
        for i in range(node.n_edges):
            if edges[i].node != NULL:
                pending.append(<object> edges[i].node)
    return leaves, has_older
