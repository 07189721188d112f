"""Derivatives in a profile: nodes, their numbers, and which operation recorded them; labels."""

import pytest
import wengert as wg
from wengert.autograd.profiler import profile, record_function


def numbers(events, *names):
    return [event.sequence_nr for event in events if event.name in names]


def test_a_node_has_the_number_of_the_operation_that_recorded_it():
    x = wg.ones(3, requires_grad=True)
    with profile() as prof:
        y = x.exp().sin()
        y.sum().backward()
    events = prof.function_events
    for op, node in (("aten::exp", "ExpBackward0"), ("aten::sin", "SinBackward0"), ("aten::sum", "SumBackward0")):
        assert numbers(events, op) == numbers(events, node)
        assert numbers(events, op)[0] >= 0
    assert numbers(events, "torch::autograd::AccumulateGrad") == [-1]


def test_a_double_backward_is_linked_too():
    x = wg.ones(3, requires_grad=True)
    with profile() as prof:
        (g,) = wg.autograd.grad(x.sin().sum(), x, create_graph=True)
        g.sum().backward()
    events = prof.function_events
    first = next(event for event in events if event.name == "SinBackward0")
    recorded = {child.sequence_nr for child in first.cpu_children if child.sequence_nr >= 0}
    assert recorded  # what the derivative recorded
    second = {
        event.sequence_nr
        for event in events
        if event.name.endswith("Backward0") and event.time_range.start > first.time_range.end
    }
    assert recorded & second


def test_the_node_of_an_in_place_operation_is_linked():
    x = wg.ones(4, requires_grad=True) * 1
    with profile() as prof:
        x.mul_(2)
        x.sum().backward()
    events = prof.function_events
    assert set(numbers(events, "aten::mul_")) <= set(numbers(events, "MulBackward0"))
    assert numbers(events, "aten::mul_")[0] >= 0


def test_a_function_of_the_users_is_linked():
    class Cube(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x * x

    x = wg.ones(3, requires_grad=True)
    with profile() as prof:
        Cube.apply(x).sum().backward()
    events = prof.function_events
    assert numbers(events, "Cube") == numbers(events, "CubeBackward")
    assert numbers(events, "Cube")[0] >= 0


def test_a_function_of_operations_has_the_number_of_its_first_node():
    x = wg.ones(2, 3, requires_grad=True)
    with profile() as prof:
        wg.nn.functional.cross_entropy(x, wg.tensor([0, 1]))
    events = prof.function_events
    assert numbers(events, "aten::cross_entropy_loss") == numbers(events, "aten::log_softmax")


def test_without_recording_there_is_no_number():
    x = wg.ones(3, requires_grad=True)
    with profile() as prof, wg.no_grad():
        x.exp()
        wg.ones(2).sin()
    assert {event.sequence_nr for event in prof.function_events} == {-1}


def test_an_argument_that_is_given_back_has_no_number():
    x = wg.ones(3, requires_grad=True) * 1
    with profile() as prof:
        x.contiguous()
    assert numbers(prof.function_events, "aten::contiguous") in ([], [-1])


def test_a_backward_that_fails_ends_its_events():
    class Fails(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            raise ValueError("no")

    x = wg.ones(3, requires_grad=True)
    with profile() as prof:
        with pytest.raises(ValueError, match="no"):
            Fails.apply(x).sum().backward()
        wg.ones(2)
    events = prof.function_events
    assert events[-1].name == "aten::ones"
    assert events[-1].cpu_parent is None
    assert "FailsBackward" in [event.name for event in events]


def test_a_backward_inside_of_a_hook_is_nested():
    x = wg.ones(3, requires_grad=True)
    y = x * 2

    def hook(grad):
        with wg.enable_grad():
            return wg.autograd.grad((x * x).sum(), x)[0]

    y.register_hook(hook)
    with profile() as prof:
        y.sum().backward()
    roots = [event for event in prof.function_events if event.name == "torch::autograd::GraphRoot"]
    assert [root.cpu_parent is None for root in roots] == [True, False]
    assert all(event.time_range.end > 0 for event in prof.function_events)


def test_a_profile_may_begin_inside_of_a_backward():
    x = wg.ones(3, requires_grad=True)
    y = x * 2
    made = []

    def hook(grad):
        made.append(profile())
        made[0].__enter__()

    y.register_hook(hook)
    y.sum().backward()
    x.exp()
    made[0].__exit__(None, None, None)
    names = [event.name for event in made[0].function_events]
    assert "torch::autograd::AccumulateGrad" in names
    assert names[-1] == "aten::exp"


def test_a_profile_may_end_inside_of_a_backward():
    x = wg.ones(3, requires_grad=True)
    y = x * 2
    prof = profile()
    y.register_hook(lambda grad: prof.__exit__(None, None, None))
    prof.__enter__()
    y.sum().backward()
    assert "SumBackward0" in [event.name for event in prof.function_events]
    assert x.grad.tolist() == [2.0, 2.0, 2.0]
    with profile() as other:
        y.sum()
    assert len(other.function_events) == 1


def test_a_profile_may_begin_and_end_inside_of_a_function():
    class Begins(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.prof = profile().__enter__()
            made.append(ctx.prof)
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            ctx.prof.__exit__(None, None, None)
            return grad

    made = []
    x = wg.ones(3, requires_grad=True)
    y = Begins.apply(x).exp().sum()
    y.backward()
    names = [event.name for event in made[0].function_events]
    assert names[:3] == ["aten::mul", "aten::exp", "aten::sum"]
    assert names[-1] == "BeginsBackward"


def test_labels_are_contexts_and_decorators_and_nest():
    @record_function("work")
    def work(n):
        """Doc."""
        return work(n - 1) if n else wg.ones(2)

    with profile() as prof:
        work(2)
    assert work.__name__ == "work"
    assert work.__doc__ == "Doc."
    labels = [event for event in prof.function_events if event.is_user_annotation]
    assert [event.cpu_parent.name if event.cpu_parent else None for event in labels] == [None, "work", "work"]
    label = record_function("again")
    with profile() as prof, label, label:
        pass
    assert len(prof.function_events) == 2


def test_a_label_has_its_arguments():
    with profile() as prof, record_function("step", "epoch=3"):
        pass
    assert prof.function_events[0].concrete_inputs == ["epoch=3"]


@pytest.mark.parametrize("arguments", [(3,), ("a", 3)])
def test_a_label_is_a_text(arguments):
    label = record_function(*arguments)
    with pytest.raises(RuntimeError, match=r"Expected a value of type .* but instead found type 'int'"), label:
        pass


def test_a_label_that_is_left_and_never_entered():
    with pytest.raises(AssertionError, match="Expected record to be set"):
        record_function("a").__exit__(None, None, None)
    label = record_function("a")
    with label:
        pass
    label.__exit__(None, None, None)  # once more does no harm
