"""Tests of wengert-cuda with a stand-in for CuPy: run by test_on_fake_cupy.py, in a process of their own."""

from __future__ import annotations

import functools

import fake_cupy
import numpy as np
import pytest
import stand_ins
import wengert as torch
from wengert_core.devices import device as devices
from wengert_core.devices.plugin import OutOfMemoryError
from wengert_cuda import index_kernels, kernels, reductions, row_code, rows
from wengert_testing.devices import check_gradients, check_values
from wengert_testing.devices import rows as cases

stand_ins.install()
FUSED = {op.removeprefix("_") for op in kernels.table()}
OTHERS = {
    "add", "mul", "matmul", "linear", "sum", "mean", "amax", "cumsum", "cat", "index", "index_put", "where", "sort",
    "digamma", "embedding", "nn.functional.layer_norm", "nn.functional.cross_entropy", "nn.functional.gelu",
    "nn.functional.softplus", "nn.functional.logsigmoid", "nn.functional.silu", "nn.functional.leaky_relu",
    "nn.functional.embedding", "nn.functional.group_norm", "nn.functional.batch_norm", "index_select",
}  # fmt: skip
CASES = [case for case in cases() if case.op in FUSED | OTHERS]


@pytest.fixture(autouse=True)
def _calls():
    fake_cupy.CALLS.clear()
    fake_cupy.LIMIT[0], fake_cupy.CACHED[0] = 1 << 40, 0


@pytest.mark.parametrize("case", CASES, ids=str)
def test_values_are_those_of_the_cpu(case):
    check_values(case, "cuda")


@pytest.mark.parametrize("case", [case for case in CASES if case.grad], ids=str)
def test_gradients_are_those_of_the_cpu(case):
    check_gradients(case, "cuda")


def layer(x):
    return torch.nn.functional.layer_norm(x, (5,), x[0].detach(), x[1].detach())


USES = {
    "softmax": lambda x: x.softmax(0), "log_softmax": lambda x: x.log_softmax(-1), "layer_norm": layer,
    "gather": lambda x: x.gather(1, torch.zeros(3, 2, dtype=torch.int64, device=x.device)),
    "index_add": lambda x: torch.zeros_like(x).index_add(0, torch.tensor([2, 0, 2], device=x.device), x),
    "scatter_add": lambda x: torch.zeros_like(x).scatter_add(0, torch.ones(3, 5, device=x.device).long(), x),
    "gelu": torch.nn.functional.gelu, "silu": torch.nn.functional.silu, "relu": torch.relu, "erf": torch.erf,
    "erfc": torch.erfc, "erfinv": lambda x: (x / 9).erfinv(), "lgamma": torch.lgamma, "sigmoid": torch.sigmoid,
    "softplus": lambda x: torch.nn.functional.softplus(x, 2.0, 3.0), "tanh_backward": torch.tanh,
    "log_sigmoid": torch.nn.functional.logsigmoid, "leaky_relu": lambda x: torch.nn.functional.leaky_relu(x, 0.2),
    "addcmul": lambda x: x.addcmul(x, x, value=3), "addcdiv": lambda x: x.addcdiv(x, x + 9, value=3),
    "variance": lambda x: torch.stack([x.var(1), x.std((1, -2), keepdim=True)[0].expand(3)]),
    "logsumexp": lambda x: x.logsumexp(0, keepdim=True),
    "vector_norm": lambda x: torch.stack([x.norm(p, 1) for p in (1, 2, 3.5)]),
}  # fmt: skip
BACKWARD = {
    "softmax": "softmax_backward", "log_softmax": "log_softmax_backward", "layer_norm": "layer_norm_backward",
    "gather": "scatter_add", "scatter_add": "gather", "gelu": "gelu_backward",
    "silu": "silu_backward", "relu": "threshold_backward", "sigmoid": "sigmoid_backward",
    "softplus": "softplus_backward", "tanh_backward": "tanh_backward",
    "log_sigmoid": "log_sigmoid_backward", "leaky_relu": "leaky_relu_backward",
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("name", sorted(USES))
def test_kernels_run_where_they_should_and_give_the_cpus_numbers(name, dtype):
    """Each kernel is called by its operation, forward and backward, in every dtype that it is for."""
    results = []
    for device in ("cpu", "cuda"):
        torch.manual_seed(1)
        x = (torch.randn(3, 5) * 3).to(getattr(torch, dtype)).to(device).requires_grad_()
        y = USES[name](x)
        wide = y.float() if dtype == "float16" else y
        (wide * wide.detach().cos()).sum().backward()
        results.append((y.detach().cpu(), x.grad.cpu()))
    if dtype != "float16":
        called = {call.removeprefix("wengert_").removeprefix("flat_") for call in fake_cupy.CALLS}
        assert name in called
        assert name not in BACKWARD or BACKWARD[name] in called
    tolerance = {"float16": 1e-2, "float32": 2e-5, "float64": 1e-11}[dtype]
    for expected, got in zip(*results, strict=True):
        np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=tolerance, atol=tolerance)


INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize("values", [[INF, 1.0], [NAN, 1.0], [-INF, -INF], [1e30, -1e30], [0.0, -0.0]])
@pytest.mark.parametrize("name", "softmax log_softmax gelu silu relu sigmoid softplus log_sigmoid".split())
def test_kernels_at_infinities_and_nans(name, values):
    here = USES[name](torch.tensor(values))
    away = USES[name](torch.tensor(values, device="cuda"))
    np.testing.assert_allclose(away.cpu().numpy(), here.numpy(), rtol=1e-6)


@pytest.mark.parametrize(("n", "shape"), [
    (1, (32, 1, False, 8)), (32, (32, 1, True, 8)), (33, (32, 2, False, 8)), (256, (32, 8, True, 8)),
    (257, (64, 8, False, 1)), (1000, (64, 16, False, 1)), (1024, (64, 16, True, 1)), (1025, (128, 12, False, 1)),
    (16384, (1024, 16, True, 1)), (16385, (1024, 0, False, 1)), (10**9, (1024, 0, False, 1)),
])  # fmt: skip
def test_how_rows_are_shared_out(n, shape):
    assert row_code.shape_of(n) == shape


@pytest.mark.parametrize("name", "softmax log_softmax layer_norm variance logsumexp vector_norm".split())
def test_rows_too_long_for_registers(name, monkeypatch):
    monkeypatch.setattr(rows, "shape_of", lambda n: row_code.Shape(1024, 0, False, 1))
    test_kernels_run_where_they_should_and_give_the_cpus_numbers(name, "float64")


def test_what_a_kernel_is_not_for_goes_to_the_reference():
    for x in (torch.ones(3, dtype=torch.complex64), torch.ones(3, dtype=torch.int64)):
        assert x.cuda().sigmoid().cpu().tolist() == x.sigmoid().tolist()
    x = torch.arange(6.0).reshape(2, 3)
    index = torch.tensor([[0], [1]])  # smaller than x in the other dim
    assert x.cuda().gather(0, index.cuda()).tolist() == x.gather(0, index).tolist()
    assert "wengert_gather" not in fake_cupy.CALLS


@pytest.mark.parametrize("values", [[INF, 1.0], [NAN, 1.0], [-INF, -INF], [1e30, -1e30], [0.0, -0.0], [3.0]])
def test_reductions_at_infinities_and_nans(values):
    for reduce in (torch.var, torch.std, torch.logsumexp, torch.norm):
        if len(values) == 1 and reduce in (torch.var, torch.std):
            continue
        here, away = (reduce(torch.tensor([values], device=device), dim=1) for device in ("cpu", "cuda"))
        np.testing.assert_allclose(away.cpu().numpy(), here.numpy(), rtol=1e-6)
    assert fake_cupy.CALLS.count("logsumexp") == fake_cupy.CALLS.count("vector_norm") == 1


def test_reductions_leave_to_their_stages_what_they_are_not_for(monkeypatch):
    x = torch.arange(6.0).reshape(2, 3)
    away = x.cuda()
    with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
        assert away[:, :1].var(1).isnan().all()
    with pytest.raises(IndexError, match="Dimension out of range"):
        away.logsumexp(2)
    with pytest.raises(RuntimeError, match="std and var only support floating point"):
        away.long().var()
    assert away.norm(INF).item() == 5
    assert away.norm(2, dtype=torch.float64).dtype == torch.float64
    assert torch.linalg.vector_norm(away.to(torch.complex64), dim=1).cpu().tolist() == x.norm(dim=1).tolist()
    assert torch.empty(2, 0, device="cuda").logsumexp(1).tolist() == [-INF, -INF]
    monkeypatch.setattr(reductions, "LONG_ROW", 2)
    assert away.logsumexp(1).cpu().tolist() == pytest.approx(x.logsumexp(1).tolist())
    assert not {"variance", "logsumexp", "vector_norm"} & {*fake_cupy.CALLS}


