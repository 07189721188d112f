"""Checkpoints of optimizers: parameters become numbers in their order, and tensors get their parameter's dtype."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

import wengert
from wengert import Tensor

__all__ = ["convert_tensor", "pack", "unpack"]


def pack(groups: list[dict[str, Any]], state: dict[Any, Any]) -> dict[str, Any]:
    """Return groups and state with numbers in the place of parameters."""
    numbers: dict[int, int] = {}
    packed_groups = []
    count = 0
    for group in groups:
        new = {id(param): count + index for index, param in enumerate(group["params"])}
        numbers |= {key: number for key, number in new.items() if key not in numbers}
        count += len(group["params"])
        packed = {key: value for key, value in group.items() if key != "params"}
        packed["params"] = [numbers[id(param)] for param in group["params"]]
        packed_groups.append(packed)
    packed_state = {(numbers[id(key)] if isinstance(key, Tensor) else key): value for key, value in state.items()}
    return {"state": packed_state, "param_groups": packed_groups}


def unpack(
    state_dict: dict[str, Any], groups: list[dict[str, Any]], convert: Callable[..., Tensor]
) -> dict[str, Any]:
    """Return state and groups with the optimizer's parameters in the place of their numbers.

    convert: the function that makes a tensor fit its parameter.
    """
    from copy import deepcopy

    loaded = deepcopy(state_dict["param_groups"])
    if len(groups) != len(loaded):
        raise ValueError(
            "loaded state dict has a different number of parameter groups: "
            f"it has {len(loaded)}, the optimizer has {len(groups)}"
        )
    for index, (group, new) in enumerate(zip(groups, loaded, strict=True)):
        if len(group["params"]) != len(new["params"]):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group: "
                f"group {index} has {len(new['params'])} parameters, the optimizer's has {len(group['params'])}"
            )
    old_params = chain.from_iterable(group["params"] for group in groups)
    params = dict(zip(chain.from_iterable(new["params"] for new in loaded), old_params, strict=True))
    state: defaultdict[Any, Any] = defaultdict(dict)
    for key, value in state_dict["state"].items():
        if key in params:
            state[params[key]] = convert_value(value, convert, params[key], key, state_dict["param_groups"])
        else:
            state[key] = value
    for group, new in zip(groups, loaded, strict=True):
        new["params"] = group["params"]
        if "param_names" in group:
            new.setdefault("param_names", group["param_names"])
    return {"state": state, "param_groups": loaded}


def convert_value(
    value: Any, convert: Callable[..., Tensor], param: Tensor, number: Any, groups: Any, key: Any = None
) -> Any:
    """Return a value of a state, however deep its tensors lie in it, with every tensor converted."""
    if isinstance(value, Tensor):
        return convert(param, value, number, groups, key)
    if isinstance(value, dict):
        return {name: convert_value(one, convert, param, number, groups, name) for name, one in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        make: Any = type(value)
        return make(convert_value(one, convert, param, number, groups) for one in value)
    return value


def convert_tensor(param: Tensor, value: Tensor, param_id: Any, param_groups: Any, key: Any = None) -> Tensor:
    """Return a tensor of a state with its parameter's device and, where that is a floating point one, its dtype.

    The number of steps stays what it is: a low precision cannot count. It goes to the parameter's device only where an
    option of the group says that the update reads it there.
    """
    if param_groups is None:
        raise AssertionError("Expected param_groups to be set")
    if key == "step":
        group: dict[str, Any] = next((one for one in param_groups if param_id in one["params"]), {})
        if group.get("capturable") or group.get("fused"):
            return value.to(dtype=wengert.float32, device=param.device)
        return value
    if param.is_floating_point():
        return value.to(dtype=param.dtype, device=param.device)
    return value.to(device=param.device)
