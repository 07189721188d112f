"""Modules that learn the shapes of their parameters from their first input."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import wengert

from wengert_nn.base.state_dict import own_state
from wengert_nn.parameter import is_lazy

__all__ = ["LazyModuleMixin", "_LazyProtocol"]


class _LazyProtocol(Protocol):
    """The parts of Module that ``LazyModuleMixin`` builds on, for type checkers."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _non_persistent_buffers_set: set[str]

    def _register_load_state_dict_pre_hook(self, hook: Any) -> Any: ...
    def register_forward_pre_hook(self, hook: Any, *, prepend: bool = False, with_kwargs: bool = False) -> Any: ...
    def _get_name(self) -> str: ...


class LazyModuleMixin:
    """The part of a lazy module that waits for the first input; stands before the ordinary layer among the bases.

    A subclass makes its parameters as ``UninitializedParameter`` and materializes them in ``initialize_parameters``,
    which gets the arguments of the first call. After it the module is one of the class ``cls_to_become``. A state that
    is loaded before the first call gives the shapes as well. An optimizer is made after the first call.

    >>> import wengert as wg
    >>> layer = wg.nn.LazyLinear(2)
    >>> layer.weight
    <UninitializedParameter>
    >>> layer(wg.ones(4, 3)).shape
    torch.Size([4, 2])
    >>> layer
    Linear(in_features=3, out_features=2, bias=True)
    """

    cls_to_become: type[Any] | None = None
    """The class of the module once its parameters are there; None keeps the lazy one."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _save_to_state_dict(self: Any, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Save the state, with the tensors that have no shape yet as they are: nothing can be detached from them."""
        for name, value in own_state(self):
            destination[prefix + name] = value if keep_vars or is_lazy(value) else value.detach()

    def _lazy_load_hook(self: Any, state_dict: Any, prefix: str, *rest: Any) -> None:
        """Give tensors without a shape those of the state that will be loaded into them."""
        for name, value in named_tensors(self):
            loaded = state_dict.get(prefix + name)
            if loaded is not None and is_lazy(value) and not is_lazy(loaded):
                with wengert.no_grad():
                    value.materialize(loaded.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Materialize the parameters for the arguments of the first call; to be overridden."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Return whether a parameter or buffer has no shape yet."""
        return any(is_lazy(value) for _, value in named_tensors(self))

    def _infer_parameters(self: Any, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> None:
        """Initialize the parameters before the first call, and become an ordinary module."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become


def named_tensors(module: Any) -> Iterator[tuple[str, Any]]:
    """Yield the parameters and buffers of one module with their names."""
    yield from module._parameters.items()
    yield from module._buffers.items()
