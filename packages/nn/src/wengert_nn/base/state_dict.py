"""The state of a module as a dict: ``state_dict`` and ``load_state_dict``, with their hooks."""

from __future__ import annotations

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Iterator, Mapping
from typing import Any

import wengert
from wengert.utils.hooks import RemovableHandle

from wengert_nn.base.backward_hooks import WrappedHook
from wengert_nn.base.global_hooks import Hook, register
from wengert_nn.base.registration import Attributes, is_tensor_like
from wengert_nn.parameter import Parameter, is_lazy

EXTRA_STATE = "_extra_state"
"""The key of what ``get_extra_state`` returns."""
FROM_PUBLIC_API = "_from_public_api"
"""The mark of a post hook that returns nothing."""


class _IncompatibleKeys(namedtuple("_IncompatibleKeys", ["missing_keys", "unexpected_keys"])):  # noqa: PYI024 - as PyTorch's
    """Keys that ``load_state_dict`` has missed, and those that it has not expected."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class State(Attributes):
    """A module as a holder of state."""

    dump_patches: bool = False
    _version: int = 1
    _state_dict_hooks: OrderedDict[int, Hook]
    _state_dict_pre_hooks: OrderedDict[int, Hook]
    _load_state_dict_pre_hooks: OrderedDict[int, Hook]
    _load_state_dict_post_hooks: OrderedDict[int, Hook]

    def get_extra_state(self) -> Any:
        """Return what belongs to the state beside parameters and buffers; to be overridden, with the setter."""
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called. Override it in "
            f"{type(self).__name__} to use it."
        )

    def set_extra_state(self, state: Any) -> None:
        """Take over what ``get_extra_state`` returned; to be overridden."""
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called. Override it in "
            f"{type(self).__name__} to use it."
        )

    # ---- saving

    def register_state_dict_post_hook(self, hook: Any) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after ``state_dict()``; it may change the dict."""
        setattr(hook, FROM_PUBLIC_API, True)
        return register(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Any) -> RemovableHandle:
        if getattr(hook, FROM_PUBLIC_API, False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        return register(self._state_dict_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before ``state_dict()``."""
        return register(self._state_dict_pre_hooks, hook)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Put this module's own state into a dict."""
        for name, value in own_state(self):
            destination[prefix + name] = value if keep_vars else value.detach()
        if type(self).get_extra_state is not State.get_extra_state:
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """Return a dict with the parameters and buffers of this module and of those below it, by dotted names.

        destination: a dict to fill. prefix: stands before all names. keep_vars: the parameters themselves; otherwise
        detached tensors that share their memory.

        >>> import wengert as wg
        >>> wg.nn.Linear(2, 1, bias=False).state_dict(prefix="layer.").keys()
        odict_keys(['layer.weight'])
        """
        if args:
            warnings.warn("Positional args are being deprecated, use kwargs instead.", FutureWarning, stacklevel=2)
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            result = hook(self, destination, prefix, local_metadata)
            if result is not None:
                if getattr(hook, FROM_PUBLIC_API, False):
                    raise RuntimeError("state_dict post-hook must return None")
                destination = result
        return destination

    # ---- loading

    def _register_load_state_dict_pre_hook(self, hook: Hook, with_module: bool = False) -> RemovableHandle:
        return register(self._load_state_dict_pre_hooks, WrappedHook(hook, self if with_module else None))

    def register_load_state_dict_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call a hook before a state is loaded into this module, which may change the state.

        It is called with ``(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
        error_msgs)``.
        """
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after a state has been loaded; it may change these lists."""
        return register(self._load_state_dict_post_hooks, hook)

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        """Copy a state into this module and those below it.

        strict: whether the keys must be those of ``state_dict()``.
        assign: put the tensors of the state into the module, in the place of its own, whose memory is not written.
        Returns the missing and the unexpected keys. Raises RuntimeError with all that does not fit.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        metadata = getattr(state_dict, "_metadata", None)
        copied: Any = OrderedDict(state_dict)
        if metadata is not None:
            copied._metadata = metadata
        report = Report(metadata, assign)
        report.load(self, copied, "")
        errors = report.errors
        if strict:
            for kind, keys in (("Unexpected", report.unexpected), ("Missing", report.missing)):
                if keys:
                    quoted = ", ".join(f'"{key}"' for key in keys)
                    errors.insert(0, f"{kind} key(s) in state_dict: {quoted}. ")
        if errors:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(errors))
        return _IncompatibleKeys(report.missing, report.unexpected)

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Load this module's own state; layers whose state has changed between versions override it."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        assign = local_metadata.get("assign_to_params_buffers", False)
        own = dict(own_state(self))
        for name, value in own.items():
            key = prefix + name
            if key in state_dict:
                problem = load_tensor(self, name, value, key, state_dict[key], assign)
                if problem:
                    error_msgs.append(problem)
            elif strict:
                missing_keys.append(key)
        has_extra = type(self).set_extra_state is not State.set_extra_state
        extra = prefix + EXTRA_STATE
        if has_extra and extra in state_dict:
            self.set_extra_state(state_dict[extra])
        if strict:
            if has_extra != (extra in state_dict):
                (missing_keys if has_extra else unexpected_keys).append(extra)
            unexpected_keys.extend(find_unexpected_keys(self, state_dict, prefix, own))


def own_state(module: Any) -> Iterator[tuple[str, Any]]:
    """Yield the parameters and persistent buffers of a module alone, which are not None."""
    for name, value in module._parameters.items():
        if value is not None:
            yield name, value
    for name, value in module._buffers.items():
        if value is not None and name not in module._non_persistent_buffers_set:
            yield name, value


def find_unexpected_keys(module: Any, state_dict: Any, prefix: str, own: dict[str, Any]) -> Iterator[str]:
    """Yield the keys below a prefix that name neither a tensor nor a submodule of a module."""
    for key in state_dict:
        if key.startswith(prefix) and key != prefix + EXTRA_STATE:
            name, dot, _ = key[len(prefix) :].partition(".")
            if name not in (module._modules if dot else own):
                yield key


class Report:
    """The loading of a state into a tree of modules, and what did not fit."""

    def __init__(self, metadata: Any, assign: bool) -> None:
        self.metadata, self.assign = metadata, assign
        self.missing: list[str] = []
        self.unexpected: list[str] = []
        self.errors: list[str] = []

    def load(self, module: Any, state: Any, prefix: str) -> None:
        """Load the part of a state that belongs to a module and to those below it."""
        local = {} if self.metadata is None else self.metadata.get(prefix[:-1], {})
        if self.assign:
            local["assign_to_params_buffers"] = True
        module._load_from_state_dict(state, prefix, local, True, self.missing, self.unexpected, self.errors)
        for name, child in module._modules.items():
            if child is not None:
                inside = f"{prefix}{name}."
                self.load(child, {key: value for key, value in state.items() if key.startswith(inside)}, inside)
        keys = _IncompatibleKeys(self.missing, self.unexpected)
        for hook in module._load_state_dict_post_hooks.values():
            if hook(module, keys) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new "
                    "values, if incompatible_keys need to be modified, it should be done inplace."
                )


def load_tensor(module: Any, name: str, own: Any, key: str, loaded: Any, assign: bool) -> str:
    """Load one parameter or buffer; return what does not fit, or ''."""
    if not is_tensor_like(loaded):
        return (
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint '
            f"but received {type(loaded)}"
        )
    if not is_lazy(own):
        if own.dim() == 0 and loaded.dim() == 1 and loaded.shape[0] == 1:  # as saved before PyTorch 0.4
            loaded = loaded[0]
        if loaded.shape != own.shape:
            return (
                f"size mismatch for {key}: copying a param with shape {loaded.shape} from checkpoint, "
                f"the shape in current model is {own.shape}."
            )
    try:
        with wengert.no_grad():
            if not assign:
                own.copy_(loaded)
                return ""
            if isinstance(own, Parameter):
                if isinstance(loaded, Parameter):
                    loaded.requires_grad_(own.requires_grad)
                else:
                    loaded = Parameter(loaded, requires_grad=own.requires_grad)
            setattr(module, name, loaded)
    except Exception as error:
        return (
            f'While copying the parameter named "{key}", whose dimensions in the model are {own.size()} and whose '
            f"dimensions in the checkpoint are {loaded.size()}, an exception occurred : {error.args}."
        )
    return ""
