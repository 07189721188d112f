"""The types of operations' results as stubs show them: from the schema, the annotation, or the documentation entry.

Note [Types of results]
    An annotation other than Any is taken as it is, and a schema says how many tensors there are. Elsewhere the part
    "Returns" of the entry says it, in one of the phrases below; a function whose entry has none of them returns a
    tensor. tests/test_stub_results.py calls the operations and compares.

    a named tuple (values, indices)      the class of this name in ``wengert.return_types``
    a tuple (LU, pivots); a tuple of four   so many tensors
    a tuple of tensors                   any number of tensors
    with `flag` a tuple of that and of   a tensor, or two where the flag is given: overloads (FLAGS has another)
"""

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from wengert_core.binding.schema import parse_schema
from wengert_core.dispatch.op import Op
from wengert_core.dispatch.op_docs import entry_of
from wengert_core.tensors.named_tuple import PARTS

ANY_NUMBER = "tuple[Tensor, ...]"
NUMBERS = {"two": 2, "three": 3, "four": 4}
NAMED = re.compile(r"a named tuple \(([\w, ]+)\)")
FIXED = re.compile(r"a tuple \(([\w, ]+)\)")
COUNTED = re.compile(rf"a tuple of ({'|'.join(NUMBERS)})\b")
FLAGS = {
    re.compile(r"with `(\w+)` a tuple of that and of"): "tuple[Tensor, Tensor]",
    re.compile(r"with `(\w+)`, a tuple of vectors"): ANY_NUMBER,
}
"""Phrases about an argument that changes the result from a tensor to another type."""
FIELDS = {name: fields.split() for fields, names in PARTS.items() for name in names.split()}
"""The named tuples, each with the names of its parts."""
PARTS_THAT_ARE_TUPLES = {("histogramdd", "bin_edges")}


def returns(op: Any) -> str:
    """The part "Returns" of an operation's entry, '' where it has none; that of an in-place form is none."""
    entry = entry_of(op)
    return entry.parts.get("Returns", "") if entry else ""


def result_type(op: Any, declared: str) -> str:
    """The type of the result; declared: what the annotation says, "Any" where that says nothing."""
    op = op.func if isinstance(op, partial) else op
    text = returns(op)
    if named := NAMED.match(text):
        return named_tuple(op.public_name, named[1].split(", "))
    if isinstance(op, Op):
        return declared if declared != ANY_NUMBER else of_outputs(op.schema)
    return declared if declared != "Any" else of_text(text)


def named_tuple(name: str, fields: list[str]) -> str:
    """The class of named tuples that an operation returns; ValueError where its entry names other parts."""
    name = name.replace(".", "_").removesuffix("_dim")
    if FIELDS.get(name) != fields:
        raise ValueError(f"the documentation of {name} promises a named tuple of {fields}, core has {FIELDS.get(name)}")
    return f"_return_types.{name}"


def of_outputs(schema: str) -> str:
    """From a schema: several outputs have names; ``Tensor[]`` is any number."""
    return ANY_NUMBER if schema.endswith("Tensor[]") else tensors(len(parse_schema(schema)[2]))


def of_text(text: str) -> str:
    """From the text of an entry; '' and shapes: a tensor."""
    if fixed := FIXED.match(text):
        return tensors(len(fixed[1].split(",")))
    if counted := COUNTED.match(text):
        return tensors(NUMBERS[counted[1]])
    if text.startswith("a `Size`"):
        return "Size"
    return ANY_NUMBER if text.startswith("a tuple of") else "Tensor"


def tensors(number: int) -> str:
    """A tuple of so many tensors; a single one is none."""
    return "Tensor" if number == 1 else f"tuple[{', '.join(['Tensor'] * number)}]"


def flag_of(op: Any) -> tuple[str, str] | None:
    """The argument that turns the result from a tensor into several, and their type; None where there is none."""
    text = returns(op.func if isinstance(op, partial) else op)
    return next(((found[1], result) for phrase, result in FLAGS.items() if (found := phrase.search(text))), None)


def out_type(result: str) -> str:
    """The type of ``out=`` for results of a type: the result's parts, in a sequence."""
    return "Tensor | None" if result == "Tensor" else "Sequence[Tensor] | None"


def classes(names: Iterable[str]) -> Iterator[str]:
    """The lines of the stub of ``return_types``: the classes of named tuples; names: what is written by hand."""
    for name, fields in sorted(FIELDS.items()):
        if name in names:
            continue
        types = [ANY_NUMBER if (name, field) in PARTS_THAT_ARE_TUPLES else "Tensor" for field in fields]
        shape = f"tuple[{', '.join(types)}]"
        yield from ["", f"class {name}({shape}):"]
        quoted = ", ".join(f'"{field}"' for field in fields)
        yield f"    __match_args__ = ({quoted})"
        yield from (f"    {kind}: Final[int]" for kind in ("n_fields", "n_sequence_fields", "n_unnamed_fields"))
        yield "    def __new__(cls, sequence: Iterable[Any], dict: dict[str, Any] = ...) -> Self: ..."
        for field, kind in zip(fields, types, strict=True):
            yield from ["    @property", f"    def {field}(self) -> {kind}: ..."]
