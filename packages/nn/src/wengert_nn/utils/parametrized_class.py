"""Classes of parametrized modules, which compute tensors that other modules have as parameters.

Note [How a tensor is parametrized]
    ``register_parametrization(module, "weight", f)`` moves the tensor to ``module.parametrizations.weight.original``
    and gives the module a class, derived from its own, in which ``weight`` is a property that computes ``f(original)``.
    There is one such class for each class of modules and set of names; the class itself has a table of them. A tensor
    in the module's ``__dict__`` takes the place of the computed one: ``functional_call`` puts it there.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

CLASSES = "_parametrized_classes"
"""The attribute of a class of modules with its parametrized classes by the names of their properties."""


class Cache(threading.local):
    """The values of parametrized tensors inside `cached`, in one thread."""

    depth = 0

    def __init__(self) -> None:
        self.values: dict[int, tuple[Any, Any]] = {}  # by the id of the list, which the value keeps alive


CACHE = Cache()


def parametrized_property(name: str) -> property:
    """Return the property that computes a parametrized tensor. See Note [How a tensor is parametrized]."""

    def value(self: Any) -> Any:
        own = self.__dict__
        if name in own:
            return own[name]
        parametrizations = own["_modules"]["parametrizations"]._modules[name]
        if not CACHE.depth:
            return parametrizations()
        key = id(parametrizations)
        if key not in CACHE.values:
            CACHE.values[key] = parametrizations, parametrizations()
        return CACHE.values[key][1]

    def assign(self: Any, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(value, assign)


def reduce_parametrized(self: Any, protocol: Any) -> Any:
    """Pickle and copy a module of a parametrized class, which no module holds under its name."""
    cls = type(self)
    _, _, *rest = super(cls, self).__reduce_ex__(max(protocol, 2))
    return new_parametrized, (cls.__bases__[0], sorted(cls._parametrized_names)), *rest


def new_parametrized(base: type, names: Sequence[str]) -> Any:
    """Return a module of a parametrized class, without its state."""
    cls: Any = parametrized_class(base, frozenset(names))
    return cls.__new__(cls)


def parametrized_class(base: type, names: frozenset[str]) -> type:
    """Return the class derived from a class of modules in which these names are computed."""
    if not names:
        return base
    if CLASSES not in base.__dict__:
        setattr(base, CLASSES, {})
    classes: dict[frozenset[str], type] = base.__dict__[CLASSES]
    if names not in classes:
        content: dict[str, Any] = {name: parametrized_property(name) for name in names}
        content |= {"__reduce_ex__": reduce_parametrized, "_parametrized_names": names, "__module__": __name__}
        classes[names] = type(f"Parametrized{base.__name__}", (base,), content)
    return classes[names]


def type_before_parametrizations(module: Any) -> type:
    """Return the class that a module has, or had before it was parametrized."""
    cls: Any = type(module)
    return cls.__bases__[0] if "_parametrized_names" in cls.__dict__ else cls  # type: ignore[no-any-return]


def set_names(module: Any, names: frozenset[str]) -> None:
    """Give a module the class in which these names are computed."""
    module.__class__ = parametrized_class(type_before_parametrizations(module), names)
