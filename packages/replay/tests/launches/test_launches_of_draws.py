"""Random numbers are drawn by launches: the numbers of an eager call, and its state of the generator afterwards."""

from __future__ import annotations

import threading

import pytest
import wengert as wg
import wengert.nn.functional as F

from .launched import bits_of, numbers

DRAWS = {
    "rand": lambda x: wg.rand(3, 5),
    "rand64": lambda x: wg.rand(7, dtype=wg.float64),
    "randn": lambda x: wg.randn(300),
    "randn64": lambda x: wg.randn(3, 5, dtype=wg.float64),
    "rand_like": wg.rand_like,
    "randn_like": wg.randn_like,
    "randint": lambda x: wg.randint(-3, 1000, (4, 5)),
    "randint_wide": lambda x: wg.randint(0, 1 << 40, (9,)),
    "randint_like": lambda x: wg.randint_like(x.long(), 7),
    "randperm": lambda x: wg.randperm(11),
    "normal_": lambda x: x.clone().normal_(1, 2),
    "uniform_": lambda x: x.clone().uniform_(),
    "uniform_between": lambda x: x.clone().uniform_(-2.5, 0.5),
    "uniform64": lambda x: wg.empty(5, dtype=wg.float64).uniform_(1, 3),
    "bernoulli_": lambda x: x.clone().bernoulli_(0.3),
    "dropout": lambda x: F.dropout(x, 0.4),
    "dropout_in_place": lambda x: F.dropout(x.clone(), 0.4, inplace=True),
    "dropout2d": lambda x: F.dropout2d(x[None, ..., None], 0.5),
    "alpha_dropout": lambda x: F.alpha_dropout(x, 0.2),
    "none": lambda x: (wg.rand(0), wg.randperm(0)),
}


@pytest.mark.parametrize("name", DRAWS)
def test_draws_are_launches(name):
    """Each call draws on from where the one before has left the generator."""
    draw = DRAWS[name]

    def run(x):
        return draw(x), x + 1

    args = (numbers(4, 6),)
    captured = wg.capture(run)
    wg.manual_seed(5)
    expected = [bits_of(run(*args)) for _ in range(4)] + [wg.get_rng_state().tolist()]
    wg.manual_seed(5)
    assert [bits_of(captured(*args)) for _ in range(4)] + [wg.get_rng_state().tolist()] == expected
    found = wg.replay.explain(captured)
    assert found.replays == 3
    assert [step.name for step in found.programs[0].steps if step.way == "call"] == []


@pytest.mark.parametrize(
    "dtype", [wg.float16, wg.bfloat16, wg.float32, wg.float64, wg.int32, wg.uint8, wg.bool], ids=str
)
def test_chances_of_every_dtype(dtype):
    def run(x):
        return x.clone().bernoulli_(0.6)

    def draw_from_seed(x):
        wg.manual_seed(1)
        return run(x)

    ones = wg.ones(40, dtype=dtype)
    drawn = draw_from_seed(ones)
    assert drawn.dtype is dtype
    assert 10 < int(drawn.sum(dtype=wg.int64)) < 38
    wg.manual_seed(1)
    assert bool((wg.empty(40).bernoulli_(0.6) == drawn.float()).all())
    captured = wg.capture(run)
    for _ in range(2):
        captured(ones)
    wg.manual_seed(1)
    assert bool((captured(ones) == drawn).all())


def test_a_generator_of_its_own():
    generator = wg.Generator()

    def run(x):
        return x * wg.rand(5, generator=generator) + wg.empty(5).normal_(generator=generator)

    captured, x = wg.capture(run), numbers(5)
    generator.manual_seed(3)
    expected = [bits_of(run(x)) for _ in range(3)] + [generator.get_state().tolist()]
    before = wg.get_rng_state().tolist()
    generator.manual_seed(3)
    assert [bits_of(captured(x)) for _ in range(3)] + [generator.get_state().tolist()] == expected
    assert wg.get_rng_state().tolist() == before
    assert wg.replay.explain(captured).replays == 2


