"""Attributes of a module: parameters, buffers and submodules stand in tables of their own.

Note [Attributes of a module]
    ``module.name = value`` puts a Parameter, a Buffer or a Module into its table; anything else is an ordinary
    attribute. A name stands in one place only. What is in a table is no attribute for Python, so that reading it ends
    in ``__getattr__``: layers that are called often read ``self._parameters`` themselves.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, NoReturn

from wengert import Tensor, typename

from wengert_nn.base import global_hooks
from wengert_nn.parameter import Parameter

PLAIN = frozenset((bool, int, float, str, tuple, list, dict, type(None), type(lambda: None)))
"""Types whose values are never registered."""


def check_name(kind: str, name: Any) -> None:
    """Raise the error for a name that no parameter, buffer or module can have."""
    if not isinstance(name, str):
        raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
    if "." in name:
        got = f", got: {name}" if kind == "module" else ""
        raise KeyError(f'{kind} name can\'t contain "."{got}')
    if name == "":
        raise KeyError(f'{kind} name can\'t be empty string ""')


def is_tensor_like(value: Any) -> bool:
    """Return whether a value is a tensor or an object that takes part in calls with tensors."""
    return isinstance(value, Tensor) or hasattr(value, "__torch_function__")


def run_registration_hooks(hooks: global_hooks.Hooks, module: Any, name: str, value: Any) -> Any:
    """Return what the global hooks of a registration make of a value."""
    for hook in hooks.values():
        output = hook(module, name, value)
        if output is not None:
            value = output
    return value


class Attributes:
    """The attributes of a module."""

    training: bool
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    call_super_init: bool = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init and (args or kwargs):
            name = type(self).__name__
            if kwargs:
                raise TypeError(f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")
            raise TypeError(f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given")
        own = self.__dict__
        own["training"] = True
        own["_parameters"] = {}
        own["_buffers"] = {}
        own["_non_persistent_buffers_set"] = set()
        own["_backward_pre_hooks"] = OrderedDict()
        own["_backward_hooks"] = OrderedDict()
        own["_is_full_backward_hook"] = None
        own["_forward_hooks"] = OrderedDict()
        own["_forward_hooks_with_kwargs"] = OrderedDict()
        own["_forward_hooks_always_called"] = OrderedDict()
        own["_forward_pre_hooks"] = OrderedDict()
        own["_forward_pre_hooks_with_kwargs"] = OrderedDict()
        own["_state_dict_hooks"] = OrderedDict()
        own["_state_dict_pre_hooks"] = OrderedDict()
        own["_load_state_dict_pre_hooks"] = OrderedDict()
        own["_load_state_dict_post_hooks"] = OrderedDict()
        own["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a buffer: a tensor that belongs to the module's state and is no parameter.

        persistent: whether it is part of ``state_dict()``.
        Raises KeyError for a name that is taken, TypeError for what is no tensor and not None.
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        check_name("buffer", name)
        if name not in self._buffers and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")
        if tensor is not None and not is_tensor_like(tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = run_registration_hooks(global_hooks.BUFFER_REGISTRATION, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name: str, param: Any) -> None:
        """Add a parameter, or None for one that is left out.

        Raises KeyError for a name that is taken, TypeError for what is no Parameter, ValueError for one with history.
        """
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        check_name("parameter", name)
        if name not in self._parameters and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")
        if param is None:
            self._parameters[name] = None
            return
        if not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param.grad_fn:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                f"To express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = run_registration_hooks(global_hooks.PARAMETER_REGISTRATION, self, name, param)

    def add_module(self, name: str, module: Any) -> None:
        """Add a submodule, or None for one that is left out. Raises KeyError for a name that is taken."""
        if not isinstance(module, Attributes) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        check_name("module", name)
        if name not in self._modules and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")
        self._modules[name] = run_registration_hooks(global_hooks.MODULE_REGISTRATION, self, name, module)

    def register_module(self, name: str, module: Any) -> None:
        """Add a submodule: another name of ``add_module``."""
        self.add_module(name, module)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        if "_parameters" in own:  # else super().__init__() has not been called
            table = own["_parameters"]
            if name in table:
                return table[name]
            table = own["_modules"]
            if name in table:
                return table[name]
            table = own["_buffers"]
            if name in table:
                return table[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        parameters = own.get("_parameters")
        if type(value) in PLAIN:
            if parameters is None or not (
                name in parameters or name in own["_modules"] or name in own["_buffers"]
            ):
                object.__setattr__(self, name, value)
                return
        elif isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            remove_other_entries(self, name, "_parameters")
            self.register_parameter(name, value)
            return
        elif isinstance(value, Attributes):
            if parameters is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            if name in parameters:
                refuse(value, "as parameter", name, "torch.nn.Parameter or None expected")
            remove_other_entries(self, name, "_modules")
            own["_modules"][name] = run_registration_hooks(global_hooks.MODULE_REGISTRATION, self, name, value)
            return
        self._replace_attribute(name, value)

    def _replace_attribute(self, name: str, value: Any) -> None:
        """Set what is no parameter and no module: in the table that has the name, or as an ordinary attribute."""
        own = self.__dict__
        if name in own.get("_parameters", ()):
            if value is not None:
                refuse(value, "as parameter", name, "torch.nn.Parameter or None expected")
            self.register_parameter(name, value)
        elif name in own.get("_modules", ()):
            if value is not None:
                refuse(value, "as child module", name, "torch.nn.Module or None expected")
            own["_modules"][name] = run_registration_hooks(global_hooks.MODULE_REGISTRATION, self, name, value)
        elif name in own.get("_buffers", ()) or (isinstance(value, Tensor) and getattr(value, "_is_buffer", False)):
            if value is not None and not is_tensor_like(value):
                refuse(value, "as buffer", name, "torch.nn.Buffer, torch.Tensor or None expected")
            default = name not in own.get("_non_persistent_buffers_set", ())
            is_marked = getattr(value, "_is_buffer", False)
            set_buffer(self, name, value, value.persistent if is_marked else default)
        else:
            object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
        elif name in self._modules:
            del self._modules[name]
        else:
            super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted(name for name in names if not name[:1].isdigit())


def refuse(value: Any, role: str, name: str, expected: str) -> NoReturn:
    """Raise the error for a value that cannot take the place of a parameter, buffer or module."""
    raise TypeError(f"cannot assign '{typename(value)}' {role} '{name}' ({expected})")


def set_buffer(module: Any, name: str, value: Any, persistent: bool) -> None:
    """Register a buffer by the module's own ``register_buffer``, which may not know of `persistent`."""
    if getattr(module.register_buffer, "__func__", None) is Attributes.register_buffer:
        module.register_buffer(name, value, persistent)
        return
    import inspect

    if "persistent" in inspect.signature(module.register_buffer).parameters:
        module.register_buffer(name, value, persistent)
    elif persistent:
        module.register_buffer(name, value)
    else:
        raise RuntimeError(
            "Registering a non-persistent buffer on a Module subclass that implements register_buffer() without "
            "the persistent argument is not allowed."
        )


def remove_other_entries(module: Any, name: str, table: str) -> None:
    """Remove a name from all attributes of a module but one table."""
    own = module.__dict__
    own.pop(name, None)
    for other in ("_parameters", "_buffers", "_modules"):
        if other != table:
            own[other].pop(name, None)
    own["_non_persistent_buffers_set"].discard(name)
