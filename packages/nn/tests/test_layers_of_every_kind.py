"""Every layer: pickles, copies, states, conversion, and the call that costs nothing beside the function."""

import copy
import inspect
import pickle
from typing import Any

import pytest
import wengert as wg
from wengert import nn

from .layer_examples import EXAMPLES, Example

ALL = pytest.mark.parametrize("example", EXAMPLES, ids=str)
MODULES = (
    "activation adaptive channelshuffle conv distance dropout flatten fold linear loss padding pixelshuffle pooling "
    "sparse upsampling"
).split()


def result(layer: Any, inputs: tuple[Any, ...]) -> Any:
    """The result of a layer in evaluation mode, with the same random numbers each time."""
    wg.manual_seed(0)
    output = layer.eval()(*inputs)
    return output[0] if isinstance(output, tuple) else output


def build(example: Example) -> Any:
    """A layer whose parameters are there."""
    layer = example.make()
    layer(*example.inputs())
    return layer


@ALL
def test_pickle_gives_the_same_layer(example: Example) -> None:
    layer = build(example)
    other = pickle.loads(pickle.dumps(layer))
    assert type(other) is type(layer)
    assert repr(other) == repr(layer)
    assert wg.equal(result(other, example.inputs()), result(layer, example.inputs()))


@ALL
def test_deepcopy_has_its_own_parameters(example: Example) -> None:
    layer = build(example)
    other = copy.deepcopy(layer)
    with wg.no_grad():
        for parameter in other.parameters():
            parameter.add_(1)
    for one, two in zip(layer.parameters(), other.parameters(), strict=True):
        assert not wg.equal(one, two)


@ALL
def test_state_goes_into_a_new_layer(example: Example) -> None:
    layer = build(example)
    with wg.no_grad():
        for parameter in layer.parameters():
            parameter.mul_(0.5)
    other = example.make()
    keys = other.load_state_dict(layer.state_dict())
    assert not keys.missing_keys
    assert not keys.unexpected_keys
    assert wg.equal(result(other, example.inputs()), result(layer, example.inputs()))


@ALL
def test_double_computes_in_double(example: Example) -> None:
    layer = build(example).double()
    inputs = [x.double() if x.is_floating_point() else x for x in example.inputs()]
    assert result(layer, tuple(inputs)).dtype == wg.float64


@ALL
def test_gradients_of_all_parameters_have_their_shapes(example: Example) -> None:
    layer = build(example).train()
    output = layer(*example.inputs())
    output = output[0] if isinstance(output, tuple) else output
    parameters = list(layer.parameters())
    if parameters:
        grads = wg.autograd.grad(output.sum(), parameters)
        assert [grad.shape for grad in grads] == [parameter.shape for parameter in parameters]


@ALL
def test_call_with_keywords(example: Example) -> None:
    layer = build(example)
    names = list(inspect.signature(layer.forward).parameters)
    inputs = example.inputs()
    wg.manual_seed(0)
    output = layer.eval()(**dict(zip(names, inputs, strict=False)))
    output = output[0] if isinstance(output, tuple) else output
    assert wg.equal(output, result(layer, inputs))


def test_every_layer_has_an_example() -> None:
    public = {name for module in MODULES for name in getattr(nn.modules, module).__all__ if name[0] != "_"}
    helpers = {"NonDynamicallyQuantizableLinear", "MultiheadAttention", "NLLLoss2d"}
    assert public - helpers - {example.name for example in EXAMPLES} == set()


EVERYDAY = (
    "Linear Conv1d Conv2d Conv3d Embedding ReLU Tanh Dropout MSELoss CrossEntropyLoss NLLLoss MaxPool2d Flatten"
).split()


@pytest.mark.parametrize("example", [one for one in EXAMPLES if one.name in EVERYDAY], ids=str)
def test_everyday_layers_read_no_attribute_the_slow_way(example: Example) -> None:
    layer = build(example)
    asked = []

    class Counting(type(layer)):  # type: ignore[misc]  # a class of each layer
        def __getattr__(self, name: str) -> Any:
            asked.append(name)
            return super().__getattr__(name)

    layer.__class__ = Counting
    layer(*example.inputs())
    assert asked == []


@pytest.mark.parametrize("name", ["Linear", "Conv2d", "Embedding"])
def test_weight_that_is_computed_is_asked_for(name: str) -> None:
    example = next(one for one in EXAMPLES if one.name == name)
    layer = build(example)
    base = layer._parameters.pop("weight")

    class Scale(type(layer)):  # type: ignore[misc]  # a class of each layer
        @property
        def weight(self) -> Any:
            return base * 2

    before = type(layer)(*((4, 5) if name == "Linear" else (4, 6, 3) if name == "Conv2d" else (5, 3)))
    with wg.no_grad():
        before.weight.copy_(base * 2)
        if name != "Embedding":
            before.bias.copy_(layer.bias)
    layer.__class__ = Scale
    assert wg.equal(layer(*example.inputs()), before(*example.inputs()))
