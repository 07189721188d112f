"""OptimizedModule: what ``compile`` gives for a module. Its parameters and settings are those of the module."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Any

OWN = frozenset({"_orig_mod", "_torchdynamo_orig_callable", "captured", "compile_again", "forward", "__dict__"})
"""Attributes of the wrapper itself; all others are the module's."""

CLASSES: dict[type, type] = {}
"""By the class of all modules, the class of their wrappers."""


def module_class(value: object) -> type | None:
    """Return the class of all modules, where a value is a module; or None."""
    for base in reversed(type(value).__mro__):
        if base.__name__ == "Module" and hasattr(base, "named_parameters") and hasattr(value, "_modules"):
            return base
    return None


def optimize(module: Any, base: type, compile_again: Callable[[Any], Any]) -> Any:
    """Return the wrapper of a module, a subclass of ``base``. compile_again: gives what it calls, for a module."""
    made = CLASSES.get(base)
    if made is None:
        namespace = {name: member for name, member in vars(Wrapper).items() if name not in ("__dict__", "__weakref__")}
        made = CLASSES[base] = type("OptimizedModule", (base,), namespace)
    return made(module, compile_again)


def rebuild_wrapper(module: Any, compile_again: Callable[[Any], Any]) -> Any:
    """Return the wrapper of a module that was copied or loaded."""
    base = module_class(module)
    assert base is not None
    return optimize(module, base, compile_again)


class Wrapper:
    """A module whose calls are replayed."""

    _orig_mod: Any
    captured: Any
    compile_again: Callable[[Any], Any]

    def __init__(self, module: Any, compile_again: Callable[[Any], Any]) -> None:
        object.__setattr__(self, "_orig_mod", module)
        base: Any = type(self).__mro__[1]
        base.__init__(self)
        base.__setattr__(self, "_orig_mod", module)  # as a submodule: its parameters are this one's
        compiled = compile_again(module)
        for name, value in (("compile_again", compile_again), ("captured", getattr(compiled, "captured", compiled)),
                            ("forward", compiled), ("_torchdynamo_orig_callable", module)):  # fmt: skip
            self.__dict__[name] = value
        self.__dict__.pop("training", None)

    def __getattr__(self, name: str) -> Any:
        modules = self.__dict__.get("_modules")
        module = self.__dict__["_orig_mod"] if modules is None or "_orig_mod" not in modules else modules["_orig_mod"]
        return module if name == "_orig_mod" else getattr(module, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in OWN or "_modules" not in self.__dict__ or "_orig_mod" not in self.__dict__["_modules"]:
            super(type(self), self).__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __delattr__(self, name: str) -> None:
        if name in OWN:
            super(type(self), self).__delattr__(name)
        else:
            delattr(self._orig_mod, name)

    @property
    def training(self) -> bool:
        """The module's mode."""
        return bool(self._orig_mod.training)

    @training.setter
    def training(self, value: bool) -> None:
        if "_orig_mod" in self.__dict__.get("_modules", ()):
            self._orig_mod.training = value

    def __len__(self) -> int:
        if isinstance(self._orig_mod, Sized):
            return len(self._orig_mod)
        raise TypeError(f"{type(self._orig_mod).__name__} does not support len()")

    def __bool__(self) -> bool:
        return True

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *dir(self._orig_mod)})

    def __reduce__(self) -> Any:
        return rebuild_wrapper, (self._orig_mod, self.compile_again)
