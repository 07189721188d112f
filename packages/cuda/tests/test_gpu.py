"""wengert-cuda on a GPU. Everything here is skipped where none is found; `make test-cuda` runs it beside the op
table.
"""

from __future__ import annotations

import chains
import numpy as np
import pytest
import wengert as torch
from wengert_core.devices import device
from wengert_core.extend import device_plugin, step_reference
from wengert_cuda import CudaDevice
from wengert_cuda.cupy_module import cupy, find_cupy
from wengert_cuda.kernels import FUSED, NUMBERS, elementwise, table
from wengert_cuda.references import reference
from wengert_registry import registry

pytestmark = pytest.mark.skipif(bool(find_cupy()[1]), reason=f"needs a GPU: {find_cupy()[1]}")


@pytest.fixture(autouse=True, scope="module")
def _register_cuda():
    group = registry.group("devices")
    if "cuda" in group:
        yield
        return
    with group.register("cuda", CudaDevice, owner="packages/cuda/tests"):
        yield


def test_is_leaf_as_in_the_references():
    assert torch.rand(10, requires_grad=True).is_leaf
    assert not torch.rand(10, requires_grad=True).cuda().is_leaf
    assert not (torch.rand(10, requires_grad=True) + 2).is_leaf
    assert torch.rand(10).cuda().is_leaf
    assert torch.rand(10).cuda().requires_grad_().is_leaf
    assert torch.rand(10, requires_grad=True, device="cuda").is_leaf


def test_save_on_cpu_as_in_the_references():
    a, b, c = (torch.randn(5, requires_grad=True, device="cuda") for _ in range(3))
    with torch.autograd.graph.save_on_cpu(pin_memory=True):
        y = a * b * c
    y.sum().backward()
    assert torch.allclose(a.grad, (b * c).detach())