def test_states_that_are_set_are_seen():
    captured = wg.capture(lambda: wg.rand(3))
    captured(), captured()
    state = wg.get_rng_state()
    first = captured().tolist()
    wg.set_rng_state(state)
    assert captured().tolist() == first
    wg.set_rng_state(state)
    assert wg.rand(3).tolist() == first
    with wg.random.fork_rng():
        captured()
    wg.set_rng_state(state)
    with wg.random.fork_rng():
        captured()
    assert wg.rand(3).tolist() == first


def test_a_draw_that_nobody_reads_is_made():
    def run(x):
        wg.rand(3)
        wg.rand(3)
        return x + 1

    captured, x = wg.capture(run), numbers(2)
    wg.manual_seed(2)
    for _ in range(3):
        run(x)
    expected = wg.rand(1).item()
    wg.manual_seed(2)
    for _ in range(3):
        captured(x)
    assert wg.rand(1).item() == expected
    assert wg.replay.explain(captured).replays == 2


def test_two_draws_differ():
    captured = wg.capture(lambda: (wg.randn(4), wg.randn(4)))
    for _ in range(3):
        one, other = captured()
        assert one.tolist() != other.tolist()


def test_a_guard_that_differs_puts_the_generator_back():
    def run(x):
        y = wg.rand(4) + x
        if float(x[0]) > 0:
            y = y * wg.rand(4)
        return y + wg.rand(4)

    captured = wg.capture(run)
    args = [wg.full((4,), value) for value in (1.0, 1.0, -1.0, -1.0, 1.0, -1.0)]
    wg.manual_seed(9)
    expected = [bits_of(run(x)) for x in args] + [wg.get_rng_state().tolist()]
    wg.manual_seed(9)
    assert [bits_of(captured(x)) for x in args] + [wg.get_rng_state().tolist()] == expected


def test_validation_draws_once():
    generator = wg.Generator().manual_seed(4)

    def run(x):
        return F.dropout(x, 0.5) + wg.rand(3, generator=generator)

    captured, x = wg.capture(run, validate=True), numbers(3)
    wg.manual_seed(4)
    expected = [bits_of(run(x)) for _ in range(4)]
    wg.manual_seed(4)
    generator.manual_seed(4)
    assert [bits_of(captured(x)) for _ in range(4)] == expected


def test_gradients_through_dropout():
    def run(x):
        return (F.dropout(x, 0.5) * x).sum()

    captured = wg.capture(run)

    def gradients(function):
        wg.manual_seed(6)
        found = []
        for shift in range(5):
            leaf = numbers(6, shift=shift).requires_grad_()
            function(leaf).backward()
            found.append(leaf.grad.tolist())
        return found, wg.rand(1).item()

    assert gradients(captured) == gradients(run)


def test_a_training_step_with_dropout_calls_no_driver():
    weight = numbers(4, 4).requires_grad_()

    def step(x):
        weight.grad = None
        loss = F.dropout((x @ weight).relu(), 0.3).square().mean()
        loss.backward()
        return loss.detach(), weight.grad

    wg.manual_seed(0)
    captured = wg.capture(step)
    for _ in range(3):
        captured(numbers(3, 4))
    assert wg.replay.explain(captured).programs[-1].counts().calls == 0


def test_threads_draw_from_one_generator():
    """Each number is drawn once, whoever draws it."""
    captured = wg.capture(lambda: [wg.rand(64, dtype=wg.float64) for _ in range(20)])
    captured(), captured()
    found = []

    def draw(function):
        for _ in range(20):
            found.extend(number for one in function() for number in one.tolist())

    threads = [
        threading.Thread(target=draw, args=(function,))
        for function in (captured, lambda: [wg.rand(64, dtype=wg.float64) for _ in range(20)])
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len(set(found))


def test_many_numbers_by_launches():
    captured = wg.capture(lambda: (wg.randn(1 << 16), wg.empty(1 << 16).uniform_(-1, 1)))
    wg.manual_seed(1)
    expected = [bits_of((wg.randn(1 << 16), wg.empty(1 << 16).uniform_(-1, 1))) for _ in range(3)]
    wg.manual_seed(1)
    assert [bits_of(captured()) for _ in range(3)] == expected
