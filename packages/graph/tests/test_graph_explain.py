"""explain_grad: each way to lose a gradient is named, and the answer agrees with autograd.grad."""

import pytest
import wengert as wg
from wengert_graph.explaining import REASONS

explain = wg.autograd.graph.explain_grad


def leaf(*values):
    return wg.tensor(list(values) or [1.0, 2.0], requires_grad=True)


class GivesNone(wg.autograd.Function):
    """A product whose backward forgets its first argument."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad):
        x, _ = ctx.saved_tensors
        return None, grad * x


def no_grad(x):
    with wg.no_grad():
        return x * 2


def inference(x):
    with wg.inference_mode():
        return x * 2


W = leaf(3.0, 4.0)
CASES = {  # how an output is computed from x: the reason, and the name of the node where it breaks
    "used": (lambda x: (x * W).sum(), "flows", None),
    "itself": (lambda x: x, "flows", None),
    "broadcast": (lambda x: wg.ones(3, 2) * x, "flows", None),
    "written": (lambda x: (y := x * 1, y[0].fill_(5.0))[0], "flows", None),
    "a step": (lambda x: (x.exp().floor() * 2).sum(), "zero", "FloorBackward0"),
    "a sign": (lambda x: x.sign() * W, "zero", "SignBackward0"),
    "a dead relu": (lambda x: wg.relu(-x).exp(), "zero", "ReluBackward0"),
    "times zero": (lambda x: (x.exp() * 0).sum(), "zero", "MulBackward0"),
    "overwritten": (lambda x: (y := x * 1, y[:].zero_())[0], "zero", "CopySlices"),
    "cancelled": (lambda x: x - x, "zero", None),
    "square root of zero": (lambda x: (x - x).sqrt(), "nan", "SqrtBackward0"),
    "a Function's None": (lambda x: GivesNone.apply(x, W), "none", "GivesNoneBackward"),
    "a Function's detached": (lambda x: GivesNone.apply(x.detach(), W), "input detached", "GivesNoneBackward"),
    "detached": (lambda x: x.detach() * W, "input detached", "MulBackward0"),
    "data": (lambda x: W * x.data, "input detached", "MulBackward0"),
    "detached on the way": (lambda x: x.exp().detach() * W, "no path", None),
    "no_grad on the way": (lambda x: no_grad(x) * W, "no path", None),
    "integers on the way": (lambda x: x.long() * W, "no path", None),
    "item": (lambda x: W * x.sum().item(), "no path", None),
    "not used": (lambda x: W.sum(), "no path", None),
    "detached output": (lambda x: x[:1].detach(), "output detached", None),
    "no_grad": (no_grad, "output not recorded", None),
    "inference": (inference, "inference mode", None),
    "argmax": (lambda x: x.argmax(), "output not differentiable", None),
    "comparison": (lambda x: x > 1, "output not differentiable", None),
    "a copy": (lambda x: wg.tensor(x.tolist(), requires_grad=True) * W, "another tensor", "AccumulateGrad"),
    "an alias": (lambda x: x.detach().requires_grad_() * W, "another tensor", "AccumulateGrad"),
}


@pytest.mark.parametrize("name", CASES)
def test_reasons(name):
    make, reason, place = CASES[name]
    x = leaf()
    output = make(x)
    answer = explain(output, x)
    assert answer.reason == reason, str(answer)
    assert (type(answer.place).__name__ if answer.place is not None else None) == place
    assert bool(answer.path) == (reason in ("flows", "zero", "nan", "none"))
    if answer.place is not None:
        assert place in answer.text or reason == "another tensor"


@pytest.mark.parametrize("name", CASES)
def test_the_answer_is_what_grad_gives(name):
    make, reason, _ = CASES[name]
    x = leaf()
    output = make(x)
    answer = explain(output, x)
    assert x.grad is None
    if not output.requires_grad:
        assert not answer.flows
        return
    (grad,) = wg.autograd.grad(output, x, wg.ones_like(output), allow_unused=True)
    assert answer.flows == (grad is not None and bool((grad != 0).any()))
    assert (grad is None) == (reason in ("none", "no path", "input detached", "another tensor"))
    assert (grad is not None and bool(grad.isnan().any())) == (reason == "nan")


def test_every_reason_has_a_test():
    elsewhere = {"freed", "input does not require grad", "input cannot require grad", "computed later", "written to",
                 "another output"}
    assert {reason for _, reason, _ in CASES.values()} | elsewhere == set(REASONS)


def test_inputs_that_do_not_require_grad():
    y = (leaf() * W).sum()
    assert explain(y, wg.ones(2)).reason == "input does not require grad"
    assert explain(y, wg.ones(2, dtype=wg.int64)).reason == "input cannot require grad"
    assert explain(wg.ones(2) * 2, wg.ones(2)).reason == "input does not require grad"


def test_a_write_after_the_output():
    a = leaf() * 2
    b = a.sum()
    a.mul_(3)
    answer = explain(b, a)
    assert answer.reason == "written to"
    assert answer.place is a.grad_fn


def test_an_input_that_is_younger_than_the_output():
    x = leaf()
    assert explain(x.sum(), x * 2).reason == "computed later"


def test_another_output_of_the_same_operation():
    first, second = (leaf() * 1).unbind()
    assert explain(first, second).reason == "another output"
    assert explain(second, second).reason == "flows"


def test_a_freed_graph():
    x = leaf()
    y = x.exp().sum()
    y.backward()
    answer = explain(y, x)
    assert answer.reason == "freed"
    assert type(answer.place).__name__ == "ExpBackward0"
    assert answer.path == ("SumBackward0", "ExpBackward0", "AccumulateGrad")


def test_the_gradient_of_the_output_may_be_given():
    x = leaf()
    assert explain(x * 2, x, wg.zeros(2)).reason == "zero"
    assert explain(x * 2, x, wg.tensor([0.0, 1.0])).flows


def test_an_intermediate_input_is_told_of_retain_grad():
    x = leaf()
    y = x * 2
    assert "retain_grad()" in explain(y.sum(), y).text
    y.retain_grad()
    assert "retain_grad()" not in explain(y.sum(), y).text


def test_errors_of_the_users_own_backward_pass():
    class Fails(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            raise RuntimeError("mine")

    x = leaf()
    with pytest.raises(RuntimeError, match="mine"):
        explain(Fails.apply(x), x)


def test_no_hook_is_called():
    x = leaf()
    y = x * 2
    for tensor in (x, y):
        tensor.register_hook(lambda grad: pytest.fail("a hook"))
    y.grad_fn.register_hook(lambda *grads: pytest.fail("a hook"))
    assert explain(y.sum(), x).flows


def test_suspects_are_listed_with_their_lines():
    x = leaf()
    y = x.exp().detach() * W
    y.grad_fn.metadata["traceback_"] = '  File "m.py", line 3, in f\n    y = h * w\n'
    answer = explain((y + 1).sum(), x)
    assert "'self' of MulBackward0: float32[2] that does not require grad (at m.py:3 in f: y = h * w)" in str(answer)
    assert answer.suspects[-1].node is y.grad_fn
    many = sum((wg.ones(2) * W for _ in range(30)), W)
    assert str(explain(many, x)).splitlines()[-1] == "  ... and 20 more"


@pytest.mark.host("a long graph, whatever it is of: minutes on the simulated device")
def test_a_long_path():
    x = y = leaf()
    for _ in range(50_000):
        y = y * 1.0
    answer = explain(y, x)
    assert answer.flows
    assert len(answer.path) == 50_001
    assert "49989 more" in str(answer)


def test_only_tensors():
    with pytest.raises(TypeError, match="input is of type int"):
        explain(leaf(), 3)


def test_html_is_escaped():
    hostile = type("Bad<i>", (GivesNone,), {})
    x = leaf()
    page = explain(hostile.apply(x, W), x)._repr_html_()
    assert "<i>" not in page
    assert "Bad&lt;i&gt;Backward" in page
