"""Pointwise rows: kernels against references, layouts, broadcasting, out= and in-place variants, refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.dispatch.op import Op
from wengert_core.dispatch.op_docs import entry_of
from wengert_core.drivers.decomposed import as_dtype
from wengert_core.drivers.out_dtypes import out_dtype_error
from wengert_core.exchange.arrays import from_array, to_array
from wengert_core.ops.pointwise.erf_math import erfinv
from wengert_core.optable.op_table import OpTable

OPS = {name: op for name, op in wg.TABLE.ops.items() if isinstance(op, Op) and op.family == "pointwise"}
PLAIN = {name: op for name, op in OPS.items() if not op.is_inplace}
NUMBERS = {"alpha": 1, "value": 0.5, "beta": 1.5, "threshold": 0.25, "negative_slope": 0.1, "decimals": 1, "eps": 0.1}
NUMBERS |= {"lambd": 0.4, "scale": 1.5, "input_scale": 0.7, "min_val": 1, "max_val": 3}
NUMBERS |= {"nan": 1, "posinf": 2, "neginf": 3}
WITHOUT = {"rounding_mode", "approximate", "self_is_result", "is_result", "out"}
LAYOUTS = ["contiguous", "transposed", "strided", "expanded"]
EXACT = {"bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"}
TOLERANCE = {
    "float16": 4e-3,
    "bfloat16": 3e-2,
    "float32": 2e-5,
    "float64": 1e-10,
    "complex64": 1e-4,
    "complex128": 1e-10,
}
DTYPES = sorted(EXACT | set(TOLERANCE))


def values(dtype: str, shape: tuple[int, ...], seed: int) -> np.ndarray[Any, Any]:
    """Numbers between 0.3 and 0.9 (1 to 4 for integers), where every op is defined and smooth."""
    random = np.random.default_rng(seed)
    if dtype in EXACT:
        return random.integers(1, 5, shape).astype(dtype)
    real = random.uniform(0.3, 0.9, shape)
    return (
        (real + 1j * random.uniform(0.3, 0.9, shape)).astype(dtype)
        if dtype[0] == "c"
        else real.astype("float32" if dtype == "bfloat16" else dtype)
    )


def lay_out(array: np.ndarray[Any, Any], layout: str) -> np.ndarray[Any, Any]:
    """The same matrix, laid out otherwise."""
    if layout == "transposed":
        return array.T.copy().T
    if layout == "strided":
        return np.repeat(array, 2, axis=1)[:, ::2]
    return np.broadcast_to(array[:1], array.shape).astype(array.dtype)[:1].repeat(1, 0) if layout == "row" else array


def tensor(dtype: str, shape: tuple[int, ...] = (3, 4), seed: int = 0, layout: str = "contiguous") -> Any:
    """A tensor of some dtype and layout."""
    array = values(dtype, shape, seed)
    if layout == "expanded":
        return as_tensor(array[:1], dtype).expand(*shape)
    return as_tensor(lay_out(array, layout), dtype)


def as_tensor(array: np.ndarray[Any, Any], dtype: str) -> Any:
    """An array as a tensor; bfloat16, which NumPy lacks, by conversion."""
    t = from_array(array)
    return as_dtype(t, dtype) if dtype == "bfloat16" else t


def arguments(op: Op, dtype: str, layout: str = "contiguous") -> list[Any]:
    """One argument for each parameter up to the first optional one that changes the kernel."""
    given: list[Any] = []
    for i, name in enumerate(op.params):
        needed = op.name.startswith(("threshold", "elu", "_celu"))
        if name in WITHOUT or (name in ("alpha", "value", "decimals") and not needed):
            break
        if name in NUMBERS:
            given.append(NUMBERS[name])
        elif name == "condition":
            given.append(as_tensor(values("int64", (3, 4), i) > 2, "bool"))
        elif name in ("min", "max"):
            given.append(as_tensor(values(dtype, (3, 4), i), dtype))
        else:
            given.append(tensor(dtype, seed=i, layout=layout))
    return given


def takes(op: Op, dtype: str) -> bool:
    """Whether the op takes a dtype as it is, or makes it the default float."""
    names = {d.name for d in op.options["dtypes"]}
    return dtype in names or (op.options["promotion"].startswith("float") and dtype in EXACT and "float32" in names)


def skip_reason(op: Op, dtype: str) -> str:
    """Why a dtype is left out for an op, or nothing."""
    if not takes(op, dtype):
        return "the row does not take this dtype"
    if op.name in ("clamp", "pow") and dtype == "bool":
        return "of bools it takes numbers alone"
    return "it needs a number in the dtype" if op.name in ("threshold", "threshold_backward") and dtype in EXACT else ""


CASES = [(name, dtype) for name in sorted(PLAIN) for dtype in DTYPES if not skip_reason(PLAIN[name], dtype)]


def close(got: Any, want: np.ndarray[Any, Any], dtype: str) -> None:
    """Equal within what the dtype of the computation allows."""
    tolerance = TOLERANCE.get(dtype, 2e-5)
    np.testing.assert_allclose(to_array(got), want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_kernel_agrees_with_the_reference_in_higher_precision(name: str, dtype: str) -> None:
    op = PLAIN[name]
    given = arguments(op, dtype)
    wide = {"c": np.complex128, "f": np.float64}
    arrays = [to_array(a) if isinstance(a, wg.Tensor) else a for a in given]
    promoted = op.options["promotion"].startswith("float")
    arrays = [
        a.astype(wide.get(a.dtype.kind, np.float64 if promoted else a.dtype))
        if isinstance(a, np.ndarray)
        else np.float64(a)
        for a in arrays
    ]
    arrays += [np.float64(1)] * (op.name in ("addcmul", "addcdiv"))
    if op.name == "leaky_relu_backward":
        arrays, given = arrays[:3], given[:3]
    if op.options["promotion"] == "logical":
        arrays = [a.astype(bool) for a in arrays]
    with np.errstate(all="ignore"):
        close(op(*given), np.asarray(op.reference(np, *arrays[: 5 if op.name == "elu_backward" else 4])), dtype)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", sorted(PLAIN))
def test_layouts_do_not_change_values(name: str, layout: str) -> None:
    op = PLAIN[name]
    dtype = "float64" if takes(op, "float64") else "int64"
    given = arguments(op, dtype, layout)
    plain = [
        as_tensor(to_array(a).copy(), dtype if a.dtype.name != "bool" else "bool") if isinstance(a, wg.Tensor) else a
        for a in given
    ]
    got, want = op(*given), op(*plain)
    np.testing.assert_allclose(to_array(got), to_array(want), rtol=1e-14)


@pytest.mark.parametrize("name", sorted(PLAIN))
def test_out_of_another_layout_and_dtype(name: str) -> None:
    op = PLAIN[name]
    dtype = "float32" if takes(op, "float32") else "int32"
    given = arguments(op, dtype)
    want = op(*given)
    wider = {"float32": np.float64, "int32": np.int64, "bool": np.uint8}[want.dtype.name]
    if out_dtype_error(
        op.name, want.dtype, from_array(np.zeros(1, wider)).dtype, dict(zip(op.params, given, strict=False))
    ):
        with pytest.raises(RuntimeError):
            op(*given, out=from_array(np.zeros((4, 3), wider).T))
        wider = np.dtype(want.dtype.name).type
    room = from_array(np.zeros((4, 3), wider).T)
    assert op(*given, out=room) is room
    np.testing.assert_allclose(to_array(room), to_array(want), rtol=1e-6)
    assert room._version == 1


@pytest.mark.parametrize("name", sorted(set(OPS) - set(PLAIN)))
@pytest.mark.parametrize("layout", ["contiguous", "transposed", "strided"])
def test_in_place_writes_what_the_op_gives(name: str, layout: str) -> None:
    op = OPS[name]
    dtype = "float64" if takes(op, "float64") else "int64"
    given = arguments(op, dtype, layout)
    want = to_array(op.out_of_place(*given))
    target, before = given[0], given[0]._version
    assert op(*given) is target
    np.testing.assert_allclose(to_array(target), want, rtol=1e-14)
    assert target._version == before + 1


@pytest.mark.parametrize("shapes", [((3, 1), (4,)), ((), (2, 3)), ((2, 1, 3), (4, 1)), ((0, 3), (3,)), ((1,), (0,))])
def test_broadcasting(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    a, b = values("float32", shapes[0], 1), values("float32", shapes[1], 2)
    got = wg.add(from_array(a), from_array(b))
    np.testing.assert_array_equal(to_array(got), a + b)
    assert tuple(got.shape) == (a + b).shape


@pytest.mark.parametrize("dtype", ["float32", "float16", "int64", "bool"])
def test_long_tensors(dtype: str) -> None:
    """Beyond the length from which the GIL is released, in blocks and in one stretch."""
    a = values(dtype, (1 << 16,), 1)
    got = wg.add(from_array(a), from_array(a[::-1].copy()))
    np.testing.assert_array_equal(to_array(got), a + a[::-1])
    mixed = wg.mul(from_array(a), from_array(np.full(a.shape, 2.0)))
    np.testing.assert_allclose(to_array(mixed), a * 2.0)


def test_results_keep_the_order_of_dims() -> None:
    t = from_array(np.zeros((4, 3)).T)
    assert wg.exp(t).stride() == t.stride()
    assert wg.add(t, 1).stride() == t.stride()


@pytest.mark.parametrize("exponent", [2, 3, 0.5, -1, 2.0, 4, -2, 0, 1.5])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex128"])
def test_powers_with_numbers(exponent: float, dtype: str) -> None:
    t = tensor(dtype)
    close(wg.pow(t, exponent), to_array(t).astype("c16" if dtype[0] == "c" else "f8") ** exponent, dtype)
    close(t**exponent, to_array(wg.pow(t, from_array(np.array(exponent, to_array(t).dtype)))), dtype)


def test_where_takes_numbers_and_both_ways_of_calling() -> None:
    mask = from_array(np.array([True, False]))
    t = from_array(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(to_array(wg.where(mask, t, 0)), [1, 0])
    np.testing.assert_array_equal(to_array(t.where(mask, 9)), [1, 9])


def test_writing_into_an_overlapping_view_is_refused_or_right() -> None:
    t = from_array(np.arange(6.0))
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        wg.add(t.narrow(0, 0, 5), 1, out=t.narrow(0, 1, 5))
    square = from_array(np.arange(4.0).reshape(2, 2))
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        square.add_(square.t())
    np.testing.assert_array_equal(to_array(square), [[0, 1], [2, 3]])
    gaps = from_array(np.arange(6.0))
    gaps[2::2].add_(gaps[:-2:2])
    np.testing.assert_array_equal(to_array(gaps), [0, 1, 2, 3, 6, 5])


def test_in_place_on_an_expanded_tensor_is_refused() -> None:
    with pytest.raises(
        RuntimeError, match="more than one element of the written-to tensor refers to a single memory location"
    ):
        tensor("float32", layout="expanded").add_(1)


def test_identities_give_the_tensor_itself() -> None:
    t = tensor("float32")
    assert wg.conj(t) is t
    assert t.conj() is t
    assert +t is t
    assert wg.real(t) is t


def test_erf_and_its_kin_to_the_last_digits() -> None:
    x = np.concatenate([np.linspace(-6, 6, 4001), np.logspace(-10, 1.43, 500)])
    np.testing.assert_allclose(to_array(wg.erf(from_array(x))), [math.erf(v) for v in x], rtol=1e-15)
    np.testing.assert_allclose(to_array(wg.erfc(from_array(x))), [math.erfc(v) for v in x], rtol=4e-15)
    y = np.linspace(-0.999999, 0.999999, 2001)
    np.testing.assert_allclose([math.erf(v) for v in to_array(wg.erfinv(from_array(y)))], y, rtol=1e-14, atol=1e-16)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_erfinv_next_to_one_and_beyond(dtype: str) -> None:
    """The kernel and the reference, where the kernel changes from one formula to the next, too."""
    near = np.concatenate([1 - np.logspace(-15.9, -1, 200), np.linspace(0.84, 0.86, 50), np.logspace(-300, -1, 50)])
    x = as_dtype(from_array(np.concatenate([near, -near, [0, -0.0, 1, -1, 1.5, -2, np.inf, np.nan]])), dtype)
    wide = to_array(as_dtype(x, "float64"))
    got = to_array(as_dtype(wg.erfinv(x), "float64"))
    want = to_array(as_dtype(as_dtype(from_array(erfinv(np, wide)), dtype), "float64"))
    tolerance = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 1.2e-7, "float64": 2e-15}[dtype]
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=0)
    np.testing.assert_array_equal(np.signbit(got[~np.isnan(got)]), np.signbit(wide[~np.isnan(got)]))
    target = as_dtype(from_array(np.array([0.9, 0.5, -0.99, 2.0])), dtype)
    want = to_array(as_dtype(wg.erfinv(target), "float64"))
    np.testing.assert_array_equal(to_array(as_dtype(target.erfinv_(), "float64")), want)


@pytest.mark.parametrize("name", sorted(OPS))
def test_every_row_is_documented(name: str) -> None:
    entry = entry_of(OPS[name])
    assert (OPS[name].doc if entry is None else entry.sentence).endswith(".")


@pytest.mark.parametrize("n", [0, 3, 5, 7])
def test_a_row_with_more_inputs_than_there_is_room_for_is_refused(n):
    names = ", ".join(f"Tensor x{i}" for i in range(max(n, 1) if n != 3 else 2))
    with pytest.raises(ValueError, match=f"pointwise row 'sum_of_many': {n} inputs"):
        OpTable("many").pointwise(n, f"sum_of_many({names}) -> Tensor", reference=lambda xp, *arrays: sum(arrays))


def test_a_row_may_have_numbers_beside_its_tensors():
    op = OpTable("some").pointwise(
        6, "scaled(Tensor a, Tensor b, Scalar p, Scalar q, Scalar r, Scalar s) -> Tensor", n_promote=2, inplace=False,
        reference=lambda xp, a, b, p, q, r, s: a * p + b * q + r * s,
    )
    assert op(wg.tensor([1.0, 2.0]), wg.tensor([3.0, 4.0]), 2, 3, 4, 5).tolist() == [31.0, 36.0]
