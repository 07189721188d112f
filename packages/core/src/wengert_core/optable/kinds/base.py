"""What the rows of all families share: the table they go into, dtype groups, schemas of the variants."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

from wengert_core.binding.schema import parse_schema
from wengert_core.dispatch.composite import Composite
from wengert_core.dispatch.op import Op
from wengert_core.dtypes.dtypes import ALL as DTYPES

Reference = Callable[..., Any]
T = TypeVar("T")

BOOL = (DTYPES["bool"],)
INTEGRAL = tuple(DTYPES[name] for name in ("uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"))
FLOATING = tuple(DTYPES[name] for name in ("float16", "bfloat16", "float32", "float64"))
COMPLEX = tuple(DTYPES[name] for name in ("complex64", "complex128"))
REAL = BOOL + INTEGRAL + FLOATING
NUMERIC = INTEGRAL + FLOATING + COMPLEX
FLOATING_COMPLEX = FLOATING + COMPLEX
EVERY = BOOL + NUMERIC


def is_text(value: object) -> bool:
    """Return whether the value is a str, whatever its annotation says."""
    return isinstance(value, str)


def is_callable(value: object) -> bool:
    """Return whether the value can be called, whatever its annotation says."""
    return callable(value)


class Rows:
    """Operators of one owner, by name.

    name: what the registry knows the table by, and what formulas for it are registered under.
    hidden: names of rows that are internal: ``wengert`` neither shows nor gives them, ``find`` does.
    documentation: the package whose folder ``documentation`` has the rows' entries (``op_docs``), or "".
    """

    def __init__(self, name: str, *, documentation: str = "") -> None:
        if not is_text(name) or not name:
            raise TypeError(f"an op table's name must be text, that of its entry point, not {name!r}")
        self.name = name
        self.documentation = documentation
        self.ops: dict[str, Any] = {}
        self.methods: dict[str, Any] = {}
        self.operators: dict[str, Op] = {}  # what Python's operators call in place of the op of that name
        self.hidden: set[str] = set()
        self.fresh: list[str] = []  # names of ops added since the table was last installed
        self.mounted: set[str] = set()  # methods that Tensor has got
        self.wrapped: dict[Any, Any] = {}  # composites' functions: what the table has of them
        self.installed = False
        self.read_again = False  # reading rows was interrupted: some come a second time

    def __repr__(self) -> str:
        return f"<OpTable {self.name}: {dict.__len__(self.ops)} ops>"

    def add(self, op: T, name: str, *, method: bool = True, function: bool = True) -> T:
        """Put an op or a composite into the table; ValueError when the name is there already."""
        if not is_text(name) or not all(part.isidentifier() for part in name.split(".")):
            raise ValueError(f"op table '{self.name}': a row's name must be identifiers with dots, not {name!r}")
        if not is_callable(op):
            raise TypeError(f"op table '{self.name}', row '{name}': a row must be callable, not {type(op).__name__}")
        taken = dict.__contains__(self.ops, name) or (not function and dict.__contains__(self.methods, name))
        if taken and not self.read_again:
            raise ValueError(f"table '{self.name}' has two rows for the op '{name}'")
        if isinstance(op, (Op, Composite)) and not op.owner:  # another table's stays its own: its formula is there
            op.owner, op.public_name, op.documentation = self.name, name, self.documentation
        if function:
            self.ops[name] = op
            self.fresh.append(name)
        if method:
            self.methods[name] = op
        return op

    def in_place(self, op: Op, schema: str, **settings: Any) -> Op:
        """The variant of an op that writes into its first argument. schema: of ``op``, without out=."""
        doc = f"In-place version of {op.name}."
        return Op(inplace_schema(schema), op.family, doc=doc, inplace=True, out_of_place=op, **settings)

    def alias(self, name: str, target: Callable[..., Any], *, method: bool = True) -> None:
        """Another name for an op of this table, as a function and as a method."""
        target = self.wrapped.get(target, target)
        function: Any = partial(target)
        function.__name__ = function.__qualname__ = name
        function.__module__ = getattr(target, "__module__", None) or "wengert_core"
        function.__doc__ = f"Another name for {getattr(target, 'name', None) or target.__name__}."
        self.add(function, name, method=False)
        if method:
            self.methods[name] = target


def driver(name: str) -> Any:
    """The module of a family's driver. It is loaded with the first of its rows; many programs need none."""
    return import_module(f"wengert_core.drivers.{name}")


def with_out(schema: str) -> str:
    """The schema with the out= parameter that every allocating op has."""
    parse_schema(schema)  # raises for what cannot be read
    head, returns = schema.rsplit(") -> ", 1)
    return f"{head}{'' if ' *, ' in head else ', *'}, Tensor? out=None) -> {returns}"


def with_outs(schema: str) -> str:
    """The schema of an op with several outputs, with an out= parameter for a tuple of as many tensors."""
    return with_out(schema).replace("Tensor? out=None", "object? out=None")


def inplace_schema(schema: str) -> str:
    """The schema of the variant which writes into its first argument."""
    parse_schema(schema)  # raises for what cannot be read
    name, rest = schema.split("(", 1)
    return f"{name}_({rest.replace('Any self', 'Tensor self', 1)}"
