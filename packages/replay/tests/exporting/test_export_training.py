"""Training steps and gradients, saved and loaded; a program in another process."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest
import wengert as wg
from wengert_replay.exporting import ProgramGuardError, load

from .exported import bits, last_program, reload_program


def test_gradients_of_two_leaves_are_results_and_set():
    a, b = wg.tensor(1.5, requires_grad=True), wg.tensor([0.25, 0.5], requires_grad=True)

    def gradient(x):
        a.grad = b.grad = None
        for _ in range(5):
            x = x + 0.1 * (a * x - b * x * x)
        x.sum().backward()
        return a.grad, b.grad

    step = wg.capture(gradient)
    for x in (wg.ones(2), wg.ones(2)):
        expected = bits(step(x))
    program = reload_program(last_program(step), {"a": a, "b": b})
    for _ in range(3):
        assert bits(program(wg.ones(2))) == expected
        assert bits([program.tensors["a"].grad, program.tensors["b"].grad]) == expected
    assert program.tensors["a"].requires_grad
    assert program.tensors["a"].is_leaf
    assert program.explanation.replays >= 1
    program.tensors["a"].grad = None
    with pytest.raises(ProgramGuardError, match=r"tensors\['a'\] had a gradient"):
        program(wg.ones(2))


def test_gradients_are_added_up_as_the_function_does():
    weight = wg.ones(3, requires_grad=True)
    weight.grad = wg.zeros(3)
    step = wg.capture(lambda x: (x * weight * weight).sum().backward())
    step(wg.ones(3))
    program = reload_program(last_program(step))
    for number in range(3):
        x = wg.full((3,), float(number))
        (x * weight * weight).sum().backward()
        program(x)
        assert bits(program.tensors["w0"].grad) == bits(weight.grad)
    program.tensors["w0"].grad = wg.zeros(3)
    with pytest.raises(ProgramGuardError, match="another tensor"):
        program(wg.ones(3))


def test_a_gradient_of_an_argument_is_set():
    step = wg.capture(lambda x: (x * x).sum().backward())
    step(wg.ones(2, requires_grad=True))
    program = reload_program(last_program(step))
    for _ in range(3):
        x = wg.tensor([1.0, 3.0], requires_grad=True)
        assert program(x) is None
        assert x.grad.tolist() == [2.0, 6.0]


def training_step(seed=0):
    """Return a captured step of a small model with momentum, and the model."""
    wg.manual_seed(seed)
    model = wg.nn.Sequential(wg.nn.Linear(4, 8), wg.nn.Tanh(), wg.nn.Linear(8, 2))
    speeds = [wg.zeros_like(one) for one in model.parameters()]

    @wg.capture
    def step(x, y):
        model.zero_grad()
        loss = wg.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        with wg.no_grad():
            for parameter, speed in zip(model.parameters(), speeds, strict=True):
                speed.mul_(0.9).add_(parameter.grad)
                parameter.sub_(speed, alpha=0.1)
        return {"loss": loss.detach()}

    return step, model


def data(number):
    generator = wg.Generator().manual_seed(number)
    return wg.randn(6, 4, generator=generator), wg.randint(0, 2, (6,), generator=generator)


@pytest.mark.filterwarnings("ignore:wengert.capture:RuntimeWarning")
def test_a_training_step_goes_on_from_where_it_was_saved():
    step, model = training_step()
    for number in range(5):
        step(*data(number))
    program = reload_program(last_program(step), dict(model.named_parameters()))
    for number in range(5, 10):
        assert bits(program(*data(number))) == bits(step(*data(number)))
    for name, parameter in model.named_parameters():
        assert bits(program.tensors[name]) == bits(parameter)
        assert bits(program.tensors[name].grad) == bits(parameter.grad)
    again = io.BytesIO()
    program.save(again)
    again.seek(0)
    other = load(again)
    for number in range(10, 13):
        assert bits(other(*data(number))) == bits(step(*data(number)))


OTHER_PROCESS = """
import sys
from wengert_core import tensor
from wengert_replay import load
program = load(sys.argv[1])
for _ in range(3):
    loss = program(tensor([[1.0, 2.0, 3.0, 4.0]] * 6), tensor([0, 1, 0, 1, 0, 1]))["loss"]
    print(float(loss).hex())
packages = {name.partition(".")[0] for name in sys.modules if name.startswith("wengert")}
print(sorted(packages - {"wengert_core", "wengert_engine", "wengert_registry", "wengert_formulas", "wengert_replay"}))
print("pickle" in sys.modules, program.explanation.replays)
"""


@pytest.mark.filterwarnings("ignore:wengert.capture:RuntimeWarning")
def test_a_program_runs_in_another_process_without_the_function(tmp_path):
    step, model = training_step(1)
    x, y = wg.tensor([[1.0, 2.0, 3.0, 4.0]] * 6), wg.tensor([0, 1, 0, 1, 0, 1])
    for _ in range(4):
        step(x, y)
    last_program(step).save(tmp_path / "step", names=dict(model.named_parameters()))
    expected = [float(step(x, y)["loss"]).hex() for _ in range(3)]
    command = [sys.executable, "-W", "error", "-c", OTHER_PROCESS, str(tmp_path / "step")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stderr == ""
    lines = done.stdout.split("\n")
    assert lines[:3] == expected
    assert lines[3] == "[]"
    assert int(lines[4].split()[1]) >= 1
