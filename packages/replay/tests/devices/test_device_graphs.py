"""Graphs by torch.cuda's names, on the simulated device: what is captured is done by each replay, and only there."""

from __future__ import annotations

import gc

import pytest
import wengert as wg
from sim_graphs import NAMES, SIM, CUDAGraph, capture, graph, on_sim
from wengert import nn
from wengert_core.devices import device as devices
from wengert_core.extend import CaptureError
from wengert_testing.sim import RaceError

REFUSED = "operation not permitted when stream is capturing"


def test_nothing_is_done_before_a_replay():
    x = on_sim([1.0, 2.0])
    made, y = capture(lambda: x.add_(1) * 10)
    assert x.tolist() == [1, 2]
    assert y.tolist() != [20, 30]
    made.replay()
    assert (x.tolist(), y.tolist()) == ([2, 3], [20, 30])


def test_a_replay_reads_what_stands_in_the_arguments():
    x = on_sim([1.0, 2.0, 3.0])
    made, y = capture(lambda: (x.softmax(0), x.sum(), x.reshape(3, 1) @ x.reshape(1, 3), x.sort(descending=True)))
    for values in ([3.0, 1.0, 2.0], [0.0, 5.0, -1.0]):
        x.copy_(wg.tensor(values))
        made.replay()
        host = wg.tensor(values)
        expected = host.softmax(0), host.sum(), host.reshape(3, 1) @ host.reshape(1, 3), *host.sort(descending=True)
        for got, one in zip((*y[:3], *y[3]), expected, strict=True):
            wg.testing.assert_close(got.cpu(), one)


INDEXED = {
    "gather": lambda x, i: x.gather(0, i[None]), "index_select": lambda x, i: x.index_select(0, i),
    "embedding": lambda x, i: nn.functional.embedding(i, x), "index": lambda x, i: x[i],
    "sort": lambda x, i: x.sort(1)[0],
    "cross_entropy": lambda x, i: nn.functional.cross_entropy(x, i), "max": lambda x, i: x.max(1)[0],
    "scatter_add": lambda x, i: wg.zeros(3, 3, device="sim").scatter_add(0, i[None], x),
    "max_pool1d": lambda x, i: nn.functional.max_pool1d(x[None], 2), "topk": lambda x, i: x.topk(2)[0],
}  # fmt: skip


@pytest.mark.parametrize("name", INDEXED)
def test_indices_that_change_from_replay_to_replay(name):
    x, i = wg.randn(3, 3).to("sim").requires_grad_(), on_sim([0, 1, 2])
    x.grad = wg.zeros_like(x)

    def function():
        y = INDEXED[name](x, i)
        (y * y.detach().cos()).sum().backward()
        return y

    made, y = capture(function)
    for indices in ([2, 0, 1], [1, 1, 0]):
        i.copy_(wg.tensor(indices))
        x.data.copy_(wg.randn(3, 3))
        x.grad.zero_()
        made.replay()
        got = y.tolist(), x.grad.tolist()
        x.grad.zero_()
        assert got == (function().tolist(), x.grad.tolist())


def test_constants_are_made_again_where_they_are_written_to():
    x = on_sim([1.0, 2.0])

    def function():
        total = wg.zeros(2, device="sim")
        total += x
        return total.add_(wg.arange(2, device="sim"))

    made, y = capture(function)
    for _ in range(2):
        made.replay()
        assert y.tolist() == [1, 3]


def test_backward_accumulates_into_gradients_that_stay():
    w = on_sim([2.0, 3.0], requires_grad=True)
    x = on_sim([1.0, 1.0])
    w.grad = wg.zeros_like(w)
    made, _ = capture(lambda: (w * w * x).sum().backward())
    made.replay()
    x.fill_(10)
    made.replay()
    assert w.grad.tolist() == [44, 66]


OPTIMIZERS = {
    "SGD": {"lr": 0.1}, "SGD with momentum": {"lr": 0.1, "momentum": 0.9, "nesterov": True},
    "Adam": {"lr": 0.1, "capturable": True}, "AdamW": {"lr": 0.1, "capturable": True, "amsgrad": True},
}  # fmt: skip


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training_steps_are_those_without_a_graph(name):
    def steps(use_graph):
        wg.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)).to("sim")
        optimizer = getattr(wg.optim, name.partition(" ")[0])(model.parameters(), **OPTIMIZERS[name])
        x = wg.randn(5, 3, device="sim")

        def step():
            optimizer.zero_grad(set_to_none=False)
            loss = model(x).square().mean()
            loss.backward()
            optimizer.step()
            return loss

        for _ in range(2):  # the optimizer makes its state
            step()
        run = step
        if use_graph:
            made, loss = capture(step)

            def run():
                made.replay()
                return loss

        return [run().item() for _ in range(4)], [p.tolist() for p in model.parameters()]

    assert steps(True) == steps(False)