def test_kernels_are_compiled_once():
    assert kernels.elementwise("gelu") is kernels.elementwise("gelu")
    shape = row_code.shape_of(10)
    assert rows.kernel_of("softmax", "f4", shape) is rows.kernel_of("softmax", "f4", shape)
    assert index_kernels.kernel("gather") is index_kernels.kernel("gather")


# ---- memory


def test_without_memory_caches_are_freed_and_it_is_tried_once_more():
    fake_cupy.LIMIT[0] = fake_cupy.USED[0] + 1 << 12
    fake_cupy.CACHED[0] = fake_cupy.LIMIT[0] - fake_cupy.USED[0]
    x = torch.empty(256, device="cuda")
    assert fake_cupy.CALLS.count("free_all_blocks") == 1
    assert x.numel() == 256


def test_the_error_says_the_sizes():
    fake_cupy.LIMIT[0] = 100_000
    sizes = r"CUDA out of memory. Tried to allocate 4000000 bytes. GPU 0 has a total capacity of 100000 bytes of which "
    with pytest.raises(OutOfMemoryError, match=sizes + r"\d+ bytes are free; \d+ bytes are in use") as e:
        torch.empty(1_000_000, device="cuda")
    assert fake_cupy.CALLS.count("free_all_blocks") == 1
    assert isinstance(e.value.__cause__, fake_cupy.OutOfMemoryError)
    assert torch.cuda.OutOfMemoryError is OutOfMemoryError


def test_memory_that_another_stream_uses_is_kept_until_it_has_done_so(monkeypatch):
    side = torch.cuda.Stream()
    x = torch.empty(1000, device="cuda")
    x.record_stream(side)
    used = fake_cupy.USED[0]
    monkeypatch.setattr(fake_cupy.Event, "happened", False)
    del x
    y = torch.empty(10, device="cuda")
    assert fake_cupy.USED[0] == used + 40
    monkeypatch.setattr(fake_cupy.Event, "happened", True)
    z = torch.empty(10, device="cuda")
    assert fake_cupy.USED[0] == used + 80 - 4000
    assert y.numel() == z.numel()


# ---- copies


def test_pinned_copies_are_not_waited_for():
    x = torch.arange(4.0).pin_memory()
    y = x.to("cuda", non_blocking=True)
    z = y.to("cpu", non_blocking=True)
    assert z.is_pinned()
    assert fake_cupy.CALLS == ["copy_from_host_async", "copy_to_host_async"]
    assert z.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert torch.arange(4.0).to("cuda", non_blocking=True).tolist() == [0.0, 1.0, 2.0, 3.0]
    assert any(call.startswith("synchronize") for call in fake_cupy.CALLS)


def test_save_on_cpu_is_asynchronous():
    a, b = torch.randn(5).cuda().requires_grad_(), torch.randn(5).cuda().requires_grad_()
    fake_cupy.CALLS.clear()
    with torch.autograd.graph.save_on_cpu(pin_memory=True):
        y = (a * b).sum()
    assert "copy_to_host_async" in fake_cupy.CALLS
    y.backward()
    assert not [call for call in fake_cupy.CALLS if call.startswith("synchronize") or call == "get"]
    assert torch.allclose(a.grad.cpu(), b.detach().cpu())


# ---- other libraries


def test_the_interface_of_cuda_arrays():
    x = torch.arange(6.0, device="cuda").reshape(2, 3)
    assert x.__cuda_array_interface__ == {
        "typestr": "<f4", "shape": (2, 3), "strides": None, "version": 2, "data": (x.data_ptr(), False)}  # fmt: skip
    assert x.t().__cuda_array_interface__["strides"] == (4, 12)
    assert torch.empty(0, device="cuda").__cuda_array_interface__["data"] == (0, False)
    with pytest.raises(RuntimeError, match="Can't get __cuda_array_interface__ on Variable that requires grad"):
        _ = torch.ones(1, device="cuda", requires_grad=True).__cuda_array_interface__


class Foreign:
    """An array of another library, as CuPy's are: on the device, with DLPack's methods."""

    def __init__(self, tensor):
        self.tensor, self.streams = tensor, []

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, *, stream=None, **options):
        self.streams.append(stream)
        return self.tensor.__dlpack__(stream=stream, **options)


@pytest.mark.parametrize("take", [torch.from_dlpack, torch.as_tensor, torch.asarray,
                                  lambda a: torch.as_tensor(a, device="cuda")])  # fmt: skip
