"""Labels for calls of modules: ``profile(with_modules=True)``."""

import pytest
import wengert as wg
from wengert import nn
from wengert.autograd.profiler import profile


class Scale(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, input):
        return input * self.factor


class Chain(nn.Module):
    def __init__(self, *modules):
        super().__init__()
        self.inner = nn.ModuleList(modules)

    def forward(self, input):
        for module in self.inner:
            input = module(input)
        return input


class Failing(nn.Module):
    def forward(self, input):
        raise ValueError("no result")


def labels(prof):
    return [event.name for event in prof.function_events if event.name.startswith("nn.Module")]


def test_each_call_has_a_label_with_the_number_of_the_object():
    chain = Chain(Scale(2.0), Scale(3.0))
    with profile(with_modules=True) as prof:
        chain(wg.ones(2))
        chain.inner[1](wg.ones(2))
    assert labels(prof) == [
        "nn.Module: Chain_0", "nn.Module: Scale_0", "nn.Module: Scale_1", "nn.Module: Scale_1",
    ]  # fmt: skip


def test_operations_lie_inside_of_the_modules_that_call_them():
    chain = Chain(Scale(2.0))
    input = wg.ones(2)
    with profile(with_modules=True) as prof:
        chain(input)
    mul = next(event for event in prof.function_events if event.name == "aten::mul")
    assert mul.cpu_parent.name == "nn.Module: Scale_0"
    assert mul.cpu_parent.cpu_parent.name == "nn.Module: Chain_0"


def test_a_label_ends_with_a_call_that_fails():
    failing, scale = Failing(), Scale(1.0)
    with profile(with_modules=True) as prof:
        with pytest.raises(ValueError, match="no result"):
            failing(wg.ones(1))
        scale(wg.ones(1))
    last = next(event for event in prof.function_events if event.name == "nn.Module: Scale_0")
    assert last.cpu_parent is None


def test_without_the_argument_and_after_the_block_there_are_no_labels():
    scale = Scale(2.0)
    with profile() as prof:
        scale(wg.ones(1))
    assert labels(prof) == []
    with profile(with_modules=True):
        pass
    with profile() as prof:
        scale(wg.ones(1))
    assert labels(prof) == []