def test_there_and_back_in_every_dtype():
    for name in ("bool", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64"):
        x = torch.tensor([0, 1, 2, 3]).to(getattr(torch, name))
        assert x.cuda().is_cuda
        assert x.cuda().cpu().equal(x)


@pytest.mark.parametrize("op", sorted(FUSED))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_fused_kernels_agree_with_the_references(op, dtype):
    cp = cupy()
    rng = cp.random.default_rng(0)
    arguments = [rng.uniform(0.1, 0.9, (7, 5)).astype(dtype) for _ in range(FUSED[op][0].count(",") + 1)]
    got, expected = table()[op](cp, *arguments), reference(op)(cp, *arguments)
    assert got.dtype == expected.dtype
    cp.testing.assert_allclose(got, expected, rtol=1e-5 if dtype == "float32" else 1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "use",
    [
        lambda x: x.softmax(0), lambda x: x.log_softmax(1), lambda x: torch.nn.functional.layer_norm(x, (70,)),
        lambda x: x.gather(1, torch.zeros(300, 9, dtype=torch.int64, device=x.device)),
        lambda x: torch.zeros_like(x).index_add(0, torch.arange(300, device=x.device) % 7, x),
        lambda x: x.var(1), lambda x: x.std(0), lambda x: x.logsumexp(1), lambda x: x.norm(3, 0),
    ],
    ids=["softmax", "log_softmax", "layer_norm", "gather", "index_add", "var", "std", "logsumexp", "norm"],
)  # fmt: skip
def test_kernels_along_rows_and_at_places(use, dtype):
    torch.manual_seed(0)
    host = torch.randn(300, 70, dtype=getattr(torch, dtype), requires_grad=True)
    there = host.detach().cuda().requires_grad_()
    results = []
    for x in (host, there):
        y = use(x)
        (y * y.detach().cos()).sum().backward()
        results.append((y.detach().cpu(), x.grad.cpu()))
    for expected, got in zip(*results, strict=True):
        assert torch.allclose(got, expected, rtol=1e-4 if dtype == "float32" else 1e-9, atol=1e-4)


def test_arrays_of_cupy_are_shared():
    cp = cupy()
    a = cp.arange(6, dtype="f4").reshape(2, 3)
    x = torch.from_dlpack(a)
    assert x.data_ptr() == a.data.ptr
    assert torch.as_tensor(a, device="cuda").data_ptr() == a.data.ptr
    x += 1
    assert a.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    assert cp.asarray(x).data.ptr == cp.from_dlpack(x).data.ptr == x.data_ptr()


def test_backward_over_streams():
    x = torch.rand(1 << 20, device="cuda", requires_grad=True)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = (x * x).sum()
    torch.cuda.current_stream().wait_stream(side)
    y.backward()
    assert torch.allclose(x.grad, 2 * x.detach())


def test_memory_that_another_stream_uses_is_not_given_away():
    side = torch.cuda.Stream()
    x = torch.ones(1 << 20, device="cuda")
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        work = torch.rand(4096, 4096, device="cuda")
        for _ in range(20):
            work = work @ work * 1e-4
        y = x * 2
    x.record_stream(side)
    place = x.data_ptr()
    del x
    z = torch.zeros(1 << 20, device="cuda")
    assert z.data_ptr() != place or side.query()
    torch.cuda.synchronize()
    assert y.eq(2).all()


def test_memory_is_counted_and_an_error_where_there_is_none():
    before = torch.cuda.memory_allocated()
    x = torch.zeros(1 << 20, device="cuda")
    assert torch.cuda.memory_allocated() >= before + (1 << 22)
    del x
    with pytest.raises(torch.cuda.OutOfMemoryError, match=r"CUDA out of memory. Tried to allocate \d+ bytes"):
        torch.empty(1 << 44, dtype=torch.uint8, device="cuda")


def test_pinned_memory_and_copies_that_are_not_waited_for():
    x = torch.arange(1000.0).pin_memory()
    assert x.is_pinned()
    y = x.to("cuda", non_blocking=True)
    torch.cuda.synchronize()
    assert y.cpu().equal(x)


def test_events_measure_time():
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    torch.rand(1000, 1000, device="cuda").exp()
    end.record()
    end.synchronize()
    assert begin.elapsed_time(end) > 0


def test_the_devices_number_is_in_the_text():
    assert str(torch.ones(1, device="cuda").device) == f"cuda:{torch.cuda.current_device()}"
    assert device.plugin_of("cuda").device_count() >= 1


def test_results_keep_the_memory_of_what_a_kernel_computed():
    x = torch.rand(1 << 20, device="cuda")
    torch.cuda.synchronize()
    used, place = torch.cuda.memory_allocated(), x.data_ptr()
    y = x + x
    assert torch.cuda.memory_allocated() == used + (1 << 22)
    x.add_(1)
    assert x.data_ptr() == place
    torch.mul(y, 2, out=x)
    assert x.data_ptr() == place
    assert torch.allclose(x, y * 2)


def test_a_profile_has_the_devices_times():
    x = torch.rand(2048, 2048, device="cuda", requires_grad=True)
    (x @ x).sum().backward()  # what is compiled is compiled
    with torch.autograd.profiler.profile(use_device="cuda", profile_memory=True) as prof:
        (x @ x).exp().sum().backward()
    rows = {row.key: row for row in prof.key_averages()}
    assert rows["aten::exp"].self_device_time_total > 5  # us: 32 MiB through the memory
    assert rows["aten::exp"].device_memory_usage == 1 << 24
    assert prof.self_cpu_time_total > 0
    table = prof.key_averages().table(sort_by="cuda_time_total")
    assert "CUDA time" in table


def test_nvtx_ranges_can_be_emitted():
    x = torch.rand(8, device="cuda", requires_grad=True)
    with torch.autograd.profiler.emit_nvtx(record_shapes=True):
        (x * x).sum().backward()
    assert torch.allclose(x.grad, 2 * x.detach())


def test_long_loops_keep_no_memory():
    x = torch.rand(1000, device="cuda", requires_grad=True)
    used = []
    for _ in range(3):
        for _ in range(200):
            (x.softmax(0) * x.sigmoid()).sum().backward()
            x.grad = None
        torch.cuda.synchronize()
        used.append(torch.cuda.memory_allocated())
    assert used[0] == used[1] == used[2]


def test_streams_of_a_graph_with_branches():
    torch.manual_seed(0)
    x = torch.rand(1 << 18, device="cuda", requires_grad=True)
    streams, parts = [torch.cuda.Stream() for _ in range(3)], []
    for k, stream in enumerate(streams):
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            parts.append(((x * (k + 1)).sin() * x).sum())
    for stream in streams:
        torch.cuda.current_stream().wait_stream(stream)
    sum(parts).backward()
    host = x.detach().cpu().requires_grad_()
    sum(((host * (k + 1)).sin() * host).sum() for k in range(3)).backward()
    assert torch.allclose(x.grad.cpu(), host.grad, rtol=1e-4, atol=1e-5)


def test_functions_of_the_namespace():
    assert torch.cuda.is_available()
    assert torch.cuda.device_count() >= 1
    torch.cuda.set_device(0)
    assert torch.cuda.current_device() == 0
    torch.cuda.manual_seed(3)
    first = torch.rand(4, device="cuda")
    torch.cuda.manual_seed(3)
    assert torch.rand(4, device="cuda").equal(first)
    torch.cuda.reset_peak_memory_stats()
    x = torch.zeros(1 << 20, device="cuda")
    assert torch.cuda.max_memory_allocated() >= torch.cuda.memory_allocated() >= x.numel() * 4
    del x
    torch.cuda.empty_cache()
    with pytest.raises(RuntimeError, match=r"invalid device ordinal|cuda:99|device"):
        torch.ones(1, device="cuda:99")
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        torch.ones(2, device="cuda") + torch.ones(2)
    assert (torch.ones(2, device="cuda") + torch.tensor(1.0)).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("dtype", "fd")
def test_a_kernel_for_a_chain_gives_the_bits_of_its_operations(dtype):
    cp, n, rng = cupy(), 12, cupy().random.default_rng(0)
    number = np.dtype(NUMBERS[dtype])
    for expression in chains.expressions(dtype):
        arrays = []
        for layout in expression.inputs:
            shape, strides = chains.sizes_of(layout, n)
            whole = (rng.standard_normal(24) * 2).astype(number)
            arrays.append(cp.lib.stride_tricks.as_strided(whole, shape, [s * number.itemsize for s in strides]))
        numbers = [0.5 + k for k in range(expression.numbers)]
        outputs = [cp.empty(n, number) for _ in expression.outputs]
        device_plugin("cuda").fuse(expression)(0, n, arrays, numbers, outputs)
        values = {"input": [cp.broadcast_to(one.reshape(-1), (n,)) for one in arrays], "number": numbers, "step": []}
        for op, operands in expression.steps:
            given = [values[kind][k] for kind, k in operands]
            values["step"].append(elementwise(op)(*given) if op in FUSED else step_reference(op)(cp, *given))
        for k, got in zip(expression.outputs, outputs, strict=True):
            assert (got.view(f"i{number.itemsize}") == values["step"][k].view(f"i{number.itemsize}")).all(), expression


def test_a_captured_chain_gives_the_bits_of_usual_calls():
    def function(x, bias):
        y = ((x * 0.5 + bias).tanh() * x.square()).exp() + x**3
        return y, torch.nn.functional.gelu(y - 1).sum()

    run = torch.capture(function)
    x, bias = torch.randn(64, 33).cuda(), torch.randn(33).cuda()
    expected = function(x, bias)
    for _ in range(4):
        assert all(one.cpu().equal(other.cpu()) for one, other in zip(run(x, bias), expected, strict=True))
    assert torch.replay.explain(run).replays == 2
    assert not torch.replay.explain(run).reasons


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_products_in_a_graph(dtype):
    torch.manual_seed(0)
    x, y = (torch.randint(-4, 5, (2, 64, 64)).to(getattr(torch, dtype)).cuda() for _ in range(2))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = x @ y, x[0] @ y[1].t(), x.mT @ y[0], x[0, 0] @ y[1, 0]
    assert not device_plugin("cuda").handles.reason(0)
    for _ in range(2):
        graph.replay()
        expected = x @ y, x[0] @ y[1].t(), x.mT @ y[0], x[0, 0] @ y[1, 0]
        assert all(one.equal(other) for one, other in zip(found, expected, strict=True))  # whole numbers: exact
        x.copy_(x.flip(0) + 1)


def test_a_captured_network_is_replayed():
    """A convolution, attention and a product: each calls cuBLAS."""
    results = []
    for is_captured in (False, True):
        torch.manual_seed(0)
        conv, attend = torch.nn.Conv2d(2, 4, 3).cuda(), torch.nn.MultiheadAttention(4, 2, batch_first=True).cuda()
        last = torch.nn.Linear(4, 1).cuda()
        optimizer = torch.optim.SGD([*conv.parameters(), *attend.parameters(), *last.parameters()], lr=0.1)

        def step(x):
            optimizer.zero_grad()  # noqa: B023
            x = conv(x).flatten(2).transpose(1, 2)  # noqa: B023
            loss = last(attend(x, x, x, need_weights=False)[0]).square().mean()  # noqa: B023
            loss.backward()
            optimizer.step()  # noqa: B023
            return loss.detach()

        run = torch.capture(step) if is_captured else step
        results.append([run(torch.randn(2, 2, 4, 4).cuda()).item() for _ in range(5)])
    np.testing.assert_allclose(*results, rtol=1e-4)
    assert torch.replay.explain(run).replays >= 2
