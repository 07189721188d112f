"""Containers of modules: Sequential, a list and a dict; and, from another module, those of parameters."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from wengert_nn.base.traversal import indent_lines
from wengert_nn.modules.module import Module
from wengert_nn.modules.parameter_containers import ParameterDict, ParameterList, absolute, pairs

__all__ = ["Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


class Container(Module):
    """A module with the submodules that are named as keyword arguments; kept for old programs."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        import warnings

        warnings.warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass that "
            "instead.",
            FutureWarning,
            stacklevel=2,
        )
        for name, module in kwargs.items():
            self.add_module(name, module)


class OrderedModules(Module):
    """Modules in an order, with their positions as names."""

    def _key(self, index: Any) -> str:
        return str(absolute(index, len(self._modules)))

    def _renumber(self, modules: Iterable[Any]) -> None:
        self._modules = {str(number): module for number, module in enumerate(modules)}

    def __setitem__(self, index: Any, module: Any) -> None:
        keys = list(self._modules)
        setattr(self, keys[absolute(index, len(keys))], module)

    def __delitem__(self, index: Any) -> None:
        keys = list(self._modules)
        chosen = keys[index] if isinstance(index, slice) else [keys[absolute(index, len(keys))]]
        for key in chosen:
            delattr(self, key)
        self._renumber(self._modules.values())

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def pop(self, key: Any) -> Any:
        """Remove the module at a position and return it."""
        module = self[key]  # type: ignore[index]  # both subclasses have it
        del self[key]
        return module


class Sequential(OrderedModules):
    """Modules in a chain: the output of each is the input of the next.

    ``Sequential(module, ...)`` names them by their positions, ``Sequential(OrderedDict(...))`` by its keys.

    >>> import wengert as wg
    >>> model = wg.nn.Sequential(wg.nn.Linear(2, 3), wg.nn.ReLU(), wg.nn.Linear(3, 1))
    >>> model(wg.ones(4, 2)).shape
    torch.Size([4, 1])
    >>> model[1]
    ReLU()
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for key, module in args[0].items():
                self.add_module(key, module)
        else:
            for number, module in enumerate(args):
                self.add_module(str(number), module)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return next(islice(self._modules.values(), absolute(index, len(self._modules)), None))

    def forward(self, input: Any) -> Any:
        """Call the modules one after the other."""
        for module in self._modules.values():
            input = module(input)
        return input

    def append(self, module: Any) -> Any:
        """Add a module at the end; return the chain."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Any) -> Any:
        """Add a module before a position; return the chain."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        size = len(self._modules)
        if not -size <= index <= size:
            raise IndexError(f"Index out of range: {index}")
        modules = list(self._modules.values())
        modules.insert(index + size if index < 0 else index, module)
        self._renumber(modules)
        return self

    def extend(self, sequential: Iterable[Any]) -> Any:
        """Add modules at the end; return the chain."""
        for module in list(sequential):
            self.append(module)
        return self

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Any:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return self.extend(list(other))

    def __mul__(self, other: int) -> Any:
        check_repetitions(self, other)
        return Sequential(*(module for _ in range(other) for module in self))

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Any:
        check_repetitions(self, other)
        modules = list(self)
        for _ in range(other - 1):
            self.extend(modules)
        return self


def check_repetitions(sequential: Any, other: Any) -> None:
    """Raise the error for a number of repetitions that is no positive int."""
    if not isinstance(other, int):
        raise TypeError(f"unsupported operand type(s) for *: {type(sequential)} and {type(other)}")
    if other <= 0:
        raise ValueError(f"Non-positive multiplication factor {other} for {type(sequential)}")


class ModuleList(OrderedModules):
    """A list of modules, all of which belong to the module that holds the list.

    >>> import wengert as wg
    >>> layers = wg.nn.ModuleList([wg.nn.Identity(), wg.nn.Identity()])
    >>> len(layers), layers
    (2, ModuleList(
      (0-1): 2 x Identity()
    ))
    """

    def __init__(self, modules: Iterable[Any] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self._modules.values())[index])
        return self._modules[self._key(index)]

    def __iadd__(self, modules: Iterable[Any]) -> Any:
        return self.extend(modules)

    def __add__(self, other: Iterable[Any]) -> Any:
        combined = ModuleList()
        for number, module in enumerate([*self, *other]):
            combined.add_module(str(number), module)
        return combined

    def insert(self, index: int, module: Any) -> None:
        """Add a module before a position."""
        modules = list(self._modules.values())
        modules.insert(index, module)
        self._renumber(modules)

    def append(self, module: Any) -> Any:
        """Add a module at the end; return the list."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Any]) -> Any:
        """Add modules at the end; return the list."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}"
            )
        for module in list(modules):
            self.append(module)
        return self

    def __repr__(self) -> str:
        texts = [repr(module) for module in self]
        if not texts:
            return f"{self._get_name()}()"
        lines = []
        start = 0
        for end in range(1, len(texts) + 1):
            if end == len(texts) or texts[end] != texts[start]:
                several = f"({start}-{end - 1}): {end - start} x " if end - start > 1 else f"({start}): "
                lines.append(indent_lines(several + texts[start]))
                start = end
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """A dict of modules, in order, all of which belong to the module that holds the dict.

    >>> import wengert as wg
    >>> heads = wg.nn.ModuleDict({"mean": wg.nn.Linear(2, 1), "scale": wg.nn.Linear(2, 1)})
    >>> heads["mean"](wg.ones(2)).shape, list(heads)
    (torch.Size([1]), ['mean', 'scale'])
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Any) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Remove a module and return it."""
        module = self[key]
        del self[key]
        return module

    def keys(self) -> Any:
        """The names of the modules."""
        return self._modules.keys()

    def items(self) -> Any:
        """The pairs of names and modules."""
        return self._modules.items()

    def values(self) -> Any:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add modules from a dict, a ModuleDict or an iterable of pairs; they replace those of the same names."""
        for key, module in pairs("ModuleDict", "ModuleDict", modules):
            self[key] = module
