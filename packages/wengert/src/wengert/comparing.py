"""``wengert.testing.assert_close``: two values, or containers of values, agree within a tolerance.

>>> from wengert_core import tensor
>>> assert_close(tensor([1.0, 2.0]), tensor([1.0, 2.0000001]))
>>> assert_close(tensor([1.0, 2.0]), tensor([1.0, 3.0]))
Traceback (most recent call last):
    ...
AssertionError: Tensor-likes are not close!
<BLANKLINE>
Mismatched elements: 1 / 2 (50.0%)
Greatest absolute difference: 1.0 at index (1,) (up to 1e-05 allowed)
Greatest relative difference: 0.3333333432674408 at index (1,) (up to 1.3e-06 allowed)
"""

from __future__ import annotations

import cmath
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}
"""(rtol, atol) by dtype; 0 for integers and bool."""
OF_ALLCLOSE = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}
"""The same of assert_allclose; 0 for all others."""
NUMBERS = {int: "int64", float: "float64", complex: "complex128"}
Message = str | Callable[[str], str] | None
Path = tuple[Any, ...]


@dataclass(frozen=True)
class Settings:
    """How assert_close was asked to compare."""

    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool
    allow_subclasses: bool
    msg: Message

    def tolerances(self, *names: str) -> tuple[float, float]:
        """(rtol, atol): those given, or the looser ones of the dtypes."""
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        found = [TOLERANCES.get(name, (0.0, 0.0)) for name in names]
        return max(rtol for rtol, _ in found), max(atol for _, atol in found)

    def fail(self, message: str, path: Path) -> None:
        """Raise AssertionError with the message, or with what msg= makes of it."""
        if path:
            message += f"\n\nThe failure occurred for item {''.join(f'[{part!r}]' for part in path)}"
        raise AssertionError(self.msg(message) if callable(self.msg) else self.msg or message) from None


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: Message = None,
) -> None:
    """AssertionError unless ``|actual - expected| <= atol + rtol * |expected|`` everywhere.

    actual, expected: tensors, NumPy arrays, numbers, None, and sequences or mappings of these, of one kind each.
    rtol, atol: both or none; by default they depend on the dtype.   msg: replaces the message, or is called with it.

    >>> assert_close({"a": 1.0}, {"a": 1.0 + 1e-9})
    """
    __tracebackhide__ = True  # pytest shows the caller's line
    if (rtol is None) != (atol is None):
        missing = "atol" if atol is None else "rtol"
        raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.")
    settings = Settings(
        rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride, allow_subclasses, msg
    )
    try:
        compare(actual, expected, (), settings)
    except RecursionError:
        raise RuntimeError("assert_close(): actual and expected contain themselves, or are nested too deep") from None


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """Compare as ``assert_close`` does, of any dtypes and with wider tolerances: deprecated, as in PyTorch.

    actual, expected: tensors, or what ``tensor`` takes.   rtol, atol: both or none; by default 1e-3 and 1e-3 for
    float16, 1e-4 and 1e-5 for float32, 1e-5 and 1e-8 for float64, 0 for others.   AssertionError as there.

    >>> import pytest
    >>> with pytest.warns(FutureWarning):
    ...     assert_allclose([1.0, 2.0], wc.tensor([1.0, 2.0001]))
    """
    __tracebackhide__ = True
    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please "
        "use `torch.testing.assert_close()` instead.",
        FutureWarning,
        stacklevel=2,
    )
    first = actual if isinstance(actual, Tensor) else wc.tensor(actual)
    second = expected if isinstance(expected, Tensor) else wc.tensor(expected, dtype=first.dtype)
    if rtol is None and atol is None:
        known = [OF_ALLCLOSE.get(x.dtype.name, (0.0, 0.0)) for x in (first, second)]
        rtol, atol = map(max, zip(*known, strict=True))
    assert_close(first, second, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None)


def compare(actual: Any, expected: Any, path: Path, settings: Settings) -> None:
    """One pair: its members if it is a container."""
    __tracebackhide__ = True
    if is_sequence(actual) and is_sequence(expected):
        compare_sequences(actual, expected, path, settings)
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        compare_mappings(actual, expected, path, settings)
    elif actual is None or expected is None:
        if actual is not expected:
            settings.fail(f"None mismatch: {actual} is not {expected}", path)
    else:
        compare_values(actual, expected, path, settings)


