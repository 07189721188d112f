"""Kernels of convolution, pooling, normalization and attention: against their references, with each set of tiles, and
the same from any number of threads.
"""

from __future__ import annotations

import ctypes
import itertools
import mmap
import random
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest
import wengert_core as wc
from wengert_core.ops.nn.attention import attention_backward_reference, attention_reference
from wengert_core.ops.nn.convolution import convolution_reference, convolution_weight_reference

TOLERANCE = {"float32": 2e-4, "float64": 1e-12}


@pytest.fixture(params=["wide", "usual"])
def tiles(request: pytest.FixtureRequest) -> Iterator[str]:
    """The tiles of this machine's widest registers (where they differ), and those that any machine has."""
    drivers = [
        import_module(f"wengert_core.{name}") for name in ("drivers.nn.conv_plan", "drivers.nn.attention_blocks")
    ]
    for driver in drivers:
        driver.use_tiles(request.param == "wide")
    yield request.param
    for driver in drivers:
        driver.use_tiles(True)


def numbers(rng: np.random.Generator, shape: Any, dtype: str) -> Any:
    return rng.standard_normal(shape).astype(dtype)


def geometries(seed: int, count: int) -> Iterator[dict[str, Any]]:
    """Random convolutions whose output is not empty."""
    choose = random.Random(seed)
    while count:
        n = choose.choice([1, 2, 2, 3])
        size = [choose.choice([5, 6, 7, 9] + [20] * (n < 3)) for _ in range(n)]
        kernel, stride = ([choose.choice(values) for _ in range(n)] for values in ([1, 2, 3], [1, 1, 2, 3]))
        dilation, padding = ([choose.choice(values) for _ in range(n)] for values in ([1, 1, 2], [0, 0, 1, 2]))
        groups, transposed = choose.choice([1, 1, 2, 3]), choose.random() < 0.5
        wide, narrow = choose.choice([1, 2, 3, 5, 17]), choose.choice([1, 2, 3, 8, 13])
        grown = [
            (m - 1) * s - 2 * p + d * (k - 1) + 1
            for m, s, p, d, k in zip(size, stride, padding, dilation, kernel, strict=True)
        ]
        shrunk = [m + 2 * p - d * (k - 1) for m, p, d, k in zip(size, padding, dilation, kernel, strict=True)]
        if min(grown if transposed else shrunk) < 1:
            continue
        count -= 1
        yield {
            "x": (choose.choice([1, 2, 5]), wide * groups, *size),
            "w": ((wide * groups, narrow) if transposed else (narrow * groups, wide)) + tuple(kernel),
            "bias": narrow * groups if choose.random() < 0.5 else None,
            "rest": (
                stride,
                padding,
                dilation,
                transposed,
                [choose.choice([0, s - 1]) for s in stride] if transposed else [0] * n,
                groups,
            ),
        }


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_convolution_of_any_geometry_is_the_references(tiles: str, dtype: str) -> None:
    rng = np.random.default_rng(3)
    for g in geometries(5, 120):
        x, w = numbers(rng, g["x"], dtype), numbers(rng, g["w"], dtype)
        bias = None if g["bias"] is None else numbers(rng, g["bias"], dtype)
        stride, padding, dilation, transposed, _, groups = g["rest"]
        got = wc.convolution(wc.tensor(x), wc.tensor(w), None if bias is None else wc.tensor(bias), *g["rest"]).numpy()
        expected = convolution_reference(np, x.astype(float), w.astype(float), bias, *g["rest"])
        np.testing.assert_allclose(got, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype], err_msg=str(g))
        if not transposed:
            y = numbers(rng, got.shape, dtype)
            settings = (w.shape[2:], stride, padding, dilation, groups)
            got = wc.convolution_weight(wc.tensor(x), wc.tensor(y), *settings).numpy()
            expected = convolution_weight_reference(np, x.astype(float), y.astype(float), *settings)
            np.testing.assert_allclose(got, expected, rtol=TOLERANCE[dtype], atol=5 * TOLERANCE[dtype], err_msg=str(g))


LENGTHS = list(itertools.product([1, 7, 48, 50, 130], [1, 9, 97, 300]))


