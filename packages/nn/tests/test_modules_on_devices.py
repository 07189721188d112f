"""Modules on another device: the simulated one."""

import pytest
import wengert as wg
from wengert import nn
from wengert.func import functional_call
from wengert.nn.utils import clip_grad_norm_, clip_grad_value_, parameters_to_vector, parametrizations
from wengert_registry import registry
from wengert_testing.sim import SimDevice


@pytest.fixture(autouse=True)
def sim():
    group = registry.group("devices")
    if "sim" in group:
        yield
        return
    with group.register("sim", SimDevice, owner="packages/nn/tests"):
        yield


def train_once():
    module = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    module(wg.arange(8.0, device="cpu").reshape(4, 2)).square().sum().backward()
    return module


def devices(module):
    tensors = (*module.parameters(), *module.buffers(), *(parameter.grad for parameter in module.parameters()))
    return {tensor.device.type for tensor in tensors}


def test_parameters_and_their_gradients_move_and_stay_the_same_objects():
    module = train_once().to("cpu")
    parameters = list(module.parameters())
    grads = [parameter.grad for parameter in parameters]
    values = [parameter.detach().clone() for parameter in parameters]
    for target in ("sim", "cpu"):
        assert module.to(target) is module
        assert devices(module) == {target}
        assert all(one is other for one, other in zip(module.parameters(), parameters, strict=True))
        assert all(parameter.grad is grad for parameter, grad in zip(parameters, grads, strict=True))
        assert all(parameter.is_leaf and parameter.requires_grad for parameter in parameters)
    assert all(wg.equal(one, other) for one, other in zip(parameters, values, strict=True))


def test_training_states_and_clipping_work_there():
    module = train_once().to("sim")
    module(wg.ones(4, 2, device="sim")).square().sum().backward()
    total = clip_grad_norm_(module.parameters(), 0.5)
    assert total.device.type == "sim"
    clip_grad_value_(module.parameters(), 0.1)
    assert all(parameter.grad.abs().max().item() <= 0.1001 for parameter in module.parameters())
    other = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)).to("cpu")
    other.load_state_dict(module.state_dict())
    assert {tensor.device.type for tensor in other.state_dict().values()} == {"cpu"}
    assert all(wg.equal(one.cpu(), two) for one, two in zip(module.parameters(), other.parameters(), strict=True))


def test_parametrized_modules_move():
    for make in (parametrizations.weight_norm, parametrizations.spectral_norm, parametrizations.orthogonal):
        layer = make(nn.Linear(3, 3)).to("sim")
        assert layer.weight.device.type == "sim"
        assert layer(wg.ones(3, device="sim")).device.type == "sim"


def test_functional_call_takes_tensors_of_the_device():
    layer = nn.Linear(2, 3)
    weight = wg.ones(3, 2, device="sim")
    output = functional_call(layer, {"weight": weight, "bias": weight[:, 0]}, (wg.ones(2, device="sim"),))
    assert output.tolist() == [3.0] * 3


def test_tensors_of_two_devices_are_no_vector():
    with pytest.raises(TypeError, match="Found two parameters on different devices"):
        parameters_to_vector([*nn.Linear(2, 2).to("cpu").parameters(), *nn.Linear(2, 2).to("sim").parameters()])


def test_to_empty_moves_without_copying():
    layer = nn.Linear(2, 3).to_empty(device="sim")
    assert (layer.weight.device.type, layer.weight.shape) == ("sim", (3, 2))
