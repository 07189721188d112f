"""Optimizer, the base class of all optimizers: parameter groups, state, hooks and checkpoints."""

from __future__ import annotations

import sys
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from functools import wraps
from itertools import repeat
from typing import Any, TypeAlias

from wengert import Tensor
from wengert.compiler import is_compiling

from wengert_optim.base import state_dicts, step_hooks
from wengert_optim.base.step_hooks import add_hook, register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from wengert_optim.base.torch_names import (
    _capturable_doc,
    _default_to_fused_or_foreach,
    _device_dtype_check_for_fused,
    _differentiable_doc,
    _disable_dynamo_if_unsupported,
    _foreach_doc,
    _fused_doc,
    _get_capturable_supported_devices,
    _get_scalar_dtype,
    _get_value,
    _maximize_doc,
    _params_doc,
    _stack_if_compiling,
    _to_scalar,
    _use_grad_for_differentiable,
    _view_as_real,
)
from wengert_optim.param_groups import _RequiredParameter, normalize_group, required

__all__ = [
    "Optimizer",
    "ParamsT",
    "_RequiredParameter",
    "_capturable_doc",
    "_default_to_fused_or_foreach",
    "_device_dtype_check_for_fused",
    "_differentiable_doc",
    "_disable_dynamo_if_unsupported",
    "_foreach_doc",
    "_fused_doc",
    "_get_capturable_supported_devices",
    "_get_scalar_dtype",
    "_get_value",
    "_global_optimizer_post_hooks",
    "_global_optimizer_pre_hooks",
    "_maximize_doc",
    "_params_doc",
    "_params_t",
    "_stack_if_compiling",
    "_to_scalar",
    "_use_grad_for_differentiable",
    "_view_as_real",
    "params_t",
    "register_optimizer_step_post_hook",
    "register_optimizer_step_pre_hook",
    "required",
]

ParamsT: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
params_t = _params_t = ParamsT  # the names that older programs import
Hook: TypeAlias = Callable[..., Any]
_global_optimizer_pre_hooks = step_hooks.GLOBAL_PRE_HOOKS
_global_optimizer_post_hooks = step_hooks.GLOBAL_POST_HOOKS
HOOKS = (
    "_optimizer_step_pre_hooks",
    "_optimizer_step_post_hooks",
    "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks",
    "_optimizer_load_state_dict_pre_hooks",
    "_optimizer_load_state_dict_post_hooks",
)
SET_GRAD: Callable[[Tensor, Any], None] = vars(Tensor)["grad"].__set__


