"""Tests of products in captures, with stand-ins for CuPy and cuBLAS: run by test_on_fake_cupy.py, in its process."""

from __future__ import annotations

import gc
from weakref import ref

import fake_cublas
import fake_cupy
import numpy as np
import pytest
import stand_ins
import wengert as torch
from wengert import nn
from wengert_core.devices import device as devices
from wengert_cuda import products
from wengert_cuda.cublas import MOST, Operand
from wengert_cuda.products import ProductHandles

stand_ins.install()


@pytest.fixture(autouse=True)
def plugin():
    found = devices.plugin_of("cuda")
    handles = found.handles
    yield found
    found.handles = handles
    fake_cublas.setting("fail_next", 0)
    fake_cublas.setting("wrong", 0)
    assert not fake_cupy.NODES


def capture(function):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = function()
    return graph, result


def numbers(*shape, dtype="f"):
    found = np.random.default_rng(0).integers(-4, 5, shape)
    return (found + 1j * found[..., ::-1] if dtype in "FD" else found).astype(dtype)


LAYOUTS = {
    "rows": lambda x: x.copy(),
    "columns": lambda x: x.swapaxes(-1, -2).copy().swapaxes(-1, -2),
    "rows of a wider matrix": lambda x: np.concatenate([x, x], -1)[..., : x.shape[-1]],
    "columns of a wider matrix": lambda x: np.concatenate([x, x], -2).swapaxes(-1, -2).copy().swapaxes(-1, -2)[
        ..., : x.shape[-2], :],
    "every second column": lambda x: np.repeat(x, 2, -1)[..., ::2],
    "backwards": lambda x: x[..., ::-1].copy()[..., ::-1],
    "one row again": lambda x: np.broadcast_to(x[..., :1, :], x.shape),
    "every second matrix": lambda x: np.concatenate([x, x], 0)[: x.shape[0]] if x.ndim < 3 else np.repeat(x, 2, 0)[::2],
}  # fmt: skip
SHAPES = [
    ((3, 4), (4, 5)), ((1, 4), (4, 5)), ((3, 1), (1, 5)), ((3, 4), (4, 1)), ((1, 1), (1, 1)), ((2, 3, 4), (2, 4, 5)),
    ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)), ((1, 3, 4), (2, 4, 5)), ((6, 2, 3, 4), (2, 4, 5)),
    ((6, 1, 3, 4), (2, 4, 5)), ((0, 4), (4, 5)), ((3, 0), (0, 5)), ((0, 3, 4), (0, 4, 5)), ((2, 3, 0), (2, 0, 5)),
    ((4,), (4,)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (2, 4, 5)), ((2, 3, 4), (4,)),
]  # fmt: skip


def check(plugin, function, *arrays):
    """Compare a function of the device's arrays, in a capture with two replays, with what NumPy computes."""
    expected = function(np, *arrays)
    there = [on_device(one) for one in arrays]
    graph, result = capture(lambda: function(plugin.xp, *there))
    graph.replay()
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result.hidden, expected)
    for one in there:
        base = one.hidden if one.hidden.base is None else one.hidden.base
        np.multiply(base, 2, out=base)
    graph.replay()
    np.testing.assert_array_equal(result.hidden, expected * 2 ** len(arrays))


def matmul(xp, a, b):
    return xp.matmul(a, b)


def on_device(array):
    """An array of the device with the strides of one of the host."""
    base = array if array.base is None else array.base
    found = fake_cupy.ndarray.__new__(fake_cupy.ndarray)
    found.hidden = array if base.flags.writeable else array.copy()
    return found


@pytest.mark.parametrize("dtype", "efdFD")
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_products_in_a_capture(plugin, shapes, dtype):
    a, b = (numbers(*shape, dtype=dtype) for shape in shapes)
    check(plugin, matmul, a, b)


@pytest.mark.parametrize("first", LAYOUTS)
@pytest.mark.parametrize("shapes", [((3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)), ((2, 3, 4), (4, 5))], ids=str)
def test_layouts(plugin, shapes, first):
    for second in LAYOUTS:
        check(plugin, matmul, *[LAYOUTS[name](numbers(*shape))
                                for name, shape in zip((first, second), shapes, strict=True)])  # fmt: skip


