"""Results whose graph a backward in the function has freed: the last operations may save nothing."""

import pytest
import wengert as wg

ENDS = {
    "neg": lambda y: -y,
    "reshape": lambda y: y.reshape(1),
    "clone of a negative": lambda y: (-y).clone(),
    "double": lambda y: y.double(),
    "squeeze": lambda y: y.unsqueeze(0).squeeze(),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_loss_after_its_backward(end):
    w = wg.tensor([0.5, 2.0], requires_grad=True)

    def function(x):
        w.grad = None
        loss = end((w * x).exp().sum())
        loss.backward()
        return loss

    captured = wg.capture(function)
    for i in range(5):
        x = wg.tensor([0.1, 0.2 * i])
        expected, grad = function(x), w.grad.tolist()
        found = captured(x)
        assert found.tolist() == expected.tolist()
        assert w.grad.tolist() == grad
        with pytest.raises(RuntimeError, match="backward through the graph a second time"):
            found.backward()
    assert wg.replay.explain(captured).replays >= 3


def test_a_graph_of_which_a_part_is_left():
    w = wg.tensor([0.5, 2.0], requires_grad=True)

    def function(x):
        freed = (w * x).exp().sum()
        freed.backward()
        return -(w * x).exp().sum(), -freed

    captured = wg.capture(function, quiet=True)
    for i in range(4):
        w.grad = None
        function(wg.tensor([0.1, 0.2 * i]))[0].backward()
        expected = w.grad.tolist()
        w.grad = None
        captured(wg.tensor([0.1, 0.2 * i]))[0].backward()
        assert w.grad.tolist() == expected


def test_a_negative_leaf_has_a_graph_that_nobody_can_free():
    w = wg.tensor([0.5], requires_grad=True)

    def function(x):
        loss = -w
        loss.backward(x)
        return loss

    captured = wg.capture(function, quiet=True)
    for i in range(4):
        w.grad = None
        captured(wg.tensor([float(i)])).backward(wg.ones(1))
        assert w.grad.tolist() == [-float(i) - 1.0]
