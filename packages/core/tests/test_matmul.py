"""Products of vectors and matrices: recorded PyTorch results, and NumPy's on random shapes and layouts."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.exchange.arrays import from_array, to_array

from .recorded_networks import check_fact, load

SETUP, FACTS = load("linalg_matmul")
DTYPES = ("float32", "float64", "complex64", "complex128", "uint8", "int8", "int16", "int32", "int64", "float16",
          "uint16", "uint32", "uint64")  # fmt: skip
linear = wg.TABLE.ops["nn.functional.linear"]


@pytest.mark.parametrize(("code", "want"), FACTS, ids=[code for code, _ in FACTS])
def test_same_as_recorded(code: str, want: dict[str, Any]) -> None:
    check_fact(code, SETUP, want)


def operand(shape: tuple[int, ...], dtype: str, rng: np.random.Generator, layout: int) -> np.ndarray[Any, Any]:
    """Small whole numbers, so that every product is exact, in one of five memory layouts."""
    array = rng.integers(0, 4, shape).astype(dtype)
    if dtype.startswith("complex"):
        array = np.asarray(array + 1j * rng.integers(-2, 3, shape).astype(array.real.dtype))
    if layout == 1 and len(shape) > 1:
        return np.swapaxes(np.ascontiguousarray(np.swapaxes(array, -1, -2)), -1, -2)
    if layout == 2:
        return np.repeat(array, 2, -1)[..., ::2]
    if layout == 3 and len(shape) > 1:
        return np.pad(np.repeat(array, 2, -2), [(0, 0)] * (len(shape) - 1) + [(1, 2)])[..., ::2, 1 : 1 + shape[-1]]
    if layout == 4 and len(shape) > 2:
        return np.moveaxis(np.ascontiguousarray(np.moveaxis(array, 0, -1)), -1, 0)
    return array


def shapes(rng: random.Random) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two shapes that matmul takes, of one to five dims."""
    m, n, p = (rng.choice([0, 1, 1, 2, 3, 5, 19]) for _ in range(3))
    batch = [rng.choice([1, 2, 3]) for _ in range(3)]

    def before(rank: int) -> tuple[int, ...]:
        sizes = batch[5 - rank :] if rank > 2 else []
        return tuple(size if rng.random() < 0.7 else 1 for size in sizes)

    rank_a, rank_b = rng.randrange(1, 6), rng.randrange(1, 6)
    return before(rank_a) + ((m, n) if rank_a > 1 else (n,)), before(rank_b) + ((n, p) if rank_b > 1 else (n,))


@pytest.mark.parametrize("dtype", DTYPES)
def test_matmul_is_numpys_for_any_rank_and_layout(dtype: str) -> None:
    rng, chance = np.random.default_rng(1), random.Random(1)
    for _ in range(150):
        a, b = (operand(shape, dtype, rng, chance.randrange(5)) for shape in shapes(chance))
        want = np.matmul(a, b)
        got = to_array(from_array(a) @ from_array(b))
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        np.testing.assert_array_equal(got, want, err_msg=f"{a.shape} {a.strides} @ {b.shape} {b.strides}")


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "complex64"])
@pytest.mark.parametrize("layout", range(5))
def test_large_products_of_any_layout(dtype: str, layout: int) -> None:
    rng = np.random.default_rng(2)
    a, b = operand((3, 40, 50), dtype, rng, layout), operand((3, 50, 30), dtype, rng, 4 - layout)
    np.testing.assert_array_equal(to_array(wg.bmm(from_array(a), from_array(b))), np.matmul(a, b))
    np.testing.assert_array_equal(to_array(from_array(a) @ from_array(b[0])), np.matmul(a, b[0]))
    np.testing.assert_array_equal(to_array(from_array(a[0]).mv(from_array(b[0, :, 0]))), a[0] @ b[0, :, 0])


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex128", "float16"])
@pytest.mark.parametrize("layout", range(4))
def test_linear_is_a_product_with_the_transpose_and_a_bias(dtype: str, layout: int) -> None:
    rng = np.random.default_rng(3)
    for shape in [(5,), (4, 5), (2, 4, 5), (0, 5), (2, 0, 5)]:
        x, weight = operand(shape, dtype, rng, layout), operand((3, 5), dtype, rng, layout)
        for bias in (None, operand((3,), dtype, rng, layout), operand((1,), dtype, rng, 0), operand((), dtype, rng, 0)):
            got = to_array(linear(from_array(x), from_array(weight), None if bias is None else from_array(bias)))
            want = x @ weight.T if bias is None else x @ weight.T + bias
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "uint64", "float16"])
@pytest.mark.parametrize("added", [(2, 4), (4,), (2, 1), (1, 1), ()])
def test_addmm_scales_and_broadcasts(dtype: str, added: tuple[int, ...]) -> None:
    rng = np.random.default_rng(4)
    a, b, c = (operand(shape, dtype, rng, 1) for shape in ((2, 3), (3, 4), added))
    for beta, alpha in ((1, 1), (2, 1), (0, 3), (3, 2)):
        got = wg.addmm(from_array(c), from_array(a), from_array(b), beta=beta, alpha=alpha)
        np.testing.assert_array_equal(to_array(got), (beta * c + alpha * (a @ b)).astype(dtype))
    if added == (2, 4):
        target = from_array(c.copy())
        assert target.addmm_(from_array(a), from_array(b), beta=2) is target
        np.testing.assert_array_equal(to_array(target), 2 * c + a @ b)


