"""Optimizers in programs: gradients through steps, gradient scalers, profiles, copies, and minima that are reached."""

from __future__ import annotations

import contextlib
import copy
import io
import pickle
import random
import signal
from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg

DIFFERENTIABLE: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {"weight_decay": 0.1}),
    ("Adam", {"amsgrad": True}),
    ("Adam", {"weight_decay": 0.1, "maximize": True}),
    ("AdamW", {"weight_decay": 0.1}),
    ("Adamax", {}),
    ("NAdam", {}),
    ("RAdam", {"betas": (0.5, 0.7)}),
    ("RAdam", {"betas": (0.5, 0.99)}),
    ("Adagrad", {"initial_accumulator_value": 0.5}),
    ("Adadelta", {"eps": 0.1}),
    ("RMSprop", {"momentum": 0.5, "centered": True, "alpha": 0.5, "eps": 0.1}),
    ("Rprop", {}),
    ("ASGD", {"t0": 1}),
]
ALL = ["SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Adagrad", "Adadelta", "RMSprop", "Rprop", "ASGD"]


@pytest.mark.parametrize(("name", "options"), DIFFERENTIABLE, ids=str)
def test_gradients_through_several_steps(name: str, options: dict[str, Any]) -> None:
    def train(start: wg.Tensor) -> wg.Tensor:
        param = start * 1
        optimizer = getattr(wg.optim, name)([param], lr=0.1, differentiable=True, **options)
        for step in range(3):
            now = param.clone()
            param.grad = now * now * (0.3 + step) + now
            optimizer.step()
        return param

    start = wg.tensor([0.5, 1.25, 2.0], dtype=wg.float64, requires_grad=True)
    assert wg.autograd.gradcheck(train, start)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "Adagrad"])
def test_a_fused_optimizer_unscales_gradients(name: str) -> None:
    def train(fused: bool | None) -> list[wg.Tensor]:
        params = [wg.tensor([1.0, -2.0], requires_grad=True), wg.tensor([0.5], requires_grad=True)]
        optimizer = getattr(wg.optim, name)(params, lr=0.1, fused=fused)
        scaler = wg.amp.GradScaler("cpu", init_scale=4.0, growth_interval=2)
        for step in range(4):
            optimizer.zero_grad()
            factor = float("inf") if step == 2 else 1.0
            scaler.scale((params[0] ** 2).sum() * factor + params[1].sum()).backward()
            scaler.step(optimizer)
            scaler.update()
        return params

    wg.testing.assert_close(train(True), train(None))


@pytest.mark.parametrize("name", ALL)
def test_a_step_is_in_profiles(name: str) -> None:
    param = wg.ones(2, requires_grad=True)
    optimizer = getattr(wg.optim, name)([param])
    with wg.autograd.profiler.profile() as prof:
        param.grad = wg.ones(2)
        optimizer.step()
        optimizer.zero_grad()
    names = [event.name for event in prof.function_events]
    assert f"Optimizer.step#{name}.step" in names
    assert f"Optimizer.zero_grad#{name}.zero_grad" in names


def test_the_base_class_has_no_step() -> None:
    with pytest.raises(NotImplementedError):
        wg.optim.Optimizer([wg.ones(1, requires_grad=True)], {}).step()


@pytest.mark.parametrize("name", ALL)
def test_a_quadratic_function_reaches_its_minimum(name: str) -> None:
    params = [wg.tensor([3.0, -2.0], requires_grad=True), wg.tensor([[1.0], [4.0]], requires_grad=True)]
    optimizer = getattr(wg.optim, name)(params, lr=1.0 if name in ("Adadelta", "Adagrad") else 0.05)
    for _ in range(3000 if name == "Adadelta" else 400):
        optimizer.zero_grad()
        loss = sum(((param - 1) ** 2).sum() for param in params)
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.05


