"""The modules below ``wengert``: made when a name is put into them, filled when a name is asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

FILL: list[Callable[[MountedModule], bool]] = []
"""Called with a module that is asked for a name it does not have: mounts its entry point, True when there was one."""
FIND: list[Callable[[str], Any]] = []
"""Called with a dotted name below ``wengert`` that is not there: gives it, or raises AttributeError."""
KNOWN: list[Callable[[str], list[str]]] = []
"""Called with a module's dotted name: the names that could be mounted in it."""
SPEC: list[Callable[[str], ModuleSpec]] = []
"""Called with a module's full name: its ``__spec__``."""
CHANGING: dict[str, dict[str, ModuleType]] = {}
"""For modules of wengert, by their full names: names whose values change, with the module of a distribution that gives
them. They are asked for each time; they are the ``__changing__`` of that module."""
ON_DEMAND: dict[str, dict[str, Callable[[str], Any]]] = {}
"""For modules of wengert, by their full names: names that are loaded when they are asked for, with the function that
mounts them. They are those in ``__all__`` of a distribution's module which only its ``__getattr__`` gives."""


class MountedModule(ModuleType):
    """A module of ``wengert`` whose names come from several distributions.

    It has no file, and a spec all the same, made when it is asked for: ``importlib`` and ``pkgutil`` read it.
    """

    def __getattr__(self, name: str) -> Any:
        if name == "__spec__":
            spec = vars(self)["__spec__"] = SPEC[0](self.__name__)
            return spec
        if name.startswith("__") and name != "__all__":  # who looks for those wants to load nothing
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        if FILL[0](self):
            return getattr(self, name)
        if name == "__all__":
            return [name for name in dir(self) if not name.startswith("_")]
        source = CHANGING.get(self.__name__, {}).get(name)
        if source is not None:
            return getattr(source, name)
        load = ON_DEMAND.get(self.__name__, {}).get(name)
        if load is not None:
            return load(name)
        return FIND[0](f"{dotted_name(self)}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function that has the module's name: ``from wengert.numpy.misc import flatten`` gives the module."""
        function = getattr(self, self.__name__.rpartition(".")[2], None)
        if function is None or isinstance(function, ModuleType):
            raise TypeError(f"'module' object is not callable: {self.__name__}")
        return function(*args, **kwargs)

    def __dir__(self) -> list[str]:
        FILL[0](self)
        return sorted({*vars(self), *KNOWN[0](dotted_name(self)), *ON_DEMAND.get(self.__name__, ())})


def dotted_name(module: ModuleType) -> str:
    """A module's name below ``wengert``."""
    return module.__name__.partition(".")[2]


def module_at(dotted: str) -> ModuleType:
    """The module ``wengert.<dotted>``, made together with its parents when absent."""
    full = f"wengert.{dotted}" if dotted else "wengert"
    module = sys.modules.get(full)
    if module is None:
        module = MountedModule(full)
        module.__path__, module.__package__ = [], full
        del module.__spec__
        sys.modules[full] = module
        parent, _, last = dotted.rpartition(".")
        setattr(module_at(parent), last, module)
    return module


SUBMODULES = frozenset(
    "comparing compose entry_points making modules parts plugin_check profile run torch_alias".split()
)
"""The modules of this package: files, which are no names of torch's."""
OUR_MODULES: set[str] = set()
"""The modules of wengert itself, and those around what its parts bring: they stay."""


def enclosing(dotted: str) -> list[str]:
    """The modules that a name lies in."""
    parts = dotted.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))]


def make_ours(dotted: Iterable[str]) -> None:
    """Make modules of wengert itself, and those around them, so that names can be asked of them; '' is none."""
    new = {*dotted} - OUR_MODULES - {""}
    new.update(*map(enclosing, new))
    OUR_MODULES.update(new)
    for module_path in sorted(new):
        module_at(module_path)


ABSENT = object()
"""The value that value_at gives for a name that is not there."""


def value_at(dotted: str) -> Any:
    """Return what ``wengert.<dotted>`` is now, or ABSENT; make and load nothing."""
    module_path, _, name = dotted.rpartition(".")
    module = sys.modules.get(f"wengert.{module_path}" if module_path else "wengert")
    return vars(module).get(name, ABSENT) if isinstance(module, ModuleType) else ABSENT


def mount(names: dict[str, Any]) -> None:
    """Put names into ``wengert`` (plain ones) and into its modules (dotted ones), where nothing is called so yet."""
    for dotted, value in names.items():
        module_path, _, name = dotted.rpartition(".")
        module_at(module_path).__dict__.setdefault(name, value)


def unmount(dotted: str, value: Any) -> None:
    """Take a name away, if it is still that value's; a module that is empty then goes as well."""
    module_path, _, name = dotted.rpartition(".")
    module = sys.modules.get(f"wengert.{module_path}" if module_path else "wengert")
    if not isinstance(module, ModuleType) or vars(module).get(name) is not value:
        return
    delattr(module, name)
    full = f"wengert.{dotted}"
    if sys.modules.get(full) is value:
        del sys.modules[full]
    if (
        isinstance(module, MountedModule)
        and module_path not in OUR_MODULES
        and all(one.startswith("__") for one in vars(module))
    ):
        unmount(module_path, module)
