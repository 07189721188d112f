"""Training steps with optimizers, saved and loaded."""

from __future__ import annotations

import io

import pytest
import wengert as wg
from wengert_replay.exporting import ProgramFileError, load, save_program

OPTIMIZERS = {
    "sgd": lambda parameters: wg.optim.SGD(parameters, lr=0.1),
    "momentum": lambda parameters: wg.optim.SGD(parameters, lr=0.1, momentum=0.9, weight_decay=0.01),
    "nesterov": lambda parameters: wg.optim.SGD(parameters, lr=0.1, momentum=0.9, nesterov=True),
}


def training_step(make):
    wg.manual_seed(0)
    model = wg.nn.Sequential(wg.nn.Linear(4, 8), wg.nn.Tanh(), wg.nn.Linear(8, 2))
    optimizer = make(model.parameters())

    @wg.capture
    def step(x, y):
        optimizer.zero_grad()
        loss = wg.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step, model, optimizer


def data(number):
    generator = wg.Generator().manual_seed(number)
    return wg.randn(6, 4, generator=generator), wg.randn(6, 2, generator=generator)


def save_bytes(step, model):
    file = io.BytesIO()
    save_program(wg.replay.explain(step).programs[-1], file, dict(model.named_parameters()))
    file.seek(0)
    return load(file)


@pytest.mark.filterwarnings("ignore:wengert.capture:RuntimeWarning")
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_step_with_an_optimizer_goes_on_from_a_file(name):
    step, model, _ = training_step(OPTIMIZERS[name])
    for number in range(6):
        step(*data(number))
    assert wg.replay.explain(step).replays
    program = save_bytes(step, model)
    for number in range(6, 12):
        assert program(*data(number)).tolist() == step(*data(number)).tolist()
    for name, parameter in model.named_parameters():
        assert program.tensors[name].tolist() == parameter.tolist()


@pytest.mark.filterwarnings("ignore:wengert.capture:RuntimeWarning")
def test_the_learning_rate_is_a_tensor_of_the_program():
    step, model, optimizer = training_step(OPTIMIZERS["sgd"])
    for number in range(5):
        step(*data(number))
    program = save_bytes(step, model)
    (rate,) = {id(t): t for t in program.tensors.values() if t.dtype is wg.float64}.values()
    assert rate.item() == 0.1
    rate.fill_(0.2)
    optimizer.param_groups[0]["lr"] = 0.2
    for number in range(5, 9):
        assert program(*data(number)).tolist() == step(*data(number)).tolist()


@pytest.mark.filterwarnings("ignore:wengert.capture:RuntimeWarning")
def test_an_optimizer_that_counts_steps_in_python_is_refused():
    step, model, _ = training_step(lambda parameters: wg.optim.Adam(parameters))
    for number in range(5):
        step(*data(number))
    with pytest.raises(ProgramFileError, match="counts its steps"):
        save_bytes(step, model)