def test_random_numbers_go_on_in_each_replay_and_not_in_a_capture():
    generator = wg.Generator("sim").manual_seed(1)

    def draw():
        x = wg.rand(3, device="sim", generator=generator)
        return x, wg.zeros(2, device="sim").normal_(generator=generator), wg.randperm(5, device="sim",
                                                                                      generator=generator)  # fmt: skip

    state = generator.get_state()
    made, found = capture(draw)
    assert generator.get_state().tolist() == state.tolist()
    got = []
    for _ in range(3):
        made.replay()
        got.append([one.tolist() for one in found])
    generator.manual_seed(1)
    assert got == [[one.tolist() for one in draw()] for _ in range(3)]


def test_dropout_differs_from_replay_to_replay():
    x = wg.ones(100, device="sim")
    made, y = capture(lambda: nn.functional.dropout(x, 0.5))
    seen = set()
    for _ in range(3):
        made.replay()
        seen.add(tuple(y.tolist()))
    assert len(seen) == 3


@pytest.mark.parametrize("call", [
    lambda x: x.tolist(), lambda x: x.sum().item(), lambda x: bool(x.sum() > 0), lambda x: x.cpu(), lambda x: x[x > 1],
    lambda x: x.nonzero(), lambda x: wg.tensor([1.0], device="sim"), lambda x: x.copy_(wg.ones(2)), lambda x: repr(x),
    lambda x: SIM["synchronize"](), lambda x: SIM["current_stream"]().synchronize(), lambda x: x.to("sim:1"),
    lambda x: capture(lambda: x), lambda x: SIM["current_stream"]().query(),
])  # fmt: skip
def test_what_needs_numbers_is_refused_and_leaves_everything_usable(call):
    x = on_sim([1.0, 2.0])
    made = CUDAGraph()

    def attempt():
        with graph(made):
            x.add_(100)
            call(x)

    with pytest.raises(CaptureError, match=REFUSED):
        attempt()
    assert x.tolist() == [1, 2]
    assert not NAMES["is_current_stream_capturing"]()
    with graph(made):
        y = x + 1
    made.replay()
    assert y.tolist() == [2, 3]


