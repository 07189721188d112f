"""An optimizer that works on other parameters, with a state of theirs, for some time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wengert import Tensor

from wengert_optim.optimizer import Optimizer

__all__ = ["swap_in_optimizer_params_and_state"]

WHO = "swap_in_optimizer_params_and_state"


@contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: Optimizer, swapin_parameters: dict[str, Tensor], swapin_optim_state: dict[str, Any]
) -> Iterator[None]:
    """Let an optimizer work on other parameters and their state, inside of a ``with`` block.

    optimizer: one whose state exists: it has taken a step.   swapin_parameters: as many parameters, in the same order.
    swapin_optim_state: their state and options, in the form of ``state_dict``. Its tensors are changed in place; what
    is put in their place inside of the block is lost at its end.
    RuntimeError where the form or the numbers are others than the optimizer's.

    >>> import wengert as wg
    >>> x, y = wg.ones(1, requires_grad=True), wg.zeros(1, requires_grad=True)
    >>> optimizer = wg.optim.Adam([x], lr=0.5)
    >>> x.grad, y.grad = wg.ones(1), wg.ones(1)
    >>> optimizer.step()
    >>> with wg.optim.swap_in_optimizer_params_and_state(optimizer, {"y": y}, optimizer.state_dict()):
    ...     optimizer.step()
    >>> x, y
    (tensor([0.5000], requires_grad=True), tensor([-0.5000], requires_grad=True))
    """
    state, params = check_state(optimizer, swapin_parameters, swapin_optim_state)
    old_state, old_groups = optimizer.state, [dict(group) for group in optimizer.param_groups]
    new_state: defaultdict[Any, Any] = defaultdict(dict)
    try:
        rest = iter(params)
        for group, new in zip(optimizer.param_groups, swapin_optim_state["param_groups"], strict=True):
            group.update({**new, "params": [next(rest) for _ in new["params"]]})
            for param, number in zip(group["params"], new["params"], strict=True):
                new_state[param] = dict(state.get(number, {}))
        optimizer.state = new_state
        yield
    finally:
        for group, old in zip(optimizer.param_groups, old_groups, strict=True):
            group.clear()
            group.update(old)
        optimizer.state = old_state


def check(condition: Any, message: str) -> None:
    """Raise RuntimeError with the message unless the condition holds."""
    if not condition:
        raise RuntimeError(message)


def check_state(
    optimizer: Optimizer, parameters: dict[str, Tensor], saved: dict[str, Any]
) -> tuple[dict[Any, Any], list[Tensor]]:
    """Return the state by numbers, and the parameters; RuntimeError where they do not fit the optimizer."""
    check(optimizer.state, f"{WHO} requires initialized optimizer state.")
    check(isinstance(saved, dict), f"{WHO} requires a DCP-style optimizer state_dict.")
    state, groups = saved.get("state"), saved.get("param_groups")
    if not isinstance(state, dict):
        kind = type(state).__name__
        raise RuntimeError(
            f"{WHO} requires swapin_optim_state['state'] to be a dict mapping packed parameter ids to per-param state "
            f"dicts, got {kind}."
        )
    check(not any(isinstance(key, Tensor) for key in state),
          f"{WHO} requires optimizer.state_dict()-style state keyed by packed parameter ids.")  # fmt: skip
    check(all(isinstance(value, dict) for key, value in state.items() if isinstance(key, int)),
          f"{WHO} requires per-parameter optimizer state entries to be dictionaries.")  # fmt: skip
    if not isinstance(groups, list):
        kind = type(groups).__name__
        raise RuntimeError(
            f"{WHO} requires swapin_optim_state['param_groups'] to be a list of param-group dicts, got {kind}."
        )
    check(len(optimizer.param_groups) == len(groups),
          "swapin_optim_state has a different number of parameter groups than the live optimizer.")  # fmt: skip
    for index, (live, group) in enumerate(zip(optimizer.param_groups, groups, strict=True)):
        check_group(index, live, group)
    numbers = [number for group in groups for number in group["params"]]
    check(len(numbers) <= len(parameters),
          f"{WHO} requires the explicit parameter state to match optimizer.param_groups ordering.")  # fmt: skip
    extra = [key for key in state if key not in numbers]
    check(not extra, f"{WHO} requires swapin_optim_state['state'] to be keyed only by packed parameter ids from "
          f"param_groups[*]['params']; got extra keys {extra!r}.")  # fmt: skip
    return state, list(parameters.values())


def check_group(index: int, live: dict[str, Any], group: Any) -> None:
    """Raise RuntimeError unless a group has the keys of the optimizer's, and as many parameters by numbers."""
    if not isinstance(group, dict):
        raise RuntimeError(f"{WHO} requires each optimizer param group to be a dictionary.")
    numbers = group.get("params")
    if not isinstance(numbers, list) or not all(isinstance(number, int) for number in numbers):
        raise RuntimeError(
            f"{WHO} requires optimizer.state_dict()-style param_groups[*]['params'] entries keyed by packed parameter "
            "ids."
        )
    check(len(live["params"]) == len(numbers),
          f"swapin_optim_state param group {index} has a different number of params than the live optimizer param "
          "group.")  # fmt: skip
    new, missing = [key for key in group if key not in live], [key for key in live if key not in group]
    check(not new and not missing,
          f"{WHO} requires optimizer.state_dict()-style param group keys to exactly match the live optimizer group "
          f"keys for group {index}. Keys only in swap-in: {new}. Keys only in live: {missing}.")  # fmt: skip