def test_low_precision_is_summed_in_float32() -> None:
    ones = wg.ones(1, 4000, dtype=wg.bfloat16)
    assert (ones @ ones.t()).item() == 4000.0
    small = wg.full((1, 3000), 0.1, dtype=wg.float16)
    exact = 3000 * float(np.float16(0.1)) ** 2
    assert abs((small @ small.t()).item() - exact) <= 2**-10 * exact


def test_out_may_be_an_input_or_have_gaps() -> None:
    a = wg.arange(4.0).reshape(2, 2)
    want = to_array(a @ a)
    assert wg.mm(a, a, out=a) is a
    np.testing.assert_array_equal(to_array(a), want)
    wide = wg.zeros(2, 4)
    wg.mm(wg.ones(2, 3), wg.ones(3, 2), out=wide[:, ::2])
    np.testing.assert_array_equal(to_array(wide), [[3, 0, 3, 0]] * 2)


def test_an_expanded_tensor_is_no_target() -> None:
    target = wg.zeros(1, 2).expand(2, 2)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        target.addmm_(wg.ones(2, 2), wg.ones(2, 2))


def test_nothing_is_left_of_a_failed_product() -> None:
    out = wg.full((2, 2), 7.0)
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        wg.mm(wg.ones(2, 3), wg.ones(2, 3), out=out)
    assert to_array(out).tolist() == [[7.0, 7.0], [7.0, 7.0]]


@pytest.mark.parametrize("other", [[1, 2], "ab", None])
def test_operator_refuses_what_is_no_tensor(other: Any) -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        wg.ones(2, 2) @ other


def test_kron_cross_trace_and_chains() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((2, 3)), rng.standard_normal((3, 2, 3))
    np.testing.assert_allclose(to_array(wg.kron(from_array(a), from_array(b))), np.kron(a, b))
    np.testing.assert_allclose(to_array(wg.cross(from_array(a), from_array(b[0]), dim=1)), np.cross(a, b[0]))
    assert wg.trace(from_array(a)).item() == np.trace(a)
    chain = [rng.standard_normal(shape) for shape in ((5,), (5, 2), (2, 7), (7, 3), (3,))]
    got = wg.TABLE.ops["linalg.multi_dot"]([from_array(x) for x in chain])
    np.testing.assert_allclose(got.item(), np.linalg.multi_dot(chain))
    square = rng.standard_normal((2, 3, 3))
    for power in (0, 1, 5):
        np.testing.assert_allclose(
            to_array(from_array(square).matrix_power(power)), np.linalg.matrix_power(square, power), rtol=1e-10
        )


@pytest.mark.parametrize("layout", range(5))
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "complex64", "int64"])
@pytest.mark.parametrize(("left", "right"), [
    ((5, 1), (1, 7)), ((1, 1), (1, 1)), ((3, 5, 1), (3, 1, 7)), ((3, 5, 1), (1, 7)), ((5, 1), (3, 1, 7)),
    ((2, 1, 5, 1), (3, 1, 7)), ((200, 1), (1, 300)), ((0, 1), (1, 4)), ((2, 3, 1), (2, 1, 0))], ids=str)
def test_a_column_and_a_row(left: tuple[int, ...], right: tuple[int, ...], dtype: str, layout: int) -> None:
    """One multiplication for each element: products of this shape have a loop of their own."""
    rng = np.random.default_rng(1)
    for other in range(5):
        a, b = operand(left, dtype, rng, layout), operand(right, dtype, rng, other)
        np.testing.assert_array_equal(to_array(wg.matmul(from_array(a), from_array(b))), a * b)
    if len(left) == len(right) == 2:
        np.testing.assert_array_equal(to_array(linear(from_array(a), from_array(b.T))), a * b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shapes", [((16,), (500, 16, 8)), ((500, 8, 16), (16,)), ((1, 16), (500, 16, 8))])
def test_a_vector_with_so_many_matrices_that_threads_share_them(dtype: str, shapes: Any) -> None:
    """Each product of the vector was written to where the first one belongs."""
    rng = np.random.default_rng(0)
    a, b = (operand(shape, dtype, rng, 0) for shape in shapes)
    np.testing.assert_array_equal(to_array(wg.matmul(from_array(a), from_array(b))), np.matmul(a, b))
