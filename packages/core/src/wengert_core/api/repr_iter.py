"""What Python asks of a tensor beside arithmetic: its text, its elements one by one, whether it contains a value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from wengert_core.drivers.view.view import as_single_views
from wengert_core.dtypes.dtypes import ALL, get_default_dtype
from wengert_core.tensors.tensor import Tensor, is_strided_tensor, mount, set_operators

NOTES: list[Callable[[Any], str]] = []
"""What else the text of a tensor says: functions that give ``name=value``, or "" where there is nothing to say."""


def text(tensor: Any, contents: str | None = None) -> str:
    """``repr(tensor)``, as torch prints it. contents: stands for the elements."""
    from wengert_core.api import printing  # costs milliseconds; most programs print nothing

    plain = tensor.detach() if hasattr(tensor, "detach") else tensor
    if not is_strided_tensor(plain):
        return text_of_layout(tensor, plain)
    kind = type(tensor)
    shape = tuple(plain.shape)
    if plain.device.type != "cpu":  # only what is shown is copied to the host
        for dim, places in enumerate(printing.visible_positions(shape) or ()):
            index = plain.new_tensor(places.tolist(), dtype=ALL["int64"])
            plain = plain.index_select(dim, index)
        plain = plain.cpu()
    array = (plain.float() if plain.dtype.name in ("float16", "bfloat16") else plain).numpy()
    return printing.format_tensor(array, shape=shape, device=str(tensor.device), dtype=tensor.dtype.name,
                                  default_dtype=get_default_dtype().name,
                                  requires_grad=getattr(tensor, "requires_grad", False),
                                  grad_fn_name=_grad_fn_name(tensor), notes=filter(None, [f(tensor) for f in NOTES]),
                                  name="tensor" if kind is Tensor else kind.__name__, contents=contents)


REPR = Tensor.__repr__
"""What ``repr()`` calls; the method that is mounted takes the elements' text, too."""


def repr_with_contents(tensor: Any, *, tensor_contents: str | None = None) -> str:
    """``repr(tensor)``. tensor_contents: stands for the elements, for subclasses that show something else.

    >>> from wengert_core import ones
    >>> ones(2).__repr__(tensor_contents="two ones")
    'tensor(two ones)'
    """
    return REPR(tensor) if tensor_contents is None else text(tensor, tensor_contents)


def text_of_layout(tensor: Any, plain: Any) -> str:
    """The text of a tensor of another layout, by its plugin."""
    from wengert_core.layouts.lookup import plugin_of

    grad_fn = _grad_fn_name(tensor)
    notes = [f"grad_fn=<{grad_fn}>"] if grad_fn else ["requires_grad=True"] if tensor.requires_grad else []
    return plugin_of(plain).describe(plain, [*notes, *filter(None, [note(tensor) for note in NOTES])])


def _grad_fn_name(tensor: Any) -> str | None:
    try:
        grad_fn = getattr(tensor, "grad_fn", None)
    except RuntimeError:  # a view whose history a write to its base has ended
        return "Invalid"
    return type(grad_fn).__name__ if grad_fn is not None else None


def format_tensor_spec(tensor: Any, spec: str) -> str:
    """``format(tensor, spec)``: of a 0-d tensor as of its number."""
    if not isinstance(spec, str):
        raise TypeError(f"__format__() argument must be str, not {type(spec).__name__}")
    if tensor.ndim == 0 and not getattr(tensor, "is_meta", False):
        from wengert_core.api import printing

        return printing.format_scalar(tensor.item(), spec) if spec else str(tensor.item())
    if not spec:
        return str(tensor)
    raise TypeError(f"unsupported format string passed to {type(tensor).__name__}.__format__: {spec!r} on a tensor of "
                    f"shape {list(tensor.shape)}")


def rows(tensor: Any) -> Iterator[Any]:
    """The tensors along the first dimension, views that can be written to. TypeError for a 0-d tensor."""
    if tensor.dim() == 0:
        raise TypeError("iteration over a 0-d tensor: use .item() for its number")
    return iter(as_single_views(tensor.unbind(0)))


def contains(tensor: Any, value: Any) -> bool:
    """``value in tensor``: whether an element equals a number or a tensor."""
    if not isinstance(value, (bool, int, float, complex, type(tensor))):
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(value)}.")
    return bool((tensor == value).any())


def install() -> None:
    """Mount all of it."""
    set_operators({"repr": text, "iter": rows, "contains": contains})
    mount("__format__", format_tensor_spec)
    repr_with_contents.__name__ = "__repr__"
    mount("__repr__", repr_with_contents)
