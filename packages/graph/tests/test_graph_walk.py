"""walk: every node once, in an order that follows the edges, without changing anything."""

import pytest
import wengert as wg
from wengert_engine.record.node_probe import metadata_of
from wengert_graph.walking import Step

walk = wg.autograd.graph.walk


def leaf(*values):
    return wg.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def names(root):
    return [step.name for step in walk(root)]


def test_nodes_edges_and_saved_values():
    x, w = leaf(), leaf(3.0, 4.0)
    steps = list(walk((x * w).exp().sum()))
    assert [step.name for step in steps] == ["SumBackward0", "ExpBackward0", "MulBackward0", *["AccumulateGrad"] * 2]
    assert [step.number for step in steps] == [0, 1, 2, 3, 4]
    mul = steps[2]
    assert [(edge.name, edge.output_nr) for edge in mul.edges] == [("self", 0), ("other", 0)]
    assert [edge.node for edge in mul.edges] == [steps[3].node, steps[4].node]
    assert {saved.name: saved.kind for saved in mul.saved} == {"self": "tensor", "other": "tensor"}
    assert {saved.name: saved.tensor for saved in mul.saved}["self"] is x
    assert mul.outputs == ((wg.float32, (2,)),)
    assert (steps[3].leaf, steps[4].leaf, mul.leaf) == (x, w, None)
    assert mul.line is None


@pytest.mark.parametrize("seed", range(5))
def test_a_node_comes_before_those_its_edges_lead_to(seed):
    wg.manual_seed(seed)
    tensors = [leaf(), leaf(0.5, 0.25)]
    for _ in range(60):
        i, j = wg.randint(len(tensors), (2,)).tolist()
        tensors.append(tensors[i] * tensors[j] if i % 2 else (tensors[i] + tensors[j]).sin())
    steps = list(walk(tensors[-5:]))
    place = {step.node: step.number for step in steps}
    assert len(place) == len(steps)
    for step in steps:
        assert all(place[edge.node] > step.number for edge in step.edges if edge.node is not None)


def test_roots_of_every_kind():
    x = leaf()
    y, z = x.exp(), x.sin()
    assert names(y.grad_fn) == names(y) == ["ExpBackward0", "AccumulateGrad"]
    assert names([y, z]) == ["SinBackward0", "ExpBackward0", "AccumulateGrad"]
    assert names(x) == ["AccumulateGrad"]
    edges = [wg.autograd.graph.get_gradient_edge(one) for one in (y, z)]
    assert names(edges[0]) == names(y)
    assert names(edges) == names([y, z])


def test_wrong_roots():
    with pytest.raises(RuntimeError, match="does not require grad"):
        walk(wg.ones(2))
    with pytest.raises(TypeError, match="expected a tensor, a node, a GradientEdge or a sequence of these, got int"):
        walk([3])


def test_lists_and_arguments_without_gradient():
    x = leaf()
    step = next(walk(wg.cat([x, wg.ones(1), x * 2])))
    assert [edge.name for edge in step.edges] == ["tensors[0]", "tensors[1]", "tensors[2]"]
    assert step.edges[1].node is None


def test_a_function_of_ones_own():
    class Cube(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x, n):
            ctx.save_for_backward(x)
            return x**n

        @staticmethod
        def backward(ctx, grad):
            return grad, None

    x = leaf()
    step = next(walk(Cube.apply(x, 3)))
    assert step.name == "CubeBackward"
    assert [(one.name, one.kind, one.tensor is x) for one in step.saved] == [("saved_tensors[0]", "tensor", True)]


def test_a_write_to_a_view_shows_what_the_write_saved():
    x = leaf() * 1
    x[0].mul_(wg.tensor(3.0))
    step = next(walk(x))
    assert step.name == "CopySlices"
    assert [one.name for one in step.saved if one.tensor is not None] == ["other"]


def test_after_backward_nothing_is_saved():
    y = leaf().exp()
    before = next(walk(y))
    assert not before.released
    y.sum().backward()
    assert before.released
    assert [one for one in before.saved if one.tensor is not None] == []


def test_packed_values_are_shown_and_not_unpacked():
    def refuse(packed):
        raise AssertionError("unpacked")

    with wg.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.tolist(), refuse):
        y = leaf().exp()
    (saved,) = next(walk(y)).saved
    assert saved.kind == "packed"
    assert saved.tensor is None
    assert saved.value == y.tolist()


def test_looking_changes_nothing():
    x = leaf()
    y = (x.exp() * x).sum()
    steps = list(walk(y))
    for step in steps:
        assert isinstance(step, Step)
        assert (step.edges, step.saved, step.outputs, step.leaf, step.line, step.released) is not None
        assert metadata_of(step.node) is None
    y.backward()
    assert wg.allclose(x.grad, (x.exp() * (x + 1)).detach())


def test_the_line_comes_from_the_metadata_of_anomaly_mode():
    y = leaf().exp()
    y.grad_fn.metadata["traceback_"] = ['  File "a.py", line 1, in f\n    f()\n',
                                        '  File "b.py", line 7, in g\n    x.exp()\n']
    assert next(walk(y)).line == "b.py:7 in g: x.exp()"


@pytest.mark.host("a long graph, whatever it is of: minutes on the simulated device")
def test_a_million_nodes():
    x = leaf()
    for _ in range(1_000_000):
        x = x * 1.0
    *_, last = walk(x)
    assert (last.number, last.name) == (1_000_000, "AccumulateGrad")


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
def test_anomaly_mode_gives_lines():
    with wg.autograd.detect_anomaly():
        y = leaf().exp()  # here
    plain = y * 2
    steps = list(walk(plain))
    assert steps[0].line is None
    assert steps[1].line.startswith(f"{__file__}:")
    assert steps[1].line.endswith(": y = leaf().exp()  # here")


def test_tensors_that_are_saved_together():
    x, rows = leaf(1.0, 2.0, 3.0), wg.tensor([2, 0])
    saved = [one for one in next(walk(x[rows])).saved if one.kind == "several"]
    assert [one.tensor for one in saved] == [None]
    assert saved[0].value[0].equal(rows)
    with wg.autograd.graph.saved_tensors_hooks(lambda tensor: "packed", lambda packed: rows):
        y = x[rows]
    assert [one.value for one in next(walk(y)).saved if one.kind == "several"] == [("packed",)]
