"""Write the part of the stubs that follows from the op tables: Tensor's methods, and the ops as functions.

    python -m tools.generate.tensor_stub            write it
    python -m tools.generate.tensor_stub --check    exit code 1 if a stub is out of date (make lint)

In each of these stubs all down to the line MARK is written by hand, and wins over the table: what it has is left out
below.
"""

import argparse
import ast
import inspect
import keyword
import re
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import wengert_core
from wengert_core.binding.schema import parse_schema
from wengert_core.dispatch.composite import Composite
from wengert_core.dispatch.op import Op
from wengert_core.optable.core_table import TABLE
from wengert_sparse.table import load as load_sparse
from wengert_special.table import load as load_special

from tools.generate.result_types import ANY_NUMBER, FIELDS, classes, flag_of, out_type, result_type
from tools.workspace.packages import ROOT

MARK = "# ---- from here on written by tools/generate/tensor_stub.py from the op table: do not edit"
CORE = ROOT / "packages" / "core" / "src" / "wengert_core"
WENGERT = ROOT / "packages" / "wengert" / "src" / "wengert"
WIDTH = 120
RESULT_MODULE = "wengert_core.tensors.return_types"
OPTIONAL = (load_special(), load_sparse())  # optional parts, whose names the stubs have all the same
OPTIONAL_OPS = {name: op for table in OPTIONAL for name, op in table.ops.items() if name not in table.hidden}
OPS = {**TABLE.ops, **OPTIONAL_OPS}
METHODS = {**TABLE.methods, **{name: method for table in OPTIONAL for name, method in table.methods.items()}}

# Types of a schema as types of a stub. The names with an underscore are defined at the top of tensor.pyi.
KINDS = {
    "Tensor": "Tensor", "Any": "_Operand", "Scalar": "_Scalar", "int": "_int", "int[]": "_Ints", "bool": "_bool",
    "float": "_float", "dtype": "_DType", "str": "str", "Tensor[]": "Sequence[Tensor]", "object": "Any",
}
OBJECTS = {"device": "_Device", "generator": "_Generator", "layout": "_layout", "memory_format": "_memory_format"}
# Types of parameters that a function in Python leaves open, by their names: those that are alike everywhere.
OPEN = {
    "dtype": "_DType | None", "device": "_Device | None", "generator": "_Generator | None", "layout": "_layout | None",
    "dim": "_Ints | None", "s": "Sequence[_int] | None", "driver": "str | None", "correction": "_float | None",
    "atol": "_float | Tensor | None", "rtol": "_float | Tensor | None", "prepend": "Tensor | None",
    "append": "Tensor | None", "fweights": "Tensor | None", "aweights": "Tensor | None",
}
# Names that are methods of Tensor or dtypes as well: stubs call the types by these.
SHADOWED = {"bool": "_bool", "int": "_int", "float": "_float", "dtype": "_dtype"}


class Parameter(NamedTuple):
    """A parameter as a stub shows it. star: "*" or "**", what the name begins with."""

    name: str
    type: str
    default: str = ""
    keyword_only: bool = False
    varargs: bool = False
    star: str = ""

    def __str__(self) -> str:
        return f"{self.star}{self.name}: {self.type}" + (f" = {self.default}" if self.default else "")


class Signature(NamedTuple):
    parameters: list[Parameter]
    result: str


def signature(function: Any) -> Signature:
    """The signature of an op, of another name for one, or of a function in Python."""
    if isinstance(function, partial):
        function = function.func
    found = of_schema(function.schema) if isinstance(function, Op) else of_function(function)
    if found.parameters[-1:] and found.parameters[-1].star == "**" and function.__name__.endswith("_"):
        found = in_place_of(signature(OPS[function.public_name.removesuffix("_")]))
    result = result_type(function, found.result)
    return Signature([typed_parameter(one, result) for one in found.parameters], result)


def in_place_of(found: Signature) -> Signature:
    """The signature of a function's in-place form, which hands on what it gets."""
    return found._replace(parameters=[one for one in found.parameters if one.name not in ("inplace", "out")])


def typed_parameter(one: Parameter, result: str) -> Parameter:
    """The parameter, with a type where its annotation says nothing and its name tells; result: the function's."""
    if one.type not in ("Any", "Any | None") or one.default not in ("None", "..."):
        return one
    known = out_type(result) if one.name == "out" else OPEN.get(one.name, one.type)
    return one._replace(type=known)


def of_schema(schema: str) -> Signature:
    parameters = []
    for name, kind, optional, varargs, keyword_only, required, default in parse_schema(schema)[1]:
        shown = OBJECTS.get(name, "Any") if kind == "object" else KINDS[kind]
        text = f"{shown} | None" if optional and shown != "Any" else shown
        shown = "" if required else omitted_default(text, default)
        parameters.append(Parameter(name, text, shown, keyword_only, varargs))
    return Signature(parameters, "Tensor" if schema.endswith("-> Tensor") else ANY_NUMBER)


