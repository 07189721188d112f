"""Tensors from data and sizes: recorded PyTorch results, NumPy as an oracle, options, requires_grad."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wengert_core.drivers.create.factory import mark_requires_grad, set_requires_grad_hook

from .creation_facts import check, load

DTYPES = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
    "complex128", "uint16", "uint32", "uint64",
)  # fmt: skip
FACTS = load("create_tensor") + load("create_factories")


@pytest.mark.parametrize(("expression", "want"), FACTS, ids=[expression for expression, _ in FACTS])
def test_same_as_recorded(expression: str, want: dict[str, Any]) -> None:
    check(expression, want)


# ---- data


def draw_lists(draw: Any, shape: list[int], element: Any) -> Any:
    """Nested lists and tuples of a shape."""
    if not shape:
        return draw(element)
    make = draw(st.sampled_from([list, tuple]))
    return make(draw_lists(draw, shape[1:], element) for _ in range(shape[0]))


@st.composite
def numbers_in_lists(draw: Any) -> Any:
    element = draw(st.sampled_from([
        st.booleans(), st.integers(-100, 100), st.floats(-1e3, 1e3, width=32), st.complex_numbers(max_magnitude=10),
        st.one_of(st.integers(-100, 100), st.floats(-1e3, 1e3, width=32), st.booleans())]))  # fmt: skip
    return draw_lists(draw, draw(st.lists(st.integers(1, 3), max_size=4)), element)


@given(numbers_in_lists())
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_nested_lists_as_numpy_reads_them(data: Any) -> None:
    expected = np.array(data)
    t = wg.tensor(data)
    kind = {"b": "bool", "i": "int64", "f": "float32", "c": "complex64"}[expected.dtype.kind]
    assert t.dtype.name == kind
    np.testing.assert_array_equal(t.numpy(), expected.astype(kind))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("data", [[], [[], []], 1, [1, 0, 1], [[1, 0], [0, 1]], [True, 1]], ids=repr)
def test_every_dtype_holds_small_numbers(data: Any, dtype: str) -> None:
    t = wg.tensor(data, dtype=getattr(wg, dtype))
    assert t.dtype.name == dtype
    assert tuple(t.shape) == np.array(data).shape
    assert t.tolist() == np.array(data).tolist()


@pytest.mark.parametrize(
    "sequence",
    [range(3), bytearray(b"\0\1\2"), np.arange(3), [np.int64(0), 1, 2], [wg.tensor(0), 1, np.array(2)], (0, 1, 2)],
    ids=repr,
)
def test_kinds_of_sequences(sequence: Any) -> None:
    assert wg.tensor(sequence).tolist() == [0, 1, 2]


def test_arrays_inside_lists_are_read_as_a_whole() -> None:
    t = wg.tensor([np.ones((2, 3), np.float16), [[0, 0, 0], np.arange(3)]])
    assert t.dtype is wg.float16
    assert t.tolist() == [[[1, 1, 1]] * 2, [[0, 0, 0], [0, 1, 2]]]


def test_data_is_copied() -> None:
    source = np.zeros(3)
    t = wg.tensor(source)
    source[:] = 1
    assert t.tolist() == [0, 0, 0]


def test_objects_with_an_array_are_data() -> None:
    class Measurement:
        def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
            return np.array([1.0, 2.0])

    assert wg.tensor(Measurement()).tolist() == [1.0, 2.0]


def test_a_list_that_contains_itself() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ValueError, match="too many dimensions 'list'"):
        wg.tensor(endless)


def test_a_list_that_shrinks_while_it_is_read() -> None:
    class Shrinks:
        def __float__(self) -> float:
            data.clear()
            return 1.0

    data: list[Any] = [1.0, Shrinks(), 2.0]
    with pytest.raises(ValueError, match="changed while it was read"):
        wg.tensor(data, dtype=wg.float64)


@pytest.mark.parametrize(
    "data", [Fraction(1, 2), [Fraction(1, 2)], object(), {1}, len], ids=lambda data: type(data).__name__
)
def test_what_is_no_data(data: Any) -> None:
    with pytest.raises(RuntimeError, match="Could not infer dtype of"):
        wg.tensor(data)


def test_the_order_of_dimensions_in_memory_is_kept() -> None:
    columns = np.arange(6.0).reshape(2, 3).T
    assert wg.tensor(columns).stride() == (1, 3)
    assert wg.tensor(columns, dtype=wg.int8).stride() == (1, 3)
    assert wg.zeros_like(wg.tensor(columns)).stride() == (1, 3)


# ---- dtypes


def test_the_default_dtype_is_that_of_floats() -> None:
    wg.set_default_dtype(wg.float64)
    try:
        for t in (wg.tensor(1.0), wg.tensor([1.0]), wg.tensor([[1.0, 2]]), wg.zeros(2), wg.full((1,), 1.0),
                  wg.linspace(0, 1, 2),
                  wg.arange(1.0), wg.eye(1), wg.rand(1), wg.scalar_tensor(1)):  # fmt: skip
            assert t.dtype is wg.float64
        assert wg.tensor(1j).dtype is wg.complex128
    finally:
        wg.set_default_dtype(wg.float32)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(256, "uint8"), (-256, "uint8"), (128, "int8"), (-32769, "int16"), (2**31, "int32"), (1e20, "int64"),
     (-129.0, "int8"), (-0.5, "uint8"), (math.inf, "int64"),
     (2**16, "uint16"), (-(2**32), "uint32"), (-0.5, "uint64"), (1e20, "uint64")],
)  # fmt: skip
@pytest.mark.parametrize("make", ["tensor", "nested", "full", "full_like"])
def test_numbers_that_do_not_fit(make: str, value: float, dtype: str) -> None:
    kind = getattr(wg, dtype)
    calls = {
        "tensor": lambda: wg.tensor(value, dtype=kind),
        "nested": lambda: wg.tensor([[0, value]], dtype=kind),
        "full": lambda: wg.full((2,), value, dtype=kind),
        "full_like": lambda: wg.full_like(wg.ones(1, dtype=kind), value),
    }
    in_c = {"int64": "int64_t", "int32": "int"}.get(dtype, f"{dtype}_t") if make.startswith("full") else dtype
    with pytest.raises(RuntimeError, match=f"value cannot be converted to type {in_c} without overflow"):
        calls[make]()


# ---- sizes and values


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 0, 3), (1, 2, 3, 4)], ids=str)
def test_filled_tensors(shape: tuple[int, ...], dtype: str) -> None:
    kind = getattr(wg, dtype)
    filled = {0: wg.zeros(*shape, dtype=kind) if shape else wg.zeros((), dtype=kind), 1: wg.ones(shape, dtype=kind)}
    filled[1] = wg.full(shape, 1, dtype=kind) if dtype == "bool" else filled[1]
    for value, t in filled.items():
        assert t.tolist() == np.full(shape, value).tolist()
        assert tuple(t.shape) == shape
        assert t.is_contiguous()
    assert tuple(wg.empty(shape, dtype=kind).shape) == shape


@pytest.mark.parametrize("bounds", [(0, 10, 1), (0, 10, 3), (10, 0, -3), (5, 5, 1), (-3, 4, 2)], ids=str)
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "float16", "bfloat16", "float32", "float64"])
def test_arange_as_numpy(bounds: tuple[int, int, int], dtype: str) -> None:
    t = wg.arange(*bounds, dtype=getattr(wg, dtype))
    assert t.dtype.name == dtype
    assert t.tolist() == np.arange(*bounds).tolist()


@pytest.mark.parametrize("n", [0, 1, 2, 7, 50])
@pytest.mark.parametrize("name", ["linspace", "logspace"])
def test_spaced_numbers_as_numpy(name: str, n: int) -> None:
    t = getattr(wg, name)(-1.5, 2.25, n, dtype=wg.float64)
    np.testing.assert_allclose(t.numpy(), getattr(np, name)(-1.5, 2.25, n), rtol=1e-13, atol=1e-15)


def test_whole_spaced_numbers_start_from_whole_bounds() -> None:
    assert wg.linspace(-0.788, -2.28, 7, dtype=wg.int32).tolist() == [0, 0, 0, -1, -1, -1, -2]  # as recorded from torch


@pytest.mark.parametrize("k", [-3, -1, 0, 1, 4])
def test_triangles_as_numpy(k: int) -> None:
    np.testing.assert_array_equal(wg.tril_indices(3, 4, k).numpy(), np.stack(np.tril_indices(3, k, 4)))
    np.testing.assert_array_equal(wg.triu_indices(3, 4, k).numpy(), np.stack(np.triu_indices(3, k, 4)))


def test_complex_parts_stay_apart() -> None:
    z = wg.complex(wg.tensor([math.inf, 1.0]), wg.tensor([1.0, math.nan]))
    assert z[0].item() == complex(math.inf, 1)
    assert z.numpy()[1].real == 1
    np.testing.assert_allclose(wg.polar(wg.tensor([2.0]), wg.tensor([1.0])).numpy(), [2 * np.exp(1j)], rtol=1e-6)


# ---- options


def test_out_is_filled_resized_and_counted() -> None:
    out = wg.ones(3)
    version = out._version
    assert wg.zeros(2, 2, out=out) is out
    assert out.tolist() == [[0, 0], [0, 0]]
    assert out._version == version + 1


@pytest.mark.parametrize(
    "call",
    [
        lambda **o: wg.tensor([1.0], **o),
        lambda **o: wg.zeros(2, **o),
        lambda **o: wg.ones_like(wg.ones(2), **o),
        lambda **o: wg.ones(2).new_zeros(3, **o),
        lambda **o: wg.rand(2, **o),
        lambda **o: wg.linspace(0, 1, 2, **o),
        lambda **o: wg.asarray(1.5, **o),
        lambda **o: wg.normal(0.0, 1.0, (2,), **o),
    ],
)
def test_requires_grad_goes_through_the_hook(call: Any) -> None:
    asked: list[Any] = []
    before = set_requires_grad_hook(lambda tensor, flag: asked.append((tensor, flag)))
    try:
        t = call(requires_grad=True)
        assert [(entry[0] is t, entry[1]) for entry in asked] == [(True, True)]
        assert call(requires_grad=False) is not None
        assert len(asked) == 1
    finally:
        set_requires_grad_hook(before)


def test_requires_grad_without_an_engine_names_the_package() -> None:
    before = set_requires_grad_hook(None)
    try:
        with pytest.raises(ImportError, match="pip install wengert-engine"):
            wg.zeros(2, requires_grad=True)
        with pytest.raises(
            RuntimeError, match="Only Tensors of floating point and complex dtype can require gradients"
        ):
            mark_requires_grad(wg.zeros(2, dtype=wg.int8))
        assert mark_requires_grad(t := wg.zeros(2), False) is t
    finally:
        set_requires_grad_hook(before)


@pytest.mark.parametrize("name", ["zeros", "rand", "eye"])
def test_options_that_cannot_be(name: str) -> None:
    make = getattr(wg, name)
    with pytest.raises(RuntimeError, match="pin_memory=True requires"):
        make(2, pin_memory=True)
    with pytest.raises(TypeError, match=r"argument 'layout' must be torch\.layout, not int"):
        make(2, layout=3)
    with pytest.raises(NotImplementedError, match=r"layout torch\.diagonal is not supported: no installed package"):
        make(2, layout=wg.layout("diagonal"))
    with pytest.raises(RuntimeError, match="Torch not compiled with CUDA enabled"):
        make(2, device="cuda")


# ---- the old constructors


def test_legacy_constructors() -> None:
    assert tuple(wg.Tensor(2, 3).shape) == (2, 3)
    assert wg.Tensor([1, 2]).dtype is wg.float32
    assert wg.LongTensor([1.5]).tolist() == [1]
    assert isinstance(wg.ones(1), wg.FloatTensor)
    assert not isinstance(wg.ones(1), wg.LongTensor)
    with pytest.raises(TypeError, match=r"expected a tensor of dtype torch\.int64"):
        wg.LongTensor(wg.ones(2))
    with pytest.raises(TypeError, match="data must be a sequence"):
        wg.Tensor(2.5)


def test_subclasses_are_made_by_calling_them() -> None:
    class Subclass(wg.Tensor):
        """A tensor of a kind of its own."""

    t = Subclass([1.0, 2.0])
    assert type(t) is Subclass
    assert t.tolist() == [1.0, 2.0]