@pytest.mark.parametrize(("a", "b", "call"), [
    (numbers(3, 4), numbers(4, 5), "gemm NN 5x3x4 ld 5 4 5 step 0 0 0 count 1 type 0 68"),
    (numbers(4, 3).T, numbers(5, 4).T, "gemm TT 5x3x4 ld 4 3 5 step 0 0 0 count 1 type 0 68"),
    (numbers(2, 3, 4, dtype="d"), numbers(2, 4, 5, dtype="d"),
     "gemm NN 5x3x4 ld 5 4 5 step 20 12 15 count 2 type 1 70"),
    (numbers(2, 3, 4), numbers(4, 5), "gemm NN 5x3x4 ld 5 4 5 step 0 12 15 count 2 type 0 68"),
    (numbers(3, 8)[:, :4], numbers(5, 9)[:, :4].T, "gemm TN 5x3x4 ld 9 8 5 step 0 0 0 count 1 type 0 68"),
])  # fmt: skip
def test_arguments_and_order_of_calls(plugin, a, b, call):
    x, y = on_device(a), on_device(b)
    plugin.handles.reason(0)
    fake_cublas.calls()
    capture(lambda: (plugin.xp.matmul(x, y), plugin.xp.matmul(x, y)))
    stream = f"stream {torch.cuda.graph.default_capture_stream.cuda_stream}"
    assert fake_cublas.calls() == [stream, f"workspace {products.SMALL}", call] * 2


def test_workspaces_are_the_pools_one_for_each_stream(plugin, monkeypatch):
    monkeypatch.setattr(fake_cupy.Device, "compute_capability", "90")
    x, pool = torch.ones(3, 3, device="cuda"), torch.cuda.graph_pool_handle()
    stream, other = torch.cuda.Stream(), torch.cuda.Stream()
    other.raw.capturing = True  # as one that waits for the capture's
    for graph in (torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()):
        with torch.cuda.graph(graph, pool=pool, stream=stream):
            x @ x
            with torch.cuda.stream(other):
                x @ x
    assert set(pool.workspaces) == {stream.cuda_stream, other.cuda_stream}
    assert {one.mem.size for one in pool.workspaces.values()} == {products.LARGE}
    assert all(any(one.mem is chunk for chunk in pool.pool.chunks) for one in pool.workspaces.values())
    memory = ref(next(iter(pool.workspaces.values())).mem)
    del graph, pool
    gc.collect()
    assert memory() is None