def of_function(function: Callable[..., Any]) -> Signature:
    """From the annotations, which are strings where the module says so."""
    parameters = []
    found = inspect.signature(function)
    for one in found.parameters.values():
        text = annotation(one.annotation)
        default = "" if one.default is one.empty else omitted_default(text, one.default)
        star = "*" if one.kind == one.VAR_POSITIONAL else "**" if one.kind == one.VAR_KEYWORD else ""
        keyword_only = one.kind == one.KEYWORD_ONLY
        parameters.append(Parameter(one.name, text, default, keyword_only, star=star))
    return Signature(parameters, annotation(found.return_annotation))


def annotation(value: Any) -> str:
    """The text of an annotation, with the names that stubs know the types by."""
    if value is inspect.Parameter.empty:
        return "Any"
    text = value if isinstance(value, str) else inspect.formatannotation(value)
    return re.sub(r"(?<![.\w])\w+", lambda match: SHADOWED.get(match[0], match[0]), text)


def shown_default(value: Any) -> str:
    """The literal for a default; three dots where it is none, or a number with many digits."""
    if isinstance(value, str):
        return f'"{value}"'
    literal = value is None or isinstance(value, bool | int | float | tuple)
    return repr(value) if literal and len(repr(value)) <= 10 else "..."


def omitted_default(text: str, default: Any) -> str:
    """The default of a parameter of that type: three dots where it is None, which the caller must not give."""
    return "..." if default is None and "None" not in text and text != "Any" else shown_default(default)


def as_method(found: Signature) -> Signature:
    """Without the first parameter, which is the tensor; unless that takes any number of tensors."""
    first, *rest = found.parameters
    keep = [first] if first.star else []
    return Signature([Parameter("self", ""), *keep, *rest], found.result)


def as_function(found: Signature) -> Signature:
    """With torch's name for the first parameter."""
    return Signature([p._replace(name="input") if p.name == "self" else p for p in found.parameters], found.result)


def definitions(name: str, op: Any, found: Signature) -> list[str]:
    """The lines of an op: a def, or overloads where a flag turns one result into several."""
    flag = flag_of(op)
    if not flag:
        return definition(name, found)
    return [line for form in flag_forms(found, *flag) for line in ("@overload", *definition(name, form))]


def flag_forms(found: Signature, flag: str, result: str) -> list[Signature]:
    """The overloads of an op: without the flag, with it by name, with it by position, and as it happens to be set."""
    i = [one.name for one in found.parameters].index(flag)
    before, one, after = found.parameters[:i], found.parameters[i], found.parameters[i + 1 :]
    required = one._replace(type="Literal[True]", default="")
    by_name = [each._replace(keyword_only=True) for each in (required, *after)]
    forms = [
        Signature([*before, one._replace(type="Literal[False]"), *after], "Tensor"),
        Signature([*before, *by_name], result),
        Signature([*(each._replace(default="") for each in before), required, *after], result),
        found._replace(result="Any"),
    ]
    return forms if any(each.default for each in before) else [forms[0], *forms[2:]]


def definition(name: str, found: Signature) -> list[str]:
    """The lines of a def; two overloads where numbers may stand as arguments of their own."""
    for i, one in enumerate(found.parameters):
        if one.varargs:
            given = [*found.parameters[:i], one._replace(varargs=False), *found.parameters[i + 1 :]]
            spread = [*found.parameters[:i], Parameter(one.name, "_int", star="*"), *found.parameters[i + 1 :]]
            both = (Signature(given, found.result), Signature(spread, found.result))
            return [line for form in both for line in ("@overload", *definition(name, form))]
    shown: list[str] = []
    for one in found.parameters:
        if one.keyword_only and "*" not in shown and not any(p.star == "*" for p in found.parameters):
            shown.append("*")
        shown.append(str(one) if one.type else one.name)
        if keyword.iskeyword(one.name):
            shown[-1:] = [str(one._replace(name=one.name + "_")), "/"]
    line = f"def {name}({', '.join(shown)}) -> {found.result}: ..."
    if len(line) + 4 <= WIDTH:
        return [line]
    return [f"def {name}(", *(f"    {text}," for text in shown), f") -> {found.result}: ..."]


def methods(names: set[str]) -> Iterable[str]:
    """Tensor's methods and properties, in the body of the class. names: those written by hand."""
    for name, value in sorted(METHODS.items()):
        if name in names or name.startswith("_"):
            continue
        if isinstance(value, property):
            lines = ["@property", f"def {name}(self) -> {signature(value.fget).result}: ..."]
            if value.fset is not None:
                lines += [f"@{name}.setter", f"def {name}(self, value: Any) -> None: ..."]
        else:
            lines = definitions(name, value, as_method(signature(value)))
        yield from ("    " + line for line in lines)


