"""Fields of cdef classes: none has the name of a field of a base class.

Cython lets a class declare such a field. It is a second one, at another place: methods of the base class read and write
one of the two, methods of the derived class the other. Reads the ``.pxd`` files of all packages.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLASS = re.compile(r"^cdef class (\w+)(?:\(([\w.]+)\))?[^:\n]*:[ \t]*(?:#.*)?$")
FIELD = re.compile(r"^    cdef +(?:(?:public|readonly) +)?(?P<declared>[^(#=\n]+?)\s*(?:#.*)?$")
NAME = re.compile(r"(\w+)\s*(?:\[[^\]]*\])*\s*$")


class Class(NamedTuple):
    """A cdef class: the file that declares it, its base class ("" for none), and the names of its own fields."""

    file: str
    base: str
    fields: frozenset[str]


def classes_in(source: str, file: str) -> Iterator[tuple[str, Class]]:
    """The cdef classes that a ``.pxd`` declares, by their names."""
    name, base, fields = "", "", set[str]()
    for line in [*source.splitlines(), "end"]:
        if line[:1] not in ("", " ", "#"):
            if name:
                yield name, Class(file, base, frozenset(fields))
            found = CLASS.match(line)
            name, base, fields = (found[1], (found[2] or "").rpartition(".")[2], set()) if found else ("", "", set())
        elif name and (declared := FIELD.match(line)):
            fields.update(names_of(declared["declared"]))
    assert not name


def names_of(declared: str) -> Iterator[str]:
    """The names in a declaration of fields: "int a, b[2]"."""
    for part in declared.split(","):
        if found := NAME.search(part):
            yield found[1]


def hidden_fields(files: Iterable[tuple[str, str]]) -> list[str]:
    """Fields with the name of a field of a base class, in words. files: names and sources. A name that several packages
    give to a class stands for each of them.
    """
    classes: dict[str, list[Class]] = {}
    for file, source in files:
        for name, one in classes_in(source, file):
            classes.setdefault(name, []).append(one)
    found = []
    for name, alike in classes.items():
        for one in alike:
            above = list(classes.get(one.base, []))
            seen = {name}
            while above:
                base = above.pop()
                found += [f"{one.file}: {name}.{field}, also in {base.file}" for field in one.fields & base.fields]
                if base.base not in seen:
                    seen.add(base.base)
                    above += classes.get(base.base, [])
    return sorted(found)


def test_no_field_hides_one_of_a_base_class() -> None:
    files = sorted(ROOT.glob("packages/*/src/**/*.pxd"))
    assert len(files) > 150
    hidden = hidden_fields((str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")) for file in files)
    assert not hidden, "\n".join(hidden)


BASE = """
cdef class Base:
    cdef readonly list notes           # of it, and more
    cdef int a, b[2]
    cdef const void* rows
    cdef int method(self, int given) except -1
"""


@pytest.mark.parametrize(
    ("field", "hides"),
    [("object notes", True), ("public str b", True), ("char** rows", True), ("int c, a", True), ("int c", False),
     ("int method(self, int given) except -1", False), ("int given[4]", False)],
)  # fmt: skip
def test_the_check_finds_hidden_fields(field: str, hides: bool) -> None:
    derived = f"cdef class Middle(Base):\n    cdef int d\n\ncdef class Derived(Middle):\n    cdef {field}\n"
    assert bool(hidden_fields([("base.pxd", BASE), ("derived.pxd", derived)])) is hides
