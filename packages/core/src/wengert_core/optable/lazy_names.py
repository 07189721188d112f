"""Core's ops and methods by name, also of families that are not loaded; each is loaded when a name of it is asked for.

Note [Families are loaded when they are needed]
    Most programs use a few of the ops, and many that import wengert use none in the end. Which module brings which name
    is listed in ``families.py``, so that a look-up in ``OPS``, of an attribute of Tensor, of ``wengert.NAME`` or an
    operator finds its module. The table with its kinds of rows, and their drivers, come with the first family. Whoever
    goes through all names (documentation, tests) has all of them loaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from wengert_registry import fork_lock

from wengert_core.dispatch.op import Op, set_source
from wengert_core.optable import families
from wengert_core.tensors.lazy_attribute import Later
from wengert_core.tensors.tensor import Tensor, mount

INSTALLING = fork_lock()


def load(family: str) -> None:
    """Import a family's module and install what it has put into the table."""
    from wengert_core.optable.core_table import TABLE, install

    try:
        import_module(f"wengert_core.ops.{family}")
    except BaseException:  # Ctrl-C: the rows that were read come again at the next try
        TABLE.read_again = True
        raise
    with INSTALLING:
        install(TABLE)


class Names(dict[str, Any]):
    """What the loaded families have given, by name; the others are loaded when one of their names is asked for."""

    listed: dict[str, str]
    by_name: dict[str, str]
    whole: bool

    def __init__(self, listed: dict[str, str]) -> None:
        super().__init__()
        self.listed, self.by_name = listed, dict[str, str]()
        self.whole = False  # all families are loaded

    @property
    def families(self) -> dict[str, str]:
        """The family of each name; made when it is first asked for."""
        if not self.by_name:
            self.by_name = {name: family for family, names in self.listed.items() for name in names.split()}
        return self.by_name

    def __missing__(self, name: str) -> Any:
        family = self.families[name]
        load(family)
        if not dict.__contains__(self, name):
            raise RuntimeError(f"{name}: the family '{family}' does not bring it, though it is listed so: tools/"
                               "op_families.py makes the list (put a name that moves to its new family by hand)")
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
        if not self.whole:
            for family in sorted({*self.families.values()}):
                load(family)
            self.whole = True
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


OPS, METHODS = Names(families.OPS), Names(families.METHODS)
NAMESPACES = families.NAMESPACES


def promise_methods() -> None:
    """Put what loads the family on Tensor, for each method that is not there yet."""
    for name, family in METHODS.families.items():
        if name not in Tensor.__dict__:
            mount(name, Later(name, family, load))


def find_later(name: str) -> Op | None:
    """The op of core that is called so, or None; loads its family."""
    op = OPS[name] if name in OPS.families else None
    return op if isinstance(op, Op) else None


set_source(find_later)
