"""Captured functions from call to call: signatures, results, guards, tensors from outside, errors."""

from __future__ import annotations

import threading
import warnings

import pytest
import wengert as wg
from wengert_core import memory

explain = wg.replay.explain


def test_later_calls_are_replayed_with_new_values():
    f = wg.capture(lambda x, factor: {"sum": (x * factor).sum(), "parts": [x + 1, factor]})
    for start in range(4):
        x = wg.arange(3.0) + start
        got = f(x, 2)
        assert got["sum"].item() == (x * 2).sum().item()
        assert got["parts"][0].tolist() == (x + 1).tolist()
        assert got["parts"][1] == 2
    assert explain(f).replays == 3


def test_results_are_not_overwritten_by_the_next_replay():
    f = wg.capture(lambda x: x * 2)
    results = [f(wg.full((2,), float(k))) for k in range(4)]
    assert [one.tolist() for one in results] == [[0, 0], [2, 2], [4, 4], [6, 6]]
    results[0].add_(1)
    assert f(wg.ones(2)).tolist() == [2, 2]


def test_another_signature_gets_a_program_of_its_own():
    f = wg.capture(lambda x, flag=True: x * 2 if flag else x * 3)
    assert f(wg.ones(2)).tolist() == [2, 2]
    assert f(wg.ones(3)).tolist() == [2, 2, 2]
    assert f(wg.ones(2, dtype=wg.float64)).dtype is wg.float64
    assert f(wg.ones(2), flag=False).tolist() == [3, 3]
    assert f(wg.ones(2), False).tolist() == [3, 3]
    assert f(wg.ones(4)[::2]).tolist() == [2, 2]
    with wg.no_grad():
        f(wg.ones(2))
    assert len(explain(f).programs) == 7
    assert explain(f).replays == 0


def test_numbers_that_are_equal_but_not_the_same_are_other_signatures():
    f = wg.capture(lambda x, factor: 1 / (x * factor))
    values = (0.0, -0.0, 1, 1.0, True, 1 + 0j)
    results = [[f(wg.ones(1), value).tolist() for value in values] for _ in range(2)]
    assert results[0] == results[1] == [f.function(wg.ones(1), value).tolist() for value in values]
    assert len(explain(f).programs) == 6