def compare_values(actual: Any, expected: Any, path: Path, settings: Settings) -> None:
    """Two values that contain no others."""
    __tracebackhide__ = True
    if is_bool(actual) and is_bool(expected):
        if bool(actual) is not bool(expected):
            settings.fail(f"Booleans mismatch: {bool(actual)} is not {bool(expected)}", path)
    elif is_number(actual) and is_number(expected):
        compare_numbers(actual, expected, path, settings)
    elif is_array(actual, expected, settings):
        compare_tensors(wc.as_tensor(actual), wc.as_tensor(expected), path, settings)
    else:
        raise TypeError(f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.")


def is_sequence(value: Any) -> bool:
    """A list, tuple or the like; no text."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def is_bool(value: Any) -> bool:
    """True and False, Python's or NumPy's."""
    return isinstance(value, (bool, np.bool_))


def is_number(value: Any) -> bool:
    """A number, Python's or NumPy's; no bool."""
    return isinstance(value, (int, float, complex, np.number)) and not is_bool(value)


def is_array(actual: Any, expected: Any, settings: Settings) -> bool:
    """Two tensors or two arrays."""
    for kind in (Tensor, np.ndarray):
        if isinstance(actual, kind) and isinstance(expected, kind):
            return settings.allow_subclasses or type(actual) is type(expected)
    return False


def compare_sequences(actual: Any, expected: Any, path: Path, settings: Settings) -> None:
    """The same length, and each member."""
    __tracebackhide__ = True
    if len(actual) != len(expected):
        settings.fail(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", path)
    for i, pair in enumerate(zip(actual, expected, strict=True)):
        compare(*pair, (*path, i), settings)


def compare_mappings(actual: Any, expected: Any, path: Path, settings: Settings) -> None:
    """The same keys, and each value."""
    __tracebackhide__ = True
    if actual.keys() != expected.keys():
        settings.fail(
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {sorted(expected.keys() - actual.keys())}\n"
            f"Additional keys in the actual mapping: {sorted(actual.keys() - expected.keys())}",
            path,
        )
    for key in sorted_keys(expected):
        compare(actual[key], expected[key], (*path, key), settings)


def sorted_keys(mapping: Any) -> list[Any]:
    """In order where they have one."""
    try:
        return sorted(mapping)
    except TypeError:
        return list(mapping)


# ---- numbers
def compare_numbers(actual: Any, expected: Any, path: Path, settings: Settings) -> None:
    """Two numbers of one type."""
    __tracebackhide__ = True
    actual, expected = (x.item() if isinstance(x, np.number) else x for x in (actual, expected))
    if settings.check_dtype and type(actual) is not type(expected):
        settings.fail(f"The (d)types do not match: {type(actual)} != {type(expected)}.", path)
    names = [name for x in (actual, expected) for kind, name in NUMBERS.items() if isinstance(x, kind)]
    check_scalars(actual, expected, *settings.tolerances(*names), path, settings)


def check_scalars(actual: Any, expected: Any, rtol: float, atol: float, path: Path, settings: Settings) -> None:
    """Fail unless two numbers are close."""
    __tracebackhide__ = True
    if actual == expected or (settings.equal_nan and cmath.isnan(actual) and cmath.isnan(expected)):
        return
    far = abs(actual - expected)
    if cmath.isfinite(far) and far <= atol + rtol * abs(expected):
        return
    relative = math.inf if expected == 0 else far / abs(expected)
    equal = rtol == 0 and atol == 0
    settings.fail(
        f"Scalars are not {'equal' if equal else 'close'}!\n\nExpected {expected} but got {actual}.\n"
        f"Absolute difference: {far}{'' if equal else f' (up to {atol} allowed)'}\n"
        f"Relative difference: {relative}{'' if equal else f' (up to {rtol} allowed)'}",
        path,
    )


# ---- tensors
def compare_tensors(actual: Tensor, expected: Tensor, path: Path, settings: Settings) -> None:
    """Attributes first, then the elements."""
    __tracebackhide__ = True
    check_attributes(actual, expected, path, settings)
    rtol, atol = settings.tolerances(actual.dtype.name, expected.dtype.name)
    actual, expected = (plain(x) for x in (actual, expected))
    kind = wc.promote_types(actual.dtype, expected.dtype)
    actual, expected = (x.to(kind if kind.category > 1 else wc.int64) for x in (actual, expected))
    close = wc.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=settings.equal_nan)
    if bool(close.all()):
        return
    if actual.dim() == 0:
        check_scalars(actual.item(), expected.item(), rtol, atol, path, settings)
    settings.fail(difference(actual, expected, close, rtol, atol), path)


def plain(x: Tensor) -> Tensor:
    """Without its history; core alone has none."""
    return x.detach() if hasattr(x, "detach") else x


def check_attributes(actual: Tensor, expected: Tensor, path: Path, settings: Settings) -> None:
    """Shape, and what else was asked for."""
    __tracebackhide__ = True
    checks: list[tuple[str, bool, Any, Any]] = [
        ("shape", True, actual.shape, expected.shape),
        ("layout", settings.check_layout, actual.layout, expected.layout),
        ("device", settings.check_device, actual.device, expected.device),
        ("dtype", settings.check_dtype, actual.dtype, expected.dtype),
        ("stride()", settings.check_stride, actual.stride(), expected.stride()),
    ]
    for name, wanted, one, other in checks:
        if wanted and one != other:
            settings.fail(f"The values for attribute '{name}' do not match: {one} != {other}.", path)


def difference(actual: Tensor, expected: Tensor, close: Tensor, rtol: float, atol: float) -> str:
    """How many elements differ, and where by how much."""
    wrong, total = int((~close).sum()), actual.numel()
    equal = rtol == 0 and atol == 0
    far = wc.where(close, 0, (actual - expected).abs())
    relative = wc.where(close, 0, far / expected.abs())
    lines = [
        f"Tensor-likes are not {'equal' if equal else 'close'}!",
        "",
        f"Mismatched elements: {wrong} / {total} ({wrong / total:.1%})",
    ]
    for name, values, allowed in (("absolute", far, atol), ("relative", relative, rtol)):
        place = int(values.reshape(-1).argmax())
        index = tuple(int(i) for i in np.unravel_index(place, tuple(actual.shape)))
        lines.append(
            f"Greatest {name} difference: {values.reshape(-1)[place].item()} at index {index}"
            f"{'' if equal else f' (up to {allowed} allowed)'}"
        )
    return "\n".join(lines)
