"""Text and files: array2string, array_repr, array_str, save, savez, savetxt; functions of dates are absent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from wengert import Tensor

from wengert_numpy.functions.table import ABSENT, implements
from wengert_numpy.operands import is_differentiable

ABSENT.update(
    dict.fromkeys(
        ("busday_count", "busday_offset", "is_busday", "datetime_as_string"), "tensors have no dates, use arrays"
    )
)


def text_function(name: str) -> Callable[..., str]:
    """Return the function that makes text of a tensor's values, of which nobody takes a derivative."""
    on_array = getattr(np, name)

    def to_text(a: Any, *args: Any, **kwargs: Any) -> str:
        values = a.detach().numpy(force=True) if isinstance(a, Tensor) else a
        return on_array(values, *args, **kwargs)  # type: ignore[no-any-return]

    to_text.__name__ = name
    to_text.__doc__ = f"Return what numpy.{name} writes for the values of a tensor."
    return to_text


for _name in ("array2string", "array_repr", "array_str"):
    implements(_name)(text_function(_name))


def array_to_save(value: Any, name: str) -> Any:
    """Return a tensor as an array. TypeError for one that has a derivative, which a file would not hold."""
    if not isinstance(value, Tensor):
        return value
    if is_differentiable(value):
        raise TypeError(f"{name}(): a file cannot hold the derivative of a tensor: save x.detach()")
    return value.numpy(force=True)


@implements("save")
def save(file: Any, arr: Any, allow_pickle: bool = True) -> None:
    """Write a tensor's values to a file in NumPy's format."""
    np.save(file, array_to_save(arr, "save"), allow_pickle=allow_pickle)


@implements("savetxt")
def savetxt(fname: Any, X: Any, *args: Any, **kwargs: Any) -> None:
    """Write a tensor's values to a text file."""
    np.savetxt(fname, array_to_save(X, "savetxt"), *args, **kwargs)


def savez_function(name: str) -> Callable[..., None]:
    """Return the function that writes the values of several tensors to an archive."""
    write = getattr(np, name)

    def save_all(file: Any, *args: Any, **kwds: Any) -> None:
        arrays = {key: array_to_save(one, name) for key, one in kwds.items()}
        write(file, *(array_to_save(one, name) for one in args), **arrays)

    save_all.__name__ = name
    save_all.__doc__ = f"Write the values of several tensors to an archive, as numpy.{name} does."
    return save_all


for _name in ("savez", "savez_compressed"):
    implements(_name)(savez_function(_name))
