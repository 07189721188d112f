"""Documentation of operations: entries in text files, from which ``help()`` and the reference are made.

Note [Documentation is data]
    A table names the package whose folder ``documentation/`` has its entries. A file belongs to a module of rows, and
    has its name: what it begins with holds for all of its entries, which follow behind lines ``## name``, by the
    public names ("softmax", "linalg.svd"). An entry is a sentence, paragraphs, labeled parts, and an example that
    begins with ``>>>`` and runs as a doctest, with ``wg`` for wengert. ``linalg/matmul.txt`` shows them all.

    Parts that an entry lacks (but for Args) are those at the beginning of its file. Arguments that mean the same
    everywhere, as ``out``, are described once (COMMON). Files are read when somebody asks for a text.

>>> from wengert_core.dispatch.op_docs import entry_of
>>> from wengert_core import TABLE
>>> entry_of(TABLE.ops["bmm"]).sentence
'Multiply the matrices of two batches.'
"""

from __future__ import annotations

import inspect
import os
import re
from functools import cache, partial
from importlib import import_module
from typing import Any, NamedTuple

from wengert_core.binding.schema import parse_schema
from wengert_core.dispatch.op import Op

LABELS = ("Args", "Returns", "Dtypes", "Raises", "Memory")
HEADING = re.compile(r"^## (.+)", re.MULTILINE)
LABEL = re.compile(rf"^({'|'.join(LABELS)}):[ \n]?", re.MULTILINE)
COMMON = {
    "out": "the tensor that the result is written to; it is returned.",
    "keepdim": "whether the result keeps the reduced dims, with size 1.",
    "dtype": "the dtype of the result; None: as below.",
    "device": "the device of the result; None: that of the inputs, or the default device.",
    "requires_grad": "whether operations on the result are recorded.",
    "generator": "the source of random numbers; None: the default generator of the device.",
    "memory_format": "the order of the result's strides; `preserve_format` keeps that of the input.",
    "layout": "`strided`, the only layout.",
    "pin_memory": "whether the memory can be copied to an accelerator without waiting; for the CPU.",
    "size_average": "deprecated, see `reduction`.",
    "reduce": "deprecated, see `reduction`.",
}


class Entry(NamedTuple):
    """The documentation of one operation. parts: the text behind each label; arguments: by name."""

    name: str
    text: str  # sentence and paragraphs
    arguments: dict[str, str]
    parts: dict[str, str]
    example: str

    @property
    def sentence(self) -> str:
        """The first paragraph, on one line."""
        return " ".join(self.text.partition("\n\n")[0].split())


class Chapter(NamedTuple):
    """The entries of a file, and its beginning: a heading, and what holds for all of them."""

    family: str
    title: str
    text: str
    entries: dict[str, Entry]


def split_parts(text: str) -> tuple[str, dict[str, str]]:
    """Return what stands before the first label, and the text behind each label."""
    pieces = LABEL.split(text)
    return pieces[0].strip(), {label: body.strip("\n") for label, body in zip(pieces[1::2], pieces[2::2], strict=True)}


def split_arguments(text: str) -> dict[str, str]:
    """Return the lines ``name: text`` of the part Args by name; lines that are indented further go on."""
    found = re.split(r"^    (\*{0,2}\w+(?:, \*{0,2}\w+)*): ", text, flags=re.MULTILINE)
    return {
        name.lstrip("*"): " ".join(body.split())
        for names, body in zip(found[1::2], found[2::2], strict=True)
        for name in names.split(", ")
    }


def parse(text: str, family: str = "") -> Chapter:
    """Return what a file says."""
    beginning, *blocks = re.split(r"^## ", text, flags=re.MULTILINE)
    heading, shared = split_parts(beginning)
    title, _, introduction = heading.partition("\n")
    entries = {}
    for block in blocks:
        name, _, body = block.partition("\n")
        before, mark, example = body.partition(">>> ")
        described, parts = split_parts(before)
        arguments = split_arguments(parts.pop("Args", ""))
        plain = {label: " ".join(part.split()) for label, part in (shared | parts).items()}
        entries[name.strip()] = Entry(name.strip(), described, arguments, plain, (mark + example).strip())
    return Chapter(family, title.removeprefix("# "), introduction.strip(), entries)


