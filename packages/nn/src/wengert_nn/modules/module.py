"""Class Module: what all layers and networks derive from."""

from __future__ import annotations

from typing import Any

from wengert_nn.base.calls import Calls
from wengert_nn.base.conversion import Conversion
from wengert_nn.base.global_hooks import (
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from wengert_nn.base.state_dict import State, _IncompatibleKeys
from wengert_nn.base.traversal import Tree
from wengert_nn.base.traversal import indent_lines as _addindent

__all__ = [
    "Module",
    "_IncompatibleKeys",
    "_addindent",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]


class Module(Calls, Tree, State, Conversion):
    """The base class of all layers and networks.

    A subclass calls ``super().__init__()``, assigns parameters and submodules to attributes, and computes its result in
    ``forward``. Calling the module calls ``forward`` and the hooks.

    >>> import wengert as wg
    >>> class Scale(wg.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = wg.nn.Parameter(wg.tensor(2.0))
    ...
    ...     def forward(self, input):
    ...         return self.factor * input
    >>> scale = Scale()
    >>> scale(wg.ones(2)).sum().backward()
    >>> {name: parameter.grad for name, parameter in scale.named_parameters()}
    {'factor': tensor(2.)}
    """

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile the module's calls in place, by ``wengert.compile`` with these arguments."""
        import wengert

        self.__dict__.pop("forward" if self._compiled_call_impl is not None else "", None)
        compiled = wengert.compile(self.forward, *args, **kwargs)
        if compiled != self.forward:
            self.__dict__["forward"] = self.__dict__["_compiled_call_impl"] = compiled

