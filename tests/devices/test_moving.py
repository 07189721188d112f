"""Tensors on devices as users have them: moving, what a device refuses, text, numbers, copies, pickles."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import wengert as torch

SIM, OTHER = torch.device("cpu"), torch.device("cpu")


@pytest.fixture(autouse=True)
def _devices(sim):
    global SIM, OTHER
    SIM, OTHER = torch.device("sim", 0), torch.device("sim", 1)


def test_is_leaf_as_in_the_references():
    a = torch.rand(10, requires_grad=True)
    assert a.is_leaf
    b = torch.rand(10, requires_grad=True).to("sim")
    assert not b.is_leaf  # b was created by the operation that cast a cpu Tensor into a device's Tensor
    c = torch.rand(10, requires_grad=True, device="sim") + 2
    assert not c.is_leaf  # c was created by the addition operation
    d = torch.rand(10).to("sim")
    assert d.is_leaf  # d does not require gradients and so has no operation creating it
    e = torch.rand(10).to("sim").requires_grad_()
    assert e.is_leaf  # e requires gradients and has no operations creating it
    f = torch.rand(10, requires_grad=True, device="sim")
    assert f.is_leaf  # f requires grad, has no operation creating it


@pytest.mark.parametrize(
    ("move", "device", "dtype"),
    [
        (lambda x: x.to("sim"), 0, "float32"),
        (lambda x: x.to(torch.device("sim:1")), 1, "float32"),
        (lambda x: x.to("sim:1", torch.float64), 1, "float64"),
        (lambda x: x.to(device="sim", dtype=torch.int64), 0, "int64"),
        (lambda x: x.to(torch.ones(1, dtype=torch.float64, device="sim:1")), 1, "float64"),
        (lambda x: x.to(other=torch.ones(1, device="sim")), 0, "float32"),
        (lambda x: x.to("sim", non_blocking=True), 0, "float32"),
        (lambda x: x.to("sim").to(torch.float64), 0, "float64"),
        (lambda x: x.to("sim").to("sim:1"), 1, "float32"),
        (lambda x: x.to("sim").double().type_as(torch.ones(1, device="sim:1")), 1, "float32"),
    ],
)
def test_to_in_all_its_forms(move, device, dtype):
    x = torch.arange(6.0).reshape(2, 3).t()
    y = move(x)
    assert y.device == torch.device("sim", device)
    assert y.dtype is getattr(torch, dtype)
    assert y.get_device() == device
    assert not y.is_cuda
    assert y.stride() == x.stride()
    assert y.cpu().tolist() == x.tolist()


def test_to_gives_the_tensor_itself_where_nothing_changes():
    x = torch.ones(2, device="sim")
    assert x.to("sim") is x
    assert x.to("sim:0", torch.float32) is x
    assert x.to("sim", copy=True) is not x
    assert torch.ones(2).cpu().device == torch.device("cpu")
    x.to("sim:1").add_(1)
    assert x.tolist() == [1.0, 1.0]


def test_a_type_alone_means_the_current_device(sim):
    sim.set_device(1)
    assert torch.ones(1, device="sim").device == OTHER
    assert torch.ones(1, device="sim:0").device == SIM


@pytest.mark.parametrize(
    ("name", "phrase"),
    [("sim:2", "invalid device ordinal.*'sim:2'.*there are 2"), ("nowhere", "Expected one of cpu, cuda.* device type")],
)
def test_a_device_that_is_not_there(name, phrase):
    with pytest.raises(RuntimeError, match=phrase):
        torch.ones(1, device=name)


def test_the_host_cannot_reach_the_memory():
    x = torch.ones(2, device="sim")
    with pytest.raises(TypeError, match=r"can't convert sim:0 device type tensor to numpy. Use Tensor.cpu\(\) to copy"):
        x.numpy()
    with pytest.raises(TypeError, match="device type tensor to numpy"):
        np.asarray(x)
    assert x.numpy(force=True).tolist() == [1.0, 1.0]
    assert x.tolist() == [1.0, 1.0]
    assert (x.sum().item(), float(x[0]), bool(x.all()), int(x[1])) == (2.0, 1.0, True, 1)


def test_text():
    assert repr(torch.arange(3.0, device="sim:1")) == "tensor([0., 1., 2.], device='sim:1')"
    x = torch.ones(2000, device="sim", requires_grad=True)
    assert repr(x) == "tensor([1., 1., 1.,  ..., 1., 1., 1.], device='sim:0', requires_grad=True)"


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: x + y, lambda x, y: y + x, lambda x, y: x.add_(y), lambda x, y: y.add_(x), lambda x, y: x @ y,
        lambda x, y: torch.cat([x, y]), lambda x, y: torch.stack([y, x]), lambda x, y: torch.where(y > 0, x, x),
        lambda x, y: torch.add(x, x, out=y), lambda x, y: y + x.sum(), lambda x, y: x.masked_fill(y > 0, 1.0),
        lambda x, y: x.gather(0, y.long()), lambda x, y: torch.nn.functional.linear(x, y),
    ],
)  # fmt: skip
@pytest.mark.parametrize("elsewhere", ["cpu", "sim:1"])
def test_devices_do_not_mix(call, elsewhere):
    x, y = torch.ones(2, 2, device="sim"), torch.ones(2, 2, device=elsewhere)
    with pytest.raises(RuntimeError, match="to be on the same device, but found at least two devices") as e:
        call(x, y)
    assert "sim:0" in str(e.value)
    assert elsewhere in str(e.value)


def test_numbers_of_the_host_mix():
    x = torch.arange(3.0, device="sim")
    assert (x * torch.tensor(2.0)).device == SIM
    assert (torch.tensor(2.0) - x).tolist() == [2.0, 1.0, 0.0]
    assert (x + torch.tensor(1, dtype=torch.float64)).dtype is torch.float32
    assert torch.where(x > 0, x, torch.tensor(-1.0)).tolist() == [-1.0, 1.0, 2.0]
    assert x.masked_fill(x > 1, torch.tensor(9.0)).tolist() == [0.0, 1.0, 9.0]
    assert x[torch.tensor([2, 0])].tolist() == [2.0, 0.0]  # indices may be the host's
    x[torch.tensor([True, False, False])] = torch.tensor(5.0)
    assert x.tolist() == [5.0, 1.0, 2.0]


def test_an_index_outside_is_an_error_as_on_the_cpu():
    x = torch.arange(3.0, device="sim")
    for call in (lambda i: x[i], lambda i: x.gather(0, i), lambda i: x.index_select(0, i)):
        with pytest.raises((IndexError, RuntimeError), match=r"out of (bounds|range)"):
            call(torch.tensor([3], device="sim"))


def test_views_share_memory_and_versions():
    x = torch.zeros(2, 3, device="sim")
    y = x.t()[1:]
    y.fill_(4)
    assert x.tolist() == [[0.0, 4.0, 4.0], [0.0, 4.0, 4.0]]
    assert x._version == y._version == 1
    assert y._base is x
    assert y.device == SIM


def test_storages_stay_on_their_side():
    x, y = torch.zeros(2, device="sim"), torch.arange(4.0, device="sim")
    assert x.set_(y, 1, (2,), (1,)).tolist() == [1.0, 2.0]
    assert x.set_(y.untyped_storage(), 0, (2, 2)).tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert (x + 1).device == SIM
    for target, source in ((x, torch.zeros(2)), (torch.zeros(2), y)):
        with pytest.raises(RuntimeError, match=r"Attempted to set the storage of a tensor on device .* must match"):
            target.set_(source.untyped_storage())
    with pytest.raises(RuntimeError, match="to be on the same device"):
        x.set_(torch.zeros(2))


def test_writes():
    x = torch.zeros(2, 2, device="sim")
    assert x.copy_(torch.ones(2)).tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert torch.zeros(2).copy_(torch.ones(2, device="sim:1", dtype=torch.float64)).tolist() == [1.0, 1.0]
    assert x.copy_(torch.full((2, 2), 3.0, device="sim:1")).tolist() == [[3.0, 3.0], [3.0, 3.0]]
    x[0] = 7
    x[1, 1] = torch.tensor(8.0)
    assert x.tolist() == [[7.0, 7.0], [3.0, 8.0]]
    assert x.zero_().resize_(5).device == SIM


PICKLED = lambda x: pickle.loads(pickle.dumps(x))  # noqa: E731


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, PICKLED, lambda x: x.clone()])
def test_copies(make):
    x = torch.arange(6.0, device="sim:1").reshape(2, 3)
    y = make(x)
    assert y.device == OTHER
    assert y.tolist() == x.tolist()


def test_copies_keep_gradient_and_leaf():
    x = torch.ones(2, device="sim", requires_grad=True)
    x.grad = torch.full((2,), 3.0, device="sim")
    for y in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert y.is_leaf
        assert y.requires_grad
        assert y.grad.tolist() == [3.0, 3.0]
        assert y.grad.device == SIM


def test_factories():
    like = torch.ones(2, 3, device="sim:1", dtype=torch.float64)
    made = [
        torch.zeros_like(like), torch.rand_like(like), like.new_zeros(2), like.new_tensor([1, 2]),
        torch.full_like(like, 2),
        like.new_full((2,), 3.0), torch.empty_like(like), torch.randn_like(like), torch.randint_like(like, 5),
    ]  # fmt: skip
    assert {y.device for y in made} == {OTHER}
    assert torch.zeros_like(like, device="cpu").device == torch.device("cpu")
    assert torch.ones_like(torch.ones(2), device="sim").device == SIM
    data = np.arange(3.0)
    assert torch.tensor(data, device="sim").tolist() == [0.0, 1.0, 2.0]
    assert torch.as_tensor(data, device="sim").dtype is torch.float64
    assert torch.asarray([1, 2], device="sim").device == SIM
    assert torch.tensor([[1, 2], [3, 4]], device="sim", dtype=torch.float64, requires_grad=True).requires_grad
    x = torch.ones(2, requires_grad=True)
    torch.as_tensor(x, device="sim").sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_random_numbers_have_a_generator_for_each_device():
    torch.manual_seed(3)
    a, b = torch.rand(4, device="sim"), torch.rand(4, device="sim")
    torch.manual_seed(3)
    assert torch.rand(4, device="sim").equal(a)
    torch.rand(4)  # the host's numbers are others
    assert torch.rand(4, device="sim").equal(b)
    g = torch.Generator("sim").manual_seed(1)
    assert g.device == SIM
    x = torch.empty(3, device="sim").normal_(generator=g)
    assert x.equal(torch.empty(3, device="sim").normal_(generator=torch.Generator("sim").manual_seed(1)))
    with pytest.raises(RuntimeError, match="Expected a 'sim' device type for generator but found 'cpu'"):
        x.uniform_(generator=torch.Generator())


def test_memory_is_limited_and_counted(sim):
    before = sim.memory_stats(0)["allocated"]
    x = torch.zeros(1000, device="sim")
    assert sim.memory_stats(0)["allocated"] == before + 4000
    sim.limit(before + 5000)
    with pytest.raises(RuntimeError, match=r"sim out of memory. Tried to allocate 4000 bytes. Device 0 has a total"):
        x + 1
    sim.limit(None)
    del x
    assert sim.memory_stats(0)["allocated"] == before


def test_pinned_memory():
    x = torch.arange(3.0)
    assert not x.is_pinned()
    y = x.pin_memory()
    assert y.is_pinned()
    assert y.pin_memory() is y
    assert y.tolist() == [0.0, 1.0, 2.0]
    assert torch.zeros(2, pin_memory=True).is_pinned()
    assert y[1:].is_pinned()
    with pytest.raises(RuntimeError, match="only dense CPU tensors can be pinned"):
        x.to("sim").pin_memory()


def test_tensors_as_data_move_to_the_device_that_is_asked_for() -> None:
    x = torch.ones(2, device="sim")
    assert torch.as_tensor(x, device="cpu").device == torch.asarray(x, device="cpu").device == torch.device("cpu")
    assert torch.as_tensor(x) is torch.as_tensor(x, device="sim") is torch.asarray(x) is x
    with pytest.warns(UserWarning, match="sourceTensor.detach"):
        assert torch.tensor(x).device == SIM
    with pytest.raises(ValueError, match="can't alias tensor from device 'sim:0' to 'cpu'"):
        torch.asarray(x, device="cpu", copy=False)
    with torch.device("sim"):
        assert torch.asarray(x, copy=True).data_ptr() != x.data_ptr()
        assert torch.as_tensor(torch.ones(2, device="cpu")).device == SIM
        assert not torch.asarray(x.requires_grad_() * 2, requires_grad=False).requires_grad
        with pytest.warns(UserWarning, match="unspecified requires_grad"):
            assert torch.asarray(x) is x
