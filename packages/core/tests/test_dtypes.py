"""Number types: their facts, promotion, limits, devices and layouts as objects."""

from __future__ import annotations

import copy
import itertools
import pickle

import ml_dtypes
import numpy as np
import pytest
import wengert_core as wg

NAMES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
         "complex128", "uint16", "uint32", "uint64")  # fmt: skip
PAIRS = list(itertools.product(NAMES, repeat=2))


def numpy_dtype(name: str) -> np.dtype[np.generic]:
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


@pytest.mark.parametrize("name", NAMES)
def test_facts(name: str) -> None:
    kind = getattr(wg, name)
    assert repr(kind) == f"torch.{name}"
    assert kind.itemsize == numpy_dtype(name).itemsize
    assert kind.is_floating_point == ("float" in name)
    assert kind.is_complex == ("complex" in name)
    assert kind.is_signed == (name != "bool" and not name.startswith("uint"))
    assert pickle.loads(pickle.dumps(kind)) is kind
    assert copy.deepcopy(kind) is kind


@pytest.mark.parametrize(
    ("alias", "name"),
    [("half", "float16"), ("float", "float32"), ("double", "float64"), ("short", "int16"), ("int", "int32"),
     ("long", "int64"), ("cfloat", "complex64"), ("cdouble", "complex128")],
)  # fmt: skip
def test_other_names(alias: str, name: str) -> None:
    assert getattr(wg, alias) is getattr(wg, name)


def category(name: str) -> int:
    """0 to 3: bool, integer, real, complex."""
    return 0 if name == "bool" else 3 if "complex" in name else 2 if "float" in name else 1


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_promotion(a: str, b: str) -> None:
    result = wg.promote_types(getattr(wg, a), getattr(wg, b))
    assert result is wg.promote_types(getattr(wg, b), getattr(wg, a))
    if {a, b} == {"float16", "bfloat16"}:
        expected = "float32"
    elif "complex64" in (a, b) and "float64" in (a, b):
        expected = "complex128"
    elif category(a) != category(b):
        expected = a if category(a) > category(b) else b
    else:
        expected = np.promote_types(numpy_dtype(a), numpy_dtype(b)).name
    assert result.name == expected


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_result_type_looks_at_dimensions_first(a: str, b: str) -> None:
    high, low = getattr(wg, a), getattr(wg, b)
    result = wg.result_type(wg.ones(2, dtype=high), wg.ones((), dtype=low))
    if category(b) <= category(a):
        assert result is high
    elif category(b) == 3 and category(a) == 2:
        assert result is high.to_complex()
    else:
        assert result is wg.promote_types(high, low)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_can_cast(a: str, b: str) -> None:
    assert wg.can_cast(getattr(wg, a), getattr(wg, b)) == (category(a) <= category(b))


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_finfo(name: str) -> None:
    ours, theirs = wg.finfo(getattr(wg, name)), ml_dtypes.finfo(numpy_dtype(name))
    for field in ("eps", "max", "min", "tiny", "smallest_normal"):
        assert getattr(ours, field) == float(getattr(theirs, field))
    assert (ours.bits, ours.dtype) == (theirs.bits, name)
    assert ours == wg.finfo(getattr(wg, name))


@pytest.mark.parametrize("name", ["uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"])
def test_iinfo(name: str) -> None:
    ours, theirs = wg.iinfo(getattr(wg, name)), np.iinfo(name)
    assert (ours.min, ours.max, ours.bits, ours.dtype) == (theirs.min, theirs.max, theirs.bits, name)


@pytest.mark.parametrize("name", NAMES)
def test_finfo_and_iinfo_refuse_each_others_dtypes(name: str) -> None:
    kind = getattr(wg, name)
    refuses = wg.finfo if category(name) < 2 else wg.iinfo
    with pytest.raises(TypeError, match=r"torch\.finfo|torch\.iinfo"):
        refuses(kind)


def test_the_default_dtype() -> None:
    assert wg.get_default_dtype() is wg.float32
    with pytest.raises(TypeError, match="only floating-point types are supported as the default type"):
        wg.set_default_dtype(wg.int64)
    wg.set_default_dtype(wg.float64)
    try:
        assert wg.finfo().bits == 64
        assert wg.result_type(1, 1.5) is wg.float64
    finally:
        wg.set_default_dtype(wg.float32)


def test_devices_are_values() -> None:
    cpu = wg.device("cpu")
    assert cpu == wg.ones(1).device
    assert cpu != wg.device("cpu:0")
    assert hash(cpu) == hash(wg.device("cpu"))
    assert {cpu: 1}[wg.device(cpu)] == 1
    assert (wg.device("cuda:1").index, wg.device("cuda", 1).type) == (1, "cuda")
    with pytest.raises(AttributeError, match="not writable"):
        cpu.type = "cuda"


@pytest.mark.parametrize("kind", [wg.contiguous_format, wg.preserve_format, wg.strided], ids=repr)
def test_formats_are_single_objects(kind: object) -> None:
    assert pickle.loads(pickle.dumps(kind)) is kind
    assert copy.deepcopy(kind) is kind


def test_tensors_say_where_they_are() -> None:
    t = wg.ones(2)
    assert (t.is_cuda, t.is_sparse, t.is_quantized, t.get_device()) == (False, False, False, -1)
    assert t.layout is wg.strided
