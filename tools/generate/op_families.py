"""Write the list of which module of core's ops brings which names: packages/core/src/wengert_core/optable/families.py.

Run it after adding a row, a family or a method (and build core again); ``--check`` only says whether the list is true.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from textwrap import wrap

FOLDER = Path(__file__).resolve().parents[2] / "packages/core/src/wengert_core/ops"
FILE = FOLDER.parent / "optable" / "families.py"
NO_FAMILIES = {"__init__", "operators"}
IMPORT = re.compile(r"^from wengert_core\.ops((?:\.\w+)*) import (.+)", re.MULTILINE)
HEAD = '''"""Which module brings which names to the table and to Tensor: those that are not loaded at once.

NAMESPACES: the modules of wengert that names of ops lie in.

Written by tools/generate/op_families.py.
"""
'''


def names_by_module() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Names of ops and of methods by the module that brings them."""
    from wengert_core.optable import lazy_names as names
    from wengert_core.optable.core_table import TABLE

    tables = (TABLE.ops, TABLE.methods)
    found: tuple[dict[str, list[str]], dict[str, list[str]]] = ({}, {})
    given: tuple[dict[str, object], dict[str, object]] = ({}, {})  # by the modules that are done
    load, seen = names.load, set[str]()

    def bring(family: str) -> None:
        if family in seen:
            return
        seen.add(family)
        before = [dict(dict.items(table)) for table in tables]
        load(family)
        for by_module, known, done, table in zip(found, before, given, tables, strict=True):
            new = {name: value for name, value in dict.items(table) if known.get(name) is not value}
            new = {name: value for name, value in new.items() if done.get(name) is not value}
            if new:
                by_module[family] = sorted(new)
            done.update(new)

    names.load = bring  # a module that looks another's op up loads it: what that brings is its own
    try:
        for family in in_order(sorted(modules())):
            bring(family)
    finally:
        names.load = load
    ops, methods = found
    return dict(sorted(ops.items())), dict(sorted(methods.items()))


def modules() -> list[str]:
    """The modules below ops, by their names there."""
    files = [file for file in FOLDER.rglob("*.py") if file.stem not in NO_FAMILIES]
    return [".".join(file.relative_to(FOLDER).with_suffix("").parts) for file in files]


def in_order(some: list[str], *above: str) -> list[str]:
    """Modules, each after those of them that it imports, so that a name is given to the module it is written in."""
    ordered: dict[str, None] = {}
    for module in some:
        if module not in above:
            found = IMPORT.findall((FOLDER / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"))
            needed = [name for room, names in found for name in imported_families(room.lstrip("."), names)]
            ordered.update(dict.fromkeys([*in_order(needed, *above, module), module]))
    return list(ordered)


def imported_families(room: str, names: str) -> list[str]:
    """The families that an import names: itself, or modules of a room."""
    inside = [f"{room}.{name.split()[0]}".lstrip(".") for name in names.partition("#")[0].split(",") if name.strip()]
    return [name for name in (room, *inside) if name in set(modules())]


def text() -> str:
    """What the file should hold."""
    parts = [HEAD]
    for variable, families in zip(("OPS", "METHODS"), names_by_module(), strict=True):
        rows = [f'    "{family}": (\n{lines(names)}\n    ),' for family, names in families.items()]
        parts.append("\n".join([f"{variable} = {{", *rows, "}\n"]))
    parts.append(f"NAMESPACES = {namespaces()}\n".replace("'", '"'))
    return "\n".join(parts)


def namespaces() -> tuple[str, ...]:
    """The modules of wengert that names of ops lie in. The first part of such a name is no op."""
    from wengert_core.optable.core_table import TABLE

    names = [name for name in TABLE.ops if "." in name and name.partition(".")[0] not in TABLE.ops]
    return tuple(sorted({name.rpartition(".")[0] for name in names}))


def lines(names: list[str]) -> str:
    """Names as string literals, line by line."""
    return "\n".join(f'        "{line} "' for line in wrap(" ".join(names), 105, break_on_hyphens=False))


def main() -> int:
    if "--check" not in sys.argv[1:]:
        FILE.write_text(text(), encoding="utf-8")
    elif FILE.read_text(encoding="utf-8") != text():
        print(f"{FILE} is not up to date: run tools/generate/op_families.py, then build core again")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
