"""Values of all_reduce, reduce and reduce_scatter on simulated ranks, for every dtype and reduction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import wengert as wg
from wengert_testing.sim_group import run_ranks

dist = wg.distributed
ReduceOp = dist.ReduceOp
RANKS = 3
UFUNCS = {
    ReduceOp.SUM: np.add, ReduceOp.PRODUCT: np.multiply, ReduceOp.MIN: np.minimum, ReduceOp.MAX: np.maximum,
    ReduceOp.BAND: np.bitwise_and, ReduceOp.BOR: np.bitwise_or, ReduceOp.BXOR: np.bitwise_xor,
}  # fmt: skip
REAL = [wg.float64, wg.float32, wg.float16, wg.bfloat16]
INTEGERS = [wg.int64, wg.int32, wg.int16, wg.int8, wg.uint8, wg.uint16, wg.uint32, wg.uint64]


def values(rank: int, shape: tuple[int, ...] = (2, 5)) -> Any:
    """Small whole numbers, which every dtype holds."""
    return np.random.default_rng(rank).integers(1, 5, shape)


def reduction(op: Any, dtype: Any = np.float64, shape: tuple[int, ...] = (2, 5)) -> Any:
    return UFUNCS[op].reduce([values(rank, shape).astype(dtype) for rank in range(RANKS)])


def on_ranks(program: Callable[..., Any], *args: Any) -> Any:
    """Return the result of a program that is the same on all ranks."""
    first, *others = run_ranks(RANKS, program, *args)
    for other in others:
        np.testing.assert_array_equal(other, first)
    return first


@pytest.mark.parametrize("dtype", REAL + INTEGERS, ids=str)
@pytest.mark.parametrize("op", [ReduceOp.SUM, ReduceOp.PRODUCT, ReduceOp.MIN, ReduceOp.MAX], ids=str)
def test_all_reduce_of_a_dtype(dtype: Any, op: Any) -> None:
    def program() -> Any:
        x = wg.tensor(values(dist.get_rank())).to(dtype)
        dist.all_reduce(x, op)
        assert x.dtype is dtype
        return x.double().numpy()

    np.testing.assert_array_equal(on_ranks(program), reduction(op))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("op", [ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR], ids=str)
def test_bitwise_all_reduce_of_integers(dtype: Any, op: Any) -> None:
    def program() -> Any:
        x = wg.tensor(values(dist.get_rank())).to(dtype)
        dist.all_reduce(x, op)
        return x.long().numpy()

    np.testing.assert_array_equal(on_ranks(program), reduction(op, np.int64))


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        (ReduceOp.SUM, np.logical_or), (ReduceOp.MAX, np.logical_or), (ReduceOp.BOR, np.logical_or),
        (ReduceOp.PRODUCT, np.logical_and), (ReduceOp.MIN, np.logical_and), (ReduceOp.BAND, np.logical_and),
        (ReduceOp.BXOR, np.logical_xor),
    ],
    ids=str,
)  # fmt: skip
def test_all_reduce_of_bools_is_logical(op: Any, expected: Any) -> None:
    def program() -> Any:
        x = wg.tensor(values(dist.get_rank()) > 2)
        dist.all_reduce(x, op)
        return x.numpy()

    np.testing.assert_array_equal(on_ranks(program), expected.reduce([values(rank) > 2 for rank in range(RANKS)]))


@pytest.mark.parametrize("dtype", [wg.complex64, wg.complex128], ids=str)
@pytest.mark.parametrize("op", [ReduceOp.SUM, ReduceOp.AVG], ids=str)
def test_all_reduce_of_complex_numbers(dtype: Any, op: Any) -> None:
    def program() -> Any:
        rank = dist.get_rank()
        x = wg.complex(wg.tensor(values(rank)).double(), wg.tensor(values(rank + 10)).double()).to(dtype)
        dist.all_reduce(x, op)
        return x.numpy()

    total = sum(values(rank) + 1j * values(rank + 10) for rank in range(RANKS))
    np.testing.assert_allclose(on_ranks(program), total / (RANKS if op is ReduceOp.AVG else 1), rtol=1e-6)


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_average_is_the_sum_divided_and_rounded_once(dtype: Any) -> None:
    def program() -> Any:
        x = wg.tensor(values(dist.get_rank())).to(dtype)
        dist.all_reduce(x, ReduceOp.AVG)
        return x.double().numpy()

    wide = wg.tensor(reduction(ReduceOp.SUM)).to(wg.float32 if dtype.itemsize == 2 else dtype)
    np.testing.assert_array_equal(on_ranks(program), (wide / RANKS).to(dtype).double().numpy())


@pytest.mark.parametrize("dtype", [wg.float16, wg.bfloat16], ids=str)
def test_half_precision_is_accumulated_in_float32(dtype: Any) -> None:
    """1 + eps/2 + eps/2 is 1 + eps; in half precision each step rounds to 1."""
    eps = wg.finfo(dtype).eps
    small = [1.0, eps / 2, eps / 2]

    def program() -> float:
        x = wg.tensor([small[dist.get_rank()]], dtype=dtype)
        dist.all_reduce(x)
        return float(x)

    assert run_ranks(RANKS, program) == [1 + eps] * RANKS


def test_premultiplied_sum_scales_each_rank_by_its_factor() -> None:
    def program() -> list[float]:
        x = wg.ones(2)
        dist.all_reduce(x, dist._make_nccl_premul_sum(dist.get_rank() + 0.5))
        return x.tolist()

    assert run_ranks(RANKS, program) == [[4.5, 4.5]] * RANKS


LAYOUTS = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.t().clone().t(),
    "a column": lambda x: x.new_zeros(2, 5, 3)[..., 1].copy_(x),
    "a leaf that requires a gradient": lambda x: x.requires_grad_(),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [wg.float32, wg.bfloat16, wg.complex64], ids=str)
def test_all_reduce_in_place_whatever_the_layout(layout: str, dtype: Any) -> None:
    def program() -> Any:
        x = LAYOUTS[layout](wg.tensor(values(dist.get_rank())).to(dtype))
        pointer, version = x.data_ptr(), x._version
        dist.all_reduce(x)
        assert x.data_ptr() == pointer
        assert x._version > version
        return x.detach().to(wg.complex128).numpy()

    np.testing.assert_array_equal(on_ranks(program), reduction(ReduceOp.SUM))


def test_all_reduce_of_a_conjugate_view() -> None:
    def program() -> Any:
        x = wg.tensor([1 + 1j, 2 - 3j])
        y = x.conj()
        dist.all_reduce(y)
        return y.numpy()

    np.testing.assert_array_equal(on_ranks(program), [3 - 3j, 6 + 9j])


@pytest.mark.parametrize("dtype", [wg.float32, wg.bfloat16, wg.bool, wg.complex64], ids=str)
def test_zero_size_tensors_and_scalars_are_reduced(dtype: Any) -> None:
    def program() -> Any:
        empty, scalar = wg.empty(0, 3).to(dtype), wg.ones(()).to(dtype)
        dist.all_reduce(empty)
        dist.all_reduce(scalar)
        assert empty.shape == (0, 3)
        return scalar.to(wg.complex64).numpy()

    assert on_ranks(program) == (1 if dtype is wg.bool else RANKS)


@pytest.mark.parametrize("dtype", [wg.float32, wg.float16, wg.complex64, wg.int16], ids=str)
def test_reduce_gives_the_result_to_one_rank(dtype: Any) -> None:
    def program() -> Any:
        x = wg.tensor(values(dist.get_rank())).to(dtype)
        dist.reduce(x, dst=1)
        return x.to(wg.complex128).numpy()

    np.testing.assert_array_equal(run_ranks(RANKS, program)[1], reduction(ReduceOp.SUM))


@pytest.mark.parametrize("op", [ReduceOp.SUM, ReduceOp.AVG, ReduceOp.MAX], ids=str)
@pytest.mark.parametrize("dtype", [wg.float32, wg.bfloat16], ids=str)
def test_reduce_scatter_gives_each_rank_its_part(op: Any, dtype: Any) -> None:
    shape = (RANKS, 4)

    def program() -> list[Any]:
        rank = dist.get_rank()
        x = wg.tensor(values(rank, shape)).to(dtype)
        stacked, flat, listed = wg.empty(4, dtype=dtype), wg.empty(2, 2, dtype=dtype), wg.empty(4, dtype=dtype)
        dist.reduce_scatter_tensor(stacked, x, op)
        dist.reduce_scatter_tensor(flat, x.view(-1), op)
        dist.reduce_scatter(listed, list(x), op)
        return [one.double().numpy().reshape(-1) for one in (stacked, flat, listed)]

    total = reduction(ReduceOp.MAX if op is ReduceOp.MAX else ReduceOp.SUM, shape=shape)
    total = wg.tensor(total / (RANKS if op is ReduceOp.AVG else 1)).to(dtype).double().numpy()
    for rank, results in enumerate(run_ranks(RANKS, program)):
        for result in results:
            np.testing.assert_array_equal(result, total[rank])


def test_reduce_scatter_into_a_tensor_that_is_not_contiguous() -> None:
    def program() -> Any:
        out = wg.zeros(4, 2)[:, 0]
        dist.reduce_scatter_tensor(out, wg.tensor(values(dist.get_rank(), (RANKS, 4))).float().t().clone().t())
        return out.numpy()

    total = reduction(ReduceOp.SUM, shape=(RANKS, 4))
    for rank, result in enumerate(run_ranks(RANKS, program)):
        np.testing.assert_array_equal(result, total[rank])


def test_all_reduce_coalesced_reduces_each_tensor() -> None:
    def program() -> list[Any]:
        tensors = [wg.full((2,), float(dist.get_rank())), wg.ones(3)]
        dist.all_reduce_coalesced(tensors)
        dist.all_reduce_coalesced(tensors, async_op=True).wait()
        return [one.tolist() for one in tensors]

    assert run_ranks(RANKS, program) == [[[9.0, 9.0], [9.0, 9.0, 9.0]]] * RANKS


def test_saved_tensors_see_that_a_collective_has_written_to_them() -> None:
    def program() -> None:
        x = wg.ones(2, requires_grad=True)
        y = x * 1
        z = y * y
        dist.all_reduce(y.detach())
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            z.sum().backward()

    run_ranks(2, program)
