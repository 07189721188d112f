"""Every row of the sample table on every device that is present: values, dtypes, devices and gradients as on the
CPU.
"""

from __future__ import annotations

import numpy as np
import pytest
import wengert as torch
from wengert_testing.devices import check_gradients, check_out, check_values, rows
from wengert_testing.mixed import check_mixed


@pytest.mark.parametrize("case", rows(), ids=str)
def test_values_are_those_of_the_cpu(case, device):
    check_values(case, device)


@pytest.mark.parametrize("case", rows(), ids=str)
def test_out_is_on_the_device_of_the_inputs(case, device):
    check_out(case, device)


@pytest.mark.parametrize("case", rows(), ids=str)
def test_tensors_of_two_devices_go_together_or_are_refused(case, device):
    check_mixed(case, device)


def test_most_rows_of_several_tensors_refuse_two_devices():
    assert sum(check_mixed(case, "sim") > 0 for case in rows()) > 150


def test_most_rows_are_tried_with_out():
    assert sum(check_out(case, "sim") > 0 for case in rows()) > 400


def test_numbers_are_computed_where_out_is():
    out = torch.ones(2, device="sim")
    with pytest.warns(UserWarning, match="was resized"):
        assert torch.mul(3, 2.0, out=out).tolist() == 6.0
    assert str(out.device) == "sim:0"


@pytest.mark.parametrize("case", rows(gradients=True), ids=str)
def test_gradients_are_those_of_the_cpu(case, device):
    check_gradients(case, device)


@pytest.mark.parametrize("case", rows(gradients=True), ids=str)
def test_a_default_device_is_no_matter_for_tensors_of_the_cpu(case):
    """What operations and formulas make for themselves is where their tensors are."""
    check_gradients(case, "cpu", default="sim")


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "complex64", "int32", "uint8", "uint16", "uint64",
                                  "bool"])  # fmt: skip
def test_every_dtype_goes_there_and_back_and_is_converted_there(name, device):
    dtype = getattr(torch, name)
    x = torch.tensor([0.0, 1.0, 2.0, 3.0]).to(dtype)
    there = x.to(device)
    assert there.dtype is dtype
    assert there.cpu().equal(x)
    if not dtype.is_complex:
        assert there.to(torch.float32).cpu().equal(x.to(torch.float32))
    assert np.array_equal((there == there).cpu().numpy(), [True] * 4)
