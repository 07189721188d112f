"""The table that the modules of this package fill, each when one of its names is first asked for.

Note [Families are loaded when they are needed]
    Most programs use a few of the ops. What every program needs, ``whole.py`` imports at once; which module brings
    which other name is listed in ``families.py``, so that a look-up in ``TABLE.ops``, of an attribute of Tensor, or of
    ``wengert.NAME`` finds its module. Whoever goes through all names (documentation, tests) has all of them loaded.
"""

from __future__ import annotations

from _thread import RLock  # the module threading costs a part of a millisecond to import
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from wengert_core.later import Later
from wengert_core.op import Op, set_source
from wengert_core.ops.families import METHODS, OPS, PLACES
from wengert_core.table import OpTable, install
from wengert_core.tensor import Tensor, mount

INSTALLING = RLock()


def load(family: str) -> None:
    """Import a family's module and install what it has put into the table."""
    try:
        import_module(f"wengert_core.ops.{family}")
    except BaseException:  # Ctrl-C: the rows that were read come again at the next try
        TABLE.read_again = True
        raise
    with INSTALLING:
        install(TABLE)


class Names(dict[str, Any]):
    """What the loaded families have given, by name; the others are loaded when one of their names is asked for."""

    def __init__(self, listed: dict[str, str]) -> None:
        super().__init__()
        self.families = {name: family for family, names in listed.items() for name in names.split()}

    def __missing__(self, name: str) -> Any:
        load(self.families[name])
        return dict.__getitem__(self, name)

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default

    def __contains__(self, name: object) -> bool:
        return dict.__contains__(self, name) or name in self.families

    def all_loaded(self) -> Names:
        """Itself, with all families loaded."""
        for family in sorted({*self.families.values()}):
            load(family)
        return self

    def __iter__(self) -> Iterator[str]:
        return dict.__iter__(self.all_loaded())

    def __len__(self) -> int:
        return dict.__len__(self.all_loaded())

    def keys(self) -> Any:
        return dict.keys(self.all_loaded())

    def values(self) -> Any:
        return dict.values(self.all_loaded())

    def items(self) -> Any:
        return dict.items(self.all_loaded())


class FamilyTable(OpTable):
    """Core's table: its ops and methods by name, also of families that are not loaded."""

    ops: Names
    methods: Names
    places = PLACES

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.ops, self.methods = Names(OPS), Names(METHODS)

    def promise_methods(self) -> None:
        """Put what loads the family on Tensor, for each method that is not there yet."""
        for name, family in self.methods.families.items():
            if name not in Tensor.__dict__:
                mount(name, Later(name, family, load))


TABLE = FamilyTable("core")


def find_later(name: str) -> Op | None:
    """The op of core that is called so, or None; loads its family."""
    op = TABLE.ops[name] if name in TABLE.ops.families else None
    return op if isinstance(op, Op) else None


set_source(find_later)
