"""Anomaly mode beyond PyTorch's: the error's facts, infinities, the forward pass, who wrote to a saved tensor."""

import gc
import threading
import weakref

import pytest
import wengert_core as wc
from wengert_engine import Function, grad, no_grad
from wengert_engine.anomaly.anomaly_mode import AnomalyError, detect_anomaly, is_anomaly_enabled, set_detect_anomaly
from wengert_engine.hooks.mutation import allow_mutation_on_saved_tensors
from wengert_engine.hooks.saved_hooks import save_on_cpu
from wengert_engine.hooks.versions import increment_version

pytestmark = [pytest.mark.filterwarnings("ignore:Error detected in"),
              pytest.mark.filterwarnings(r"ignore:\s+Previous calculation")]


def leaf(*values, **options):
    return wc.tensor(list(values), requires_grad=True, **options)


def forward_line(x):
    return x.sqrt()


def failing(run, **options):
    """The AnomalyError that ``run()`` raises in anomaly mode."""
    with set_detect_anomaly(True, **options), pytest.raises(AnomalyError) as caught:
        run()
    return caught.value


def test_the_error_carries_its_facts():
    x = leaf(4.0, 0.0, 0.0, 1.0)
    error = failing(lambda: (forward_line(x) * 0).sum().backward())
    assert (error.phase, error.op, error.output_index) == ("backward", "SqrtBackward0", 0)
    assert (error.first_index, error.counts) == ((1,), {"nan": 2, "inf": 0, "total": 4})
    assert error.first_value != error.first_value
    incoming, result = error.inputs
    assert (incoming.name, incoming.shape, incoming.low, incoming.high) == ("grad_outputs[0]", (4,), 0.0, 0.0)
    assert (result.name, result.low, result.high, result.nan) == ("saved result", 0.0, 2.0, 0)
    assert [frame.name for frame in error.forward_stack][-1] == "forward_line"
    assert error.forward_stack[-1].line == "return x.sqrt()"
    assert error.induced_by == []
    assert str(error).startswith("Function 'SqrtBackward0' returned nan values in its 0th output. 2 of 4 values are "
                                 "nan, the first at index [1]. Computed from grad_outputs[0] [4] in [0, 0]; saved ")


def test_all_rows_of_batched_gradients_are_searched():
    x = leaf(4.0, 0.0)
    rows = wc.tensor([[0.0, 1.0], [1.0, 0.0]])  # the second gives 0 * inf
    error = failing(lambda: grad(x.sqrt(), x, rows, is_grads_batched=True))
    assert (error.op, error.first_index) == ("SqrtBackward0", (1, 1))
    assert error.inputs[0].shape == (2, 2)


def test_infinities_are_looked_for_when_asked():
    x = leaf(1.0, 0.0)
    with set_detect_anomaly(True):
        x.log().sum().backward()
    assert x.grad.tolist() == [1.0, float("inf")]
    error = failing(lambda: x.log().sum().backward(), check_inf=True)
    assert (error.op, error.first_index, error.first_value) == ("LogBackward0", (1,), float("inf"))
    assert "returned inf values in its 0th output" in str(error)
    only_inf = failing(lambda: x.log().sum().backward(), check_nan=False, check_inf=True)
    assert only_inf.counts == {"nan": 0, "inf": 1, "total": 2}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("dense", [True, False])
