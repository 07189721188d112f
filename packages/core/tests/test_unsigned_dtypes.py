"""uint16, uint32 and uint64 over their whole range, against NumPy; and PyTorch's words where they are refused."""

from __future__ import annotations

import copy
import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from numpy.typing import NDArray

UNSIGNED = ["uint16", "uint32", "uint64"]
INTEGERS = ["uint8", "int8", "int16", "int32", "int64", *UNSIGNED]
Array = NDArray[Any]
every = pytest.mark.parametrize("name", UNSIGNED)


def numbers(name: str, shape: tuple[int, ...] = (4, 5), seed: int = 0) -> Array:
    """Numbers of the whole range, both ends and a pair of equal rows among them; none is 0 but the first row's."""
    most = np.iinfo(name).max
    array = np.random.default_rng(seed).integers(1, most, shape, dtype=name, endpoint=True)
    array[0, :2] = (most, 0) if seed == 0 else (most, 1)
    array[1] = array[0]
    return array


def check(got: Any, want: Any) -> None:
    """Fail unless values and dtype are the same."""
    want = np.asarray(want)
    assert got.numpy().dtype == want.dtype
    np.testing.assert_array_equal(got.numpy(), want)


def most_of(name: str) -> int:
    return int(np.iinfo(name).max)


# ---- data in and out


@every
def test_all_numbers_come_in_and_go_out(name: str) -> None:
    kind, most = getattr(wg, name), most_of(name)
    x = wg.tensor([0, 1, most], dtype=kind)
    assert x.tolist() == [0, 1, most]
    assert x[2].item() == int(x[2]) == most
    assert (x.numpy().dtype, x.element_size()) == (np.dtype(name), np.dtype(name).itemsize)
    assert x.type() == f"torch.UInt{8 * kind.itemsize}Tensor"
    assert x.type(f"torch.UInt{8 * kind.itemsize}Tensor").dtype is kind
    for same in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), wg.from_numpy(x.numpy()), wg.from_dlpack(x.numpy()),
                 wg.from_dlpack(x), wg.tensor(x.numpy()), wg.asarray(x.numpy()), x.clone(), x.view(wg.int8).view(kind)):
        assert same.dtype is kind
        assert same.tolist() == [0, 1, most]
    np.testing.assert_array_equal(np.from_dlpack(x), x.numpy())
    assert wg.tensor(getattr(np, name)(most)).item() == most
    assert not x.is_signed()


def test_wide_numbers_are_printed_as_in_torch() -> None:
    x = wg.tensor([1, 2, 2**64 - 1], dtype=wg.uint64)
    margin = " " * 19
    assert repr(wg.tensor([0, 65535], dtype=wg.uint16)) == "tensor([    0, 65535], dtype=torch.uint16)"
    assert repr(x) == f"tensor([{margin}1, {margin}2, 18446744073709551615],\n       dtype=torch.uint64)"


@every
def test_numbers_that_do_not_fit_are_refused(name: str) -> None:
    kind, most = getattr(wg, name), most_of(name)
    error = OverflowError if name == "uint64" else RuntimeError
    for make in (lambda value: wg.tensor(value, dtype=kind), lambda value: wg.tensor([value], dtype=kind),
                 lambda value: wg.full((2,), value, dtype=kind), lambda value: wg.zeros(2, dtype=kind).fill_(value)):
        with pytest.raises(error, match=r"int too big to convert|without overflow"):
            make(most + 1)
        with pytest.raises(RuntimeError, match="without overflow"):
            make(-0.5)
        with pytest.raises(RuntimeError, match="without overflow"):
            make(1e30)
        assert make(2.5).flatten()[0].item() == 2


