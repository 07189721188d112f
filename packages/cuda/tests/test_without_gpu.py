"""What wengert-cuda does on a machine without a GPU: it imports, and says in one sentence that there is none."""

from __future__ import annotations

import subprocess
import sys

import pytest
import wengert as torch
from wengert_core.devices import device
from wengert_core.devices.plugin import DevicePlugin
from wengert_cuda import CudaDevice
from wengert_cuda.cupy_module import find_cupy
from wengert_cuda.kernels import FUSED, table
from wengert_registry import registry

pytestmark = pytest.mark.skipif(not find_cupy()[1], reason="there is a GPU here: tests/test_gpu.py looks at it")


@pytest.fixture(autouse=True)
def _register_cuda():
    group = registry.group("devices")
    if "cuda" in group:
        yield
        return
    with group.register("cuda", CudaDevice, owner="packages/cuda/tests"):
        yield
    device.PLUGINS.pop("cuda", None)


def test_importing_costs_nothing_until_cuda_is_asked_for():
    program = "import sys, wengert, wengert_cuda; print([m for m in sys.modules if m.startswith('cupy')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_it_says_in_one_sentence_what_is_missing():
    text = CudaDevice().unavailable()
    assert "\n" not in text
    assert "CuPy" in text
    assert CudaDevice().device_count() == 0


def test_the_answers_of_wengert_cuda_are_torchs():
    cuda = torch.cuda
    assert (cuda.is_available(), cuda.device_count(), cuda.is_initialized()) == (False, 0, False)
    assert (cuda.memory_allocated(), cuda.max_memory_allocated(), dict(cuda.memory_stats())) == (0, 0, {})
    assert (cuda.empty_cache(), cuda.manual_seed(1), cuda.manual_seed_all(1)) == (None, None, None)
    with cuda.stream(None):
        assert torch.ones(1).device == torch.device("cpu")


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.ones(1, device="cuda"), lambda: torch.ones(1).cuda(), lambda: torch.ones(1).to("cuda:1"),
        lambda: torch.cuda.synchronize(), lambda: torch.cuda.current_device(), lambda: torch.cuda.current_stream(),
        lambda: torch.Generator("cuda"), lambda: torch.cuda.set_device(0),
    ],
)  # fmt: skip
def test_what_needs_a_device_raises_the_sentence(call):
    with pytest.raises(AssertionError) as error:  # torch's; it is a RuntimeError, too
        call()
    assert isinstance(error.value, RuntimeError)
    assert CudaDevice().unavailable() in str(error.value)


@pytest.mark.parametrize(("call", "phrase"), [(lambda: torch.cuda.Stream(), "requires CUDA support"),
                                              (lambda: torch.cuda.Event(), "dummy base class Event")])  # fmt: skip
def test_streams_and_events_cannot_be_made(call, phrase):
    with pytest.raises(RuntimeError, match=phrase):
        call()


def test_a_device_object_needs_no_device():
    assert str(torch.device("cuda:1")) == "cuda:1"
    assert not torch.ones(1).is_cuda


def test_the_plugin_implements_the_interface():
    own = {"device_count", "unavailable", "current_device", "set_device", "enter", "leave", "allocate", "array",
           "memory_stats", "reset_peak", "empty_cache", "pin", "upload", "download", "transfer", "synchronize",
           "current_stream", "set_stream", "make_stream", "default_stream", "make_event", "assign", "adopt",
           "download_to", "stream_number", "export_stream"}  # fmt: skip
    assert own <= {name for name in dir(DevicePlugin) if not name.startswith("_")}
    assert own <= vars(CudaDevice).keys()


def test_fused_kernels_name_operations_and_their_arguments():
    from wengert_core.dispatch.op import find

    for name, (inputs, _) in FUSED.items():
        op = find(name)
        given = [p for p in op.params if p not in ("out", "approximate", "self_is_result", "alpha", "rounding_mode")]
        assert len(given) == inputs.count(",") + 1
        assert callable(table()[name])


def test_a_fused_kernel_leaves_other_dtypes_to_the_reference():
    import numpy as np

    x = np.array([1, 2])
    assert table()["tanh_backward"](np, x, x).tolist() == [0, -6]
