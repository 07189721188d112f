"""Tensors as text, character for character as torch prints them.

The rules were found by asking torch 2.13; `tests/recorded/printing.jsonl` holds its answers and the test compares with
them.
Only the elements that are shown are read, so a tensor of 10^7 elements prints as fast as one of 1,000.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import index
from typing import Any, NamedTuple

import numpy as np

NAME = "tensor"
ELLIPSIS = " ..."  # stands for what is left out of a row; the blank is torch's
COMPLEX_OF_DEFAULT = {"float64": "complex128"}  # every other default dtype goes with complex64


class PrintOptions(NamedTuple):
    """What `set_printoptions` sets; the defaults are the profile "default"."""

    precision: int = 4
    threshold: float = 1000  # more elements than this are summarized
    edgeitems: int = 3  # elements shown at both ends of a summarized dimension
    linewidth: int = 80
    sci_mode: bool | None = None  # None: decided by the elements


PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=float("inf")),
}
_current = PROFILES["default"]


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: Any = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors are printed; what is not given stays, but `sci_mode` goes back to None, as in torch.

    profile: "default", "short" or "full", applied before the other arguments.
    Raises TypeError or ValueError for a value that could not be used (torch fails later, when it prints).

    >>> set_printoptions(precision=2)
    >>> get_printoptions()["precision"]
    2
    >>> set_printoptions(profile="default")
    """
    global _current
    if profile is not None and not (isinstance(profile, str) and profile in PROFILES):
        from wengert_core.messages.short_repr import short_repr
        raise ValueError(f"set_printoptions(): profile must be one of {', '.join(PROFILES)}, got {short_repr(profile)}")
    base = _current if profile is None else PROFILES[profile]
    _current = PrintOptions(
        base.precision if precision is None else _count("precision", precision),
        base.threshold if threshold is None else _threshold(threshold),
        base.edgeitems if edgeitems is None else _count("edgeitems", edgeitems),
        base.linewidth if linewidth is None else _count("linewidth", linewidth),
        sci_mode,
    )


def get_printoptions() -> dict[str, Any]:
    """The options in force, a new dict with the argument names of `set_printoptions`."""
    return _current._asdict()


def _count(name: str, value: int) -> int:
    try:
        count = index(value)
    except TypeError:
        raise TypeError(f"set_printoptions(): {name} must be an int, got {type(value).__name__}") from None
    if count < 0:
        raise ValueError(f"set_printoptions(): {name} must not be negative, got {count}")
    return count


def _threshold(value: Any) -> float:
    if not isinstance(value, (int, float)) or value != value:
        from wengert_core.messages.short_repr import short_repr
        raise TypeError(f"set_printoptions(): threshold must be a number, got {short_repr(value)}")
    return value


def format_tensor(
    array: np.ndarray[Any, Any],
    *,
    dtype: str,
    default_dtype: str = "float32",
    requires_grad: bool = False,
    grad_fn_name: str | None = None,
    device: str = "cpu",
    shape: Sequence[int] | None = None,
    notes: Iterable[str] = (),
    name: str = NAME,
    contents: str | None = None,
) -> str:
    """The repr of a tensor.

    array: its elements in host memory (any strides; bfloat16 as float32), or, if `shape` is given, only the
    elements `shown(shape)` names: for a tensor on a device, which then copies no more than these.
    dtype: the tensor's, such as "bfloat16".   default_dtype: the floating dtype that is not printed.
    grad_fn_name: such as "MulBackward0", printed instead of requires_grad.   notes: further `name=value` texts.
    name: what stands before the parenthesis: of a subclass its own.   contents: stands for the elements.

    >>> print(format_tensor(np.array([[0.1, 2]]), dtype="float64", requires_grad=True))
    tensor([[0.1000, 2.0000]], dtype=torch.float64, requires_grad=True)
    """
    options = _current
    shape = tuple(array.shape if shape is None else shape)
    cut, positions = _plan(shape, options)
    if positions is not None and array.shape == shape:
        array = array[np.ix_(*positions)]
    if contents is not None:
        body = contents
    else:
        body = "[]" if 0 in shape else _render(array, dtype, shape, cut, options, len(name) + 1)
    facts = _facts(shape, dtype, default_dtype, device, options)
    if grad_fn_name is not None:
        facts.append(f"grad_fn=<{grad_fn_name}>")
    elif requires_grad:
        facts.append("requires_grad=True")
    return _close(f"{name}({body}", [*facts, *notes], options.linewidth, len(name) + 1)


def format_scalar(value: Any, spec: str) -> str:
    """`format` of a 0-d tensor: that of its Python number. ValueError for a spec the number does not know.

    >>> format_scalar(np.float32(2.5), ".2f")
    '2.50'
    """
    return format(value.item() if hasattr(value, "item") else value, spec)


def visible_positions(shape: Sequence[int]) -> tuple[np.ndarray[Any, Any], ...] | None:
    """The positions that are printed in each dimension; None if all elements are.

    >>> visible_positions((2, 600))
    (array([0, 1]), array([  0,   1,   2, 597, 598, 599]))
    """
    positions = _plan(tuple(shape), _current)[1]
    return None if positions is None else tuple(np.array(p, np.intp) for p in positions)


