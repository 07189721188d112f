"""Tests of fused kernels with a stand-in for CuPy: run by test_on_fake_cupy.py, in a process of their own."""

from __future__ import annotations

import chains
import compiled
import fake_cupy
import numpy as np
import pytest
import stand_ins
import wengert as torch
from numpy.lib.stride_tricks import as_strided
from wengert_core.extend import FusedExpression, FusedOperand, FusedStep, device_plugin, step_reference
from wengert_cuda import fused, kernels

stand_ins.install()
N = 12


@pytest.fixture(autouse=True)
def _calls():
    fake_cupy.CALLS.clear()
    yield
    assert not fake_cupy.NODES


def on_device(values, shape, strides):
    """An array of the device, with gaps or repetitions as its strides (in elements) say."""
    plugin = device_plugin("cuda")
    memory = plugin.allocate(values.nbytes, 0)
    array = plugin.array(memory, 0, values.shape, values.strides, values.dtype)
    array[...] = plugin.cupy.asarray(values)
    return plugin.array(memory, 0, shape, tuple(s * values.itemsize for s in strides), values.dtype)


def one_by_one(expression, inputs, numbers, n):
    """The steps of an expression, each by the kernel of its operation."""
    dtype = np.dtype(kernels.NUMBERS[expression.dtype])
    values = {"input": inputs, "number": numbers, "step": []}
    for op, operands in expression.steps:
        arrays = [np.asarray(values[kind][k], dtype) for kind, k in operands]
        if op in fused.VARIANTS:
            with np.errstate(all="ignore"):
                found = step_reference(op)(np, arrays[0])
        else:
            arrays = [np.ascontiguousarray(np.broadcast_to(one, (n,))) for one in arrays]
            found = np.empty(n, dtype)
            compiled.elementwise(kernels.FUSED[op][0], "T y", f"wengert_{op}", [*arrays, found], dtype.str[1:])
        values["step"].append(np.broadcast_to(found, (n,)))
    return [np.ascontiguousarray(values["step"][k]) for k in expression.outputs]


def run_kernel(expression, n, seed, start=0):
    """The outputs of a fused kernel and of its operations, as bits. start: elements ahead of each contiguous array."""
    draw = np.random.default_rng(seed)
    dtype = np.dtype(kernels.NUMBERS[expression.dtype])
    arrays, contents = [], []
    for layout in expression.inputs:
        shape, strides = chains.sizes_of(layout, n)
        values = (draw.standard_normal(max(n, 24) + start) * 2).astype(dtype)
        values[start + seed % 5] = (np.inf, -0.0, np.nan, 0.0, 1.0)[seed % 5]
        skip = start if layout is None else 0
        whole = on_device(values, values.shape, (1,))
        arrays.append(device_plugin("cuda").cupy.ndarray(shape, dtype, whole.data + skip * dtype.itemsize,
                                                         tuple(s * dtype.itemsize for s in strides)))  # fmt: skip
        contents.append(as_strided(values[skip:], shape, [s * dtype.itemsize for s in strides]).reshape(-1))
    numbers = draw.standard_normal(expression.numbers).tolist()
    outputs = [on_device(np.zeros(n, dtype), (n,), (1,)) for _ in expression.outputs]
    device_plugin("cuda").fuse(expression)(0, n, arrays, numbers, outputs)
    bits = f"i{dtype.itemsize}"
    return [one.get().view(bits).tolist() for one in outputs], \
        [one.view(bits).tolist() for one in one_by_one(expression, contents, numbers, n)]  # fmt: skip


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("seed", range(2))
def test_a_fused_kernel_gives_the_bits_of_its_operations(dtype, seed):
    for k, expression in enumerate(chains.expressions(dtype, seed)):
        got, expected = run_kernel(expression, N, seed + k)
        assert got == expected, expression


@pytest.mark.parametrize("n", [1, 3, 4, 1023, 1030])
@pytest.mark.parametrize("start", [0, 1])
def test_contiguous_memory_of_any_size_and_alignment(n, start):
    steps = (FusedStep("mul", (FusedOperand("input", 0), FusedOperand("number", 0))),
             FusedStep("tanh", (FusedOperand("step", 0),)),
             FusedStep("sub", (FusedOperand("step", 1), FusedOperand("input", 1))))  # fmt: skip
    got, expected = run_kernel(FusedExpression("f", (None, None), 1, steps, (1, 2)), n, 3 if n > 1 else 0, start)
    assert got == expected


def test_a_single_operation_has_the_kernel_of_calls():
    step = FusedStep("addcmul", (FusedOperand("input", 1), FusedOperand("number", 0), FusedOperand("input", 0),
                                 FusedOperand("number", 1)))  # fmt: skip
    got, expected = run_kernel(FusedExpression("d", (None, None), 2, (step,), (0,)), 40, 1)
    assert got == expected
    assert "flat_addcmul" in fake_cupy.CALLS


def test_a_captured_function_runs_fused_kernels():
    def function(x, bias):
        y = ((x * 0.5 + bias).tanh() * x.square()).exp() + x**3
        z = torch.nn.functional.gelu(y - 1)
        return z, z.sum()

    run = torch.capture(function)
    host = torch.randn(5, 6), torch.randn(6)
    expected = [one.cpu() for one in function(*(one.cuda() for one in host))]
    for k in range(4):
        if k == 1:
            fake_cupy.CALLS.clear()
        got = run(*(one.cuda() for one in host))
        assert all(one.cpu().equal(other) for one, other in zip(got, expected, strict=True))
    names = [name for name in fake_cupy.CALLS if name.startswith(("fused", "flat", "wengert"))]
    assert set(names) == {"fused_chain"}, names


def test_training_steps_have_the_bits_of_usual_calls(monkeypatch):
    plugin = device_plugin("cuda")
    plugin.handles.reason(0)
    mine = plugin.handles.make(plugin.make_graph_pool(), 0)  # of usual calls too: cuBLAS may have other bits than CuPy
    monkeypatch.setattr(plugin, "products_here", lambda: mine)

    def steps(is_captured):
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.SiLU(), torch.nn.Linear(4, 2)).cuda()
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1, capturable=True)

        def step(x):
            optimizer.zero_grad()
            loss = (model(x).square() * model(x)).mean()
            loss.backward()
            optimizer.step()
            return loss.detach()

        run = torch.capture(step) if is_captured else step
        losses = [run(torch.randn(5, 3).cuda()).item() for _ in range(6)]
        return losses, [p.tolist() for p in model.parameters()]

    assert steps(True) == steps(False)
    assert "fused_chain" in fake_cupy.CALLS


def test_a_kernel_that_cannot_be_made_leaves_the_operations(monkeypatch):
    module = device_plugin("cuda").cupy

    class BrokenModule(module.RawModule):
        def get_function(self, name):
            if name == "fused_chain":
                raise RuntimeError("no compiler")
            return super().get_function(name)

    monkeypatch.setattr(module, "RawModule", BrokenModule)
    run = torch.capture(lambda x: (x * 1.25 + 3).log1p().rsqrt())
    for _ in range(5):
        assert run(torch.ones(3).cuda()).cpu().allclose((torch.ones(3) * 1.25 + 3).log1p().rsqrt())
    assert torch.replay.explain(run).replays == 2
    assert "no compiler" in torch.replay.explain(run).reasons[0]