def test_every_dtype_and_layout_is_searched(dtype, dense):
    class Spoil(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            bad = wc.ones(2, 3, dtype=g.dtype)
            bad[1, 2] = float("nan")
            return bad if dense else bad.t().contiguous().t()

    x = wc.ones(2, 3, dtype=getattr(wc, dtype), requires_grad=True)
    error = failing(lambda: Spoil.apply(x).abs().sum().backward())
    assert (error.first_index, error.counts["nan"]) == ((1, 2), 1)


def test_the_forward_pass_is_searched_when_asked():
    x = leaf(-1.0, 4.0)
    with set_detect_anomaly(True):
        forward_line(x)
    error = failing(lambda: forward_line(x), check_forward=True)
    assert (error.phase, error.op, error.first_index, error.counts["nan"]) == ("forward", "sqrt", (0,), 1)
    assert (error.inputs[0].low, error.inputs[0].high) == (-1.0, 4.0)
    assert error.forward_stack[-1].name == "forward_line"
    assert "in the forward pass" in str(error)
    inplace = failing(lambda: (x * 1).sqrt_(), check_forward=True)
    assert (inplace.op, inplace.first_index) == ("sqrt_", (0,))
    assert failing(lambda: (x - 4).reciprocal(), check_forward=True, check_inf=True).first_index == (1,)
    assert forward_line(x).isnan().any()                   # the mode is off again


def test_metadata_has_the_lines_and_the_parent():
    x = leaf(4.0)
    with set_detect_anomaly(True):
        y = forward_line(x)
        (slope,) = grad(y.sum(), x, create_graph=True)
    assert "in forward_line\n    return x.sqrt()\n" in y.grad_fn.metadata["traceback_"][-1]
    assert "parent_" not in y.grad_fn.metadata
    assert slope.grad_fn.metadata["parent_"] is y.grad_fn
    assert (forward_line(x).grad_fn.metadata, is_anomaly_enabled()) == ({}, False)


def test_double_backward_names_all_that_induced_it():
    x = leaf(0.0)
    with set_detect_anomaly(True, check_nan=False):
        (slope,) = grad(forward_line(x).sum() * 0, x, create_graph=True)
    error = failing(lambda: slope.sum().backward())
    name, stack = error.induced_by[0]
    assert (name, stack[-1].name) == ("SqrtBackward0", "forward_line")


def test_the_mode_is_that_of_the_process():
    seen = []
    with set_detect_anomaly(True):
        thread = threading.Thread(target=lambda: seen.append(is_anomaly_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_an_error_in_a_hook_is_reported_and_leaves_no_trace():
    x = leaf(1.0)
    with set_detect_anomaly(True):
        y = x.exp()
        y.register_hook(lambda g: 1 / 0)
        with pytest.warns(UserWarning, match="Error detected in ExpBackward0"), pytest.raises(ZeroDivisionError):
            y.sum().backward()
        assert "parent_" not in (x * 1).grad_fn.metadata
    with pytest.raises(TypeError, match=r"argument 'enabled' \(position 1\) must be bool, not int"):
        set_detect_anomaly(1)


def test_nodes_with_traces_die_as_others_do():
    gc.disable()
    try:
        with set_detect_anomaly(True):
            y = leaf(1.0).exp() * 2
            gone = weakref.ref(y.grad_fn)
            del y
        assert gone() is None
    finally:
        gc.enable()


def test_the_mode_comes_back_after_an_error():
    with (pytest.warns(UserWarning, match="Anomaly Detection has been enabled"),
          pytest.raises(KeyError), detect_anomaly(check_inf=True)):
        raise KeyError
    assert not is_anomaly_enabled()


# ---- saved tensors that were written to

def test_the_error_for_a_modified_tensor_names_saver_and_writer():
    x = leaf(1.0) * 1
    y = x.sin()
    x.add_(1)
    phrase = (r"\[torch.FloatTensor \[1\]\], which is output 0 of Add, is at version 1; expected version 0 instead. "
              r"Hint: .* SinBackward0 saved it as 'self' and what AddBackward0 recorded wrote to it")
    with pytest.raises(RuntimeError, match=phrase):
        y.sum().backward()


def test_a_write_through_a_view_is_named_by_what_it_recorded():
    x = leaf(1.0, 2.0) * 1
    y = x.sin()
    x[:1].mul_(2)
    with pytest.raises(RuntimeError, match=r"and what torch::autograd::CopySlices recorded wrote to it"):
        y.sum().backward()


def test_an_unknown_writer_is_not_guessed():
    x = leaf(1.0)
    y = x.sin()
    x.data = x.data                    # no version of its own
    with no_grad():
        x.add_(1)
    with pytest.raises(RuntimeError, match=r"SinBackward0 saved it as 'self': clone it") as caught:
        y.sum().backward()
    assert "wrote" not in str(caught.value)


@pytest.mark.parametrize("through_view", [False, True])
def test_anomaly_mode_shows_both_lines(through_view):
    def saving(x):
        return x.exp()

    def writing(y):
        (y[:1] if through_view else y).mul_(2)

    x = leaf(1.0, 2.0)
    with set_detect_anomaly(True):
        y = saving(x)
        writing(y)
        with pytest.raises(RuntimeError, match=r"in saving: return x.exp\(\)\) saved it as 'result' and mul_ \(.*"
                                               r"in writing: .*mul_\(2\)\) wrote to it"):
            y.sum().backward()


def test_the_first_write_after_saving_is_shown():
    x = leaf(1.0) * 1
    with set_detect_anomaly(True):
        x.neg_()
        y = x.sin()
        x.add_(1)
        x.mul_(2)
        with pytest.raises(RuntimeError, match=r"and add_ .* wrote to it"):
            y.sum().backward()


@pytest.mark.host("on a device save_on_cpu keeps a copy")
def test_indices_and_what_hooks_keep_are_named_too():
    x, index = leaf(1.0, 2.0), wc.tensor([0, 1])
    y = x[index]
    index.zero_()
    with pytest.raises(RuntimeError, match=r"\[torch.LongTensor \[2\]\] is at version 1; expected version 0 instead. "
                                           r".* IndexBackward0 saved it as 'indices'"):
        y.sum().backward()
    x = leaf(1.0) * 1
    with save_on_cpu():
        y = x.sin()
    x.add_(1)
    with pytest.raises(RuntimeError, match=r"is at version 1; expected version 0 instead. .* save_on_cpu saved it as"):
        y.sum().backward()
    x = leaf(1.0) * 1
    with allow_mutation_on_saved_tensors():
        y = x.sin()
        increment_version(x)
        with pytest.raises(RuntimeError, match=r"allow_mutation_on_saved_tensors saved it as 'a saved tensor': clone"):
            y.sum().backward()