def test_arrays_of_other_libraries_are_shared(take):
    x = torch.arange(6.0, device="cuda").reshape(2, 3)
    array = Foreign(x.t())
    y = take(array)
    assert y.data_ptr() == x.data_ptr()
    assert (y.device, y.stride()) == (x.device, (1, 3))
    assert array.streams == [1]  # our stream, as DLPack numbers it: the default one
    y += 1
    assert x.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def test_a_consumers_stream_waits_for_ours():
    x = torch.ones(2, device="cuda")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        assert x.__dlpack_device__() == (2, 0)
        x.__dlpack__(stream=77)
        x.__dlpack__(stream=None)
        x.__dlpack__(stream=side.cuda_stream)
        x.__dlpack__(stream=-1)
    assert [call for call in fake_cupy.CALLS if "waits" in call] == [
        f"77 waits for {side.cuda_stream}", f"0 waits for {side.cuda_stream}"]  # fmt: skip
    with pytest.raises(BufferError, match="DLPack has no stream 0"):
        x.__dlpack__(stream=0)


def test_scipys_functions_are_cupyx():
    x = torch.tensor([0.5, 2.5], dtype=torch.float64)
    for name in ("special.bessel_j0", "special.i0e", "special.erfcx", "digamma"):
        function = torch
        for part in name.split("."):
            function = getattr(function, part)
        assert torch.allclose(function(x.cuda()).cpu(), function(x))


def test_what_cupyx_has_not_is_computed_on_the_host():
    x = torch.tensor([0.5, 2.5], dtype=torch.float64)
    assert torch.allclose(torch.special.airy_ai(x.cuda()).cpu(), torch.special.airy_ai(x))
    legendre = torch.special.legendre_polynomial_p
    assert torch.allclose(legendre(x.cuda(), 3).cpu(), legendre(x, 3))


@pytest.mark.parametrize("name", ["i0", "special.i0e", "special.i1", "special.i1e"])
def test_bessel_functions_at_their_ends(name):
    function = functools.reduce(getattr, name.split("."), torch)
    x = torch.tensor([0.0, -0.0, 1.5, -1.5, INF, -INF, NAN], dtype=torch.float64)
    np.testing.assert_array_equal(function(x.cuda()).cpu().numpy(), function(x).numpy())


@pytest.mark.parametrize("values", [[INF, 0.0], [-7.0, 7.0], [5.5, -0.0], [1e30, NAN]])
def test_quotients_are_rounded_down_as_on_the_cpu(values):
    x, y = torch.tensor(values), torch.tensor([-2.0, 2.0])
    for divide in (torch.floor_divide, lambda x, y: torch.div(x, y, rounding_mode="floor")):
        np.testing.assert_array_equal(divide(x.cuda(), y.cuda()).cpu().numpy(), divide(x, y).numpy())
        np.testing.assert_array_equal(divide(y.cuda(), x.cuda()).cpu().numpy(), divide(y, x).numpy())


def test_a_number_too_large_for_the_dtype_is_infinity():
    x = torch.ones(3)
    assert (x.cuda() * 1e300).cpu().equal(x * 1e300)


# ---- results take over the memory of arrays


def test_results_keep_the_memory_of_what_a_kernel_computed():
    x = torch.rand(10, device="cuda")
    used = fake_cupy.USED[0]
    fake_cupy.CALLS.clear()
    y = x.sigmoid()
    assert fake_cupy.USED[0] == used + 40  # the kernel's, in place of the result's own
    assert torch.allclose(y.cpu(), x.cpu().sigmoid())
    y.add_(1)
    assert torch.allclose(y.cpu(), x.cpu().sigmoid() + 1)


def test_what_others_have_is_not_replaced():
    x, out = torch.rand(10, device="cuda"), torch.zeros(10, device="cuda")
    place, view = out.data_ptr(), out[:5]
    torch.sigmoid(x, out=out)
    assert out.data_ptr() == place
    assert torch.allclose(view.cpu(), x.cpu().sigmoid()[:5])
    out.copy_(x).sigmoid_()
    assert out.data_ptr() == place
    assert torch.allclose(view.cpu(), x.cpu().sigmoid()[:5])
    assert torch.nn.functional.relu(x).data_ptr() != x.data_ptr()


def test_the_plugin_is_there():
    assert devices.plugin_of("cuda").device_count() == 1
    assert torch.cuda.is_available()
    assert torch.ones(1, device="cuda").is_cuda
