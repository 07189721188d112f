"""The default device: set_default_device, ``with device:``, and what it does not concern. The answers are torch's."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import wengert as torch

SIM = torch.device("cpu")


@pytest.fixture(autouse=True)
def _restore_default(sim):
    global SIM
    SIM = torch.device("sim", 0)
    yield
    torch.set_default_device(None)


MADE = {
    "zeros": lambda: torch.zeros(2), "tensor": lambda: torch.tensor([1.0]), "as_tensor": lambda: torch.as_tensor([1.0]),
    "as_tensor of an array": lambda: torch.as_tensor(np.ones(2)), "asarray": lambda: torch.asarray([1.0]),
    "as_tensor of a tensor": lambda: torch.as_tensor(torch.ones(2, device="cpu")), "arange": lambda: torch.arange(3),
    "linspace": lambda: torch.linspace(0, 1, 3), "logspace": lambda: torch.logspace(0, 1, 3),
    "rand": lambda: torch.rand(2), "randn": lambda: torch.randn(2), "randint": lambda: torch.randint(3, (2,)),
    "randperm": lambda: torch.randperm(3), "eye": lambda: torch.eye(2), "full": lambda: torch.full((2,), 1.0),
    "empty": lambda: torch.empty(2), "empty_strided": lambda: torch.empty_strided((2,), (1,)),
    "scalar_tensor": lambda: torch.scalar_tensor(1.0), "hann_window": lambda: torch.hann_window(3),
    "signal.windows.hann": lambda: torch.signal.windows.hann(3), "fftfreq": lambda: torch.fft.fftfreq(3),
    "tril_indices": lambda: torch.tril_indices(2, 2),
}  # fmt: skip
NOT_CONCERNED = {
    "device=": lambda: torch.zeros(2, device="cpu"), "Tensor": lambda: torch.Tensor([1.0]),
    "FloatTensor": lambda: torch.FloatTensor([1.0]), "from_numpy": lambda: torch.from_numpy(np.ones(2)),
    "frombuffer": lambda: torch.frombuffer(bytearray(8), dtype=torch.int32),
    "empty_like": lambda: torch.empty_like(torch.ones(2, device="cpu")),
    "new_zeros": lambda: torch.ones(2, device="cpu").new_zeros(2),
    "new_tensor": lambda: torch.ones(2, device="cpu").new_tensor([1.0]),
    "a list as an index": lambda: torch.ones(3, device="cpu")[[0, 1]],
    "one_hot": lambda: torch.nn.functional.one_hot(torch.ones(2, device="cpu").long()),
    "normal with a size": lambda: torch.normal(0.0, 1.0, (2,)),
}  # fmt: skip


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_factories_that_are_told_none_use_it(make):
    assert make().device.type == "cpu"
    torch.set_default_device("sim")
    assert make().device == SIM
    with torch.device("cpu"):
        assert make().device.type == "cpu"


@pytest.mark.parametrize("make", NOT_CONCERNED.values(), ids=NOT_CONCERNED)
def test_what_is_told_or_shares_or_is_like_another_does_not(make):
    torch.set_default_device("sim")
    assert make().device.type == "cpu"


def test_get_default_device():
    assert torch.get_default_device() == torch.device("cpu")
    torch.set_default_device("sim")
    assert torch.get_default_device() == SIM  # with its number
    with torch.device("cpu"):
        assert torch.get_default_device() == torch.device("cpu")
        with torch.device("sim:1"):
            assert torch.get_default_device() == torch.device("sim", 1)
            assert torch.ones(1).device == torch.device("sim", 1)
        assert torch.ones(1).device == torch.device("cpu")
    with torch.device("cpu:0"):
        assert torch.get_default_device() == torch.device("cpu", 0)
    assert torch.set_default_device(None) is None
    assert torch.get_default_device() == torch.device("cpu")


def test_a_device_can_be_entered_again_and_leaves_by_an_error():
    there = torch.device("sim")

    def fail():
        with there:
            with there:
                pass
            assert torch.ones(1).device == SIM
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert torch.ones(1).device == torch.device("cpu")


def test_a_type_alone_follows_the_current_device():
    from wengert_core.backends.accelerator import functions

    torch.set_default_device("sim")
    functions("sim")["set_device"](1)
    assert torch.ones(1).device == torch.get_default_device() == torch.device("sim", 1)


def test_each_thread_has_its_own():
    torch.set_default_device("sim")
    found = []
    thread = threading.Thread(target=lambda: found.append((torch.get_default_device(), torch.ones(1).device)))
    thread.start()
    thread.join()
    assert found == [(torch.device("cpu"), torch.device("cpu"))]


def test_errors():
    with pytest.raises(RuntimeError, match="at start of device string: nowhere"):
        torch.set_default_device("nowhere")
    with pytest.raises(TypeError, match="invalid combination of arguments - got"):
        torch.set_default_device(1.5)
    with pytest.raises(RuntimeError, match="invalid device ordinal"), torch.device("sim:7"):
        pass
    assert torch.ones(1).device == torch.device("cpu")
    torch.set_default_device("sim")
    with pytest.raises(RuntimeError, match=r"device type sim:0 does not match device type of out parameter \(cpu\)"):
        torch.zeros(2, out=torch.empty(2, device="cpu"))
    with pytest.raises(RuntimeError, match="Only Tensors of floating point and complex dtype can require gradients"):
        torch.tensor([1], requires_grad=True)


def test_random_numbers_of_the_default_device_are_its_generators():
    torch.manual_seed(3)
    expected = torch.rand(4, device="sim")
    torch.manual_seed(3)
    with torch.device("sim"):
        assert torch.rand(4).equal(expected)
    with torch.device("sim"), pytest.raises(RuntimeError, match="Expected a 'sim' device type for generator"):
        torch.rand(2, generator=torch.Generator("cpu"))
