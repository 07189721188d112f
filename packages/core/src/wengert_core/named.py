"""Named tuples of results, which print as torch's do."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Self

MODULE = ModuleType("torch.return_types", "The types of results with several parts.")
TYPES: dict[tuple[str, tuple[str, ...]], type] = {}


class Result(tuple[Any, ...]):
    """A tuple whose parts have names too."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    def __new__(cls, *parts: Any) -> Self:
        """From the parts, or from one sequence of them."""
        return tuple.__new__(cls, parts[0] if len(parts) == 1 and len(cls._fields) != 1 else parts)

    def __repr__(self) -> str:
        shown = ",\n".join(f"{name}={part!r}" for name, part in zip(self._fields, self, strict=True))
        return f"torch.return_types.{type(self).__name__}(\n{shown})"

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuild, (type(self).__name__, self._fields, tuple(self))


def part(i: int) -> property:
    """The i-th part."""
    return property(lambda self: self[i])


def result_type(name: str, fields: tuple[str, ...]) -> type:
    """The type for results called ``name``; the same one for the same name and fields.

    >>> result_type("max", ("values", "indices"))(3, 1).indices
    1
    """
    found = TYPES.get((name, fields))
    if found is None:
        body = {"__slots__": (), "_fields": fields, "__module__": "torch.return_types"}
        found = type(name, (Result,), body | {field: part(i) for i, field in enumerate(fields)})
        TYPES[name, fields] = found
        setattr(MODULE, name, found)
    return found


def rebuild(name: str, fields: tuple[str, ...], parts: tuple[Any, ...]) -> Any:
    """For pickle."""
    return result_type(name, fields)(*parts)


__all__ = ["MODULE", "Result", "result_type"]
