"""capture(validate=True) with arguments on a device: replays that are checked against eager runs."""

from __future__ import annotations

import pytest
import wengert as wg
from sim_graphs import on_sim
from wengert_replay.devices import device_program

from ..hidden_count import hidden_count

explain = wg.replay.explain
Differs = wg.replay.ReplayDiffersError


@pytest.mark.parametrize("set_to_none", [True, False])
@pytest.mark.parametrize("own_generator", [True, False])
def test_what_is_right_is_replayed_and_written_once(own_generator, set_to_none):
    def run(options):
        wg.manual_seed(5)
        generator = wg.Generator("sim").manual_seed(3) if own_generator else None
        w, velocity = on_sim([1.0, 2.0, 3.0], requires_grad=True), wg.zeros(3, device="sim")
        calls = []

        def step(x):
            calls.append(1)
            if set_to_none:
                w.grad = None
            loss = (w * x + wg.rand(3, device="sim", generator=generator)).pow(2).sum()
            loss.backward()
            x.mul_(2)
            with wg.no_grad():
                velocity.mul_(0.9).add_(w.grad)
                w.sub_(0.1 * velocity)
            return {"loss": loss.detach(), "numbers": [1, None], "same": x, "view": x[1:]}

        function = step if options is None else wg.capture(step, **options)
        found = []
        for k in range(6):
            x = wg.full((3,), 0.1 * k, device="sim")
            result = function(x)
            assert result["same"] is x
            found.append((result["loss"].item(), result["view"].tolist(), x._version, w._version, velocity._version))
        if options is not None:
            assert explain(function).replays >= 3, explain(function)
            assert len(calls) == (6 if "validate" in options else 6 - explain(function).replays)
        return found, w.tolist(), w.grad.tolist(), velocity.tolist(), wg.rand(1, device="sim").item()

    expected = run(None)
    assert run({"validate": True}) == expected
    assert run({}) == expected


@pytest.mark.parametrize(("make", "words"), [
    (lambda numbers: lambda x: x * numbers(), "result 0 has 2 of 2 numbers that differ"),
    (lambda numbers: lambda x: x.mul_(numbers()), "argument 0 has 2 of 2 numbers that differ|result 0 has 2 of 2"),
    (lambda numbers: lambda x: (x + 1, numbers()), "in a replay"),
    (lambda numbers: lambda x: x.sum() if numbers() < 3 else x, "result 0 has"),
])  # fmt: skip
def test_hidden_python_state_is_noticed(make, words):
    run = wg.capture(make(hidden_count(1)), validate=True)
    run(on_sim([1.0, 2.0])), run(on_sim([1.0, 2.0]))
    x = on_sim([1.0, 2.0])
    with pytest.raises(Differs, match=words):
        run(x)


def test_gradients_that_differ_are_noticed():
    numbers = hidden_count(1)
    w = on_sim([1.0], requires_grad=True)

    def step(x):
        w.grad = None
        (w * x * numbers()).sum().backward()

    run = wg.capture(step, validate=True)
    run(on_sim([1.0])), run(on_sim([1.0]))
    with pytest.raises(Differs, match=r"the gradient of .* has 1 of 1 numbers that differ"):
        run(on_sim([1.0]))
    assert w.grad.tolist() == [3]  # the state is that of the eager run


def test_a_version_that_a_replay_misses_is_noticed(monkeypatch):
    total = on_sim([0.0])
    run = wg.capture(lambda x: total.add_(x).sum(), validate=True)
    run(on_sim([1.0])), run(on_sim([1.0])), run(on_sim([1.0]))
    monkeypatch.setattr(device_program, "increment_version", lambda tensor: None)
    with pytest.raises(Differs, match="outside tensor 0 has version 3 in a replay, 4 in an eager run"):
        run(on_sim([1.0]))
    assert total.item() == 4


def test_errors_are_compared():
    is_bad = []

    def function(x):
        if is_bad:
            raise ValueError("bad")
        return x * 2

    run = wg.capture(function, validate=True)
    run(on_sim([1.0])), run(on_sim([1.0]))
    is_bad.append(1)
    with pytest.raises(Differs, match="there is no error in a replay, ValueError in an eager run"):
        run(on_sim([1.0]))


def test_python_functions_are_called_once():
    def run(options):
        n = [0]

        @wg.compiler.disable
        def count():
            n[0] += 1
            return 2.0

        function = wg.capture(lambda x: x * count(), **options)
        found = [function(on_sim([1.0])).item() for _ in range(6)]
        return found, n[0], explain(function)

    found, n, explanation = run({"validate": True})
    assert found == [2.0] * 6
    assert explanation.replays == 0
    assert any("calls with validate=True run as usual" in one for one in explanation.reasons)
    assert n == run({})[1]


def test_steps_of_optimizers_are_compared():
    w = on_sim([1.0, 2.0], requires_grad=True)
    optimizer = wg.optim.Adam([w], lr=0.1, capturable=True)

    def step(x):
        optimizer.zero_grad()
        loss = (w * x).pow(2).sum()
        loss.backward()
        optimizer.step()
        return loss.detach()

    run = wg.capture(step, validate=True)
    for _ in range(6):
        run(on_sim([1.0, 3.0]))
    assert explain(run).replays >= 2, explain(run)
    assert optimizer.state[w]["step"].item() == 6
