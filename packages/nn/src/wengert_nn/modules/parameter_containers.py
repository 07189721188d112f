"""Containers of parameters: a list and a dict."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from wengert import Tensor, typename

from wengert_nn.modules.module import Module
from wengert_nn.parameter import Parameter

__all__ = ["ParameterDict", "ParameterList"]


def absolute(index: Any, size: int) -> int:
    """Return an index from the beginning. IndexError where it is out of range."""
    number: int = operator.index(index)
    if not -size <= number < size:
        raise IndexError(f"index {number} is out of range")
    return number % size


def pairs(owner: str, method_owner: str, values: Any) -> Iterable[tuple[str, Any]]:
    """Return the items of a dict or an iterable of pairs. TypeError or ValueError for others."""
    if not isinstance(values, Iterable):
        raise TypeError(
            f"{method_owner}.update should be called with an iterable of key/value pairs, "
            f"but got {type(values).__name__}"
        )
    if hasattr(type(values), "items"):  # a Mapping, a ModuleDict or a ParameterDict
        items: Any = values
        return list(items.items())
    found = []
    for number, pair in enumerate(values):
        if not isinstance(pair, Iterable):
            raise TypeError(
                f"{owner} update sequence element #{number} should be Iterable; is{type(pair).__name__}"
            )
        items = list(pair)
        if len(items) != 2:
            raise ValueError(
                f"{owner} update sequence element #{number} has length {len(items)}; 2 is required"
            )
        found.append((items[0], items[1]))
    return found


def as_parameter(value: Any) -> Any:
    """Return a tensor as a parameter, anything else as it is."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


class ParameterList(Module):
    """A list of parameters, all of which belong to the module that holds the list. Tensors become parameters.

    >>> import wengert as wg
    >>> weights = wg.nn.ParameterList([wg.ones(2), wg.zeros(3)])
    >>> [weight.shape for weight in weights.parameters()]
    [torch.Size([2]), torch.Size([3])]
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            out = type(self)()
            for number in range(*index.indices(len(self))):
                out.append(self[number])
            return out
        return getattr(self, str(absolute(index, len(self))))

    def __setitem__(self, index: Any, value: Any) -> None:
        setattr(self, str(absolute(index, len(self))), as_parameter(value))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self[number] for number in range(len(self)))

    def __iadd__(self, values: Iterable[Any]) -> Any:
        return self.extend(values)

    def append(self, value: Any) -> Any:
        """Add a value at the end; return the list."""
        number = len(self)
        self._size += 1
        self[number] = value
        return self

    def extend(self, values: Iterable[Any]) -> Any:
        """Add values at the end; return the list."""
        if isinstance(values, Tensor) or not isinstance(values, Iterable):
            raise TypeError(
                f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}"
            )
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        """Return a line for each value."""
        return value_lines(enumerate(self), lambda value: str(value.dtype))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


def value_lines(items: Iterable[tuple[Any, Any]], type_text: Callable[[Any], str]) -> str:
    """Return the lines that describe parameters and other values in a container."""
    lines = []
    for key, value in items:
        if isinstance(value, Tensor):
            kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
            size = "x".join(str(size) for size in value.size())
            device = f" ({value.device})" if value.device.type == "cuda" else ""
            lines.append(f"  ({key}): {kind} containing: [{type_text(value)} of size {size}{device}]")
        else:
            lines.append(f"  ({key}): Object of type: {type(value).__name__}")
    return "\n".join(lines)


class ParameterDict(Module):
    """A dict of parameters, in order, all of which belong to the module that holds the dict. Tensors become parameters.

    >>> import wengert as wg
    >>> weights = wg.nn.ParameterDict({"a": wg.ones(2)})
    >>> weights["a"].requires_grad, list(weights)
    (True, ['a'])
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _key_to_attr(self, key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        return key

    def __getitem__(self, key: str) -> Any:
        name = self._key_to_attr(key)
        if key not in self._keys:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{key}'", name=key, obj=self)
        return getattr(self, name)

    def __setitem__(self, key: str, value: Any) -> None:
        name = self._key_to_attr(key)
        self._keys[key] = None
        setattr(self, name, as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._key_to_attr(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def copy(self) -> Any:
        """Return a dict with the same parameters."""
        return ParameterDict(OrderedDict((key, self[key]) for key in self._keys))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, which is set to the default where it is absent."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Remove all values."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Remove a value and return it."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Remove the last pair and return it."""
        key, _ = self._keys.popitem()
        self._keys[key] = None
        value = self[key]
        del self[key]
        return key, value

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or the default."""
        return self[key] if key in self else default  # noqa: SIM401 - this is the method that it means

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> Any:
        """Return a dict with these keys, all with the same value."""
        return ParameterDict((key, default) for key in keys)

    def keys(self) -> Any:
        """The names of the values."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """The pairs of names and values."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        """The values."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Add values from a dict, a ParameterDict or an iterable of pairs; they replace those of the same names."""
        values = pairs("ParameterDict", "ParametersDict", parameters)
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict):
            values = sorted(values)
        for key, value in values:
            self[key] = value

    def extra_repr(self) -> str:
        """Return a line for each value."""
        return value_lines(self.items(), typename)

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: Any) -> Any:
        copy = self.copy()
        copy.update(other)
        return copy

    def __ror__(self, other: Any) -> Any:
        copy = other.copy()
        copy.update(self)
        return copy

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self