@every
def test_negative_numbers_wrap(name: str) -> None:
    kind, most = getattr(wg, name), most_of(name)
    x = wg.zeros(3, dtype=kind)
    x[0] = -1
    x[1:] = -2
    assert x.tolist() == [most, most - 1, most - 1]
    assert wg.full((1,), -1, dtype=kind).item() == wg.zeros(1, dtype=kind).fill_(-1).item() == most
    if name == "uint64":
        with pytest.raises(OverflowError, match="can't convert negative int to unsigned"):
            wg.tensor(-1, dtype=kind)
    else:
        assert wg.tensor(-1, dtype=kind).item() == most


@every
def test_assigned_numbers_are_exact(name: str) -> None:
    most = most_of(name)
    x = wg.zeros(4, dtype=getattr(wg, name))
    x[0] = most
    x[wg.tensor([1])] = most
    x[wg.tensor([False, False, True, False])] = most
    assert x.tolist() == [most, most, most, 0]


@every
def test_factories_fill_them(name: str) -> None:
    kind, most = getattr(wg, name), most_of(name)
    check(wg.arange(5, dtype=kind), np.arange(5, dtype=name))
    assert wg.arange(most - 2, most, dtype=kind).tolist() == [most - 2, most - 1]
    assert wg.arange(most, most - 5, -2, dtype=kind).tolist() == [most, most - 2, most - 4]
    check(wg.linspace(0, 9, 4, dtype=kind), np.array([0, 3, 6, 9], name))
    check(wg.eye(2, dtype=kind), np.eye(2, dtype=name))
    check(wg.full((2,), most, dtype=kind), np.full(2, most, name))
    for made in (wg.zeros(2, dtype=kind), wg.ones(2, dtype=kind), wg.randint(0, 5, (2,), dtype=kind)):
        assert made.dtype is kind
    assert wg.ones(2, dtype=kind).new_tensor([3]).dtype is kind


# ---- dtypes

PROMOTED = {
    "uint16": "uint16 int32 int32 int32 int64 uint16 uint32 uint64",
    "uint32": "uint32 int64 int64 int64 int64 uint32 uint32 uint64",
    "uint64": "uint64 float64 float64 float64 float64 uint64 uint64 uint64",
}


@every
def test_operands_promote_as_in_numpy(name: str) -> None:
    x = wg.ones(1, dtype=getattr(wg, name))
    found = [(x + wg.ones(1, dtype=getattr(wg, other))).dtype.name for other in INTEGERS]
    assert found == PROMOTED[name].split()
    for floating in ("float16", "bfloat16", "float32", "float64", "complex64", "complex128"):
        assert (x + wg.ones(1, dtype=getattr(wg, floating))).dtype.name == floating
    assert (x + wg.ones(1, dtype=wg.bool)).dtype.name == name


@every
def test_numbers_and_0d_tensors_do_not_promote(name: str) -> None:
    x = wg.ones(1, dtype=getattr(wg, name))
    for other in (3, most_of(name), True, wg.tensor(1), wg.tensor(1, dtype=wg.int8)):
        assert (x + other).dtype.name == (other + x).dtype.name == name
    assert (x + 0.5).dtype is wg.float32
    assert (wg.ones(1, dtype=wg.int8) + wg.tensor(1, dtype=getattr(wg, name))).dtype is wg.int8


def test_uint64_and_a_sign_cannot_be_written_in_place() -> None:
    with pytest.raises(RuntimeError, match="result type Double can't be cast to the desired output type UInt64"):
        wg.ones(1, dtype=wg.uint64).add_(wg.ones(1, dtype=wg.int64))


@pytest.mark.filterwarnings("ignore:Casting complex values to real discards the imaginary part")
@every
@pytest.mark.parametrize("other", ["bool", *INTEGERS, "float16", "float32", "float64", "complex64", "complex128"])
def test_casts_are_numpys(name: str, other: str) -> None:
    array = numbers(name)
    small = np.arange(20).reshape(4, 5).astype(other)
    with np.errstate(over="ignore"):
        check(wg.from_numpy(array).to(getattr(wg, other)), (array.astype("float32") if other == "float16"
                                                            else array).astype(other))
    check(wg.from_numpy(small).to(getattr(wg, name)), small.real.astype(name))
    check(wg.empty(4, 5, dtype=getattr(wg, name)).copy_(wg.from_numpy(small)), small.real.astype(name))


