"""Training steps with optimizers, saved and loaded."""

from __future__ import annotations

import io

import pytest
import wengert as wg
from wengert_replay.exporting import ProgramFileError, load, save_program
from wengert_replay.exporting.numbers import Numbers

OPTIMIZERS = {
    "sgd": lambda parameters: wg.optim.SGD(parameters, lr=0.1),
    "momentum": lambda parameters: wg.optim.SGD(parameters, lr=0.1, momentum=0.9, weight_decay=0.01),
    "nesterov": lambda parameters: wg.optim.SGD(parameters, lr=0.1, momentum=0.9, nesterov=True),
    "adam": lambda parameters: wg.optim.Adam(parameters, lr=0.01),
    "amsgrad": lambda parameters: wg.optim.Adam(parameters, lr=0.01, weight_decay=0.1, amsgrad=True),
    "adamw": lambda parameters: wg.optim.AdamW(parameters, lr=0.01, betas=(0.8, 0.99)),
    "nadam": lambda parameters: wg.optim.NAdam(parameters, lr=0.01),
    "adamax": lambda parameters: wg.optim.Adamax(parameters, lr=0.01),
    "adagrad": lambda parameters: wg.optim.Adagrad(parameters, lr=0.01, lr_decay=0.1),
    "rmsprop": lambda parameters: wg.optim.RMSprop(parameters, lr=0.01, momentum=0.5),
    "adadelta": lambda parameters: wg.optim.Adadelta(parameters, lr=0.5),
    "per parameter": lambda parameters: wg.optim.Adam(parameters, lr=0.01, foreach=False),
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
def test_steps_and_learning_rate_of_adam_go_on_from_a_file():
    step, model, optimizer = training_step(lambda parameters: wg.optim.Adam(parameters, lr=0.01))
    for number in range(5):
        step(*data(number))
    program = save_bytes(step, model)
    rates = [t for t in program.tensors.values() if t.dtype is wg.float64]
    assert {t.item() for t in rates} == {0.01}
    counts = [t for t in program.tensors.values() if t.dtype is wg.float32 and t.numel() and (t == 5).all()]
    assert counts
    for rate in rates:
        rate.fill_(0.03)
    optimizer.param_groups[0]["lr"] = 0.03
    for number in range(5, 9):
        assert program(*data(number)).tolist() == step(*data(number)).tolist()
    assert all((t == 9).all() for t in counts)
    assert program.explanation.replays == 3


@pytest.mark.filterwarnings("ignore:wengert.capture:RuntimeWarning")
def test_a_loaded_program_is_saved_again_with_its_steps():
    step, model, _ = training_step(lambda parameters: wg.optim.AdamW(parameters, lr=0.01))
    for number in range(5):
        step(*data(number))
    program = save_bytes(step, model)
    assert program(*data(5)).tolist() == step(*data(5)).tolist()
    file = io.BytesIO()
    program.save(file)
    file.seek(0)
    again = load(file)
    for number in range(6, 9):
        assert again(*data(number)).tolist() == step(*data(number)).tolist()


@pytest.mark.filterwarnings("ignore:wengert.capture:RuntimeWarning")
@pytest.mark.parametrize("make", [wg.optim.RAdam, wg.optim.ASGD])
def test_an_optimizer_that_decides_by_its_steps_is_refused(make):
    step, model, _ = training_step(make)
    for number in range(5):
        step(*data(number))
    with pytest.raises(ProgramFileError, match="decides in Python by the number of its steps"):
        save_bytes(step, model)


PIECES = [["item", 0], ["mul", 0, 0.5], ["add_", 1, 1], ["neg", 0], ["pow", 2.0, 1], ["sub", 1, 2], ["mul_", 0, 3]]


def test_numbers_are_those_of_python():
    x, y = wg.tensor(0.3, dtype=wg.float64), wg.tensor([2.0, 2.0], dtype=wg.float64)
    numbers = Numbers(PIECES, [4, 1.5], 2)
    found = numbers([x, y])
    half = 0.3 * 0.5
    assert [one.item() for one in found] == [half - -0.3, 1.5]
    assert x.item() == 0.3 * 2.0**half
    assert y.tolist() == [2 + half] * 2


@pytest.mark.parametrize(
    ("code", "results", "words"),
    [
        ([["eval", 1.0]], [], "not known"),
        ([["item", 2]], [], "not there"),
        ([["item", -1]], [], "not there"),
        ([["item", 0.5]], [], "not there"),
        ([["item", True]], [], "not there"),
        ([["add", 0, 1.0]], [], "not there"),
        ([["item", 0], ["add", 0, "w0"]], [], "not there"),
        ([["item", 0], ["add", 0]], [], "not known"),
        ([["item", 0]], [1], "not there"),
        ([[]], [], "not known"),
        ([[["item"], 0]], [], "not known"),
        (["item"], [], "a list is expected"),
        ("item", [], "a list is expected"),
    ],
)
def test_numbers_that_no_program_has_are_refused(code, results, words):
    with pytest.raises(ProgramFileError, match=words):
        Numbers(code, results, 2)


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ([["neg", 1.0], ["pow", 0, 0.5]], ProgramFileError),
        ([["truediv", 1.0, 0.0]], ZeroDivisionError),
        ([["pow", 10.0, 1e9]], OverflowError),
        ([["item", 1]], ProgramFileError),
    ],
)
def test_numbers_that_there_are_not(code, error):
    with pytest.raises(error):
        Numbers(code, [], 2)([wg.ones(()), wg.ones(0)])
