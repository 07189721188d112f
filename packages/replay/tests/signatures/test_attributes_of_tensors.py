"""Attributes of Python on tensors: part of the signature where these are arguments, else Python's state."""

import types

import pytest
import wengert as wg


def results_of(function, values, capture, **options):
    """Return results for arguments with the attribute ``scale``; None: without it."""
    function = wg.capture(function, quiet=True, **options) if capture else function
    found = []
    for value in values:
        x = wg.ones(2)
        if value is not None:
            x.scale = value
        found.append(function(x).tolist())
    return found, function


@pytest.mark.parametrize("guard", [False, True])
@pytest.mark.parametrize(
    ("values", "replays"),
    [
        ((None, None, 2.0, 2.0, None, 3.0, 2.0, 3.0), 5),
        ((-0.0, 0.0, -0.0, 0.0), 2),
        (([1.0], [1.0], [2.0], [1.0]), 2),
        (("a", "b", "a"), 1),
    ],
)
def test_arguments(values, replays, guard):
    def scale_or_add(x):
        scale = getattr(x, "scale", 1.0)
        scale = scale[0] if isinstance(scale, list) else len(scale) if isinstance(scale, str) else scale
        return x * scale if hasattr(x, "scale") else x + 1

    expected, _ = results_of(scale_or_add, values, capture=False)
    found, function = results_of(scale_or_add, values, capture=True, guard_python=guard)
    assert repr(found) == repr(expected)
    assert wg.replay.explain(function).replays == replays


@pytest.mark.parametrize("value", [wg.ones(1), object(), types.SimpleNamespace(n=2)], ids=["Tensor", "object", "class"])
def test_attributes_that_are_no_part_of_a_signature(value):
    expected, _ = results_of(lambda x: x * 2, [value] * 4, capture=False)
    found, function = results_of(lambda x: x * 2, [value] * 4, capture=True)
    assert found == expected
    if isinstance(value, wg.Tensor):
        assert "an argument has an attribute of Python" in repr(wg.replay.explain(function))


def test_explained():
    _, function = results_of(lambda x: x * 2, [None, 2.0, 3.0, "a"], capture=True)
    words = repr(wg.replay.explain(function))
    assert "x is float32[2], with scale=2.0, not float32[2]" in words
    assert "x is float32[2], with scale=3.0, not float32[2]" in words
    assert "x is float32[2], with scale='a', not float32[2]" in words


def test_guarded_tensors_from_outside():
    weight = wg.ones(2)
    weight.factor = 1.0
    function = wg.capture(lambda x: x * weight.factor, guard_python=True)
    found = []
    for factor in (1.0, 1.0, 5.0, 5.0, 1.0):
        weight.factor = factor
        found.append(function(wg.ones(1)).item())
    assert found == [1.0, 1.0, 5.0, 5.0, 1.0]
    assert wg.replay.explain(function).replays == 3


def test_a_counter_on_a_tensor():
    weight = wg.ones(2)
    weight.n = 0

    def step(x):
        weight.n += 1
        return x * weight.n

    function = wg.capture(step, quiet=True)
    assert [function(wg.ones(1)).item() for _ in range(5)] == [1.0, 2.0, 3.0, 4.0, 5.0]