def test_handles_are_used_again(plugin):
    x = torch.ones(3, 3, device="cuda")
    plugin.handles.reason(0)
    fake_cublas.calls()
    for _ in range(3):
        capture(lambda: x @ x)
    with pytest.raises(ZeroDivisionError):
        capture(lambda: x @ (x / (1 // 0)))
    assert "create" not in fake_cublas.calls()
    assert len(plugin.handles.free[0]) == 1


def test_outside_of_captures_products_are_cupys(plugin):
    x = torch.ones(3, 3, device="cuda")
    fake_cublas.calls()
    assert (x @ x).tolist() == [[3] * 3] * 3
    assert fake_cublas.calls() == []


EINSUMS = [
    ("ab,bc->ac", [(2, 3), (3, 4)]), ("ab,bc->ca", [(2, 3), (3, 4)]),
    ("ngi...,gio->ngo...", [(2, 3, 4, 5, 6), (3, 4, 2)]), ("ngip,ngop->goi", [(2, 3, 4, 5), (2, 3, 2, 5)]),
    ("ni,kij,nj->nk", [(2, 3), (4, 3, 5), (2, 5)]),
    ("ncdhw,npd,nph,npw->ncp", [(2, 3, 4, 2, 3), (2, 5, 4), (2, 5, 2), (2, 5, 3)]), ("ab,cd->ac", [(2, 3), (4, 5)]),
    ("a,a->", [(3,), (3,)]), ("a,b->ba", [(3,), (2,)]), ("abc,abc->b", [(2, 3, 4), (2, 3, 4)]),
    ("ab,bc->ac", [(2, 0), (0, 4)]), ("ab,bc->ac", [(0, 3), (3, 4)]),
]  # fmt: skip


@pytest.mark.parametrize(("subscripts", "shapes"), EINSUMS, ids=str)
def test_einsum(plugin, subscripts, shapes):
    arrays = [numbers(*shape, dtype="d") for shape in shapes]
    check(plugin, lambda xp, *args: xp.einsum(subscripts, *args), *arrays)


def test_tensordot_and_outer(plugin):
    a, b = numbers(2, 3, 4), numbers(5, 4, 3)
    check(plugin, lambda xp, *args: xp.tensordot(*args, ((1, 2), (2, 1))), a, b)
    check(plugin, lambda xp, *args: xp.outer(*args), a, b)


@pytest.mark.parametrize("subscripts", ["aa,ab->ab", "ab,bc", "ab,ac->bc"])
def test_other_einsums_are_cupys(plugin, subscripts):
    a, b = on_device(numbers(3, 3)), on_device(numbers(1, 3) if subscripts == "ab,ac->bc" else numbers(3, 3))
    with pytest.raises(NotImplementedError, match=r"cuBLAS API during stream capture is currently unsupported$"):
        capture(lambda: plugin.xp.einsum(subscripts, a, b))


def test_whole_numbers_are_cupys_and_mixed_dtypes_are_promoted(plugin):
    a, b = numbers(3, 3, dtype="i"), numbers(3, 3, dtype="d")
    fake_cublas.calls()
    check(plugin, matmul, a, a.copy())
    assert not any("gemm" in call for call in fake_cublas.calls())
    check(plugin, matmul, a, b)


def test_shapes_that_do_not_fit(plugin):
    x = on_device(numbers(3, 4))
    with pytest.raises(ValueError, match=r"the last dim of \[3, 4\] and the last but one of \[3, 4\] differ"):
        capture(lambda: plugin.xp.matmul(x, x))


def test_sizes_that_are_no_ints(plugin):
    library, _ = fake_cublas.load()
    a = Operand(0, False, 1, 0)
    with pytest.raises(NotImplementedError, match=f"sizes over {MOST}"):
        library.multiply(1, "f", (1, MOST + 1, 1, 1), a, a, 0)


@pytest.mark.parametrize(("status", "name"), [(13, "EXECUTION_FAILED"), (15, "NOT_SUPPORTED"), (99, "99")])
def test_a_status_is_an_error(plugin, status, name):
    x = torch.ones(3, 3, device="cuda")
    plugin.handles.reason(0)
    fake_cublas.setting("fail_next", status)
    with pytest.raises(RuntimeError, match=f"CUBLAS_STATUS_{name} when calling `cublasGemmEx`"):
        capture(lambda: x @ x)
    capture(lambda: x @ x)


def without_library():
    return None, "CuPy has loaded no cuBLAS of version 13, 12, 11"


@pytest.mark.parametrize(("broken", "why"), [
    (lambda patch: patch.setattr(products, "load", without_library), "CuPy has loaded no cuBLAS of version 13, 12, 11"),
    (lambda patch: fake_cublas.setting("wrong", 1), "a trial with the dtype float16 gave other numbers than CuPy"),
    (lambda patch: fake_cublas.setting("fail_next", 13), "a trial has failed: RuntimeError: CUDA error: CUBLAS_STATUS"),
])  # fmt: skip
def test_where_it_cannot_be_used_products_run_as_usual_with_the_reason(plugin, monkeypatch, broken, why):
    plugin.handles = ProductHandles(plugin)
    broken(monkeypatch)
    w = torch.ones(3, 3, device="cuda", requires_grad=True)
    run = torch.capture(lambda x: (x @ w).sum(), quiet=True)
    for _ in range(8):
        x = torch.rand(3, 3, device="cuda")
        result = run(x)
        w.grad = None
        result.backward()
        torch.testing.assert_close(result.cpu(), (x.cpu() @ torch.ones(3, 3)).sum())
        torch.testing.assert_close(w.grad.cpu(), x.cpu().sum(0)[:, None].expand(3, 3))
    reasons = torch.replay.explain(run).reasons
    assert len(reasons) == 1
    assert "the device cannot capture it: NotImplementedError: calling cuBLAS API during stream capture" in reasons[0]
    assert why in reasons[0]
    with pytest.raises(NotImplementedError, match="cuBLAS"):
        capture(lambda: x @ x)
    graph, y = capture(lambda: x * 2)
    graph.replay()
    assert y.equal(x * 2)


def test_a_captured_network_is_replayed():
    """A convolution, attention, products with and without batches, and their gradients."""
    results = []
    for where in ("cpu", "cuda"):
        torch.manual_seed(0)
        conv, attend, last = nn.Conv2d(2, 4, 3), nn.MultiheadAttention(4, 2, batch_first=True), nn.Linear(4, 1)
        model = nn.ModuleList([conv, attend, last]).to(where)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        def step(x):
            optimizer.zero_grad()  # noqa: B023
            x = conv(x).flatten(2).transpose(1, 2)  # noqa: B023
            x = attend(x, x, x, need_weights=False)[0]  # noqa: B023
            loss = last(x).square().mean()  # noqa: B023
            loss.backward()
            optimizer.step()  # noqa: B023
            return loss.detach()

        run = torch.capture(step) if where == "cuda" else step
        batches = [torch.randn(2, 2, 4, 4).to(where) for _ in range(5)]
        results.append([run(x).item() for x in batches])
    np.testing.assert_allclose(*results, rtol=1e-4)
    assert torch.replay.explain(run).replays >= 2
