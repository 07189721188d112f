"""The sample table on a device: values and gradients are those of the CPU. For our devices and for authors of plugins.

@pytest.mark.parametrize("case", rows(), ids=str)
def test_values(case):
check_values(case, "mydevice")
"""

from __future__ import annotations

import warnings
from typing import Any

from wengert_core import random
from wengert_core.devices import device as devices
from wengert_core.dispatch.op import Op
from wengert_core.tensors.tensor import Tensor

from wengert_testing.calls import array_of, as_tensors, contiguous, function_of, is_floating, row_of
from wengert_testing.case import Fixed, OpCase, Sample
from wengert_testing.tolerance import assert_close

OF_HOST_DATA = {"frombuffer", "asarray", "tensor", "as_tensor", "scalar_tensor"}
"""What makes a tensor of data that is the host's."""
UNDEFINED = {"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided"}
"""What leaves the elements as they are."""
RANDOM = {
    "rand", "randn", "randint", "randperm", "normal", "_normal", "_normal_of_std", "bernoulli", "multinomial",
    "poisson",
}
"""Ops that draw from a generator, which another device has of its own."""
ANYWHERE = {"histogram"}
"""Ops that compute on the host, and copy to where their out= is."""


def rows(gradients: bool = False) -> list[OpCase]:
    """The cases that can be tried on a device. gradients: those that have any."""
    from wengert_testing.samples import CASES

    return [case for case in CASES if case.op not in OF_HOST_DATA and (case.grad or not gradients)]


def check_values(case: OpCase, device: str, rtol: float = 1e-9) -> None:
    """AssertionError unless the op gives on the device what it gives on the CPU: dtypes, shapes and numbers."""
    place = devices.DEVICES[devices.device_number(device)]
    for sample in case.samples("float64"):
        for e, g in zip(results(case, sample, "cpu"), results(case, sample, device), strict=True):
            if not isinstance(e, Tensor):
                assert g == e, f"{case.op}{sample!r}: {g}, expected {e}"
                continue
            facts = (g.device, g.dtype, tuple(g.shape)), (place, e.dtype, tuple(e.shape))
            assert facts[0] == facts[1], f"{case.op}{sample!r}: a result of {facts[0]}, expected {facts[1]}"
            if case.op not in UNDEFINED:
                assert_close(array_of(g.detach().cpu()), array_of(e), f"{case.op}{sample!r}", rtol=case.rtol or rtol)


def check_gradients(case: OpCase, device: str, rtol: float = 1e-7, default: str | None = None) -> None:
    """AssertionError unless the gradients are on the device, and those of the CPU.

    default: the default device of the calls on ``device``; None: the CPU.
    """
    place = devices.DEVICES[devices.device_number(device)]
    for sample in case.samples("float64"):
        expected = gradients(case, sample, "cpu")
        with devices.device(default or "cpu"):
            got = gradients(case, sample, device)
        for e, g in zip(expected, got, strict=True):
            assert (g is None) == (e is None), f"{case.op}{sample!r}: gradient {g}, expected {e}"
            if e is not None:
                assert g.device == place, f"{case.op}{sample!r}: a gradient on {g.device}, expected {place}"
                what = f"{case.op}{sample!r}: gradient"
                assert_close(array_of(g.cpu()), array_of(e), what, rtol=max(case.rtol or 0, rtol))


