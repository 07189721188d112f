"""Optimizers whose options, state or parameters change between captured steps: bits and versions of eager steps."""

from __future__ import annotations

import copy

import pytest
import wengert as wg

OPTIMIZERS = [
    ("SGD", {"lr": 0.02}),
    ("SGD", {"lr": 0.02, "momentum": 0.9}),
    ("SGD", {"lr": 0.02, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    ("SGD", {"lr": 0.02, "momentum": 0.9, "dampening": 0.3, "maximize": True}),
    ("Adam", {"lr": 0.1, "amsgrad": True, "weight_decay": 0.1}),
    ("AdamW", {"lr": 0.1}),
    ("RMSprop", {"lr": 0.01, "centered": True, "momentum": 0.5}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1}),
    ("Adadelta", {}),
    ("Adamax", {}),
    ("NAdam", {}),
    ("RAdam", {}),
    ("ASGD", {"lr": 0.1, "t0": 5}),
    ("Rprop", {}),
    ("Adafactor", {}),
    ("Muon", {"lr": 0.05}),
]
STEPS = 16


def has_momentum(optimizer):
    return "momentum" in optimizer.defaults or "betas" in optimizer.defaults


class Decay:
    """A schedule of the weight decay."""

    def __init__(self, optimizer, values):
        self.optimizer, self.values = optimizer, iter(values)

    def step(self):
        value = next(self.values)
        for group in self.optimizer.param_groups:
            if "weight_decay" in group:
                group["weight_decay"] = value


scheduler = wg.optim.lr_scheduler
SCHEDULES = {
    "steps": lambda one: scheduler.StepLR(one, 5, 0.5),
    "exponential": lambda one: scheduler.ExponentialLR(one, 0.9),
    "cosine": lambda one: scheduler.CosineAnnealingLR(one, 7),
    "cycle": lambda one: scheduler.CyclicLR(one, 0.005, 0.02, step_size_up=4, cycle_momentum=has_momentum(one)),
    "one cycle": lambda one: scheduler.OneCycleLR(one, 0.02, total_steps=20, cycle_momentum=has_momentum(one)),
    "decay": lambda one: Decay(one, [0.1 / (number + 1) for number in range(STEPS)]),
    "decay from none": lambda one: Decay(one, [0, 0.01, 0, 0.02, 1, 0.1, 0.3, 0] * 2),
}
MISSES = {"decay from none": 9}
"""Steps that need not be replays, where those are more than 5: a weight decay of zero is another way."""


class Training:
    """A small network, its optimizer, and a schedule."""

    def __init__(self, kind, options, schedule=None, hidden=6):
        wg.manual_seed(0)
        linear, bias = wg.nn.Linear, kind != "Muon"
        self.model = wg.nn.Sequential(linear(4, hidden, bias=bias), wg.nn.Tanh(), linear(hidden, 1, bias=bias))
        self.others = [wg.nn.Parameter(wg.full((1,), 0.5))]
        self.optimizer = getattr(wg.optim, kind)(self.model.parameters(), **options)
        self.schedule = schedule and SCHEDULES[schedule](self.optimizer)

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = wg.nn.functional.mse_loss(self.model(x) * self.others[0], y)
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def state(self):
        """Return all numbers and versions of parameters, gradients and state."""
        found = []
        for param in [*self.model.parameters(), *self.others]:
            found += [(param.tolist(), param._version), param.grad is not None and param.grad.tolist()]
            for name, one in self.optimizer.state.get(param, {}).items():
                found.append((name, one.tolist(), one._version) if isinstance(one, wg.Tensor) else (name, one))
        groups = [{**group, "params": len(group["params"])} for group in self.optimizer.param_groups]
        return found, str(groups)


def data():
    x = wg.linspace(-1, 1, 32).reshape(8, 4)
    return x, x.sum(1, keepdim=True).sin()


def compare(plain, own, change=lambda training, number: None, **options):
    """Take steps with and without a capture; return the number of those that were replays."""
    captured = wg.capture(own.step, quiet=True, **options)
    x, y = data()
    for number in range(STEPS):
        assert str(captured(x, y).tolist()) == str(plain.step(x, y).tolist()), number  # NaN is NaN
        assert str(own.state()) == str(plain.state()), number
        for training in (plain, own):
            if training.schedule:
                training.schedule.step()
            change(training, number)
    return wg.replay.explain(captured).replays


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("kind", "options"), OPTIMIZERS, ids=str)
def test_options_that_change_in_each_step_are_replayed(kind, options, schedule):
    found = compare(Training(kind, options, schedule), Training(kind, options, schedule))
    assert found >= STEPS - MISSES.get(schedule, 5)


@pytest.mark.parametrize("kind", ["SGD", "Adam", "RMSprop"])
def test_a_decay_that_grows_weights_differs_from_none(kind):
    """Both are no tensors, as rules may decide by them."""

    def change(training, number):
        training.optimizer.param_groups[0]["weight_decay"] = (0.1, 0.2, 0, -0.1, -0.2, 0.3)[number % 6]

    assert compare(*[Training(kind, {"lr": 0.01}) for _ in range(2)], change) >= 4


@pytest.mark.parametrize("kind", ["SGD", "AdamW", "NAdam"])
def test_parameters_beside_buckets(kind):
    made = [Training(kind, {"lr": 0.001, "weight_decay": 0.1}, "one cycle", hidden=600) for _ in range(2)]
    assert compare(*made) >= STEPS - 5


@pytest.mark.parametrize(("kind", "options"), OPTIMIZERS, ids=str)
@pytest.mark.parametrize("schedule", ["steps", "one cycle"])
def test_validated_steps_are_no_false_alarms(kind, options, schedule):
    """The eager run beside a replay finds the buckets as they were before it."""
    found = compare(Training(kind, options, schedule), Training(kind, options, schedule), validate=True)
    assert found >= STEPS - 5


