"""Every row of the sample table on the simulated device: values, dtypes, devices and gradients as on the CPU."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import wengert as torch
from wengert_core.op import Op
from wengert_core.tensor import Tensor
from wengert_testing.calls import array_of, as_tensors, contiguous, function_of, is_floating, row_of
from wengert_testing.case import Fixed
from wengert_testing.samples import CASES
from wengert_testing.tolerance import assert_close

ON_THE_HOST = {"frombuffer", "asarray", "tensor", "as_tensor", "scalar_tensor"}
"""What makes a tensor of the host's data; test_factories has them."""
UNDEFINED = {"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided"}
"""What leaves the elements as they are."""
BY_SCIPY = "its derivative is a function of SciPy, which takes arrays of the host: open"
GRADIENTS_LEFT = {"digamma": BY_SCIPY}


def options(case, device):
    """Factories make tensors on the device only when they are told to."""
    op = row_of(case.op)
    makes = isinstance(op, Op) and op.family == "factory" and not any(p in op.params for p in ("self", "input"))
    windows = case.op.endswith("_window") or case.op.startswith("signal.windows.") or case.op in ("fft.fftfreq", "fft.rfftfreq")
    return {"device": device} if device != "cpu" and (makes or windows) else {}


def results(case, sample, device, leaves=None):
    def change(array):
        tensor = contiguous(array).to(device)
        if leaves is not None and array.dtype.kind in "fc" and not isinstance(array, Fixed):
            leaves.append(tensor.requires_grad_())
        return tensor

    torch.manual_seed(0)
    args, kwargs = as_tensors(sample, change)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return case.results(function_of(case.op)(*case.arguments(args), **kwargs, **options(case, device)))


def gradients(case, sample, device):
    leaves, loss = [], None
    for y in results(case, sample, device, leaves):
        if is_floating(y) and y.requires_grad:
            part = ((y * y.conj()).real if y.is_complex() else y * y.detach().cos()).sum()
            loss = part if loss is None else loss + part
    if loss is None:
        return []
    loss.backward()
    return [leaf.grad for leaf in leaves]


@pytest.mark.parametrize("case", [case for case in CASES if case.op not in ON_THE_HOST], ids=str)
def test_values_are_those_of_the_cpu(case):
    for sample in case.samples("float64"):
        expected, got = results(case, sample, "cpu"), results(case, sample, "sim")
        for e, g in zip(expected, got, strict=True):
            if not isinstance(e, Tensor):
                assert g == e
                continue
            assert g.device == torch.device("sim", 0)
            assert g.dtype is e.dtype
            assert g.shape == e.shape
            if case.op not in UNDEFINED:
                assert_close(array_of(g.detach().cpu()), array_of(e), f"{case.op}{sample!r}", rtol=case.rtol or 1e-9)


@pytest.mark.parametrize("case", [case for case in CASES if case.grad and case.op not in ON_THE_HOST], ids=str)
def test_gradients_are_those_of_the_cpu(case, request):
    if case.op in GRADIENTS_LEFT:
        request.node.add_marker(pytest.mark.xfail(strict=True, raises=TypeError, reason=GRADIENTS_LEFT[case.op]))
    for sample in case.samples("float64"):
        for e, g in zip(gradients(case, sample, "cpu"), gradients(case, sample, "sim"), strict=True):
            assert (g is None) == (e is None)
            if e is not None:
                assert g.device == torch.device("sim", 0)
                assert_close(array_of(g.cpu()), array_of(e), f"{case.op}{sample!r}: gradient", rtol=max(case.rtol or 0, 1e-7))


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "complex64", "int32", "uint8", "bool"])
def test_every_dtype_goes_there_and_back_and_is_converted_there(name):
    dtype = getattr(torch, name)
    x = torch.tensor([0.0, 1.0, 2.0, 3.0]).to(dtype)
    there = x.to("sim")
    assert there.dtype is dtype
    assert there.cpu().equal(x)
    if not dtype.is_complex:
        assert there.to(torch.float32).cpu().equal(x.to(torch.float32))
    assert np.array_equal((there == there).cpu().numpy(), [True] * 4)