@cache
def text_files(package: str) -> list[tuple[str, str]]:
    """Return the paths of the files in a package's folder ``documentation``, and the family of each."""
    # importlib.resources, which would also find them in an archive, takes longer to load than they take to read
    folder = os.path.join(import_module(package).__path__[0], "documentation")
    families = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [
        (os.path.join(folder, family, name), family)
        for family in families for name in sorted(os.listdir(os.path.join(folder, family)))
    ]


def read(path: str) -> str:
    """Return the text of a file."""
    with open(path, encoding="utf-8") as file:
        return file.read()


@cache
def chapter(path: str, family: str) -> Chapter:
    """Return what a file says."""
    return parse(read(path), family)


def chapters(package: str) -> list[Chapter]:
    """Return what is in the folder ``documentation`` of a package."""
    return [chapter(*file) for file in text_files(package)]


@cache
def files_by_entry(package: str) -> dict[str, tuple[str, str]]:
    """Return the file of each entry, by public name.

    The files are searched, not parsed, which takes a fifth of the time: functools.wraps asks for a docstring, too.
    """
    found = {}
    for path, family in text_files(package):
        for name in HEADING.findall(read(path)):
            found[name.strip()] = path, family
    return found


@cache
def entries_of_package(package: str) -> dict[str, Entry]:
    """Return the entries of a package by public name."""
    return {name: entry for one in chapters(package) for name, entry in one.entries.items()}


def entry_of(op: Any) -> Entry | None:
    """Return the entry of a row, None where it has none."""
    package = getattr(op, "documentation", "")
    file = files_by_entry(package).get(op.public_name) if package else None
    return chapter(*file).entries[op.public_name] if file is not None else None


class Parameter(NamedTuple):
    """A parameter by the name that users pass; inspect's takes no ``from``, which two operations have."""

    name: str
    shown: str  # with its default, or a star
    keyword_only: bool


def parameters(op: Any) -> list[Parameter]:
    """Return the parameters of a row: ``input`` for ``self``."""
    op = op.func if isinstance(op, partial) else op
    if isinstance(op, Op):
        return [parameter_of_schema(*parameter) for parameter in parse_schema(op.schema)[1]]
    listed = inspect.signature(op).parameters.values()
    return [Parameter(p.name, str(p.replace(annotation=p.empty)), p.kind is p.KEYWORD_ONLY) for p in listed]


def parameter_of_schema(own: str, kind: str, optional: bool, varargs: bool, keyword_only: bool, required: bool,
                        default: object) -> Parameter:
    """Return a parameter of ``parse_schema``."""
    name = "input" if own == "self" else own
    shown = name if required else f"{name}={default!r}"
    return Parameter(name, f"*{shown}" if varargs and required else shown, keyword_only)


def parameter_list(op: Any) -> str:
    """Return a row's parameters as users see them: ``(input, dim=None, *, out=None)``."""
    listed = parameters(op)
    parts = [parameter.shown for parameter in listed]
    first = next((i for i, parameter in enumerate(listed) if parameter.keyword_only), None)
    if first is not None and not any(part.startswith("*") for part in parts):
        parts.insert(first, "*")
    return f"({', '.join(parts)})"


def signature(op: Any) -> str:
    """Return a row's name and parameters as users call it."""
    op = op.func if isinstance(op, partial) else op
    name = (getattr(op, "public_name", "") or op.__name__).rpartition(".")[2]
    return name + parameter_list(op)


def arguments_of(op: Any, entry: Entry) -> dict[str, str]:
    """Return what is said of each argument, in their order; those of which nothing has to be said are left out."""
    names = [parameter.name for parameter in parameters(op)]
    described = {name: entry.arguments.get(name) or COMMON.get(name, "") for name in names}
    return {name: text for name, text in described.items() if text}


def text_of(op: Any) -> str:
    """Return the documentation of a row as ``help()`` shows it."""
    target = getattr(op, "out_of_place", None)
    entry = entry_of(op) or (entry_of(target) if target is not None else None)
    if entry is None:
        return f"{op.doc}\n\n{op.schema}" if isinstance(op, Op) else op.function.__doc__ or ""
    lines = [signature(op), ""]
    if target is not None:
        lines += [f"Write the result of `{entry.name}` into `input`, and return `input`.", ""]
    lines += [entry.text, ""]
    described = arguments_of(op, entry)
    if described:
        lines += ["Args:", *(f"    {name}: {text}" for name, text in described.items()), ""]
    lines += [f"{label}: {entry.parts[label]}" for label in LABELS if label in entry.parts and target is None]
    return "\n".join([*lines, "", entry.example]).rstrip() + "\n"
