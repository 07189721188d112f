"""The pages of operations: one entry for each op and composite in the table, one for each member of Tensor."""

import inspect
from functools import partial
from typing import Any

import wengert
from plain_docstrings import converted
from wengert_core import TABLE, Tensor
from wengert_core.dtypes import ALL
from wengert_core.op import Op
from wengert_core.schema import parse_schema
from wengert_core.table import OpTable

BLOCK = "~~~"


def entry(kind: str, name: str, signature: str, text: list[str]) -> str:
    """One description in the Python domain; the text is reStructuredText."""
    body = "\n".join(f"   {line}" if line else "" for line in text)
    return f"{BLOCK}{{eval-rst}}\n.. py:{kind}:: {name}{signature}\n\n{body}\n{BLOCK}\n"


def schema_signature(op: Op) -> str:
    """The parameters of an op, with their defaults."""
    parts = []
    starred = False
    for name, _, _, varargs, keyword_only, required, default in parse_schema(op.schema)[1]:
        if keyword_only and not starred:
            parts.append("*")
            starred = True
        parts.append(f"*{name}" if varargs else name if required else f"{name}={default!r}")
    return f"({', '.join(parts)})"


def signature_of(obj: Any) -> str:
    """A callable's parameters without annotations; (...) where nobody knows them."""
    if isinstance(obj, partial):
        return signature_of(obj.func)
    if isinstance(obj, Op):
        return schema_signature(obj)
    try:
        found = inspect.signature(obj)
    except (TypeError, ValueError):
        return "(...)"
    plain = [parameter.replace(annotation=parameter.empty) for parameter in found.parameters.values()]
    shown = found.replace(parameters=plain, return_annotation=found.empty)
    return str(shown).replace("<", "").replace(">", "")


def text_of(obj: Any) -> list[str]:
    """What an op or a function says about itself."""
    return converted((obj.doc if isinstance(obj, Op) else inspect.getdoc(obj) or "").splitlines())


def variants(name: str, ops: dict[str, Any]) -> list[str]:
    """A line about the in-place variant, where there is one."""
    return [f"In place: ``{name}_``.", ""] if f"{name}_" in ops else []


def is_public(name: str, prefix: str) -> bool:
    """Whether a row is a function of that part of wengert, and no in-place variant."""
    rest = name.removeprefix(prefix)
    return name.startswith(prefix) and "." not in rest and not rest.endswith("_") and not rest.startswith("_")


def functions(prefix: str, optional: OpTable | None = None) -> str:
    """All operations of ``wengert.<prefix>``, in the order of the alphabet. optional: the table of an optional part,
    whose names come among core's; at the top, they alone.
    """
    ops = {**(TABLE.ops if prefix or optional is None else {}), **(optional.ops if optional else {})}
    names = sorted(name for name in ops if is_public(name, prefix))
    return "\n".join(
        entry("function", f"wengert.{name}", signature_of(ops[name]), text_of(ops[name]) + variants(name, ops))
        for name in names
    )


def is_operation(name: str) -> bool:
    """Whether a member of Tensor is an operation that is described as a function."""
    return name in TABLE.ops or (name.endswith("_") and name[:-1] in TABLE.ops)


def members() -> list[str]:
    """The public members of Tensor."""
    return sorted(name for name in dir(Tensor) if not name.startswith("_"))


def tensor_operations() -> str:
    """The names of the methods that are operations."""
    return ", ".join(f"`{name}`" for name in members() if is_operation(name)) + "."


def tensor_members() -> str:
    """The other members, each with what it says about itself."""
    parts = []
    for name in members():
        value = inspect.getattr_static(Tensor, name)
        if not is_operation(name):
            is_method = callable(value) or isinstance(value, (staticmethod, classmethod))
            signature = signature_of(getattr(Tensor, name)).replace("(self, ", "(").replace("(self)", "()")
            kind, shown = ("method", signature) if is_method else ("attribute", "")
            parts.append(entry(kind, f"wengert.Tensor.{name}", shown, text_of(value)))
    return "\n".join(parts)


def dtypes() -> str:
    """The table of dtypes."""
    rows = [f"| `{name}` | {dtype.itemsize} |" for name, dtype in sorted(ALL.items()) if hasattr(wengert, name)]
    return "\n".join(["| dtype | bytes |", "| --- | --- |", *rows])
