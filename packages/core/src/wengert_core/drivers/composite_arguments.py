"""Arguments of composites: what must be a tensor, and out=."""

from __future__ import annotations

from typing import Any

from wengert_core.dispatch.op import type_words
from wengert_core.drivers.memory_overlap import check_outputs
from wengert_core.drivers.out_argument import into
from wengert_core.dtypes.dtypes import C_NAMES
from wengert_core.tensors.named_tuple import result_type
from wengert_core.tensors.tensor import Tensor


def check_tensor(name: str, x: Any, which: str = "A", position: int = 1) -> None:
    """TypeError for what is no tensor."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{name}(): argument '{which}' (position {position}) must be Tensor, not {type(x).__name__}")


def give_result(name: str, result: Any, out: Any, strict: bool = True) -> Any:
    """The result, or out= with the result in it. strict: out must have the result's dtype, not just one it casts to."""
    if out is None:
        return result
    if strict and isinstance(out, Tensor) and out.dtype != result.dtype:
        raise RuntimeError(
            f"Expected out tensor to have dtype {C_NAMES[result.dtype.code]}, but got {C_NAMES[out.dtype.code]} "
            f"instead: {name}() writes into an out= of its own dtype"
        )
    return into(name, result, out)


def give_results(name: str, results: tuple[Any, ...], fields: tuple[str, ...], out: Any, strict: bool = True) -> Any:
    """A named tuple of the results; with out= of the tensors given, which hold them then."""
    if out is None:
        return result_type(name, fields)(results)
    if not isinstance(out, (tuple, list)) or len(out) != len(results):
        from wengert_core.messages.short_repr import short_repr
        raise TypeError(
            f"{name}(): argument 'out' must be tuple of Tensors, not {type_words(out)}: of {len(results)} Tensors, "
            f"got {short_repr(out)}"
        )
    check_outputs(name, out)
    return result_type(f"{name}_out", fields)(
        [give_result(name, y, o, strict) for y, o in zip(results, out, strict=True)]
    )
