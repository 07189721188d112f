"""Gradient edges, hooks over several tensors, versions, writes to saved tensors; beyond torch_parity/reference."""

import gc
import weakref

import pytest
import wengert_core as wc
from wengert_engine import Function, Node, backward, grad, no_grad
from wengert_engine.function.context import FunctionCtx
from wengert_engine.graph.gradient_edge import GradientEdge, get_gradient_edge
from wengert_engine.hooks.multi_grad import register_multi_grad_hook
from wengert_engine.hooks.mutation import _unsafe_preserve_version_counter, allow_mutation_on_saved_tensors
from wengert_engine.hooks.versions import increment_version
from wengert_engine.namespaces import top
from wengert_engine.record.node_attributes import InputMetadata
from wengert_engine.reverse.launch import run_notes, will_run


def leaf(*values):
    return wc.tensor(list(values) or [1.0, 2.0], requires_grad=True)


# ---- edges

def test_an_edge_keeps_no_values():
    y = leaf() * 1
    edge, gone = get_gradient_edge(y), weakref.ref(y)
    del y
    assert gone() is None
    assert edge.node.name() == "MulBackward0"


def test_edges_that_lead_nowhere():
    x = leaf()
    node = (x * 2).grad_fn
    with pytest.raises(IndexError, match="MulBackward0 has no output 1, it has 1"):
        grad(x.sum(), GradientEdge(node, 1))
    with pytest.raises(IndexError, match="no output -1"):
        backward(GradientEdge(node, -1), wc.ones(2))
    with pytest.raises(TypeError, match="node has to be a Node, but got NoneType"):
        backward(GradientEdge(None, 0), wc.ones(2))
    with pytest.raises(RuntimeError, match="all inputs have to be Tensors or GradientEdges, but got int"):
        grad(x.sum(), [3])


def test_the_gradient_of_an_edge_is_checked():
    edge = get_gradient_edge(leaf() * 2)
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        backward(edge, wc.ones(3))
    with pytest.raises(RuntimeError, match="both grad_output and output are required to have the same dtype"):
        backward(edge, wc.ones(2, dtype=wc.complex64))


def test_edges_of_scalars_start_with_one():
    x = leaf()
    backward(get_gradient_edge((x * 3).sum()))
    assert x.grad.tolist() == [3.0, 3.0]


def test_edges_are_not_materialized():
    x, y = leaf(), leaf()
    with pytest.raises(RuntimeError, match="materialize_grads cannot be used when the given input is a GradientEdge"):
        grad((x * 2).sum(), get_gradient_edge(y), materialize_grads=True)
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        grad((x * 2).sum(), get_gradient_edge(y))


@pytest.mark.host("names the device")
def test_metadata_of_several_outputs():
    metas = leaf(1.0, 2.0, 3.0).split(2)[0].grad_fn._input_metadata
    assert [(type(m), tuple(m.shape), m.dtype, str(m.device)) for m in metas] == [
        (InputMetadata, (2,), wc.float32, "cpu"), (InputMetadata, (1,), wc.float32, "cpu")]


def test_classes_of_nodes_cannot_be_called():
    for cls in (Node, type((leaf() * 2).grad_fn), type((leaf() * 2).grad_fn.next_functions[0][0])):
        for _ in range(3):
            with pytest.raises(TypeError, match=r"cannot create '.*' instances"):
                cls()
            with pytest.raises(TypeError, match=r"cannot create '.*' instances"):
                cls.__new__(cls)
        assert (leaf() * 2).grad_fn is not None


def test_a_context_that_no_apply_has_made():
    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    for cls in (FunctionCtx, type(Double.apply(leaf()).grad_fn)):
        with pytest.raises(TypeError, match="cannot create"):
            cls()
        blank = cls.__new__(cls)
        assert (blank.next_functions, blank._input_metadata, blank.saved_tensors) == ((), (), ())
        with pytest.raises(RuntimeError, match="nothing to run"):
            blank()
        with pytest.raises(IndexError, match="has no output 0"):
            backward(GradientEdge(blank, 0), wc.ones(2))


def test_register_hook_dict():
    x = leaf()
    y = x * 2
    with pytest.raises(TypeError, match="_register_hook_dict expected a variable"):
        y.grad_fn._register_hook_dict({})
    seen = []
    other = x * 1
    other.register_hook(seen.append)
    y.grad_fn._register_hook_dict(other)
    y.sum().backward()
    assert [g.tolist() for g in seen] == [[1.0, 1.0]]


# ---- node hooks