def functions(names: set[str], module_path: str = "") -> Iterable[str]:
    """The ops as functions of the module ``module_path``: "linalg", "nn.functional", "" for the top."""
    for dotted, value in sorted(OPS.items()):
        where, _, name = dotted.rpartition(".")
        hidden = name in names or not (module_path or hasattr(wengert_core, name))
        if where == module_path and not hidden:
            yield from definitions(name, value, as_function(signature(value)))


def top_level(names: set[str]) -> Iterable[str]:
    """Core's names in wengert: imported one by one."""
    known = names_by_hand((CORE / "__init__.pyi").read_text(encoding="utf-8"), None)
    for name in sorted(known - names):
        if not name.startswith("_") and hasattr(wengert_core, name):
            yield f"from wengert_core import {name} as {name}"
    for name, value in sorted(OPTIONAL_OPS.items()):
        if "." not in name and not name.startswith("_"):
            yield from definitions(name, value, as_function(signature(value)))


def written_names() -> Iterable[str]:
    """What stubtest need not compare: ops, which to it are no functions, and composites, whose self is called input."""
    for name, value in METHODS.items():
        if isinstance(value, (Op, Composite)) or inspect.isroutine(value):
            yield f"wengert_core.tensors.tensor.Tensor.{name}"
    for name in OPS:
        if "." in name or name in OPTIONAL_OPS:
            yield f"wengert.{name}"


def named_tuples(names: set[str]) -> Iterable[str]:
    """The named tuples in ``wengert.return_types``: imported one by one."""
    return (f"from {RESULT_MODULE} import {name} as {name}" for name in sorted(FIELDS) if name not in names)


STUBS: dict[Path, Callable[[set[str]], Iterable[str]]] = {
    CORE / "tensors" / "return_types.pyi": classes,
    WENGERT / "return_types.pyi": named_tuples,
    CORE / "tensors" / "tensor.pyi": methods,
    CORE / "__init__.pyi": functions,
    WENGERT / "__init__.pyi": top_level,
    WENGERT / "fft.pyi": partial(functions, module_path="fft"),
    WENGERT / "signal" / "windows.pyi": partial(functions, module_path="signal.windows"),
    WENGERT / "sparse.pyi": partial(functions, module_path="sparse"),
    WENGERT / "special.pyi": partial(functions, module_path="special"),
    WENGERT / "linalg.pyi": partial(functions, module_path="linalg"),
    WENGERT / "nn" / "functional.pyi": partial(functions, module_path="nn.functional"),
}


def names_by_hand(text: str, inside: str | None) -> set[str]:
    """The names that the text defines at its top, or in its class ``inside``."""
    body = ast.parse(text).body
    if inside is not None:
        body = next(node.body for node in body if isinstance(node, ast.ClassDef) and node.name == inside)
    names = set()
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.ImportFrom(names=imported):
                names |= {one.asname or one.name for one in imported}
    return names


def renew_stub(path: Path, text: str) -> str:
    """The stub with the part below the mark written anew."""
    head, mark, _ = text.partition(MARK)
    if not mark:
        raise SystemExit(f"tensor_stub: {path.relative_to(ROOT)} has no line {MARK!r}")
    names = names_by_hand(head, "Tensor" if path.name == "tensor.pyi" else None)
    return head + mark + "\n" + "".join(line + "\n" for line in STUBS[path](names))


def missing_names(text: str) -> set[str]:
    """What wengert_core has at runtime and the text of its stub does not."""
    values = vars(wengert_core).items()
    public = {name for name, value in values if not name.startswith("_") and not isinstance(value, ModuleType)}
    return public - names_by_hand(text, None)


def main() -> None:
    parser = argparse.ArgumentParser(prog="tensor_stub", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a stub is out of date")
    check = parser.parse_args().check
    stale = []
    for path in STUBS:
        text = path.read_text(encoding="utf-8")
        new = renew_stub(path, text)
        if new != text:
            stale.append(path)
            if not check:
                path.write_text(new, encoding="utf-8")
    missing = missing_names((CORE / "__init__.pyi").read_text(encoding="utf-8")) if not (check and stale) else set()
    if missing:
        print(f"tensor_stub: write by hand into wengert_core/__init__.pyi: {', '.join(sorted(missing))}")
    for path in stale:
        done = "is out of date: run python -m tools.generate.tensor_stub" if check else "written"
        print(f"tensor_stub: {path.relative_to(ROOT)} {done}")
    if not stale and not missing:
        print("tensor_stub: the stubs agree with the op table")
    sys.exit(1 if missing or (check and stale) else 0)


if __name__ == "__main__":
    main()