def test_floats_of_the_upper_half_are_exact() -> None:
    values = [2.0**63, 2.0**63 + 2048, 2.0**64 - 2048, 1e19]
    assert wg.tensor(values, dtype=wg.float64).to(wg.uint64).tolist() == [int(value) for value in values]
    assert wg.tensor([2.0**31, 2.0**32 - 1], dtype=wg.float64).to(wg.uint32).tolist() == [2**31, 2**32 - 1]


# ---- operations: (name, of two tensors and shifts, of two arrays and shifts)

ELEMENTWISE: list[tuple[str, Callable[..., Any], Callable[..., Any]]] = [
    ("add", lambda x, y, s: x + y, lambda a, b, s: a + b),
    ("sub", lambda x, y, s: x - y, lambda a, b, s: a - b),
    ("mul", lambda x, y, s: x * y, lambda a, b, s: a * b),
    ("floor_divide", lambda x, y, s: x // y, lambda a, b, s: a // b),
    ("remainder", lambda x, y, s: x % y, lambda a, b, s: a % b),
    ("fmod", lambda x, y, s: wg.fmod(x, y), lambda a, b, s: np.fmod(a, b)),
    ("div trunc", lambda x, y, s: wg.div(x, y, rounding_mode="trunc"), lambda a, b, s: a // b),
    ("div floor", lambda x, y, s: wg.div(x, y, rounding_mode="floor"), lambda a, b, s: a // b),
    ("div", lambda x, y, s: x / y, lambda a, b, s: a.astype("float32") / b.astype("float32")),
    ("pow", lambda x, y, s: x**s, lambda a, b, s: a**s),
    ("square", lambda x, y, s: wg.square(x), lambda a, b, s: a * a),
    ("gcd", lambda x, y, s: wg.gcd(x, y), lambda a, b, s: np.gcd(a, b)),
    ("lcm", lambda x, y, s: wg.lcm(x, y), lambda a, b, s: np.lcm(a, b)),
    ("and", lambda x, y, s: x & y, lambda a, b, s: a & b),
    ("or", lambda x, y, s: x | y, lambda a, b, s: a | b),
    ("xor", lambda x, y, s: x ^ y, lambda a, b, s: a ^ b),
    ("invert", lambda x, y, s: ~x, lambda a, b, s: ~a),
    ("left shift", lambda x, y, s: x << s, lambda a, b, s: a << s),
    ("right shift", lambda x, y, s: x >> s, lambda a, b, s: a >> s),
    ("lt", lambda x, y, s: x < y, lambda a, b, s: a < b),
    ("le", lambda x, y, s: x <= y, lambda a, b, s: a <= b),
    ("gt", lambda x, y, s: x > y, lambda a, b, s: a > b),
    ("ge", lambda x, y, s: x >= y, lambda a, b, s: a >= b),
    ("eq", lambda x, y, s: x == y, lambda a, b, s: a == b),
    ("ne", lambda x, y, s: x != y, lambda a, b, s: a != b),
    ("maximum", lambda x, y, s: wg.maximum(x, y), lambda a, b, s: np.maximum(a, b)),
    ("minimum", lambda x, y, s: wg.minimum(x, y), lambda a, b, s: np.minimum(a, b)),
    ("clamp", lambda x, y, s: x.clamp(wg.minimum(x, y), y), lambda a, b, s: np.minimum(a, b)),
    ("clamp from", lambda x, y, s: x.clamp(y), lambda a, b, s: np.maximum(a, b)),
    ("neg", lambda x, y, s: -x, lambda a, b, s: -a),
    ("abs", lambda x, y, s: abs(x), lambda a, b, s: a),
    ("sign", lambda x, y, s: x.sign(), lambda a, b, s: np.sign(a)),
    ("floor", lambda x, y, s: x.floor(), lambda a, b, s: a),
    ("sqrt", lambda x, y, s: x.sqrt(), lambda a, b, s: np.sqrt(a.astype("float32"))),
    ("logical_xor", lambda x, y, s: wg.logical_xor(x, y), lambda a, b, s: np.logical_xor(a, b)),
    ("isfinite", lambda x, y, s: x.isfinite(), lambda a, b, s: np.isfinite(a)),
    ("where", lambda x, y, s: wg.where(x > y, x, y), lambda a, b, s: np.maximum(a, b)),
    ("addcmul", lambda x, y, s: wg.addcmul(x, x, y, value=3), lambda a, b, s: a + a.dtype.type(3) * a * b),
    ("heaviside", lambda x, y, s: wg.heaviside(x, y), lambda a, b, s: np.where(a == 0, b, a.dtype.type(1))),
    ("alpha", lambda x, y, s: wg.add(x, y, alpha=3), lambda a, b, s: a + a.dtype.type(3) * b),
    ("in place", lambda x, y, s: x.clone().mul_(y), lambda a, b, s: a * b),
    ("out", lambda x, y, s: wg.add(x, y, out=wg.empty(4, 5, dtype=x.dtype)), lambda a, b, s: a + b),
]


@every
@pytest.mark.parametrize(("ours", "theirs"), [row[1:] for row in ELEMENTWISE], ids=[row[0] for row in ELEMENTWISE])
@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_elementwise_operations_are_numpys(name: str, ours: Any, theirs: Any, layout: str) -> None:
    a, b = numbers(name), numbers(name, seed=1)
    s = np.random.default_rng(2).integers(0, 8 * a.itemsize, (4, 5)).astype(name)
    arrays = [a, b, s] if layout == "rows" else [np.asfortranarray(x) for x in (a, b, s)]
    with np.errstate(all="ignore"):
        check(ours(*map(wg.from_numpy, arrays)), theirs(a, b, s))


BINARY = [operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.and_, operator.or_,
          operator.xor, operator.lt, operator.ge, operator.eq]  # fmt: skip


@every
@pytest.mark.parametrize("function", BINARY, ids=lambda f: f.__name__)
def test_large_python_numbers_are_operands(name: str, function: Any) -> None:
    array, most = numbers(name, seed=1), most_of(name)
    for number in (3, most // 2 + 1, most):
        as_array = np.full((4, 5), number, name)
        check(function(wg.from_numpy(array), number), function(array, as_array))
        check(function(number, wg.from_numpy(array)), function(as_array, array))


@every
def test_large_numbers_take_part_in_calls(name: str) -> None:
    array, most = numbers(name), most_of(name)
    x, end = wg.from_numpy(array), np.array(most, name)
    check(x.clamp(max=most // 2), np.minimum(array, np.array(most // 2, name)))
    check(x.clamp(1, most - 1), np.clip(array, np.array(1, name), np.array(most - 1, name)))
    check(x.masked_fill(x > 5, most), np.where(array > 5, end, array))
    check(wg.where(x > 5, x, most), np.where(array > 5, array, end))
    check(x.index_fill(0, wg.tensor([1]), most), np.where(np.arange(4)[:, None] == 1, end, array))
    pad = wg.TABLE.ops["nn.functional.pad"]
    check(pad(x, (1, 0), value=most), np.pad(array, ((0, 0), (1, 0)), constant_values=most))
    with pytest.raises(RuntimeError, match=f"value cannot be converted to type {name}_t without overflow"):
        pad(x, (1, 0), value=-1)


REDUCED: list[tuple[str, Callable[[Any], Any], Callable[[Array], Any]]] = [
    ("sum", lambda x: x.sum(), lambda a: a.astype("int64").sum()),
    ("sum of a dim", lambda x: x.sum(0), lambda a: a.astype("int64").sum(0)),
    ("sum as uint64", lambda x: x.sum(1, dtype=wg.uint64), lambda a: a.sum(1, dtype="uint64")),
    ("sum as itself", lambda x: x.sum(dtype=x.dtype), lambda a: a.sum(dtype=a.dtype)),
    ("sum as float64", lambda x: x.sum(dtype=wg.float64), lambda a: a.astype("float64").sum()),
    ("prod", lambda x: x.prod(0), lambda a: a.astype("int64").prod(0)),
    ("prod as itself", lambda x: x.prod(1, dtype=x.dtype), lambda a: a.prod(1, dtype=a.dtype)),
    ("mean", lambda x: x.mean(dtype=wg.float64), lambda a: a.mean()),
    ("max", lambda x: x.max(), np.max),
    ("min", lambda x: x.min(), np.min),
    ("max of a dim", lambda x: x.max(1).values, lambda a: a.max(1)),
    ("amax", lambda x: x.amax(0), lambda a: a.max(0)),
    ("amin", lambda x: x.amin(1), lambda a: a.min(1)),
    ("aminmax", lambda x: x.aminmax().min, np.min),
    ("argmax", lambda x: x.argmax(), np.argmax),
    ("argmax of a dim", lambda x: x.argmax(0), lambda a: a.argmax(0)),
    ("argmin", lambda x: x.argmin(1), lambda a: a.argmin(1)),
    ("any", lambda x: x.any(0), lambda a: a.any(0)),
    ("all", lambda x: x.all(0), lambda a: a.all(0)),
    ("count_nonzero", lambda x: x.count_nonzero(), lambda a: np.int64(np.count_nonzero(a))),
    ("cumsum", lambda x: x.cumsum(1), lambda a: a.astype("int64").cumsum(1)),
    ("cumsum as itself", lambda x: x.cumsum(0, dtype=x.dtype), lambda a: a.cumsum(0, dtype=a.dtype)),
    ("cumprod", lambda x: x.cumprod(0), lambda a: a.astype("int64").cumprod(0)),
    ("cummax", lambda x: x.cummax(0).values, lambda a: np.maximum.accumulate(a, 0)),
    ("cummin", lambda x: x.cummin(1).values, lambda a: np.minimum.accumulate(a, 1)),
    ("sort", lambda x: x.sort(1).values, lambda a: np.sort(a, 1)),
    ("sort of a column", lambda x: x.sort(0, descending=True).values, lambda a: np.sort(a, 0)[::-1]),
    ("argsort", lambda x: x.argsort(1, stable=True), lambda a: np.argsort(a, 1, kind="stable")),
    ("topk", lambda x: x.topk(2, 1).values, lambda a: np.sort(a, 1)[:, :-3:-1]),
    ("kthvalue", lambda x: x.kthvalue(2, 1).values, lambda a: np.sort(a, 1)[:, 1]),
    ("median", lambda x: x.median(1).values, lambda a: np.sort(a, 1)[:, 2]),
    ("nanmedian", lambda x: x.nanmedian(1).values, lambda a: np.sort(a, 1)[:, 2]),
    ("mode", lambda x: x[:, :1].mode(0).values, lambda a: a[0, :1]),
    ("unique", lambda x: x.unique(), np.unique),
    ("unique rows", lambda x: x.unique(dim=0), lambda a: np.unique(a, axis=0)),
    ("diff", lambda x: x.diff(), np.diff),
    ("trace", lambda x: x.trace(), lambda a: np.trace(a.astype("int64"))),
]


@every
@pytest.mark.parametrize(("ours", "theirs"), [row[1:] for row in REDUCED], ids=[row[0] for row in REDUCED])
def test_reductions_are_numpys(name: str, ours: Any, theirs: Any) -> None:
    array = numbers(name)
    check(ours(wg.from_numpy(array)), theirs(array))
    check(ours(wg.from_numpy(np.asfortranarray(array))), theirs(array))


@every
@pytest.mark.parametrize("size", [1, 3, 30, 300, 5000])
def test_long_rows_are_ordered_and_summed(name: str, size: int) -> None:
    array = np.random.default_rng(size).integers(0, most_of(name), size, dtype=name, endpoint=True)
    x, ordered = wg.from_numpy(array), np.sort(array)
    check(x.sort().values, ordered)
    check(x.sort(descending=True).values, ordered[::-1])
    check(x.argsort(stable=True), np.argsort(array, kind="stable"))
    check(x.topk(1).values, ordered[-1:])
    check(x.median(), ordered[(size - 1) // 2])
    check(x.max(), ordered[-1])
    check(x.argmax(), array.argmax())
    check(x.argmin(), array.argmin())
    check(x.sum(), array.astype("int64").sum())
    check(x.cumsum(0), array.astype("int64").cumsum())
    check(wg.searchsorted(x.sort().values, x), np.searchsorted(ordered, array))


MOVED: list[tuple[str, Callable[[Any, Any], Any], Callable[[Array, Array], Any]]] = [
    ("gather", lambda x, y: x.gather(1, wg.tensor([[1, 0]] * 4)), lambda a, b: a[:, [1, 0]]),
    ("scatter", lambda x, y: x.scatter(1, wg.tensor([[1, 0]] * 4), y), lambda a, b: np.c_[b[:, [1, 0]], a[:, 2:]]),
    ("scatter_add", lambda x, y: x.scatter_add(1, wg.tensor([[0]] * 4), y), lambda a, b: np.c_[a[:, 0] + b[:, 0],
                                                                                              a[:, 1:]]),
    ("scatter_reduce", lambda x, y: x.scatter_reduce(0, wg.tensor([[0] * 5] * 4), y, "amax"),
     lambda a, b: np.r_[np.maximum(a[:1], b.max(0)[None]), a[1:]]),
    ("index_add", lambda x, y: x.index_add(0, wg.tensor([1, 1]), y[:2]), lambda a, b: np.r_[a[:1], a[1:2] + b[:1]
                                                                                           + b[1:2], a[2:]]),
    ("index_put", lambda x, y: x.index_put((wg.tensor([1, 1]),), y[:2], accumulate=True),
     lambda a, b: np.r_[a[:1], a[1:2] + b[:1] + b[1:2], a[2:]]),
    ("index_reduce", lambda x, y: x.index_reduce(0, wg.tensor([0]), y[:1], "amin"),
     lambda a, b: np.r_[np.minimum(a[:1], b[:1]), a[1:]]),
    ("index_select", lambda x, y: x.index_select(0, wg.tensor([3, 1])), lambda a, b: a[[3, 1]]),
    ("index", lambda x, y: x[wg.tensor([3, 1])], lambda a, b: a[[3, 1]]),
    ("take", lambda x, y: x.take(wg.tensor([0, 7])), lambda a, b: a.ravel()[[0, 7]]),
    ("mask", lambda x, y: x[x > y], lambda a, b: a[a > b]),
    ("nonzero", lambda x, y: x.nonzero(), lambda a, b: np.argwhere(a)),
    ("cat", lambda x, y: wg.cat([x, y]), lambda a, b: np.r_[a, b]),
    ("stack", lambda x, y: wg.stack([x, y], 1), lambda a, b: np.stack([a, b], 1)),
    ("flip", lambda x, y: x.flip(0), lambda a, b: a[::-1]),
    ("roll", lambda x, y: x.roll(2), lambda a, b: np.roll(a, 2)),
    ("tril", lambda x, y: x.tril(), lambda a, b: np.tril(a)),
    ("repeat", lambda x, y: x.repeat(2, 1), lambda a, b: np.tile(a, (2, 1))),
    ("repeat_interleave", lambda x, y: x.repeat_interleave(2, 0), lambda a, b: np.repeat(a, 2, 0)),
    ("diag", lambda x, y: x.diag(), lambda a, b: np.diag(a)),
    ("isin", lambda x, y: wg.isin(x, y), lambda a, b: np.isin(a, b)),
    ("bincount", lambda x, y: (x % 7).flatten().bincount(), lambda a, b: np.bincount((a % 7).ravel().astype("int64"))),
    ("matmul", lambda x, y: x @ y.T, lambda a, b: a @ b.T),
    ("matrix and vector", lambda x, y: x @ y[0], lambda a, b: a @ b[0]),
    ("dot", lambda x, y: x[0] @ y[0], lambda a, b: a[0] @ b[0]),
    ("outer", lambda x, y: wg.outer(x[0], y[0]), lambda a, b: np.outer(a[0], b[0])),
    ("einsum", lambda x, y: wg.einsum("ij,kj->ik", x, y), lambda a, b: a @ b.T),
    ("addmm", lambda x, y: wg.addmm(x[:, :4], x, y.T, alpha=3, beta=2),
     lambda a, b: a.dtype.type(2) * a[:, :4] + a.dtype.type(3) * (a @ b.T)),
    ("bmm", lambda x, y: wg.bmm(x[None], y.T[None]), lambda a, b: (a @ b.T)[None]),
    ("kron", lambda x, y: wg.kron(x, y), lambda a, b: np.kron(a, b)),
    ("unfold", lambda x, y: x.unfold(1, 4, 1), lambda a, b: np.stack([a[:, :4], a[:, 1:]], 1)),
]


@pytest.mark.filterwarnings("ignore:index_reduce\\(\\) is in beta")
@every
@pytest.mark.parametrize(("ours", "theirs"), [row[1:] for row in MOVED], ids=[row[0] for row in MOVED])
def test_indexing_joining_and_products_are_numpys(name: str, ours: Any, theirs: Any) -> None:
    a, b = numbers(name), numbers(name, seed=1)
    check(ours(wg.from_numpy(a), wg.from_numpy(b)), theirs(a, b))


@every
def test_they_are_no_indices(name: str) -> None:
    index, x = wg.tensor([1, 0], dtype=getattr(wg, name)), wg.arange(5)
    with pytest.raises(IndexError, match="tensors used as indices must be long, int, byte or bool tensors"):
        x[index]
    with pytest.raises(RuntimeError, match=r"gather\(\): Expected dtype int32/int64 for index"):
        x.gather(0, index)
    with pytest.raises(RuntimeError, match=r"index_select\(\): Expected dtype int32 or int64 for index"):
        x.index_select(0, index)
    with pytest.raises(RuntimeError, match="expected condition to be a boolean tensor"):
        wg.where(index, x[:2], x[:2])
    assert x[index[0]].item() == [0, 1][index[0]] == 1


@every
def test_they_have_storages_without_a_legacy_class(name: str) -> None:
    with pytest.warns(UserWarning, match="TypedStorage is deprecated"):
        storage = wg.tensor([1, 2], dtype=getattr(wg, name)).storage()
    assert storage.tolist() == [1, 2]
    assert storage.type() == "torch.storage.TypedStorage"
    with pytest.raises(KeyError, match=f"dtype torch.{name} is not recognized"):
        storage.pickle_storage_type()


def test_gradient_refuses_what_wraps() -> None:
    with pytest.raises(RuntimeError, match=r"torch\.gradient does not support uint16 input"):
        wg.gradient(wg.arange(4, dtype=wg.uint16))


def test_random_numbers_reach_both_halves() -> None:
    drawn = wg.empty(2000, dtype=wg.uint64).random_()
    assert int(drawn.max()) > 2**63 > int(drawn.min())


def test_numpys_second_64_bit_integer_keeps_its_values() -> None:
    array = np.array([2**64 - 1], np.ulonglong)
    check(wg.from_numpy(array), np.array([2**64 - 1], np.uint64))