def add_parameter(training, number):
    if number == 6:
        training.optimizer.add_param_group({"params": training.others})


def drop_parameter(training, number):
    if number == 6:
        training.optimizer.param_groups[0]["params"].pop()


def replace_step(training, number):
    """Write to the count of steps of the first parameter only."""
    if number == 6:
        next(iter(training.optimizer.state.values()))["step"].fill_(100)


def replace_state(training, number):
    if number == 6:
        state = next(iter(training.optimizer.state.values()))
        state.update({name: one.clone() for name, one in state.items()})


def forget_state(training, number):
    if number == 6:
        training.optimizer.state.clear()


def load_state(training, number):
    if number in (4, 9):
        training.optimizer.load_state_dict(copy.deepcopy(training.optimizer.state_dict()))


def load_state_and_keep_the_old(training, number):
    if number in (4, 9):
        training.kept = training.optimizer.state_dict()
        training.optimizer.load_state_dict(copy.deepcopy(training.kept))


def exchange_entries(training, number):
    """Exchange two tensors of a parameter's state, which both stay alive."""
    if number == 6:
        state = training.optimizer.state[training.model[0].weight]
        first, second = [name for name, one in state.items() if one.dim()][:2]
        state[first], state[second] = state[second], state[first]


def replace_state_dict(training, number):
    if number == 6:
        training.kept = training.optimizer.state
        training.optimizer.state = copy.deepcopy(training.kept)
        for param, copied in zip(training.kept, list(training.optimizer.state), strict=True):
            training.optimizer.state[param] = training.optimizer.state.pop(copied)


def replace_group(training, number):
    if number == 6:
        groups = training.optimizer.param_groups
        groups[0] = {**groups[0], "lr": groups[0]["lr"] / 2, "weight_decay": 0.1}


def replace_memory_and_step(training, number):
    """Other memory of a parameter dissolves its bucket; then its count of steps is replaced."""
    weight = training.model[0].weight
    if number == 6:
        weight.data = weight.data * 0.5
    if number in (8, 10):
        training.kept = training.optimizer.state[weight]["step"]
        training.optimizer.state[weight]["step"] = wg.tensor(3.0)


CHANGES = [
    add_parameter, drop_parameter, replace_step, replace_state, forget_state, load_state, load_state_and_keep_the_old,
    exchange_entries, replace_state_dict, replace_group, replace_memory_and_step,
]  # fmt: skip


@pytest.mark.parametrize("hidden", [6, 600])
@pytest.mark.parametrize("change", CHANGES, ids=lambda one: one.__name__)
@pytest.mark.parametrize("kind", ["Adam", "RMSprop", "NAdam"])
def test_changes_between_steps_are_noticed(kind, change, hidden):
    """Versions are those of eager steps, too, also where state is put into new buckets. hidden: 600: beside buckets."""
    options = {"lr": 0.001, **({"centered": True} if kind == "RMSprop" else {})}
    assert compare(*[Training(kind, options, hidden=hidden) for _ in range(2)], change) >= 3


@pytest.mark.parametrize("set_to_none", [False, True])
def test_gradients_of_parameters_that_come_later_are_reset(set_to_none):
    """The function takes no step, which would look at the groups."""
    params = [wg.nn.Parameter(wg.ones(2)) for _ in range(3)]
    optimizer = wg.optim.SGD(params[:1], lr=0.1)
    captured = wg.capture(lambda x: (optimizer.zero_grad(set_to_none), x * 2)[1])
    for number in range(9):
        for param in params:
            param.grad = wg.ones(2) if param.grad is None else param.grad.fill_(1)
        captured(wg.ones(1))
        known = [one for group in optimizer.param_groups for one in group["params"]]
        for param in params:
            is_reset = any(param is one for one in known)
            expected = (None if set_to_none else [0, 0]) if is_reset else [1, 1]
            assert (param.grad if param.grad is None else param.grad.tolist()) == expected, number
        if number in (3, 5):
            optimizer.add_param_group({"params": params[len(known)]})
    assert wg.replay.explain(captured).replays >= 4


@pytest.mark.parametrize("change", CHANGES, ids=lambda one: one.__name__)
@pytest.mark.parametrize("kind", ["Adam", "RMSprop"])
def test_validated_steps_behind_changes_are_no_false_alarms(kind, change):
    options = {"lr": 0.001, **({"centered": True} if kind == "RMSprop" else {})}
    assert compare(*[Training(kind, options) for _ in range(2)], change, validate=True) >= 3


def test_a_guard_behind_a_step_undoes_its_count():
    """A replay that stops behind the optimizer's step has counted it; the run that follows counts it once."""

    def training(capture):
        param = [wg.nn.Parameter(wg.tensor([1.0, -2.0])), wg.nn.Parameter(wg.tensor([0.5]))]
        optimizer = wg.optim.Adam(param, lr=0.1)

        def step(x):
            optimizer.zero_grad()
            loss = (param[0] * x).sum() + param[1].sum() ** 2
            loss.backward()
            optimizer.step()
            return loss.detach() * 2 if x.sum() > 0 else loss.detach()

        made.append(capture(step))
        for number in range(12):
            found = made[-1](wg.tensor([1.0, 2.0]) * (-1) ** (number // 2))
            states = [one for entry in optimizer.state.values() for one in entry.values()]
            yield [(one.tolist(), one._version) for one in (found, *param, *states)]

    made = []
    assert list(training(wg.capture)) == list(training(lambda function: function))
    assert wg.replay.explain(made[0]).replays >= 6
