"""Groups of parameters: their form, and the checks that a new one passes."""

from __future__ import annotations

import warnings
from typing import Any

from wengert import Tensor

__all__ = ["_RequiredParameter", "normalize_group", "required"]


class _RequiredParameter:
    """The default of an option that every group has to give."""

    def __repr__(self) -> str:
        return "<required parameter>"


required: _RequiredParameter = _RequiredParameter()


def normalize_group(group: Any, others: list[dict[str, Any]], defaults: dict[str, Any]) -> dict[str, Any]:
    """Return the group, changed in place: a list of tensors, their names if they have any, and all options."""
    if not isinstance(group, dict):
        raise TypeError(f"param_group must be a dict, but got {type(group)}")
    separate_names(group)
    for param in group["params"]:
        check_param(param, defaults)
    for name, default in defaults.items():
        if default is required and name not in group:
            raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
        group.setdefault(name, default)
    check_overlap(group, others)
    return group


def separate_names(group: dict[str, Any]) -> None:
    """Write the parameters of a group as a list of tensors, and their names as ``"param_names"``."""
    params = group["params"]
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
            "will change between runs. Please use a list instead."
        )
    params = [params] if isinstance(params, Tensor) else list(params)
    names = [param[0] for param in params if isinstance(param, tuple)]
    group["params"] = [param[1] if isinstance(param, tuple) else param for param in params]
    if names:
        if len(names) != len(params):
            raise ValueError("all optimizer params should be with/without names. Some param names are missing")
        group["param_names"] = names


def check_param(param: Any, defaults: dict[str, Any]) -> None:
    """Raise TypeError for what is no tensor, ValueError for a tensor that an operation computed."""
    if not isinstance(param, Tensor):
        cls = type(param)
        name = cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
        raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {name}")
    if not (defaults.get("differentiable") or param.is_leaf or param.retains_grad):
        raise ValueError("can't optimize a non-leaf Tensor")


def check_overlap(group: dict[str, Any], others: list[dict[str, Any]]) -> None:
    """Warn of a parameter that is twice in a group; raise ValueError for one that another group has."""
    params = set(group["params"])
    if len(params) != len(group["params"]):
        warnings.warn(
            "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
            "see github.com/pytorch/pytorch/issues/40967 for more information",
            stacklevel=5,
        )
    for other in others:
        if ("param_names" in group) != ("param_names" in other):
            text = "with names" if "param_names" in group else "without names"
            raise ValueError(
                "all optimizer param groups should be with/without names. "
                f"cannot add param group {text} to the optimizer"
            )
    if any(not params.isdisjoint(other["params"]) for other in others):
        raise ValueError("some parameters appear in more than one parameter group")
