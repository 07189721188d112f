"""The pages of operations: entries of operations by chapter (``op_docs``), members of Tensor with links to them."""

import inspect
import re
from functools import partial
from typing import Any

import wengert
from plain_docstrings import convert_docstring
from wengert_core import TABLE, Tensor
from wengert_core.dispatch.op import Op
from wengert_core.dispatch.op_docs import LABELS, Chapter, Entry, arguments_of, chapters, entry_of, parameter_list
from wengert_core.dtypes.dtypes import ALL
from wengert_core.optable.op_table import OpTable

BLOCK = "~~~"
FAMILIES = ("pointwise", "reduce", "view", "copy", "index", "linalg", "nn", "loss", "signal", "create")
CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")


def entry(kind: str, module: str, name: str, signature: str, text: list[str]) -> str:
    """One description in the Python domain; the text is reStructuredText."""
    body = "\n".join(f"   {line}" if line else "" for line in text)
    return f"{BLOCK}{{eval-rst}}\n.. py:{kind}:: {name}{signature}\n   :module: {module}\n\n{body}\n{BLOCK}\n"


def signature_of(obj: Any) -> str:
    """A callable's parameters without annotations; (...) where nobody knows them."""
    if isinstance(obj, partial):
        return signature_of(obj.func)
    if isinstance(obj, Op):
        return parameter_list(obj)
    try:
        found = inspect.signature(obj)
    except (TypeError, ValueError):
        return "(...)"
    plain = [parameter.replace(annotation=parameter.empty) for parameter in found.parameters.values()]
    shown = found.replace(parameters=plain, return_annotation=found.empty)
    return str(shown).replace("<", "").replace(">", "")


def rst(text: str) -> list[str]:
    """An entry's text as reStructuredText: its code has single backquotes, and may go on in the next line."""
    return convert_docstring(CODE.sub(lambda match: f"``{' '.join(match[1].split())}``", text).splitlines())


def text_of(obj: Any) -> list[str]:
    """Return the docstring of an op or a function that has no entry."""
    return convert_docstring((obj.doc if isinstance(obj, Op) else inspect.getdoc(obj) or "").splitlines())


def text_of_entry(op: Any, found: Entry) -> list[str]:
    """An entry with its arguments as a list of fields."""
    lines = rst(found.text)
    lines += [f":param {name}: {' '.join(rst(text))}" for name, text in arguments_of(op, found).items()]
    lines += [f":{label}: {' '.join(rst(found.parts[label]))}" for label in LABELS if label in found.parts]
    return [*lines, "", *found.example.splitlines(), ""]


def variants(name: str, ops: dict[str, Any]) -> list[str]:
    """Lines about the in-place variant and other names, where there are such."""
    others = sorted(other for other in ops if is_alias(ops[other]) and ops[other].func is ops[name])
    others = [f"``{other}``" for other in others if not other.endswith("_")]
    named = [f"Other names: {', '.join(others)}.", ""] if others else []
    return named + ([f"In place: ``{name}_``.", ""] if f"{name}_" in ops else [])


def is_alias(op: Any) -> bool:
    """Whether a row is another name for a row."""
    return isinstance(op, partial)


def is_public(name: str, prefix: str) -> bool:
    """Whether a row is a function of that part of wengert, and no in-place variant."""
    rest = name.removeprefix(prefix)
    return name.startswith(prefix) and "." not in rest and not rest.endswith("_") and not rest.startswith("_")


def function(name: str, ops: dict[str, Any]) -> str:
    """The description of one operation."""
    op = ops[name]
    found = entry_of(op)
    if is_alias(op):
        text = [f"Another name for :func:`wengert.{op.func.public_name}`.", ""]
    else:
        text = text_of(op) if found is None else text_of_entry(op, found)
    module, _, last = f"wengert.{name}".rpartition(".")
    return entry("function", module, last, signature_of(op), text + variants(name, ops))


def functions(prefix: str, optional: OpTable | None = None, *, headings: bool = True) -> str:
    """All operations of ``wengert.<prefix>`` by chapter; those without an entry follow in the order of the alphabet.

    optional: the table of an optional part, whose names come among core's; at the top, they alone.
    headings: whether a chapter begins with its title and introduction.
    """
    ops = {**(TABLE.ops if prefix or optional is None else {}), **(optional.ops if optional else {})}
    hidden = optional.hidden if optional else set[str]()
    names = sorted(name for name in ops if is_public(name, prefix) and name not in hidden)
    parts, described = [], set[str]()
    for chapter in sorted_chapters():
        here = [name for name in chapter.entries if name in names]
        described.update(here)
        parts += [f"### {chapter.title}\n", chapter.text + "\n"] if here and headings else []
        parts += [function(name, ops) for name in here]
    rest = [function(name, ops) for name in names if name not in described]
    return "\n".join([*parts, *(["### Other names\n"] if parts and rest and headings else []), *rest])


def sorted_chapters() -> list[Chapter]:
    """The chapters of core, families in the order of FAMILIES."""
    return sorted(chapters("wengert_core"), key=lambda chapter: FAMILIES.index(chapter.family))


def is_operation(name: str) -> bool:
    """Whether a member of Tensor is an operation that is described as a function."""
    return name in TABLE.ops or (name.endswith("_") and name[:-1] in TABLE.ops)


def members() -> list[str]:
    """The public members of Tensor."""
    return sorted(name for name in dir(Tensor) if not name.startswith("_"))


def operation_of(name: str) -> str:
    """The row that describes a method: ``add`` for ``add_``, ``acos`` for ``arccos``, "linalg.det" for ``det``."""
    row = TABLE.ops[name if name in TABLE.ops else name[:-1]]
    row = row.func if isinstance(row, partial) else row
    row = getattr(row, "out_of_place", None) or row
    return row.public_name.removesuffix("_") if row.public_name.removesuffix("_") in TABLE.ops else row.public_name


def tensor_operations() -> str:
    """The methods that are operations, each a link to its entry, by chapter."""
    chapter_of = {name: chapter.title for chapter in sorted_chapters() for name in chapter.entries}
    groups: dict[str, list[str]] = {title: [] for title in [*chapter_of.values(), "Others"]}
    for name in members():
        if is_operation(name):
            row = operation_of(name)
            groups[chapter_of.get(row, "Others")].append(f"{{py:func}}`{name} <wengert.{row}>`")
    return "\n".join(f"| {title} | {' '.join(links)} |" for title, links in groups.items() if links)


def tensor_members() -> str:
    """The other members, each with what it says about itself."""
    parts = []
    for name in members():
        value = inspect.getattr_static(Tensor, name)
        if not is_operation(name):
            is_method = callable(value) or isinstance(value, (staticmethod, classmethod))
            signature = signature_of(getattr(Tensor, name)).replace("(self, ", "(").replace("(self)", "()")
            kind, shown = ("method", signature) if is_method else ("attribute", "")
            parts.append(entry(kind, "wengert", f"Tensor.{name}", shown, text_of(value)))
    return "\n".join(parts)


def dtypes() -> str:
    """The table of dtypes."""
    rows = [f"| `{name}` | {dtype.itemsize} |" for name, dtype in sorted(ALL.items()) if hasattr(wengert, name)]
    return "\n".join(["| dtype | bytes |", "| --- | --- |", *rows])
