"""Operations with more tensors than 16 bits count: each has its own edge, output or saved value."""

import pytest
import wengert_core as wc
import wengert_engine as we

MANY = 70_000


@pytest.mark.host("many tensors, whatever they are of: minutes on the simulated device")
def test_as_many_inputs_as_there_are():
    leaves = [wc.ones(1, requires_grad=True) for _ in range(MANY)]
    wc.cat(leaves).sum().backward()
    assert [leaf.grad.item() for leaf in leaves] == [1.0] * MANY


@pytest.mark.host("many tensors, whatever they are of: minutes on the simulated device")
def test_as_many_outputs_as_there_are():
    x = wc.ones(MANY, requires_grad=True)
    parts = x.unbind()
    (parts[0] + 2 * parts[-1] + 3 * parts[65_536]).backward()
    assert [x.grad[i].item() for i in (0, 1, 65_535, 65_536, MANY - 1)] == [1.0, 0.0, 0.0, 3.0, 2.0]


class Several(we.Function):
    """Gives several outputs and saves one of them."""

    @staticmethod
    def forward(ctx, x, count, saved):
        outputs = tuple(x * 2 for _ in range(count))
        ctx.save_for_backward(outputs[saved])
        return outputs

    @staticmethod
    def backward(ctx, *grads):
        output, = ctx.saved_tensors
        return sum(grads) * output, None, None


def test_a_late_output_of_a_function_is_saved():
    x = wc.ones(1, requires_grad=True)
    outputs = Several.apply(x, 400, 300)
    assert outputs[300].grad_fn.saved_tensors[0].output_nr == 300
    (outputs[0] + outputs[399]).backward()
    assert x.grad.item() == 4.0


@pytest.mark.host("many tensors, whatever they are of: minutes on the simulated device")
def test_as_many_saved_tensors_as_there_are():
    class Sum(we.Function):
        @staticmethod
        def forward(ctx, *tensors):
            ctx.save_for_backward(*tensors)
            return wc.cat(tensors).sum()

        @staticmethod
        def backward(ctx, grad):
            return tuple(grad * tensor for tensor in ctx.saved_tensors)

    leaves = [wc.full((1,), float(i % 7), requires_grad=True) for i in range(MANY)]
    Sum.apply(*leaves).backward()
    assert [leaf.grad.item() for leaf in leaves] == [float(i % 7) for i in range(MANY)]


@pytest.mark.host("many tensors, whatever they are of: minutes on the simulated device")
def test_an_output_beyond_what_can_be_saved_is_an_error():
    with pytest.raises(RuntimeError, match="saves its output 66000: only the first 65536 can be saved"):
        Several.apply(wc.ones(1, requires_grad=True), 66_001, 66_000)