def check_out(case: OpCase, device: str, rtol: float = 1e-9) -> int:
    """AssertionError unless out= on the device gets the values of the CPU, and one of another place is refused.

    Returns the number of samples that take an out=; the others are left alone.
    """
    tried = 0
    for sample in case.samples("float64"):
        expected = [e for e in call_on_device(case, sample, "cpu") if isinstance(e, Tensor)]
        if not expected or not takes_out(case, sample, expected):
            continue
        tried += 1
        written = out_tensors(case, sample, device, [e.new_empty(0, device=device) for e in expected])
        for e, g in zip(case.results(expected), case.results(written), strict=True):
            if case.op not in RANDOM | UNDEFINED:
                what = f"{case.op}{sample!r}, out= on {device}"
                assert_close(array_of(g.cpu()), array_of(e), what, rtol=case.rtol or rtol)
        if has_tensors(sample) and case.op not in ANYWHERE:
            for inputs, place in (device, "cpu"), ("cpu", device):
                said = refusal(case, sample, inputs, [e.new_empty(0, device=place) for e in expected])
                what = f"{case.op}{sample!r}: inputs on {inputs}, out= on {place}"
                assert "Expected all tensors to be on the same device" in said, f"{what}: {said or 'accepted'}"
    return tried


def refusal(case: OpCase, sample: Sample, device: str, outs: list[Tensor]) -> str:
    """The text of the RuntimeError that the call raises; empty where it raises none."""
    try:
        out_tensors(case, sample, device, outs)
    except RuntimeError as error:
        return str(error)
    return ""


def takes_out(case: OpCase, sample: Sample, expected: list[Tensor]) -> bool:
    """Whether the call has an out=."""
    try:
        out_tensors(case, sample, "cpu", [e.new_empty(0) for e in expected])
    except (TypeError, RuntimeError):
        return False
    return True


def out_tensors(case: OpCase, sample: Sample, device: str, outs: list[Tensor]) -> list[Tensor]:
    """The tensors that were given as out=, after the call."""
    random.manual_seed(0)
    args, kwargs = as_tensors(sample, lambda array: contiguous(array).to(device))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function_of(case.op)(*case.arguments(args), **kwargs, out=outs[0] if len(outs) == 1 else tuple(outs))
    return outs


def has_tensors(sample: Sample) -> bool:
    """Whether a tensor is among the arguments, or in a list of them."""
    values = [*sample.args, *sample.kwargs.values()]
    listed = [value if isinstance(value, (list, tuple)) else [value] for value in values]
    return any(hasattr(item, "dtype") for items in listed for item in items)


def options(case: OpCase, device: str) -> dict[str, Any]:
    """Factories make tensors on a device only when they are told to."""
    op = row_of(case.op)
    makes = isinstance(op, Op) and op.family == "factory" and not any(p in op.params for p in ("self", "input"))
    others = case.op == "normal" or case.op.endswith(("_window", "fftfreq")) or case.op.startswith("signal.windows.")
    return {"device": device} if device != "cpu" and (makes or others) else {}


def results(case: OpCase, sample: Sample, device: str, leaves: list[Tensor] | None = None) -> tuple[Any, ...]:
    """Return the part of the op's results on a device that is checked.

    leaves: gets the inputs that then require gradients.
    """
    return case.results(call_on_device(case, sample, device, leaves))


def call_on_device(case: OpCase, sample: Sample, device: str, leaves: list[Tensor] | None = None) -> tuple[Any, ...]:
    """All results of the op on a device."""

    def change(array: Any) -> Tensor:
        tensor = contiguous(array).to(device)
        if leaves is not None and array.dtype.kind in "fc" and not isinstance(array, Fixed):
            leaves.append(tensor.requires_grad_())
        return tensor

    random.manual_seed(0)
    args, kwargs = as_tensors(sample, change)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = function_of(case.op)(*case.arguments(args), **kwargs, **options(case, device))
    return tuple(found) if isinstance(found, (tuple, list)) else (found,)


def gradients(case: OpCase, sample: Sample, device: str) -> list[Any]:
    """The gradients of the inputs, for a number that all differentiable results go into."""
    leaves: list[Any] = []
    loss: Any = None
    for y in results(case, sample, device, leaves):
        if is_floating(y) and y.requires_grad:
            part = ((y * y.conj()).real if y.is_complex() else y * y.detach().cos()).sum()
            loss = part if loss is None else loss + part
    if loss is None:
        return []
    loss.backward()
    return [leaf.grad for leaf in leaves]
