"""Utilities: clipping of many gradients, vectors of parameters, names that are loaded when they are asked for."""

import importlib
import math
import subprocess
import sys

import numpy as np
import pytest
import wengert as wg
from hypothesis import given
from hypothesis import strategies as st
from wengert import nn
from wengert.nn.utils import clip_grad_norm_, clip_grad_value_, get_total_norm

from .module_trees import no_clock

ORDERS = [1.0, 2.0, 3.0, 0.5, math.inf, -math.inf, "inf"]
SHAPES = st.lists(st.sampled_from([(), (1,), (3, 2), (70, 70), (2, 0), (5000,)]), min_size=1, max_size=5)
DTYPES = st.sampled_from([wg.float32, wg.float64])


def parameters_with_grads(shapes, dtypes, scale=1.0):
    """Parameters whose gradients have these shapes and dtypes."""
    parameters = []
    for number, (shape, dtype) in enumerate(zip(shapes, dtypes, strict=True)):
        size = math.prod(shape)
        parameters.append(nn.Parameter(wg.zeros(shape, dtype=dtype)))
        parameters[-1].grad = ((wg.arange(size) + number + 1.0).sin().reshape(shape) * scale).to(dtype)
    return parameters


def elements(parameters):
    return np.concatenate([parameter.grad.numpy().ravel().astype(np.float64) for parameter in parameters])


@no_clock
@given(SHAPES.flatmap(lambda s: st.tuples(st.just(s), st.lists(DTYPES, min_size=len(s), max_size=len(s)))),
       st.sampled_from(ORDERS), st.sampled_from([0.1, 1.0, 1e6]))  # fmt: skip
def test_the_norm_is_that_of_all_elements_whatever_tensors_they_stand_in(case, order, limit):
    shapes, dtypes = case
    if order in ("inf", math.inf, -math.inf):  # which empty tensors do not have
        shapes = [(1,) if 0 in shape else shape for shape in shapes]
    parameters = parameters_with_grads(shapes, dtypes)
    values = elements(parameters)
    order_number = float(order)
    expected = np.linalg.norm(values, order_number) if len(values) else 0.0
    total = clip_grad_norm_(parameters, limit, norm_type=order)
    assert np.isclose(total.item(), expected, rtol=1e-5)
    factor = min(limit / (expected + 1e-6), 1.0)
    assert np.allclose(elements(parameters), values * factor, rtol=1e-5)


@no_clock
@given(SHAPES, st.sampled_from([0.25, 5.0]))
def test_clipping_by_value_bounds_all_elements(shapes, limit):
    parameters = parameters_with_grads(shapes, [wg.float32] * len(shapes), scale=2.0)
    values = elements(parameters)
    clip_grad_value_(parameters, limit)
    assert np.allclose(elements(parameters), values.clip(-limit, limit))


def test_gradients_that_are_small_enough_are_not_written():
    (parameter,) = parameters_with_grads([(3,)], [wg.float32])
    version = parameter.grad._version
    clip_grad_norm_([parameter], 1e6)
    assert parameter.grad._version == version


def test_clipping_takes_no_part_in_a_graph():
    x = wg.ones(3, requires_grad=True)
    assert not get_total_norm([x * 2]).requires_grad
    (x**2).sum().backward()
    clip_grad_norm_(x, 1.0)
    assert not x.grad.requires_grad


def test_orders_beyond_the_usual_agree_with_numpy_for_one_tensor():
    tensor = wg.tensor([1.0, -2.0, 0.5], dtype=wg.float64)
    for order in (-1.0, -2.0, 4.0, 0.25):
        assert math.isclose(get_total_norm(tensor, order).item(), np.linalg.norm(tensor.numpy(), order))


# ---- skip_init


def test_skip_init_does_not_call_reset_parameters_and_gives_the_class_itself():
    calls = []

    class Layer(nn.Linear):
        def __init__(self, size, device=None):
            super().__init__(size, size, device=device)

        def reset_parameters(self):
            calls.append(1)
            super().reset_parameters()

    layer = nn.utils.skip_init(Layer, 3)
    assert type(layer) is Layer
    assert calls == []
    layer.reset_parameters()
    assert calls == [1]
    assert layer(wg.ones(3)).shape == (3,)


# ---- memory and names


def test_vector_to_parameters_shares_the_memory_of_the_vector():
    layer = nn.Linear(3, 2)
    vector = wg.zeros(8)
    nn.utils.vector_to_parameters(vector, layer.parameters())
    vector.fill_(2)
    assert layer(wg.ones(3)).tolist() == [8, 8]
    layer(wg.ones(3)).sum().backward()
    assert layer.weight.grad.tolist() == [[1] * 3] * 2


def test_every_name_is_there_and_listed():
    for name in nn.utils.__all__:
        assert getattr(nn.utils, name) is not None
        assert name in dir(nn.utils)
    for name in ("parametrize", "parametrizations", "stateless", "clip_grad", "convert_parameters"):
        module = importlib.import_module(f"wengert.nn.utils.{name}")
        assert all(hasattr(module, one) for one in module.__all__)
    with pytest.raises(AttributeError, match="no attribute 'foo'"):
        nn.utils.foo  # noqa: B018


def test_functions_with_the_name_of_their_module_are_called_by_it():
    from wengert.nn.utils import spectral_norm, weight_norm
    from wengert.nn.utils.spectral_norm import SpectralNorm

    assert callable(spectral_norm)
    assert callable(wg.nn.utils.spectral_norm)
    assert SpectralNorm("weight").name == "weight"
    with pytest.warns(FutureWarning, match="weight_norm` is deprecated"):
        assert hasattr(weight_norm(nn.Linear(2, 2)), "weight_g")


LOADS = """
import sys
import wengert
assert not [name for name in sys.modules if name.startswith("wengert_nn")]
from wengert.nn import Module
wengert.nn.utils.clip_grad_norm_
loaded = {name for name in sys.modules if name.startswith("wengert_nn.utils.")}
assert loaded == {f"wengert_nn.utils.{name}" for name in ("clip_grad", "spectral_norm", "weight_norm")}, loaded
assert "wengert_nn.modules.linear" not in sys.modules
"""


def test_a_program_loads_what_it_uses():
    done = subprocess.run([sys.executable, "-c", LOADS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