@pytest.mark.skipif(sys.platform != "linux", reason="mprotect as Linux has it")
@pytest.mark.parametrize("row", [1, 7, 15, 16, 30, 31, 48, 61, 125])
@pytest.mark.parametrize("channels", [3, 8, 40])
def test_nothing_is_read_behind_the_images(tiles: str, channels: int, row: int) -> None:
    """Images without a border are read where they are, here up to a page that nobody may read."""
    page, size = mmap.PAGESIZE, 2 * 3 * row * (row + 2) * 4
    pages = (size + page - 1) // page
    memory = mmap.mmap(-1, (pages + 1) * page)
    whole = np.frombuffer(memory, np.uint8)
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mprotect(ctypes.c_void_p(whole.ctypes.data + pages * page), ctypes.c_size_t(page), 0) == 0
    images = whole[pages * page - size : pages * page].view(np.float32).reshape(2, 3, row, row + 2)
    images[:] = numbers(np.random.default_rng(0), images.shape, "float32")
    kernel = numbers(np.random.default_rng(1), (channels, 3, 1, 3), "float32")
    expected = sum(np.einsum("nchw,oc->nohw", images[..., t : t + row], kernel[:, :, 0, t]) for t in range(3))
    result = wc.convolution(wc.from_numpy(images), wc.tensor(kernel), None, (1, 1), (0, 0), (1, 1), False, (0, 0), 1)
    np.testing.assert_allclose(result.numpy(), expected, atol=2e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mask", ["none", "added", "causal"])
def test_attention_of_any_length_is_the_references(tiles: str, dtype: str, mask: str) -> None:
    rng = np.random.default_rng(4)
    for i, (queries, keys) in enumerate(LENGTHS):
        size, width = [1, 3, 8, 17][i % 4], [5, 8, 1, 16][i % 4]
        shapes = [(2, queries, size), (2, keys, size), (2, keys, width), (2, queries, width)]
        q, k, v, grad = (numbers(rng, shape, dtype) for shape in shapes)
        added, causal = None, mask == "causal"
        if mask == "added":
            added = np.where(rng.random((queries, keys)) < 0.3, -np.inf, rng.standard_normal((queries, keys))).astype(
                dtype
            )
            added[0] = -np.inf  # one that sees nothing
        tensors = [wc.tensor(one) for one in (q, k, v)]
        masked = None if added is None else wc.tensor(added).expand(2, queries, keys)
        attend, back = (wc.TABLE.ops[f"_scaled_dot_product_attention{name}"] for name in ("", "_backward"))
        out, sums = attend(*tensors, masked, causal, 0.3)
        with np.errstate(divide="ignore"):
            expected, expected_sums = attention_reference(np, *(x.astype(float) for x in (q, k, v)), added, causal, 0.3)
            slopes = attention_backward_reference(
                np, *(x.astype(float) for x in (grad, q, k, v)), added, None, None, causal, 0.3
            )
        close = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype], "err_msg": f"{queries} {keys}"}
        np.testing.assert_allclose(out.numpy(), expected, **close)
        np.testing.assert_allclose(sums.numpy(), expected_sums, **close)
        for got, slope in zip(back(wc.tensor(grad), *tensors, masked, out, sums, causal, 0.3), slopes, strict=True):
            np.testing.assert_allclose(got.numpy(), slope, **close)


# ---- threads


def of(*shape: int, seed: int = 0) -> Any:
    return wc.from_numpy(np.random.default_rng(seed).standard_normal(shape).astype("float32"))


IMAGES, FILTERS, FEW = of(4, 32, 33, 31), of(48, 32, 3, 3, seed=1), of(32, 1, 3, 3, seed=2)
HEADS = [of(3, 4, 150, 24, seed=seed) for seed in range(4)]
RESULT = wc.TABLE.ops["_scaled_dot_product_attention"](*HEADS[:3], None, False, 0.2)


def function(name: str) -> Any:
    return wc.TABLE.ops[f"nn.functional.{name}"]


PROGRAMS = {
    "conv2d": lambda: function("conv2d")(IMAGES, FILTERS, padding=1),
    "conv2d strided": lambda: function("conv2d")(IMAGES, FILTERS, stride=2),
    "conv2d depthwise": lambda: function("conv2d")(IMAGES, FEW, groups=32),
    "conv_transpose2d": lambda: function("conv_transpose2d")(IMAGES, FILTERS.transpose(0, 1).contiguous(), stride=2),
    "weight": lambda: wc.convolution_weight(IMAGES, of(4, 48, 31, 29, seed=3), (3, 3), 1, 0, 1, 1),
    "weight depthwise": lambda: wc.convolution_weight(IMAGES, of(4, 32, 31, 29, seed=3), (3, 3), 1, 0, 1, 32),
    "max_pool2d": lambda: function("max_pool2d")(IMAGES, 2),
    "avg_pool2d": lambda: function("avg_pool2d")(IMAGES, 3, 2),
    "batch_norm": lambda: function("batch_norm")(IMAGES, None, None, training=True),
    "layer_norm": lambda: function("layer_norm")(IMAGES, (31,), of(31), of(31)),
    "normalization_backward": lambda: wc.normalization_backward(
        of(999, 301), of(999, 301, seed=1), of(301), of(999), of(999).abs(), False, (1, 999, 1, 301, 1), 1e-5
    )[1],
    "attention": lambda: function("scaled_dot_product_attention")(*HEADS[:3]),
    "attention's gradients": lambda: wc.cat(
        wc.TABLE.ops["_scaled_dot_product_attention_backward"](HEADS[3], *HEADS[:3], None, *RESULT, False, 0.2)
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_do_not_depend_on_the_number_of_threads(name: str) -> None:
    before = wc.get_num_threads()
    try:
        wc.set_num_threads(1)
        alone = PROGRAMS[name]().numpy()
        for count in (2, 3, 7):
            wc.set_num_threads(count)
            assert PROGRAMS[name]().numpy().tobytes() == alone.tobytes()
    finally:
        wc.set_num_threads(before)


def test_running_statistics_move_in_place() -> None:
    mean, var = wc.zeros(3), wc.ones(3)
    x = of(8, 3, 5)
    function("batch_norm")(x, mean, var, training=True, momentum=0.25)
    array = x.numpy().astype(float)
    np.testing.assert_allclose(mean.numpy(), 0.25 * array.mean((0, 2)), rtol=1e-5)
    np.testing.assert_allclose(var.numpy(), 0.75 + 0.25 * array.var((0, 2), ddof=1), rtol=1e-5)


def test_attention_keeps_no_scores() -> None:
    queries = of(1, 2000, 8)
    wc.memory.empty_cache()
    wc.memory.reset_peak()
    before = wc.memory.stats()["bytes_in_use"]
    function("scaled_dot_product_attention")(queries, queries, queries)
    assert wc.memory.stats()["bytes_peak"] - before < 2000 * 2000  # a quarter of what the scores would take
