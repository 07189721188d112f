"""Training steps with optimizers and schedulers: replays update parameters to the same bits as eager steps."""

from __future__ import annotations

import copy
import warnings

import pytest
import wengert as wg

OPTIMIZERS = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    ("SGD", {"lr": 0.1, "maximize": True}),
    ("Adam", {"lr": 0.1}),
    ("Adam", {"lr": 0.1, "amsgrad": True, "weight_decay": 0.1}),
    ("AdamW", {"lr": 0.1}),
    ("RMSprop", {"lr": 0.01}),
    ("RMSprop", {"lr": 0.01, "centered": True, "momentum": 0.5}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1}),
    ("Adadelta", {}),
    ("Adamax", {}),
    ("NAdam", {}),
    ("RAdam", {}),
    ("ASGD", {"lr": 0.1, "t0": 5}),
    ("Rprop", {}),
]
STEPS = 24


class Training:
    """A small network, its optimizer and a scheduler of the learning rate."""

    def __init__(self, kind, options, sizes=(4, 8, 1)):
        wg.manual_seed(0)
        nn = wg.nn
        self.model = nn.Sequential(nn.Linear(*sizes[:2]), nn.Tanh(), nn.Linear(*sizes[1:]))
        self.optimizer = getattr(wg.optim, kind)(self.model.parameters(), **options)
        self.scheduler = wg.optim.lr_scheduler.StepLR(self.optimizer, 5, 0.5)

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = wg.nn.functional.mse_loss(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def state(self):
        tensors = [*self.model.parameters()]
        for entry in self.optimizer.state.values():
            tensors += [one for one in entry.values() if isinstance(one, wg.Tensor)]
        return [one.tolist() for one in tensors]


def data(count=16):
    x = wg.linspace(-1, 1, 4 * count).reshape(count, 4)
    return x, x.sum(1, keepdim=True).sin()


def compare(kind, options, change=lambda training, number: None, sizes=(4, 8, 1)):
    """Take steps with and without a capture; return what the capture has recorded."""
    plain, own = Training(kind, options, sizes), Training(kind, options, sizes)
    captured = wg.capture(own.step)
    x, y = data()
    for number in range(STEPS):
        assert captured(x, y).tolist() == plain.step(x, y).tolist(), number
        assert own.state() == plain.state(), number
        for training in (plain, own):
            training.scheduler.step()
            change(training, number)
    return wg.replay.explain(captured)


@pytest.mark.parametrize(("kind", "options"), OPTIMIZERS, ids=lambda value: str(value))
def test_steps_are_replayed(kind, options):
    assert compare(kind, options).replays >= STEPS - 5


@pytest.mark.parametrize("kind", ["SGD", "Adam", "NAdam"])
def test_large_parameters(kind):
    assert compare(kind, {"lr": 0.01}, sizes=(4, 3000, 1)).replays >= STEPS - 5


@pytest.mark.parametrize("kind", ["SGD", "Adam", "Adamax"])
def test_the_learning_rate_is_a_tensor(kind):
    assert compare(kind, {"lr": wg.tensor(0.05)}).replays >= 0


def test_other_hyperparameters_that_change():
    def change(training, number):
        training.optimizer.param_groups[0]["betas"] = (0.9 if number < 12 else 0.8, 0.999)

    found = compare("Adam", {"lr": 0.1}, change)
    assert found.replays >= STEPS - 7


def test_a_state_that_is_loaded():
    def change(training, number):
        if number == 10:
            training.optimizer.load_state_dict(training.optimizer.state_dict())

    found = compare("Adam", {"lr": 0.1}, change)
    assert found.replays >= STEPS - 12


def test_steps_without_a_capture_go_on():
    plain, own = Training("Adam", {"lr": 0.1}), Training("Adam", {"lr": 0.1})
    captured = wg.capture(own.step)
    x, y = data()
    for number in range(STEPS):
        (own.step if number % 3 == 2 else captured)(x, y)
        plain.step(x, y)
        assert own.state() == plain.state()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wg.replay.explain(captured).replays >= STEPS // 3


@pytest.mark.parametrize("nesterov", [False, True])
def test_muon_reads_its_options_in_each_replay(nesterov):
    def train(capture):
        weight = wg.nn.Parameter(wg.linspace(-1, 1, 12).reshape(4, 3))
        optimizer = wg.optim.Muon([weight], lr=0.1, nesterov=nesterov)
        scheduler = wg.optim.lr_scheduler.StepLR(optimizer, 3, 0.5)

        def step(x):
            optimizer.zero_grad()
            loss = (x @ weight).square().mean()
            loss.backward()
            optimizer.step()
            return loss.detach()

        step = capture(step)
        for number in range(STEPS):
            if number == 12:
                optimizer.param_groups[0]["weight_decay"] = 0.5
            yield step(data()[0]), weight.detach().clone()
            scheduler.step()
        captured.append(step)

    captured = []
    for one, other in zip(list(train(lambda function: function)), list(train(wg.capture)), strict=True):
        assert all(map(wg.equal, one, other))
    assert wg.replay.explain(captured[1]).replays >= STEPS - 5


@pytest.mark.parametrize("options", [{"lr": 0.1}, {"lr": 0.01, "weight_decay": 0.1, "d": 1.5}], ids=str)
def test_steps_of_adafactor_are_replayed(options):
    """A learning rate that differs, as after each five steps here, is another way through the step."""
    assert compare("Adafactor", options).replays >= STEPS - 7


def test_adafactor_compares_its_learning_rate():
    def train(capture):
        weight = wg.nn.Parameter(wg.linspace(-1, 1, 12).reshape(4, 3))
        optimizer = wg.optim.Adafactor([weight], lr=0.1)

        def step(x):
            optimizer.zero_grad()
            (x @ weight).square().mean().backward()
            optimizer.step()

        step = capture(step, quiet=True)
        step(data()[0])
        state, kept = copy.deepcopy(optimizer.state[weight]), weight.detach().clone()
        for number in range(6):  # the same step again: all numbers that it reads are as before
            with wg.no_grad():
                weight.copy_(kept)
                for name, one in state.items():
                    optimizer.state[weight][name].copy_(one)
            optimizer.param_groups[0]["lr"] = 0.1 if number < 4 else 0.01
            step(data()[0])
            yield weight.detach().clone()
        captured.append(step)

    captured = []
    for one, other in zip(list(train(lambda function, quiet: function)), list(train(wg.capture)), strict=True):
        assert wg.equal(one, other)
    assert wg.replay.explain(captured[1]).replays


def test_lbfgs_counts_calls_that_find_their_start_optimal():
    def train(capture):
        weight = wg.nn.Parameter(wg.tensor([1.0, 2.0]))
        optimizer = wg.optim.LBFGS([weight])

        def closure():
            optimizer.zero_grad()
            loss = ((weight - wg.tensor([1.0, 2.0])) ** 2).sum()
            loss.backward()
            return loss

        step = capture(lambda: optimizer.step(closure))
        for number in range(8):
            if number == 6:
                optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
            step()
            yield optimizer.state[weight]["func_evals"]
        with wg.no_grad():
            weight.add_(1)
        step()
        yield weight.detach().tolist()
        captured.append(step)

    captured = []
    found = list(train(wg.capture))
    assert found == list(train(lambda function: function))
    assert found[:8] == list(range(1, 9))
    assert wg.replay.explain(captured[0]).replays >= 4