def test_prehooks_do_not_change_what_the_caller_asked_for():
    x = leaf()
    y = x * 2
    y.retain_grad()
    y.grad_fn.register_prehook(lambda go: (go[0] * 10,))
    z = (y * 3).sum()
    assert [g.tolist() for g in grad(z, (y, x), retain_graph=True)] == [[3.0, 3.0], [60.0, 60.0]]
    assert y.grad.tolist() == [3.0, 3.0]            # grad() sets what is retained, too, as in torch
    z.backward()
    assert (y.grad.tolist(), x.grad.tolist()) == ([6.0, 6.0], [60.0, 60.0])


def test_the_order_of_hooks_at_a_leaf():
    x = leaf(1.0)
    y = x * 2
    node, seen = y.grad_fn.next_functions[0][0], []
    node.register_hook(lambda gi, go: seen.append(("node", x.grad.item())))
    x.register_post_accumulate_grad_hook(lambda t: seen.append(("leaf", t.grad.item())))
    node.register_prehook(lambda go: seen.append("before node"))
    x.register_hook(lambda g: seen.append("before"))
    y.backward()
    assert seen == ["before", "before node", ("leaf", 2.0), ("node", 2.0)]


def test_a_leaf_does_not_share_the_gradient_that_its_node_hook_keeps():
    x, kept = leaf(), []
    y = x * 2
    y.grad_fn.next_functions[0][0].register_hook(lambda gi, go: kept.append(go[0]))
    y.sum().backward()
    x.grad.zero_()
    assert kept[0].tolist() == [2.0, 2.0]


@pytest.mark.parametrize(("hook", "kind", "phrase"), [
    (lambda go: go[0], TypeError, "expected tuple, but hook returned 'Tensor'"),
    (lambda go: [go[0]], TypeError, "expected tuple, but hook returned 'list'"),
    (lambda go: (3,), TypeError, "expected Variable, but hook returned 'int'"),
    (lambda go: (wc.ones(5),), RuntimeError, "hook '<lambda>' has changed the size of value"),
    (lambda go: (go[0].double(),), RuntimeError,
     r"hook '<lambda>' has changed the type of value \(was torch.FloatTensor got torch.DoubleTensor\)")],
    ids=["tensor", "list", "number", "size", "dtype"])
def test_wrong_results_of_prehooks(hook, kind, phrase):
    y = leaf() * 2
    y.grad_fn.register_prehook(hook)
    with pytest.raises(kind, match=phrase):
        y.sum().backward()


def test_hooks_may_take_gradients_away_but_not_add_them():
    x = leaf()
    y = x * wc.ones(2)
    handle = y.grad_fn.register_hook(lambda gi, go: (gi[0], wc.ones(2)))
    with pytest.raises(RuntimeError, match="can't replace a None gradient with a non-None value"):
        y.sum().backward(retain_graph=True)
    handle.remove()
    y.grad_fn.register_hook(lambda gi, go: (None, None))
    y.sum().backward()
    assert x.grad is None


# ---- hooks over several tensors

def test_all_counts_anew_after_a_run_that_failed():
    seen = []
    x = leaf(1.0)
    y = x * 2
    fail = x.register_hook(lambda g: 1 / 0)
    register_multi_grad_hook([x, y], lambda grads: seen.append([g.item() for g in grads]))
    with pytest.raises(ZeroDivisionError):
        y.backward(retain_graph=True)
    fail.remove()
    y.backward()
    assert seen == [[2.0, 1.0]]


def test_all_in_a_run_inside_a_run():
    seen = []
    x, z = leaf(1.0), leaf(2.0)
    y = x * 2
    for name, tensors in (("x and y", [x, y]), ("x and z", [x, z])):
        register_multi_grad_hook(tensors, lambda grads, name=name: seen.append(
            (name, [None if g is None else g.item() for g in grads])))
    inner = z * x * 5
    y.register_hook(lambda g: inner.backward())
    y.backward()
    assert sorted(seen[:2], key=str) == [("x and y", [10.0, None]), ("x and z", [10.0, 5.0])]
    assert sorted(seen[2:], key=str) == [("x and y", [2.0, 1.0]), ("x and z", [2.0, None])]


def test_several_outputs_of_one_node():
    seen = []
    a, b = leaf(1.0, 2.0).unbind(0)
    register_multi_grad_hook([a, b], lambda grads: seen.append([g.item() for g in grads]))
    (a * 3 + b * 4).backward()
    assert seen == [[3.0, 4.0]]


def test_multi_grad_hooks_leave_nothing_behind():
    x = leaf(1.0)
    handle = register_multi_grad_hook([x], lambda grads: None)
    gone = weakref.ref(x)
    (x * 2).backward()
    handle.remove()
    handle.remove()
    del x, handle
    gc.collect()
    assert gone() is None


def test_multi_grad_hook_wants_tensors_that_require_grad():
    with pytest.raises(AssertionError, match="Expected gradient function to be set"):
        register_multi_grad_hook([leaf(), wc.ones(1)], print)


