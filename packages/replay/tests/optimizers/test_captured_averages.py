"""Averages of a model's parameters in a captured training step: one program, and the numbers of eager steps."""

import pytest
import wengert as wg
from wengert.optim import swa_utils
from wengert.optim.swa_utils import SWALR, AveragedModel

AVERAGES = {
    "mean": dict,
    "mean by a multi function": lambda: {"multi_avg_fn": swa_utils.get_swa_multi_avg_fn()},
    "moving": lambda: {"avg_fn": swa_utils.get_ema_avg_fn(0.9)},
    "moving by a multi function": lambda: {"multi_avg_fn": swa_utils.get_ema_multi_avg_fn(0.9), "use_buffers": True},
    "own": lambda: {"avg_fn": lambda average, value, count: average + (value - average) / (count + 2)},
}


def train(options, capture, dtype=wg.float32):
    """Return the losses and averages of twelve steps, and the explanation of the captured one."""
    wg.manual_seed(5)
    model = wg.nn.Sequential(wg.nn.Linear(3, 4), wg.nn.BatchNorm1d(4), wg.nn.Tanh(), wg.nn.Linear(4, 1)).to(dtype)
    optimizer = wg.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    averaged = AveragedModel(model, **options)
    schedule = SWALR(optimizer, 0.01, 4)

    def step(x, y):
        optimizer.zero_grad()
        loss = (model(x) - y).square().mean()
        loss.backward()
        optimizer.step()
        averaged.update_parameters(model)
        schedule.step()
        return loss.detach()

    function = capture(step)
    losses = [function(wg.randn(6, 3, dtype=dtype), wg.randn(6, 1, dtype=dtype)).item() for _ in range(12)]
    values = [t.tolist() for t in (*averaged.parameters(), *averaged.buffers())]
    return losses, values, None if function is step else wg.replay.explain(function)


@pytest.mark.parametrize("name", AVERAGES)
@pytest.mark.parametrize("dtype", [wg.float32, wg.float64], ids=str)
def test_averages_are_those_of_eager_steps_and_make_no_branches(name, dtype):
    losses, values, _ = train(AVERAGES[name](), lambda step: step, dtype)
    replayed, averages, found = train(AVERAGES[name](), wg.capture, dtype)
    assert (replayed, averages) == (losses, values)
    assert found.replays >= 9
    assert found.programs[0].n_branches == 0


def test_a_function_that_reads_the_count_gets_branches_and_the_numbers_of_eager_steps():
    def read(average, value, count):
        return average + (value - average) / (int(count) + 1)

    losses, values, _ = train({"avg_fn": read}, lambda step: step)
    with pytest.warns(RuntimeWarning, match=r"differs in each call: return the tensor"):
        replayed, averages, _ = train({"avg_fn": read}, wg.capture)
    assert (replayed, averages) == (losses, values)


@pytest.mark.parametrize("dtype", [wg.float16, wg.bfloat16, wg.float32, wg.float64, wg.complex64], ids=str)
def test_the_mean_by_a_tensor_is_that_by_its_number(dtype):
    average = swa_utils.get_swa_multi_avg_fn()
    for count in range(1, 40):
        value, other = wg.randn(9).to(dtype), wg.randn(9).to(dtype)
        by_tensor = [value.clone()]
        average(by_tensor, [other], wg.tensor(count))
        by_number = value.clone().lerp_(other, float(1 / (wg.tensor(count) + 1)))
        assert (by_tensor[0] == by_number).all()
