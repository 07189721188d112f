"""Named tuples of results, which print as torch's do."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any, Self

MODULE = ModuleType("torch.return_types", "The types of results with several parts: torch.return_types.")
TYPES: dict[tuple[str, tuple[str, ...]], type] = {}
PARTS = {
    "values indices": "cummax cummin kthvalue max median min mode nanmedian sort topk",
    "min max": "aminmax",
    "mantissa exponent": "frexp",
    "hist bin_edges": "histogram histogramdd",
    "a tau": "geqrf",
    "sign logabsdet": "linalg_slogdet slogdet",
    "eigenvalues eigenvectors": "linalg_eig linalg_eigh",
    "U S Vh": "linalg_svd",
    "U S V": "svd",
    "Q R": "linalg_qr qr",
    "P L U": "linalg_lu lu_unpack",
    "L info": "linalg_cholesky_ex",
    "inverse info": "linalg_inv_ex",
    "result info": "linalg_solve_ex",
    "LU pivots": "linalg_lu_factor",
    "LU pivots info": "linalg_lu_factor_ex",
    "solution residuals rank singular_values": "linalg_lstsq",
    "solution cloned_coefficient": "triangular_solve",
}
"""The types' names by the names of their parts; for out= there is another, NAME_out."""


LEFT_OUT: Any = ...
builtin_dict = dict  # a parameter has the name


class Result(tuple[Any, ...]):
    """A tuple whose parts have names too."""

    __slots__ = ()
    __match_args__: tuple[str, ...] = ()
    n_fields: int = 0                                    # torch's names of the same
    n_sequence_fields: int = 0
    n_unnamed_fields: int = 0

    def __new__(cls, sequence: Iterable[Any] = LEFT_OUT, dict: Any = LEFT_OUT) -> Self:
        """Return a result with the items of a sequence as its parts.

        dict: the values of parts that have no place in the tuple. No result of torch's has such parts: a dict is
        accepted, as pickles of torch pass it, and not read.
        TypeError for what is no dict, and for another number of items.
        """
        if sequence is LEFT_OUT:
            raise TypeError(f"torch.return_types.{cls.__name__}() missing required argument 'sequence' (pos 1)")
        if dict is not LEFT_OUT and not isinstance(dict, builtin_dict):
            raise TypeError(f"torch.return_types.{cls.__name__}() takes a dict as second arg, if any, not "
                            f"{type(dict).__name__}; it is made of one sequence of all its parts")
        try:
            items = iter(sequence)
        except TypeError:
            raise TypeError(f"constructor requires a sequence: torch.return_types.{cls.__name__}() got "
                            f"{type(sequence).__name__}") from None
        parts = tuple(items)
        if len(parts) != cls.n_fields:
            raise TypeError(f"torch.return_types.{cls.__name__}() takes a {cls.n_fields}-sequence "
                            f"({len(parts)}-sequence given)")
        return tuple.__new__(cls, parts)

    def __init_subclass__(cls) -> None:
        if Result not in cls.__bases__:
            raise TypeError(f"type 'torch.return_types.{cls.__bases__[0].__name__}' is not an acceptable base type")

    def __repr__(self) -> str:
        shown = ",\n".join(f"{name}={part!r}" for name, part in zip(self.__match_args__, self, strict=True))
        return f"torch.return_types.{type(self).__name__}(\n{shown})"

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuild, (type(self).__name__, self.__match_args__, tuple(self))


def part(i: int) -> property:
    """The i-th part."""
    return property(lambda self: self[i])


def result_type(name: str, fields: tuple[str, ...]) -> type:
    """The type for results called ``name``; the same one for the same name and fields.

    >>> result_type("max", ("values", "indices"))((3, 1)).indices
    1
    """
    found = TYPES.get((name, fields))
    if found is None:
        body = {"__slots__": (), "__match_args__": fields, "n_fields": len(fields),
                "n_sequence_fields": len(fields), "__module__": "torch.return_types"}
        found = type(name, (Result,), body | {field: part(i) for i, field in enumerate(fields)})
        TYPES[name, fields] = found
        setattr(MODULE, name, found)
    return found


def named_type(name: str) -> type:
    """The type of torch.return_types with this name.

    >>> named_type("aminmax")([1, 2]).max
    2
    """
    for fields, names in PARTS.items():
        if name.removesuffix("_out") in names.split() and name != "histogramdd_out":
            return result_type(name, tuple(fields.split()))
    raise AttributeError(f"module 'torch.return_types' has no attribute '{name}'")


def type_names() -> list[str]:
    """The names of torch.return_types, but for those for out=."""
    return sorted(" ".join(PARTS.values()).split())


vars(MODULE).update(__getattr__=named_type, __dir__=type_names)


def rebuild(name: str, fields: tuple[str, ...], parts: tuple[Any, ...]) -> Any:
    """For pickle."""
    return result_type(name, fields)(parts)


__all__ = ["MODULE", "Result", "result_type"]