@pytest.mark.parametrize("copy_of", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_lbfgs_goes_on_after_a_copy(copy_of: Callable[[Any], Any]) -> None:
    def closure(optimizer: Any) -> Callable[[], wg.Tensor]:
        (param,) = optimizer.param_groups[0]["params"]

        def loss() -> wg.Tensor:
            optimizer.zero_grad()
            value = ((param - 1) ** 4).sum() + param[0] * param[1]
            value.backward()
            return value

        return loss

    optimizer = wg.optim.LBFGS([wg.tensor([3.0, -2.0], dtype=wg.float64, requires_grad=True)], lr=0.1, max_iter=3)
    optimizer.step(closure(optimizer))
    other = copy_of(optimizer)
    for one in (optimizer, other):
        one.step(closure(one))
    wg.testing.assert_close(other.param_groups[0]["params"], optimizer.param_groups[0]["params"], rtol=0, atol=0)


def test_a_pickle_of_one_state_has_nothing_of_the_others() -> None:
    params = [wg.ones(1000, requires_grad=True) for _ in range(20)]
    for param in params:
        param.grad = wg.ones(1000)
    optimizer = wg.optim.Adam(params)
    optimizer.step()
    stream = io.BytesIO()
    pickle.dump(optimizer.state[params[3]], stream)
    assert len(stream.getvalue()) < 3 * 1000 * 4


def test_hooks_of_one_optimizer_are_not_those_of_another() -> None:
    calls = []
    first, second = (wg.optim.SGD([wg.ones(1, requires_grad=True)]) for _ in range(2))
    first.register_step_post_hook(lambda optimizer, args, kwargs: calls.append(optimizer))
    second.step()
    first.step()
    assert calls == [first]


def test_hooks_do_not_go_into_copies() -> None:
    optimizer = wg.optim.SGD([wg.ones(1, requires_grad=True)])
    optimizer.register_step_pre_hook(lambda optimizer, args, kwargs: 1 / 0)
    copy.deepcopy(optimizer).step()
    with pytest.raises(ZeroDivisionError):
        optimizer.step()


def test_a_subclass_with_a_step_of_its_own() -> None:
    class AdamWithLog(wg.optim.Adam):
        def step(self, closure: Any = None) -> Any:
            calls.append("step")
            return super().step(closure)

    calls: list[str] = []
    param = wg.ones(2, requires_grad=True)
    optimizer = AdamWithLog([param], lr=0.5)
    optimizer.register_step_post_hook(lambda *arguments: calls.append("hook"))
    param.grad = wg.ones(2)
    optimizer.step()
    assert calls[0] == "step"
    assert calls.count("step") == 1
    assert "hook" in calls
    assert param.tolist() == [0.5, 0.5]


def test_a_failing_closure_leaves_the_mode_of_gradients() -> None:
    optimizer = wg.optim.Adam([wg.ones(1, requires_grad=True)])
    with pytest.raises(ZeroDivisionError):
        optimizer.step(lambda: 1 / 0)
    assert wg.is_grad_enabled()
    with wg.no_grad():
        optimizer.step(lambda: wg.is_grad_enabled())
        assert not wg.is_grad_enabled()


def test_steps_in_inference_mode() -> None:
    param, other = wg.ones(2, requires_grad=True), wg.ones(2, requires_grad=True)
    optimizer = wg.optim.SGD([param, other], lr=0.5)
    param.grad, other.grad = wg.ones(2), wg.ones(2)
    with wg.no_grad():
        optimizer.step()
    assert param.tolist() == other.tolist() == [0.5, 0.5]


def test_no_gradient_at_all_changes_nothing() -> None:
    params = [wg.ones(2, requires_grad=True) for _ in range(3)]
    optimizer = wg.optim.Adam(params)
    for _ in range(3):
        optimizer.step()
    assert optimizer.state_dict()["state"] == {}
    assert all(param.tolist() == [1.0, 1.0] for param in params)


def test_frozen_parameters_rest_beside_others() -> None:
    params = [wg.ones(2, requires_grad=place % 2 == 0) for place in range(6)]
    optimizer = wg.optim.Adam(params, lr=0.5, weight_decay=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        sum(param.sum() for param in params).backward()
        optimizer.step()
    assert all(param.tolist() == [1.0, 1.0] for param in params[1::2])
    assert all(param[0] < 0 for param in params[::2])


@pytest.mark.parametrize("name", ["Muon", "Adafactor"])
@pytest.mark.parametrize("how", ["load", "copy", "pickle"])
def test_optimizers_of_matrices_go_on_after_their_state_was_loaded(name: str, how: str) -> None:
    made = [wg.nn.Parameter(wg.linspace(-1, 1, 6).reshape(2, 3)) for _ in range(2)]
    first, second = [getattr(wg.optim, name)([one], lr=0.1) for one in made]
    for optimizer, one in zip((first, second), made, strict=True):
        one.grad = one.detach() * 2
        optimizer.step()
    if how == "load":
        second.load_state_dict(copy.deepcopy(first.state_dict()))
    else:
        second = copy.deepcopy(second) if how == "copy" else pickle.loads(pickle.dumps(second))
    one = second.param_groups[0]["params"][0]
    one.grad = made[1].grad
    first.step()
    second.step()
    assert wg.equal(made[0], one)


def test_an_optimizer_made_in_inference_mode_makes_its_buckets_anew() -> None:
    params = [wg.ones(3, requires_grad=True) for _ in range(4)]
    with wg.inference_mode():
        optimizer = wg.optim.SGD(params, lr=0.5, momentum=0.5)
    for step in range(8):
        for param in params:
            param.grad = wg.ones(3)
        optimizer.step()
        if step in (2, 4):
            params[1].data = params[1].data.clone()
    assert len({tuple(param.tolist()) for param in params}) == 1


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupted_step_leaves_gradients_on():
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    w = wg.ones(3, requires_grad=True)
    w.grad = wg.ones(3)
    optimizer = wg.optim.Adam([w], lr=0.01)
    optimizer.step()
    before, times, interrupts = signal.signal(signal.SIGALRM, interrupt), random.Random(0), 0
    try:
        for _ in range(2000):
            with contextlib.suppress(KeyboardInterrupt):
                try:
                    signal.setitimer(signal.ITIMER_REAL, times.uniform(1e-6, 6e-5))
                    for _ in range(5):
                        optimizer.step()
                except KeyboardInterrupt:
                    interrupts += 1
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            assert wg.is_grad_enabled()
    finally:
        wg.set_grad_enabled(True)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupts > 10
