"""Interceptors: functions that are called in place of a thread's operations."""

import threading

import pytest
import wengert as wg
from wengert_engine.extend import OpCall, pop_interceptor, push_interceptor


class Interception:
    def __init__(self, function):
        self.function = function

    def __enter__(self):
        push_interceptor(self.function)

    def __exit__(self, *error):
        pop_interceptor()


def leaf(*values):
    return wg.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def test_each_operation_is_handed_over_with_its_arguments():
    seen = []

    def function(call):
        seen.append((call.op.name, call.args, call.kwargs, len(call.arguments)))
        return call.run()

    x = leaf()
    with Interception(function):
        y = wg.add(x, 1, alpha=2)
        (y * x).sum().backward()
    assert seen[0][0] == "add"
    assert seen[0][1][0] is x
    assert seen[0][2] == {"alpha": 2}
    assert seen[0][3] == len(wg.add.params)
    assert [name for name, *_ in seen[:3]] == ["add", "mul", "sum"]
    assert len(seen) > 3  # of the backward pass
    assert x.grad.tolist() == [4.0, 6.0]
    n = len(seen)
    x.exp()
    assert len(seen) == n


def test_outputs_that_are_known_get_the_history_of_the_operation():
    def function(call):
        return call.finish(wg.tensor([10.0, 20.0])) if call.op.name == "exp" else call.run()

    x = leaf()
    with Interception(function):
        y = x.exp()
    assert y.tolist() == [10.0, 20.0]
    assert y.grad_fn.name() == "ExpBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [10.0, 20.0]
    with Interception(function), wg.no_grad():
        assert x.exp().grad_fn is None
    with Interception(function):
        assert x.detach().exp().grad_fn is None


def test_named_results_are_of_the_same_type():
    x = leaf(3.0, 5.0, 4.0)
    known = x.detach().max(0)

    def function(call):
        return call.finish(known) if call.op.name == "_max" or call.op.name == "max" else call.run()

    with Interception(function):
        values, indices = found = x.max(0)
    assert type(found) is type(known)
    assert indices.item() == 1
    values.backward()
    assert x.grad.tolist() == [0.0, 1.0, 0.0]


def test_forward_mode_takes_known_outputs():
    def function(call):
        return call.finish(wg.tensor([3.0])) if call.op.name == "exp" else call.run()

    with wg.autograd.forward_ad.dual_level(), Interception(function):
        dual = wg.autograd.forward_ad.make_dual(wg.tensor([0.0]), wg.tensor([2.0]))
        assert wg.autograd.forward_ad.unpack_dual(dual.exp()).tangent.tolist() == [6.0]


def test_what_cannot_be_finished():
    x = leaf()
    errors = []

    def function(call):
        for outputs in (wg.ones(2), (wg.ones(2), wg.ones(2)), [1], 1, leaf()):
            try:
                call.finish(outputs)
            except (TypeError, ValueError, RuntimeError) as error:
                errors.append(str(error))
        return call.run()

    with Interception(function):
        x.exp()
    assert len(errors) == 4
    assert "expected 1 outputs" in errors[0]
    assert "the outputs must be Tensors, not int" in errors[1]
    assert "must be a Tensor or a tuple of Tensors, not int" in errors[2]
    assert "requires grad already" in errors[3]
    for call in (lambda: x.detach().clone().mul_(2), lambda: x.view(2, 1), lambda: wg.exp(x.detach(), out=wg.ones(2))):
        errors.clear()
        with Interception(function):
            call()
        assert any("call run()" in error for error in errors)


def test_interceptors_are_a_stack():
    seen = []

    def interceptor(name):
        def function(call):
            seen.append((name, call.op.name))
            wg.zeros(1).sin()
            return call.run()

        return function

    with Interception(interceptor("outer")), Interception(interceptor("inner")):
        wg.ones(1).exp()
    names = [one for one in seen if one[1] == "exp"]
    assert names == [("inner", "exp"), ("outer", "exp")]
    assert ("outer", "sin") in seen
    assert ("inner", "sin") not in seen


def test_what_an_operation_consists_of_is_not_handed_over():
    seen = []

    def function(call):
        seen.append(call.op.name)
        return call.run()

    with Interception(function):
        wg.nn.functional.softmax(wg.ones(2, 2), 0)
    assert seen.count("softmax") == 1
    assert "exp" not in seen


def test_operations_on_a_batch_are_handed_over_as_those_on_whole_batches():
    shapes = []

    def function(call):
        if call.op.name == "exp":
            shapes.append((call.op.name, tuple(call.arguments[0].shape)))
        return call.run()

    with Interception(function):
        wg.func.vmap(lambda row: row.exp())(wg.ones(3, 2))
    assert ("exp", (3, 2)) in shapes
    assert ("exp", (2,)) not in shapes


def test_a_profile_records_what_runs():
    def function(call):
        return call.finish(wg.ones(2)) if call.op.name == "exp" else call.run()

    with Interception(function), wg.autograd.profiler.profile() as prof:
        leaf().exp().sin()
    names = [event.name for event in prof.function_events]
    assert "aten::sin" in names
    assert "aten::exp" not in names


def test_errors_come_through_and_leave_the_stack_as_it_was():
    def function(call):
        raise ZeroDivisionError("of the interceptor")

    with Interception(function):
        for _ in range(2):
            with pytest.raises(ZeroDivisionError, match="of the interceptor"):
                wg.ones(1)
    with pytest.raises(RuntimeError, match=r"pop_interceptor\(\): this thread has no interceptor"):
        pop_interceptor()
    with pytest.raises(TypeError, match=r"push_interceptor\(\): argument 'function' must be a function"):
        push_interceptor(3)
    with pytest.raises(TypeError, match="cannot create"):
        OpCall()


def test_a_call_is_of_no_use_afterwards_or_in_another_thread():
    calls, errors = [], []

    def function(call):
        calls.append(call)

        def run_there():
            try:
                call.run()
            except RuntimeError as error:
                errors.append(str(error))

        thread = threading.Thread(target=run_there)
        thread.start()
        thread.join()
        return call.run()

    with Interception(function):
        wg.ones(1)
    assert "the call is over, or another thread's" in errors[0]
    for use in (lambda call: call.run(), lambda call: call.arguments, lambda call: call.args, lambda call: call.kwargs,
                lambda call: call.can_finish, lambda call: call.finish(wg.ones(1))):
        with pytest.raises(RuntimeError, match="the call is over"):
            use(calls[0])


def test_other_threads_are_not_intercepted():
    seen = []

    def function(call):
        seen.append(call.op.name)
        return call.run()

    with Interception(function):
        thread = threading.Thread(target=lambda: wg.ones(2).exp())
        thread.start()
        thread.join()
    assert "exp" not in seen


def test_hooks_of_saved_tensors_get_what_was_given():
    packed = []

    def pack(tensor):
        packed.append(tensor.tolist())
        return tensor

    def function(call):
        return call.finish(wg.tensor([10.0, 20.0])) if call.op.name == "exp" else call.run()

    with wg.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor), Interception(function):
        leaf().exp()
    assert packed == [[10.0, 20.0]]