class Optimizer:
    """Base class of all optimizers: it holds the parameters in groups and the state that an optimizer has of each.

    params: tensors to optimize, in an order that is the same in every run; pairs of a name and a tensor; or dicts, each
    a group with ``"params"`` and options that hold for it alone.
    defaults: the options of groups that do not have their own.
    A subclass writes ``step``, which changes the parameters in place; ``state[param]`` is a dict for what it keeps.
    ``param_groups`` and ``state`` may be read and changed between steps.

    >>> import wengert as wg
    >>> class Halve(wg.optim.Optimizer):
    ...     def __init__(self, params, rate=0.5):
    ...         super().__init__(params, {"rate": rate})
    ...
    ...     @wg.no_grad()
    ...     def step(self, closure=None):
    ...         for group in self.param_groups:
    ...             for param in group["params"]:
    ...                 param.mul_(group["rate"])
    >>> weight, bias = wg.ones(2, requires_grad=True), wg.ones(1, requires_grad=True)
    >>> optimizer = Halve([{"params": weight}, {"params": bias, "rate": 0.1}])
    >>> optimizer.step()
    >>> weight, bias
    (tensor([0.5000, 0.5000], requires_grad=True), tensor([0.1000], requires_grad=True))
    """

    OptimizerPreHook: TypeAlias = Hook
    OptimizerPostHook: TypeAlias = Hook

    _optimizer_step_pre_hooks: OrderedDict[int, Hook]
    _optimizer_step_post_hooks: OrderedDict[int, Hook]
    _optimizer_state_dict_pre_hooks: OrderedDict[int, Hook]
    _optimizer_state_dict_post_hooks: OrderedDict[int, Hook]
    _optimizer_load_state_dict_pre_hooks: OrderedDict[int, Hook]
    _optimizer_load_state_dict_post_hooks: OrderedDict[int, Hook]

    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        for name in HOOKS:
            setattr(self, name, OrderedDict())
        self._patch_step_function()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"{params.type()}; put a single tensor into a list"
            )
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups: list[Any] = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in HOOKS:
            self.__dict__.setdefault(name, OrderedDict())
        self._patch_step_function()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for index, group in enumerate(self.param_groups):
            lines = [f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params"]
            text += f"\nParameter Group {index}\n{''.join(lines)}"
        return f"{text})"

    # ---- steps

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Perform a single step: change all parameters that have a gradient; subclasses write it.

        closure: a function that computes the loss anew, with its gradients, and returns it.
        Returns what the closure returned, or None.
        """
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset the gradients of all parameters, to None or, unless ``set_to_none``, to zeros.

        A parameter without a gradient keeps its value in a step; one whose gradient is zero does not always do so.
        """
        if is_compiling():
            from wengert_optim.updates.captured import compare_contents

            compare_contents(self, has_state=False)
        if step_hooks.PROFILER in sys.modules:
            name = type(self).__name__
            step_hooks.in_profile(f"Optimizer.zero_grad#{name}.zero_grad", self._reset_gradients, set_to_none)
        else:
            self._reset_gradients(set_to_none)

    def _reset_gradients(self, set_to_none: bool) -> None:
        for group in self.param_groups:
            if set_to_none:
                deque(map(SET_GRAD, group["params"], repeat(None)), 0)
                continue
            for grad in [param.grad for param in group["params"] if param.grad is not None]:
                if grad.grad_fn is not None:
                    grad.detach_()
                else:
                    grad.requires_grad_(False)
                grad.zero_()

    @staticmethod
    def profile_hook_step(func: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate the function ``step`` of a class: hooks run around it, and profiles show it under a label."""

        @wraps(func)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            self = args[0]
            if is_compiling():
                from wengert_optim.updates.captured import compare_contents

                compare_contents(self)
            hooks = self._optimizer_step_pre_hooks or self._optimizer_step_post_hooks
            if not (hooks or GLOBAL_PRE or GLOBAL_POST or step_hooks.PROFILER in MODULES):
                return func(*args, **kwargs)
            label = f"Optimizer.step#{type(self).__name__}.step"
            return step_hooks.in_profile(label, step_hooks.with_hooks, self, func, args, kwargs)

        return wrapper

    def _patch_step_function(self) -> None:
        """Decorate the class's step when its first instance is made; a subclass may have a step of its own."""
        cls: Any = type(self)
        if not getattr(cls.step, "hooked", None):
            cls.step = self.profile_hook_step(cls.step)
            cls.step.hooked = True

    def _accelerator_graph_capture_health_check(self) -> None:
        """Raise RuntimeError where a graph of a device is captured around a step of an optimizer without capturable.

        Python counts its steps, and replays would not. Optimizers written for PyTorch call it, too.
        """
        graphs = MODULES.get(step_hooks.GRAPHS)
        kind = "" if graphs is None else graphs.captured_kind()
        if kind and not all(group.get("capturable") for group in self.param_groups):
            raise RuntimeError(f"Attempting {kind.upper()} graph capture of step() for an instance of "
                               f"{type(self).__name__} but param_groups' capturable is False.")  # fmt: skip

    _cuda_graph_capture_health_check = _accelerator_graph_capture_health_check

    # ---- groups

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters, whose options are the defaults where it has none; the dict becomes the group.

        TypeError for what is no dict, a set of parameters, or a parameter that is no tensor; ValueError for a tensor
        that is no leaf, parameters that another group has, a missing option, and names that only some parameters have.
        """
        self.param_groups.append(normalize_group(param_group, self.param_groups, self.defaults))

    # ---- checkpoints

    def state_dict(self) -> dict[str, Any]:
        """Return the state as a dict: ``"state"`` by numbers of parameters, ``"param_groups"`` with these numbers.

        The tensors in it are those of the optimizer, not copies.
        """
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        result = state_dicts.pack(self.param_groups, self.state)
        for hook in self._optimizer_state_dict_post_hooks.values():
            replaced = hook(self, result)
            result = result if replaced is None else replaced
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over the state of an optimizer with as many groups and parameters, from its ``state_dict``.

        Parameters correspond by their order. Floating point tensors get the parameter's dtype and device, except for
        ``"step"``. ValueError where the numbers of groups or of parameters differ.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            replaced = hook(self, state_dict)
            state_dict = state_dict if replaced is None else replaced
        convert = self._process_value_according_to_param_policy
        unpacked = state_dicts.unpack(state_dict, self.param_groups, convert)
        for group, loaded in zip(self.param_groups, unpacked["param_groups"], strict=True):
            group.clear()  # the dicts stay: a captured step reads its learning rate from them
            group.update(loaded)
        self.__setstate__({**unpacked, "param_groups": self.param_groups})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    _process_value_according_to_param_policy = staticmethod(state_dicts.convert_tensor)

    # ---- hooks

    def register_step_pre_hook(self, hook: Hook) -> Any:
        """Call ``hook(optimizer, args, kwargs)`` before each step; it may return other ``(args, kwargs)`` for it.

        Returns a handle whose ``remove`` takes the hook away, as all functions that register a hook do.
        """
        return add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Hook) -> Any:
        """Call ``hook(optimizer, args, kwargs)`` after each step."""
        return add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> Any:
        """Call ``hook(optimizer)`` before ``state_dict``; before the other hooks if ``prepend``."""
        return add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> Any:
        """Call ``hook(optimizer, state_dict)`` after ``state_dict``; it may return another dict to be the result."""
        return add_hook(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> Any:
        """Call ``hook(optimizer, state_dict)`` before ``load_state_dict``; it may return another dict to be loaded."""
        return add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> Any:
        """Call ``hook(optimizer)`` after ``load_state_dict``."""
        return add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend)


GLOBAL_PRE, GLOBAL_POST, MODULES = step_hooks.GLOBAL_PRE_HOOKS, step_hooks.GLOBAL_POST_HOOKS, sys.modules