def test_an_error_of_the_function_is_the_error():
    made = CUDAGraph()
    with pytest.raises(ZeroDivisionError), graph(made):
        wg.ones(2, device="sim").mul_(1 // 0)
    with pytest.raises(RuntimeError, match="without a preceding successful capture"):
        made.replay()


def test_errors_of_the_calls():
    made = CUDAGraph()
    for call in (made.replay, made.pool, made.instantiate):
        with pytest.raises(RuntimeError, match=r"Called CUDAGraph::\S+ without a preceding successful capture"):
            call()
    with pytest.raises(RuntimeError, match="no capture of this graph"):
        made.capture_end()
    with pytest.raises(RuntimeError, match="must be captured on a non-default stream"):
        made.capture_begin()
    with pytest.raises(RuntimeError, match="Unknown capture error mode"), graph(made, capture_error_mode="other"):
        pass
    with pytest.raises(TypeError, match="must be CUDAGraph, not int"):
        graph(1)
    with graph(made):
        pass
    with pytest.raises(RuntimeError, match="already owns a captured graph"), graph(made):
        pass
    made.reset()
    with graph(made):
        pass


def test_memory_of_an_argument_that_is_gone_is_noticed():
    def double(x):
        return capture(lambda: x * 2)[0]

    made = double(on_sim([1.0, 2.0]))
    gc.collect()
    with pytest.raises(RaceError, match="memory that was freed"):
        made.replay()


def test_memory_of_results_outlives_the_graph():
    x = on_sim([1.0, 2.0])
    made, y = capture(lambda: x * 2)
    made.replay()
    made.reset()
    assert y.tolist() == [2, 4]


def test_two_graphs_share_a_pool():
    plugin = devices.plugin_of("sim")
    x = wg.ones(1000, device="sim")
    pool = NAMES["graph_pool_handle"]()
    first, _ = capture(lambda: sum(x.mul(2).sum() for _ in range(3)), pool=pool)
    second, y = capture(lambda: x.mul(3).add(1).sum(), pool=first.pool())
    assert first.pool() is second.pool() is pool
    first.replay()
    second.replay()
    assert y.item() == 4000
    pieces = [piece for (_, nbytes), pieces in pool.free.items() if nbytes == 4000 for piece in pieces]
    assert len(pieces) <= 2  # of the six results of that size
    assert plugin.memory_stats(0)["allocated"] >= 4000


def test_streams_join_a_capture_and_have_to_come_back():
    x = on_sim([1.0, 2.0])
    side = SIM["Stream"]()

    def branch():
        side.wait_stream(SIM["current_stream"]())
        with SIM["stream"](side):
            y = x * 2
        SIM["current_stream"]().wait_stream(side)
        return y + x

    made, y = capture(branch)
    made.replay()
    assert y.tolist() == [3, 6]
    with pytest.raises(RuntimeError, match="unjoined work"):
        capture(lambda: (side.wait_stream(SIM["current_stream"]()), SIM["stream"](side).__enter__(), x * 2,
                          SIM["set_stream"](graph.default_capture_stream)))  # fmt: skip
    SIM["set_stream"](SIM["default_stream"]())


def test_pinned_memory_is_read_by_each_replay():
    host = wg.ones(2).pin_memory("sim")
    x = on_sim([0.0, 0.0])
    made, _ = capture(lambda: x.copy_(host, non_blocking=True))
    host.fill_(7)
    made.replay()
    assert x.tolist() == [7, 7]


def test_a_graph_is_written_to_a_file(tmp_path):
    x = on_sim([1.0])
    made, _ = capture(lambda: x.exp())
    with pytest.warns(UserWarning, match="debug not enabled"):
        made.debug_dump(str(tmp_path / "no.dot"))
    made.enable_debug_mode()
    made.debug_dump(str(tmp_path / "graph.dot"))
    assert "exp" in (tmp_path / "graph.dot").read_text()
    assert not (tmp_path / "no.dot").exists()


def test_without_a_device_the_answers_are_those_of_torch():
    if wg.cuda.is_available():
        pytest.skip("there is a GPU")
    assert wg.cuda.graphs.CUDAGraph is wg.cuda.CUDAGraph
    assert not wg.cuda.is_current_stream_capturing()
    with pytest.raises(RuntimeError, match="Tried to instantiate dummy base class CUDAGraph"):
        wg.cuda.CUDAGraph()
    with pytest.raises(RuntimeError, match="Tried to instantiate dummy base class _graph_pool_handle"):
        wg.cuda.graph_pool_handle()
    with pytest.raises(RuntimeError, match=r"torch.cuda.Stream requires CUDA support"):
        wg.cuda.graph(None)
    with pytest.raises(RuntimeError, match="dummy base class CUDAGraph"):
        wg.cuda.make_graphed_callables(wg.sin, (wg.ones(1),))


def test_inputs_that_are_freed():
    x, w = wg.ones(2, device="sim"), wg.ones(2, device="sim")
    made = CUDAGraph()
    with graph(made, check_input_liveness=True):
        y = (x * 2 + w[1:]).sum() * w
    for _ in range(2):
        made.replay()
        assert y.tolist() == [6, 6]
    del x
    with pytest.raises(RuntimeError, match=r"replay detected 1 dead tensor.s..\nDead tensor #1 .data_ptr=0x"):
        made.replay()
    made.reset()
    with graph(made, check_input_liveness=True):
        y = w.detach() + 1  # what the capture makes may go
    made.replay()
    assert y.tolist() == [2, 2]
    del y
    made.replay()


def test_nobody_observes_behind_a_capture_that_raises():
    with pytest.raises(ZeroDivisionError), graph(CUDAGraph(), check_input_liveness=True):
        raise ZeroDivisionError
    with pytest.raises(RuntimeError, match="non-default stream"):
        CUDAGraph().capture_begin(check_input_liveness=True)
    run = wg.capture(lambda x: x * 2)
    assert [run(on_sim([1.0])).tolist() for _ in range(3)] == [[2]] * 3
    assert wg.replay.explain(run).replays == 1