def test_what_hooks_ask_of_a_run_needs_one():
    node = (leaf() * 2).grad_fn
    for ask in (run_notes, lambda: will_run([node], node)):
        with pytest.raises(RuntimeError, match="no backward is running"):
            ask()


# ---- versions

def test_increment_version_wants_tensors():
    with pytest.raises(RuntimeError, match=r"increment_version expect a Iterable\[Tensor\] as input"):
        increment_version(3)
    with pytest.raises(RuntimeError, match="increment_version expects each element of the iterable to be a tensor"):
        increment_version([3])


def test_versions_are_kept_for_tuples_only():
    with pytest.raises(AssertionError, match="Expected tensors to be a tuple"):
        _unsafe_preserve_version_counter([wc.ones(1)])


# ---- writes to what was saved

WRITES = {
    "operator": lambda b: b.mul_(3), "view": lambda b: b[1:].zero_(), "item": lambda b: b.__setitem__(0, 7.0),
    "mask": lambda b: b.__setitem__(b > 0, 7.0), "detached": lambda b: b.detach().zero_(),
    "data": lambda b: b.data.zero_(), "out": lambda b: wc.add(b.detach(), 1, out=b.detach()),
    "copy": lambda b: b.copy_(b * 2),
}


@pytest.mark.parametrize("write", WRITES)
def test_every_way_to_write_is_noticed(write):
    x = leaf()
    with allow_mutation_on_saved_tensors() as context:
        b = x.clone()
        y, view = (b * b).sum(), b[1:]
        z = (view * view).sum()
        assert len(context.cloned) == 0
        WRITES[write](b)
        assert len(context.cloned) == 2
        (y + z).backward()
    assert x.grad.tolist() == [2.0, 8.0]
    assert (len(context.cloned), len(context.original)) == (0, 0)


def test_writes_under_no_grad_are_noticed():
    x = leaf()
    with allow_mutation_on_saved_tensors():
        b = x.clone()
        y = (b * b).sum()
        with no_grad():
            b.zero_()
        y.backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_a_value_is_copied_for_each_version_that_was_saved():
    x = leaf()
    with allow_mutation_on_saved_tensors() as context:
        b = x.clone()
        y = (b * b).sum()
        b.mul_(10)
        z = (b * b).sum()
        b.zero_()
        assert len(context.cloned) == 2
        (y + z).backward()
    assert x.grad.tolist() == [202.0, 404.0]


def test_what_no_operation_wrote_is_an_error():
    with allow_mutation_on_saved_tensors():
        b = leaf().clone()
        y = (b * b).sum()
        increment_version(b)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward()


def test_copies_go_with_the_graph():
    with allow_mutation_on_saved_tensors() as context:
        b = leaf().clone()
        y = (b * b).sum()
        b.zero_()
        assert len(context.cloned) == 1
        del y
        b.zero_()
        assert len(context.cloned) == 0


def test_nothing_is_watched_afterwards():
    with pytest.raises(KeyError), allow_mutation_on_saved_tensors():
        raise KeyError
    b = leaf().clone()
    y = (b * b).sum()
    b.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


@pytest.mark.parametrize("wrong", [None, "x", [None], 3, object()])
def test_hooks_over_what_is_no_tensor(wrong):
    with pytest.raises(TypeError, match=r"register_multi_grad_hook\(\): argument 'tensors'"):
        register_multi_grad_hook(wrong, print)  # torch: AttributeError


def test_edges_and_hooks_need_tensors_and_functions():
    x = wc.ones(1, requires_grad=True)
    with pytest.raises(TypeError, match=r"register_multi_grad_hook\(\): argument 'fn' must be callable, not NoneType"):
        register_multi_grad_hook([x], None)
    for wrong in (None, 3, int, object()):
        with pytest.raises(TypeError, match=r"get_gradient_edge\(\): argument 'tensor' \(position 1\) must be Tensor"):
            get_gradient_edge(wrong)


@pytest.mark.parametrize("wrong", [None, 3, object()])
def test_roots_and_inputs_that_are_no_sequence(wrong):
    x = wc.ones(1, requires_grad=True)
    for call in (lambda: backward(wrong), lambda: grad(wrong, x), lambda: grad(x * 2, wrong)):
        with pytest.raises(TypeError, match="object is not iterable"):  # as torch
            call()


def test_functions_that_detach_need_a_tensor():
    for name, function in top().items():
        if name.startswith("detach"):
            assert function(wc.ones(2)).tolist() == [1.0, 1.0]
            for wrong in (None, -1, "x", object()):
                with pytest.raises(TypeError, match=rf"{name}\(\): argument 'input' \(position 1\) must be Tensor"):
                    function(wrong)