def _plan(shape: tuple[int, ...], options: PrintOptions) -> tuple[list[bool], list[list[int]] | None]:
    """Which dimensions are cut, and the positions that stay in each (None: nothing is cut)."""
    edge, count = options.edgeitems, 1
    for size in shape:
        count *= size
    cut = [count > options.threshold and size > 2 * edge for size in shape]
    if not any(cut):
        return cut, None
    ends = [
        [*range(edge), *range(size - edge, size)] if c else [*range(size)] for size, c in zip(shape, cut, strict=True)
    ]
    return cut, ends


class _Style(NamedTuple):
    """How the elements of one tensor, or of its real or imaginary parts, are written."""

    text: Callable[[Any], str]
    width: int


def _plain_style(values: list[Any]) -> _Style:
    """Integers and booleans."""
    return _Style(str, max(map(len, map(str, values)), default=0))


def _float_style(values: list[float], options: PrintOptions) -> _Style:
    """Elements that are finite and not 0 decide between `1.`, `1.0000` and `1.0000e+00`, and the width."""
    counted = [v for v in values if v and v - v == 0]
    if not counted:
        return _Style(lambda v: f"{v:.0f}." if v == 0 else str(v), 1)
    integral = all(v.is_integer() for v in counted)
    low, high = min(map(abs, counted)), max(map(abs, counted))
    scientific = high / low > 1000 or high > 1e8 or low < 1e-4 if options.sci_mode is None else options.sci_mode
    spec, point = f".{options.precision}{'e' if scientific else 'f'}", ""
    if integral and not scientific:
        spec, point = ".0f", "."

    def text(value: float) -> str:
        return format(value, spec) + point if value - value == 0 else str(value)

    return _Style(text, max(len(text(v)) for v in counted))


def _texts(array: np.ndarray[Any, Any], dtype: str, options: PrintOptions) -> tuple[list[str], int]:
    """Every element's text in C order, padded, and the width that the layout of lines counts for one."""
    if dtype.startswith("complex"):
        reals, imags = array.real.ravel().tolist(), array.imag.ravel().tolist()
        real, imag = _float_style(reals, options), _float_style(imags, options)
        parts = [(real.text(r).rjust(real.width), imag.text(i)) for r, i in zip(reals, imags, strict=True)]
        return [f"{r}{i}j" if i[0] == "-" else f"{r}+{i}j" for r, i in parts], real.width + imag.width + 1
    if "float" in dtype:
        values = array.astype(np.float64).ravel().tolist()
        style = _float_style(values, options)
    else:
        values = array.ravel().tolist()
        style = _plain_style(values)
    return [style.text(v).rjust(style.width) for v in values], style.width


def _render(
    array: np.ndarray[Any, Any],
    dtype: str,
    shape: tuple[int, ...],
    cut: list[bool],
    options: PrintOptions,
    indent: int,
) -> str:
    """The nested brackets with their line breaks: innermost rows first, then one dimension after the other."""
    if any(cut) and options.edgeitems == 0:
        return "[...]"
    parts, width = _texts(array, dtype, options)
    outer = len(shape) - 1
    for axis in range(outer, -1, -1):
        size = array.shape[axis]
        groups = [parts[i : i + size] for i in range(0, len(parts), size)]
        if cut[axis]:
            gap = ELLIPSIS if axis == outer else ELLIPSIS.strip()
            groups = [[*g[: options.edgeitems], gap, *g[options.edgeitems :]] for g in groups]
        margin = " " * (indent + axis + 1)
        if axis == outer:
            per_line = max(1, (options.linewidth - indent - outer) // (width + 2))
            parts = [_row(g, per_line, margin) for g in groups]
        else:
            parts = [f"[{(',' + chr(10) * (outer - axis) + margin).join(g)}]" for g in groups]
    return parts[0]


def _row(texts: list[str], per_line: int, margin: str) -> str:
    lines = [", ".join(texts[i : i + per_line]) for i in range(0, len(texts), per_line)]
    return f"[{(',' + chr(10) + margin).join(lines)}]"


def _facts(shape: tuple[int, ...], dtype: str, default_dtype: str, device: str, options: PrintOptions) -> list[str]:
    """Device, size and dtype, where the elements alone do not tell them."""
    facts = [] if device == "cpu" else [f"device='{device}'"]
    empty = 0 in shape
    if shape != (0,) if empty else options.edgeitems == 0:
        facts.append(f"size={shape}")
    implied = {default_dtype}
    if not empty:
        implied |= {"int64", "bool", COMPLEX_OF_DEFAULT.get(default_dtype, "complex64")}
    if dtype not in implied:
        facts.append(f"dtype=torch.{dtype}")
    return facts


def _close(text: str, facts: list[str], linewidth: int, indent: int) -> str:
    """Add the facts and the closing bracket; one that does not fit begins a new line."""
    column = len(text) - text.rfind("\n") + 1  # torch counts two columns more after the elements, none after a fact
    for fact in facts:
        if column + len(fact) + 2 <= linewidth:
            text, column = f"{text}, {fact}", column + len(fact) + 2
        else:
            text, column = f"{text},\n{' ' * indent}{fact}", indent + len(fact)
    return text + ")"
