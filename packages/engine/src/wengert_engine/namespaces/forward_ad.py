"""wengert.autograd.forward_ad: forward mode, by dual tensors.

>>> import wengert_core as wc
>>> from wengert_engine.namespaces import forward_ad as fwAD
>>> with fwAD.dual_level():
...     x = fwAD.make_dual(wc.tensor([1.0, 2.0]), wc.tensor([1.0, 0.0]))
...     fwAD.unpack_dual(x * x).tangent.tolist()
[2.0, 0.0]
"""

from __future__ import annotations

from typing import Any, NamedTuple

from wengert_core.dispatch.op import type_words
from wengert_core.dispatch.overrides import call_overrides, overloaded_args
from wengert_core.tensors.tensor import Tensor

from wengert_engine.forward import dual as forward
from wengert_engine.forward.dual_levels import (
    _is_fwd_grad_enabled,
    _set_fwd_grad_enabled,
    current_level,
    dual_level,
    enter_dual_level,
    exit_dual_level,
)

__all__ = [
    "UnpackedDualTensor", "_is_fwd_grad_enabled", "_set_fwd_grad_enabled", "dual_level", "enter_dual_level",
    "exit_dual_level", "make_dual", "set_fwd_grad_enabled", "unpack_dual",
]
__changing__ = ("_current_level",)
"""Names whose value is another from time to time."""


def __getattr__(name: str) -> int:
    """``_current_level``: the number of the level that is open, the same for all threads; -1: none."""
    if name == "_current_level":
        return current_level()
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


class UnpackedDualTensor(NamedTuple):
    """What unpack_dual returns: the primal, and the tangent or None."""

    primal: Any
    tangent: Any


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A dual tensor: a view of ``tensor`` with ``tangent`` (as it is, not copied, where the layouts agree).

    Operations on it compute the tangents of their results; unpack_dual gives them.
    Raises RuntimeError outside a dual level and for shapes that differ, ValueError for dtypes that are not
    differentiable.

    >>> import wengert_core as wc
    >>> with dual_level():
    ...     x = make_dual(wc.ones(2), wc.tensor([1.0, 3.0]))
    ...     unpack_dual(x.sum()).tangent.item()
    4.0
    """
    dual: Tensor
    level = current_level() if level is None else level
    if level < 0:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    if (type(tensor) is not Tensor or type(tangent) is not Tensor) and (
        askers := overloaded_args((tensor, tangent), {})
    ):
        dual = call_overrides(make_dual, (tensor, tangent), {"level": level}, askers)
        return dual
    for position, (name, value) in enumerate((("primal", tensor), ("tangent", tangent)), 1):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"_make_dual(): argument '{name}' (position {position}) must be Tensor, not {type_words(value)}"
            )
        if not (value.is_floating_point() or value.is_complex()):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {value.dtype}")
    if level != current_level():
        raise RuntimeError(f"Invalid level given to _make_dual: {level}, open is {current_level()}")
    if forward.get(tangent) is not None:
        raise RuntimeError("Setting a forward grad that itself has a forward gradient at the same level 0 is not "
                           "supported: the tangent is a dual tensor, unpack_dual() gives its primal")
    if forward.get(tensor) is not None:
        forward.put(tensor, tangent)  # raises
    dual = tensor.view(tensor.shape)
    forward.put(dual, tangent)
    return dual


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The primal (a view of ``tensor`` without tangent) and the tangent, or None where there is none, as a named tuple.

    Outside a level the tensor itself and None.

    >>> import wengert_core as wc
    >>> with dual_level():
    ...     unpack_dual(wc.ones(2)).tangent is None
    True
    """
    level = current_level() if level is None else level
    if level < 0:
        return UnpackedDualTensor(tensor, None)
    if type(tensor) is not Tensor and (askers := overloaded_args((tensor,), {})):
        parts: UnpackedDualTensor = call_overrides(unpack_dual, (tensor,), {"level": level}, askers)
        return parts
    if not isinstance(tensor, Tensor):
        raise TypeError(f"_unpack_dual(): argument 'dual' (position 1) must be Tensor, not {type_words(tensor)}")
    tangent = forward.get(tensor)
    if tangent is not None and level != current_level():
        raise RuntimeError(f"Invalid level given to _fw_primal: {level}, open is {current_level()}")
    return UnpackedDualTensor(forward.primal_of(tensor), tangent)


set_fwd_grad_enabled = _set_fwd_grad_enabled
