"""profile: what is recorded, when it can be read, what is refused."""

import warnings

import pytest
import wengert as wg
from wengert.autograd.profiler import profile, record_function


class Twice(wg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def program():
    x = wg.ones(2, 3, requires_grad=True)
    with record_function("forward"):
        y = wg.nn.functional.linear(x, wg.ones(4, 3, requires_grad=True), wg.ones(4))
        z = Twice.apply(y)
        loss = wg.nn.functional.cross_entropy(z, wg.tensor([0, 1]))
    loss.backward()


def nesting(events):
    return [(event.name, event.cpu_parent.name if event.cpu_parent else None) for event in events]


def test_what_runs_is_recorded_with_what_it_ran_in():
    with profile() as prof:
        program()
    found = nesting(prof.function_events)
    assert ("forward", None) in found
    assert ("aten::linear", "forward") in found
    assert ("Twice", "forward") in found
    assert ("aten::mul", "Twice") in found
    assert ("aten::cross_entropy_loss", "forward") in found
    assert ("aten::log_softmax", "aten::cross_entropy_loss") in found
    assert ("torch::autograd::GraphRoot", None) in found
    assert ("TwiceBackward", None) in found
    assert ("aten::mul", "TwiceBackward") in found
    assert ("torch::autograd::AccumulateGrad", None) in found


def test_times_are_nested_and_add_up():
    with profile() as prof:
        program()
    events = prof.function_events
    for event in events:
        assert event.time_range.start >= 0
        assert event.self_cpu_time_total >= -1e-6
        for child in event.cpu_children:
            assert event.time_range.start <= child.time_range.start <= child.time_range.end <= event.time_range.end
    top = sum(event.cpu_time_total for event in events if event.cpu_parent is None)
    assert prof.self_cpu_time_total == pytest.approx(top)
    assert prof.total_average().self_cpu_time_total == pytest.approx(top)
    assert [event.time_range.start for event in events] == sorted(event.time_range.start for event in events)


@pytest.mark.parametrize("by_shape", [False, True])
@pytest.mark.parametrize("lines", [0, 1, 3])
def test_sums_of_columns_are_sums_of_events(by_shape, lines):
    with profile(record_shapes=True, with_flops=True, profile_memory=True, with_stack=True) as prof:
        for _ in range(3):
            program()
    fast, slow = prof.key_averages(by_shape, lines), prof.function_events.key_averages(by_shape, lines)
    assert len(fast) == len(slow) > 5
    for one, other in zip(fast, slow, strict=True):
        for name in (
            "key",
            "count",
            "input_shapes",
            "stack",
            "cpu_memory_usage",
            "self_cpu_memory_usage",
            "flops",
            "scope",
            "is_user_annotation",
        ):
            assert getattr(one, name) == getattr(other, name), name
        assert one.cpu_time_total == pytest.approx(other.cpu_time_total)
        assert one.self_cpu_time_total == pytest.approx(other.self_cpu_time_total, abs=1e-6)


def test_nothing_is_recorded_before_and_after_the_block():
    wg.ones(2) * 2
    with profile() as prof:
        wg.ones(2).exp()
    wg.ones(2) * 2
    assert [event.name for event in prof.function_events] == ["aten::ones", "aten::exp"]


def test_results_are_read_after_the_block():
    prof = profile()
    with prof:
        for read in (
            prof.key_averages,
            prof.table,
            prof.total_average,
            lambda: prof.function_events,
            lambda: prof.self_cpu_time_total,
            lambda: prof.export_chrome_trace("nowhere"),
        ):
            with pytest.raises(RuntimeError, match="didn't finish running"):
                read()
        assert str(prof) == "<unfinished torch.autograd.profile>"
    assert prof.table() == ""


def test_a_failing_block_leaves_a_profile_and_no_profiler():
    with pytest.raises(RuntimeError, match="size of tensor"), profile() as prof, record_function("step"):
        wg.ones(2) + wg.ones(3)
    assert [event.name for event in prof.function_events] == ["step", "aten::ones", "aten::ones", "aten::add"]
    assert all(event.time_range.end >= event.time_range.start for event in prof.function_events)
    with profile() as again:
        wg.ones(2)
    assert len(again.function_events) == 1


def test_a_thread_has_one_profile():
    with profile() as prof:
        with pytest.raises(RuntimeError, match="Profiler is already enabled on this thread"):
            profile().__enter__()
        wg.ones(2)
    assert len(prof.function_events) == 1


def test_switched_off_it_records_nothing():
    prof = profile(enabled=False)
    with prof as given:
        wg.ones(2)
    assert given is None
    with pytest.raises(RuntimeError, match="enabled=False"):
        prof.key_averages()


@pytest.mark.parametrize(
    ("argument", "reason"),
    [
        ({"use_kineto": True}, "no Kineto"),
        ({"experimental_config": object()}, "not used"),
        ({"use_device": "cuda"}, "CUDA is not available"),
        ({"use_device": "nope"}, "The nope is not a valid device option"),
        ({"use_device": "cpu"}, "The cpu is not a valid device option"),
        ({"use_device": 3}, "The 3 is not a valid device option"),
        ({"acc_events": True}, "the events of one block"),
        ({"custom_trace_id_callback": str}, "no id"),
        ({"post_processing_timeout_s": 1.0}, "nothing is processed"),
        ({"activity_filters": {}}, "everything is recorded"),
    ],
)
def test_arguments_without_a_meaning_say_so(argument, reason):
    with pytest.warns(UserWarning, match=reason):
        profile(**argument)


def test_the_defaults_warn_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        profile(
            record_shapes=True,
            with_flops=True,
            profile_memory=True,
            with_stack=True,
            with_modules=False,
            use_kineto=False,
            use_cpu=True,
            experimental_config=None,
            use_cuda=False,
        )


def test_without_the_cpu_nothing_is_recorded():
    with pytest.warns(UserWarning, match="Kineto"):
        prof = profile(use_cpu=False, use_kineto=True)
    with prof:
        wg.ones(2)
    assert len(prof.function_events) == 0


def test_a_device_that_is_not_there_has_zero_columns():
    with pytest.warns(UserWarning, match="CUDA is not available"), pytest.warns(FutureWarning, match="use_cuda"):
        prof = profile(use_cuda=True, profile_memory=True)
    assert prof.use_device == "cuda"
    assert prof.use_cuda
    with prof:
        wg.ones(2)
    text = prof.key_averages().table(sort_by="cuda_time")
    for head in ("Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg", "CUDA Mem", "Self CUDA Mem"):
        assert head in text
    assert "Self CUDA time total: 0.000us" in text


def test_views_and_writes_have_their_names():
    x = wg.ones(4, requires_grad=True) * 1
    with profile() as prof:
        x.view(2, 2)[0].mul_(2)
        x[1:] = 5
    names = [event.name for event in prof.function_events]
    assert {"aten::view", "aten::select", "aten::mul_"} <= set(names)


def test_the_table_in_a_notebook_is_html_and_escaped():
    with profile() as prof, record_function("<script>alert(1)</script>"):
        wg.ones(2)
    html = prof._repr_html_()
    assert html.startswith("<table>")
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "aten::ones" in prof.function_events._repr_html_()


def test_vmap_shows_the_operations_on_whole_batches_inside():
    with profile(record_shapes=True) as prof:
        wg.vmap(lambda row: row.sin())(wg.ones(5, 3))
    inner = [event for event in prof.function_events if event.name == "aten::sin" and event.input_shapes == [[5, 3]]]
    assert len(inner) == 1


def test_profiling_and_watching_writes_do_not_disturb_each_other():
    x = wg.ones(2, requires_grad=True)
    with profile() as prof, wg.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        z = y.sin()
        y.mul_(3)
        z.sum().backward()
    assert x.grad.tolist() == x.detach().cos().tolist()
    assert "aten::mul_" in [event.name for event in prof.function_events]
    with wg.autograd.graph.allow_mutation_on_saved_tensors():
        with profile() as inner:
            y = x * 1
        z = y.sin()
        y.mul_(3)  # watched still
        x.grad = None
        z.sum().backward()
    assert x.grad.tolist() == x.detach().cos().tolist()
    assert [event.name for event in inner.function_events] == ["aten::mul"]