def test_past_the_bound_calls_run_as_usual_with_one_warning():
    f = wg.capture(lambda x: x + 1, max_programs=2)
    f(wg.ones(1)), f(wg.ones(2))
    with pytest.warns(RuntimeWarning, match="max_programs"):
        f(wg.ones(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(wg.ones(4)).tolist() == [2] * 4
    assert f(wg.ones(1)).tolist() == [2]
    assert explain(f).replays == 1


def test_writes_to_arguments_and_their_versions_are_those_of_an_eager_run():
    def write(x, out):
        x.mul_(2).add_(1)
        wg.add(x, x, out=out)
        return out

    f = wg.capture(write)
    for k in range(3):
        x, out = wg.full((2,), float(k)), wg.zeros(2)
        assert f(x, out) is out
        assert x.tolist() == [2 * k + 1] * 2
        assert out.tolist() == [4 * k + 2] * 2
        assert (x._version, out._version) == (2, 1)
    assert explain(f).replays == 2


def test_writes_to_tensors_from_outside_are_seen_and_counted():
    w = wg.ones(2)

    def step(x):
        w.add_(x)
        return w.sum()

    f = wg.capture(step)
    for k in range(1, 4):
        assert f(wg.ones(2)).item() == 2 * (k + 1)
        assert w._version == k
    w.zero_()
    assert f(wg.ones(2)).item() == 2


def test_memory_from_outside_that_moves_is_noticed():
    w = wg.ones(2)
    f = wg.capture(lambda x: x * w)
    f(wg.ones(2)), f(wg.ones(2))
    w.data = wg.full((2,), 5.0)
    assert f(wg.ones(2)).tolist() == [5, 5]
    assert f(wg.ones(2)).tolist() == [5, 5]
    assert len(explain(f).programs) == 1
    assert explain(f).replays == 2


def test_memory_from_outside_that_is_resized_is_noticed():
    w = wg.ones(2)
    f = wg.capture(lambda x: x * w)
    f(wg.ones(2)), f(wg.ones(2))
    w.resize_(300).fill_(7)
    with pytest.raises(RuntimeError, match="must match"):
        f(wg.ones(2))
    assert f(wg.ones(300)).sum().item() == 2100


def test_leaves_get_gradients_as_in_an_eager_run():
    a, b = (wg.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))

    def step(w, x):
        loss = (w * x).pow(2).sum()
        loss.backward()
        return loss.detach()

    f = wg.capture(lambda x: step(a, x))
    for k in range(6):
        x = wg.tensor([1.0 + k, 0.5])
        if k in (3, 4):
            a.grad = b.grad = None
        assert f(x).item() == step(b, x).item()
        assert a.grad.tolist() == b.grad.tolist()
        assert a.grad._version == b.grad._version
    assert explain(f).replays >= 2


def test_gradients_of_arguments_are_set():
    f = wg.capture(lambda x: (x * x).sum().backward())
    for k in range(3):
        x = wg.full((2,), float(k), requires_grad=True)
        assert f(x) is None
        assert x.grad.tolist() == [2 * k] * 2
    assert explain(f).replays == 2


def test_a_loss_whose_graph_is_spent_may_be_returned():
    w = wg.ones(2, requires_grad=True)

    def step():
        w.grad = None
        loss = w.exp().sum()
        loss.backward()
        return loss

    f = wg.capture(step)
    losses = [f() for _ in range(3)]
    assert losses[2].requires_grad
    assert losses[2].grad_fn is not None
    with pytest.raises(RuntimeError, match="a second time"):
        losses[2].backward()
    assert explain(f).replays == 1


def test_a_result_with_a_graph_is_differentiated():
    w = wg.ones(2, requires_grad=True)
    f = wg.capture(lambda x: (w * x).sum())
    for _ in range(6):
        w.grad = None
        f(wg.ones(2) * 3).backward()
        assert w.grad.tolist() == [3, 3]
    assert explain(f).replays == 5


def test_a_number_that_python_reads_is_a_guard():
    def relu(x):
        return x * 2 if x.sum() > 0 else -x

    f = wg.capture(relu)
    assert f(wg.ones(2)).tolist() == [2, 2]
    assert f(wg.full((2,), 3.0)).tolist() == [6, 6]
    assert f(-wg.ones(2)).tolist() == [1, 1]
    assert f(wg.full((2,), 4.0)).tolist() == [8, 8]
    found = explain(f)
    assert found.replays == 2
    assert found.programs[0].guard_failures == 1
    assert found.programs[0].n_branches == 1


@pytest.mark.parametrize(
    "read",
    [float, lambda t: t.item(), lambda t: t.tolist(), lambda t: int(t * 1)],
    ids=["float", "item", "tolist", "int"],
)
def test_each_way_to_read_a_number_is_guarded(read):
    f = wg.capture(lambda x: x * read(x.sum()))
    for value in (1.0, 1.0, 2.0, 1.0):
        assert f(wg.full((2,), value)).tolist() == [2 * value * value] * 2
    assert explain(f).replays == 2


def test_numpy_on_the_memory_of_a_tensor_is_refused():
    f = wg.capture(lambda x: wg.from_numpy((x * 2).numpy() + 1))
    with pytest.warns(RuntimeWarning, match="NumPy"):
        assert [f(wg.full((1,), float(k))).item() for k in range(3)] == [1, 3, 5]


def test_state_that_the_first_call_makes_is_recorded_when_it_is_there():
    state = {}

    def step(x):
        if "mean" not in state:
            state["mean"] = wg.zeros_like(x)
        state["mean"].mul_(0.5).add_(x)
        return state["mean"].clone()

    f = wg.capture(step)
    assert [f(wg.ones(1)).item() for _ in range(4)] == [1, 1.5, 1.75, 1.875]
    assert explain(f).replays == 2
    assert "stored" in explain(f).reasons[0]


def test_a_function_that_stores_results_each_time_runs_as_usual():
    seen = []

    def step(x):
        seen.append(x * 2)
        return x + 1

    f = wg.capture(step)
    for k in range(3):
        f(wg.full((1,), float(k)))
    with pytest.warns(RuntimeWarning, match="stored"):
        f(wg.full((1,), 3.0))
    f(wg.full((1,), 4.0))
    assert [one.item() for one in seen] == [2.0 * k for k in range(5)]


def test_an_error_in_a_recording_leaves_nothing_behind():
    def fail(x):
        y = x * 2
        raise KeyError(str(y.shape))

    f = wg.capture(fail)
    for _ in range(3):
        with pytest.raises(KeyError):
            f(wg.ones(2))
    assert explain(f).programs == []
    assert (wg.ones(2) * 2).tolist() == [2, 2]
    g = wg.capture(lambda x: x * 2)
    g(wg.ones(1))
    assert g(wg.ones(1)).item() == 2
    assert explain(g).replays == 1


def test_an_operation_that_fails_in_a_replay_raises_its_error():
    f = wg.capture(lambda x, index: wg.gather(x, 0, index))
    f(wg.ones(3), wg.tensor([0, 1])), f(wg.ones(3), wg.tensor([2, 2]))
    with pytest.raises(RuntimeError, match="out of bounds") as error:
        f(wg.ones(3), wg.tensor([3, 0]))
    assert any("test_capture.py" in str(line.path) for line in error.traceback)
    (reason,) = explain(f).reasons
    assert reason.startswith("RuntimeError in a replay: gather")
    assert "test_capture.py" in reason


def test_random_operations_draw_anew_and_leave_the_generator_where_an_eager_run_does():
    function = lambda x: wg.nn.functional.dropout(x, 0.5) + wg.randn(4)  # noqa: E731
    f = wg.capture(function)
    wg.manual_seed(1)
    expected = [function(wg.ones(4)).tolist() for _ in range(4)]
    wg.manual_seed(1)
    assert [f(wg.ones(4)).tolist() for _ in range(4)] == expected
    assert explain(f).replays == 3


def test_captures_inside_of_captures_are_part_of_the_outer_one():
    inner = wg.capture(lambda x: x * 2)
    outer = wg.capture(lambda x: inner(x) + 1)
    assert [outer(wg.full((1,), float(k))).item() for k in range(3)] == [1, 3, 5]
    assert explain(outer).replays == 2
    assert explain(inner).programs == []


@pytest.mark.parametrize(
    "call",
    [
        lambda f: f(wg.ones(2, requires_grad=True) * 1),
        lambda f: wg.vmap(lambda x: f(x))(wg.ones(3)),
        lambda f: f(wg.ones(2).expand(3, 2), wg.ones(2)),
    ],
    ids=["history", "vmap", "plain"],
)
def test_other_arguments_run_as_usual(call):
    function = lambda x, y=None: x * 2 if isinstance(x, wg.Tensor) else x  # noqa: E731
    f = wg.capture(function)
    for _ in range(2):
        got, expected = call(f), call(function)
        assert got.tolist() == expected.tolist() if isinstance(got, wg.Tensor) else got == expected


def test_arguments_that_share_memory_run_as_usual():
    f = wg.capture(lambda x, y: x.add_(1) * y)
    for _ in range(3):
        base = wg.ones(3)
        assert f(base[:2], base[1:]).tolist() == [4, 2]
    assert explain(f).programs == []
    assert "share memory" in explain(f).reasons[0]
    assert wg.capture(lambda x, y: x * y)(base, base).tolist() == [4, 4, 1] or base.tolist()


def test_a_profile_sees_the_operations():
    f = wg.capture(lambda x: x * 2)
    f(wg.ones(2)), f(wg.ones(2))
    with wg.autograd.profiler.profile() as profile:
        f(wg.ones(2))
    assert any("mul" in event.name for event in profile.function_events)


def test_two_threads_replay_one_program():
    f = wg.capture(lambda x: (x * 2 + 1).tanh().sum())
    inputs = [wg.full((50,), 0.01 * k) for k in range(8)]
    expected = [f.function(x).item() for x in inputs]
    f(inputs[0])
    wrong = []

    def work():
        for _ in range(100):
            for x, value in zip(inputs, expected, strict=True):
                if f(x).item() != value:
                    wrong.append(value)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert explain(f).replays == 1600


def test_two_threads_record_at_the_same_time():
    start = threading.Barrier(2)
    results = {}

    def work(number):
        def step(x):
            y = x * number
            start.wait(10)
            return (y.exp() * y).sum()

        f = wg.capture(step)
        for k in range(3):
            results[number, k] = f(wg.full((300,), 0.1 * k)).item()
            if k == 0:
                junk = [wg.ones(300) for _ in range(50)]
                del junk
        assert explain(f).replays == 2

    threads = [threading.Thread(target=work, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for (number, k), value in results.items():
        y = wg.full((300,), 0.1 * k) * number
        assert value == (y.exp() * y).sum().item()
    assert len(results) == 6


def test_replays_and_programs_leak_nothing():
    w = wg.ones(3, requires_grad=True)

    def step(x):
        w.grad = None
        (w * x).sum().backward()
        return wg.cat([x, x]).sum()

    f = wg.capture(step)
    x = wg.ones(3)
    for _ in range(5):
        f(x)
    before = memory.stats()["bytes_in_use"]
    for _ in range(20000):
        f(x)
    assert memory.stats()["bytes_in_use"] == before
    assert explain(f).replays >= 20000
    for _ in range(50):
        wg.capture(step)(x)
    assert memory.stats()["bytes_in_use"] <= before + 4096


def test_printing_shows_operations_and_sizes():
    f = wg.capture(lambda x: (x.t() + wg.fft.fft(x).real).sum(0) * 2)
    f(wg.ones(2, 2))
    program = explain(f).programs[0]
    text = str(program)
    assert "sum(" in text
    assert "[view]" in text
    assert "[call]" in text
    assert "test_capture.py" in text
    assert "float[2]" not in text
    assert (program.n_launches, program.n_calls, len(program.steps)) == (4, 1, 7)
    assert program.nbytes > 0


def test_wrong_arguments_are_refused():
    with pytest.raises(TypeError, match="callable"):
        wg.capture(3)
    with pytest.raises(ValueError, match="max_programs"):
        wg.capture(lambda: 0, max_programs=0)
    with pytest.raises(TypeError, match="explain"):
        explain(len)


@pytest.mark.parametrize(
    "act", [lambda g: g.manual_seed(3), lambda g: g.get_state(), lambda g: g.set_state(wg.Generator().get_state())]
)
def test_a_generator_that_is_set_or_read_is_not_replayed(act):
    generator = wg.Generator()

    def draw(x):
        act(generator)
        return x + wg.rand(2, generator=generator)

    captured = wg.capture(draw)
    with pytest.warns(RuntimeWarning, match="run as usual"):
        captured(wg.zeros(2))
    generator.manual_seed(7)
    expected = draw(wg.zeros(2)).tolist()
    generator.manual_seed(7)
    assert captured(wg.zeros(2)).tolist() == expected
