"""The namespace of the array API standard: what it has, how its functions are called, what it tells about itself."""

from __future__ import annotations

import inspect
import math
import pickle
import sys

import numpy as np
import pytest
import wengert as wg
import wengert.array_api as xp

from .array_api_cases import lookup
from .array_api_signatures import CONSTANTS, DTYPES, SIGNATURES


@pytest.mark.parametrize("signature", SIGNATURES)
def test_functions_have_the_parameters_of_the_standard(signature: str) -> None:
    name = signature.partition("(")[0]
    found = inspect.signature(lookup(xp, name))
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in found.parameters.values()]
    shown = found.replace(parameters=plain, return_annotation=inspect.Signature.empty)
    assert f"{name}{shown}" == signature


@pytest.mark.parametrize("signature", SIGNATURES)
def test_functions_have_their_name_and_a_documentation(signature: str) -> None:
    name = signature.partition("(")[0]
    function = lookup(xp, name)
    assert function.__name__ == name.rpartition(".")[2]
    assert function.__doc__.startswith(("Return", "Test"))


def test_nothing_else_is_public() -> None:
    functions = {one.partition("(")[0] for one in SIGNATURES}
    standard = {*functions, *CONSTANTS, *DTYPES, "__array_api_version__", "__array_namespace_info__", "linalg", "fft"}
    assert set(xp.__all__) - standard == {"float16", "bfloat16"}
    assert {f"linalg.{name}" for name in xp.linalg.__all__} <= functions
    assert {f"fft.{name}" for name in xp.fft.__all__} <= functions


def test_dtypes_are_those_of_wengert() -> None:
    for name in DTYPES:
        if hasattr(wg, name):
            assert getattr(xp, name) is getattr(wg, name)


def test_constants_are_numbers_of_python() -> None:
    assert (xp.e, xp.pi, xp.inf) == (math.e, math.pi, math.inf)
    assert math.isnan(xp.nan)
    assert xp.newaxis is None


@pytest.mark.parametrize("version", [None, "2021.12", "2024.12", "2025.12"])
def test_tensors_give_the_module_that_users_import(version: str | None) -> None:
    assert wg.ones(2).__array_namespace__(api_version=version) is xp is wg.array_api
    assert sys.modules["wengert.array_api"] is xp
    assert xp.__name__ == "wengert.array_api"
    assert {xp: 1}[xp] == 1


@pytest.mark.parametrize("version", ["2026.12", "2020.01", "newest"])
def test_an_unknown_version_is_an_error(version: str) -> None:
    with pytest.raises(ValueError, match="api_version"):
        wg.ones(2).__array_namespace__(api_version=version)


def test_functions_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(xp.sum)) is xp.sum
    assert pickle.loads(pickle.dumps(xp.concat)) is xp.concat


def test_an_absent_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nanmean'"):
        xp.nanmean  # noqa: B018


def test_inspection_tells_version_and_abilities() -> None:
    info = xp.__array_namespace_info__()
    assert xp.__array_api_version__ == "2025.12"
    abilities = info.capabilities()
    assert abilities == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}
    assert xp.zeros((1,) * abilities["max dimensions"]).ndim == 64


def test_inspection_lists_the_dtypes_of_each_kind() -> None:
    info = xp.__array_namespace_info__()
    assert set(info.dtypes()) == {name for name in DTYPES if hasattr(wg, name)}
    assert info.dtypes(kind="bool") == {"bool": xp.bool}
    assert info.dtypes(kind="real floating") == {"float32": xp.float32, "float64": xp.float64}
    assert info.dtypes(kind=("bool", "complex floating")) == {
        "bool": xp.bool, "complex64": xp.complex64, "complex128": xp.complex128,
    }  # fmt: skip
    signed = info.dtypes(kind="signed integer")
    assert {**signed, **info.dtypes(kind="unsigned integer")} == info.dtypes(kind="integral")
    assert info.dtypes(kind=()) == {}
    with pytest.raises(ValueError, match="kind"):
        info.dtypes(kind="floats")


def test_inspection_follows_the_default_dtype() -> None:
    info = xp.__array_namespace_info__()
    assert info.default_dtypes()["real floating"] is wg.get_default_dtype() is xp.zeros(1).dtype
    wg.set_default_dtype(wg.float64)
    try:
        expected = {"real floating": xp.float64, "complex floating": xp.complex128}
        assert info.default_dtypes() == {**expected, "integral": xp.int64, "indexing": xp.int64}
        assert xp.zeros(1).dtype is xp.asarray([1.5]).dtype is xp.float64
    finally:
        wg.set_default_dtype(wg.float32)


def test_each_device_makes_arrays() -> None:
    info = xp.__array_namespace_info__()
    assert isinstance(info.devices(), tuple)
    assert info.default_device() in info.devices()
    for device in info.devices():
        assert xp.zeros(2, device=device).device == device
        assert info.dtypes(device=device) == info.dtypes()


@pytest.mark.parametrize("name", ["float32", "float64", "complex64", "complex128"])
def test_finfo_has_the_limits_of_a_dtype_and_of_an_array(name: str) -> None:
    expected = np.finfo(name)
    for one in (getattr(xp, name), xp.zeros(2, dtype=getattr(xp, name))):
        found = xp.finfo(one)
        assert found.dtype is getattr(xp, expected.dtype.name)
        assert (found.bits, found.eps, found.max) == (expected.bits, float(expected.eps), float(expected.max))
        assert (found.min, found.smallest_normal) == (float(expected.min), float(expected.smallest_normal))
        assert {type(found.eps), type(found.max), type(found.min), type(found.smallest_normal)} == {float}


@pytest.mark.parametrize("name", ["int8", "uint8", "int64"])
def test_iinfo_has_the_limits_of_a_dtype_and_of_an_array(name: str) -> None:
    expected = np.iinfo(name)
    for one in (getattr(xp, name), xp.zeros(2, dtype=getattr(xp, name))):
        found = xp.iinfo(one)
        assert (found.dtype, found.bits) == (getattr(xp, name), expected.bits)
        assert (found.max, found.min) == (expected.max, expected.min)


def test_limits_of_other_kinds_are_errors() -> None:
    with pytest.raises(TypeError, match="finfo"):
        xp.finfo(xp.int8)
    with pytest.raises(TypeError, match="iinfo"):
        xp.iinfo(xp.float32)
    with pytest.raises(TypeError, match="iinfo"):
        xp.iinfo(xp.bool)
