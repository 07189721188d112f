"""Settings of rows: each kind of row says what its settings may be, and ``check_settings`` looks before the row is
made.

A setting that does not exist is a TypeError that lists those that do, a value of the wrong type or word an error that
says what is allowed; both name the row and its table. The registry, which loads tables, adds the distribution and the
entry point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

import numpy as np

from wengert_core.binding.schema import parse_schema
from wengert_core.dtypes.dtypes import ALL as DTYPES
from wengert_core.dtypes.dtypes import dtype

P = ParamSpec("P")
T = TypeVar("T")
Check = Callable[[Any], str]
"""The defect of a setting's value, as "must be ..."; "" when there is none."""


def check_settings(**checks: Check) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Look at a row's settings, by name, before the method of the table that makes it runs. The first argument but
    ``self`` is the row's schema, or comes before it.
    """

    def decorate(method: Callable[P, T]) -> Callable[P, T]:
        def look(*args: P.args, **settings: P.kwargs) -> T:
            row = next((arg for arg in args if isinstance(arg, str)), settings.get("schema"))
            for name, value in settings.items():
                check = checks.get(name)
                why = check(value) if check is not None else "" if name in SUBJECT else UNKNOWN
                if why:
                    raise bad_setting(args[0], row, method.__name__, name, value, why, sorted(checks))
            return method(*args, **settings)

        look.__name__, look.__doc__, look.__wrapped__ = method.__name__, method.__doc__, method  # type: ignore[attr-defined]
        look.__qualname__, look.__module__ = method.__qualname__, method.__module__
        look.__annotations__ = method.__annotations__
        return look

    return decorate


SUBJECT = ("schema", "n_in")
"""Arguments that are no settings."""
UNKNOWN = "?"


def bad_setting(
    table: Any, row: object, kind: str, name: str, value: object, why: str, allowed: list[str]
) -> Exception:
    """The error for a setting: TypeError where it is not known or of a wrong type, ValueError for a wrong value."""
    where = f"op table '{table.name}', row {row!r}"
    if why == UNKNOWN:
        return TypeError(f"{where}: {kind}() has no setting '{name}'; its settings are {', '.join(allowed)}")
    shown = repr(value) if isinstance(value, (str, int, float, bool, type(None))) else f"of type {type(value).__name__}"
    error = ValueError if why.startswith("must be one of") or isinstance(value, (list, tuple)) else TypeError
    return error(f"{where}: the setting '{name}' {why}, it is {shown}")


# ---- what settings may be


def flag(value: Any) -> str:
    """True or False."""
    return "" if isinstance(value, bool) else "must be True or False"


def text(value: Any) -> str:
    """A str."""
    return "" if isinstance(value, str) else "must be str"


def text_or_none(value: Any) -> str:
    """A str, or None."""
    return "" if value is None or isinstance(value, str) else "must be str or None"


def whole(value: Any) -> str:
    """An int."""
    return "" if type(value) is int else "must be int"


def whole_or_none(value: Any) -> str:
    """An int, or None."""
    return "" if value is None or type(value) is int else "must be int or None"


def function(value: Any) -> str:
    """A callable."""
    return "" if callable(value) else "must be callable"


def function_or_none(value: Any) -> str:
    """A callable, or None."""
    return "" if value is None or callable(value) else "must be callable, or None"


def mapping(value: Any) -> str:
    """A mapping with text as keys, or None."""
    if value is None or (isinstance(value, Mapping) and all(isinstance(key, str) for key in value)):
        return ""
    return "must be a mapping from str"


def anything(value: Any) -> str:
    """No wish."""
    return ""


def one_of(*words: Any) -> Check:
    """One of some words."""
    shown = ", ".join(repr(word) for word in words)
    return lambda value: "" if isinstance(value, (str, type(None))) and value in words else f"must be one of {shown}"


def pair_of(*words: str) -> Check:
    """A pair of one of some words and a name, or None."""

    def check(value: Any) -> str:
        fits = isinstance(value, tuple) and len(value) == 2 and value[0] in words and isinstance(value[1], str)
        return "" if value is None or fits else f"must be a pair of one of {', '.join(words)} and a name, or None"

    return check


def each_of(*words: str) -> Check:
    """A sequence of some words, or a single one of them as a function of how many outputs there are."""
    shown = ", ".join(repr(word) for word in words)

    def check(value: Any) -> str:
        if (
            isinstance(value, (list, tuple))
            and value
            and all(isinstance(word, str) and word in words for word in value)
        ):
            return ""
        return f"must be a list of words for the outputs, each one of {shown}"

    return check


def dtypes(value: Any) -> str:
    """Dtypes of ours."""
    if isinstance(value, (list, tuple)) and value and all(isinstance(kind, dtype) for kind in value):
        return ""
    return f"must be a sequence of dtypes, as FLOATING of wengert_core.optable.kinds.base: {', '.join(DTYPES)}"


def kernels(value: Any) -> str:
    """Providers of loops: names of core's own, ufuncs of one output, and tuples of one with its categories."""
    if isinstance(value, str) or not isinstance(value, (list, tuple)):
        return "must be a list of ufuncs and names of core's kernels"
    for kernel in value:
        if isinstance(kernel, tuple):
            if len(kernel) not in (2, 3, 4) or not all(isinstance(category, int) for category in kernel[1:]):
                return "must have pairs of a kernel and a category of dtypes (0 to 3: bool, integer, floating, complex)"
            kernel = kernel[0]
        if isinstance(kernel, str):
            continue
        if not isinstance(kernel, np.ufunc):
            return f"must have ufuncs and names of core's kernels: {kernel!r:.80} is neither; a function is a reference"
        if kernel.nout != 1 or kernel.signature is not None:
            what = f"{kernel.nout} outputs" if kernel.nout != 1 else f"the signature {kernel.signature}"
            return f"must have elementwise ufuncs of one output: '{kernel.__name__}' has {what}"
    return ""


# ---- how settings fit the schema


def row_error(table: Any, schema: str, why: str) -> ValueError:
    """The error for a row whose settings and schema do not go together."""
    return ValueError(f"op table '{table.name}', row {schema!r}: {why}")


def fitting(table: Any, schema: str, name: str, fn: Any, n: int) -> None:
    """TypeError for a Python function that cannot be called with n positional arguments."""
    code = getattr(fn, "__code__", None)
    if type(fn).__name__ not in ("function", "cython_function_or_method") or code is None:
        return  # of other callables nothing is known
    most = code.co_argcount
    least = most - len(fn.__defaults__ or ())
    if n < least or (n > most and not code.co_flags & 0x04):  # 0x04: it has *args
        takes = f"{least}" if least == most else f"{least} to {most}"
        raise TypeError(
            f"op table '{table.name}', row {schema!r}: {name}= takes {takes} arguments, but it is called with {n}: "
            f"{', '.join(code.co_varnames[:most])}"
        )


def arguments_of(schema: str, *but: str) -> int:
    """Return the number of parameters of a schema, without those in ``but``."""
    return sum(param[0] not in but for param in parse_schema(schema)[1])


def as_many(table: Any, schema: str, results: Any) -> None:
    """ValueError unless there is a rule for each output."""
    outputs = parse_schema(schema)[2]
    if len(results) != len(outputs):
        raise ValueError(
            f"op table '{table.name}', row {schema!r}: results= has {len(results)} words, {list(results)}, the schema "
            f"{len(outputs)} outputs: {', '.join(outputs)}"
        )


def expect(table: Any, schema: str, kind: str, types: list[str], least: int, names: bool) -> None:
    """ValueError unless the parameters, but out=, are of these types: the driver takes them by their places.

    types: as in a schema, each with a name.   least: how many must be there.   names: those but the first count too.
    """
    got = [param for param in parse_schema(schema)[1] if param[0] != "out"]
    fits = least <= len(got) <= len(types)
    for i, (param, each) in enumerate(zip(got, types, strict=False)):
        wanted, _, name = each.partition(" ")
        fits = fits and param[1] == wanted.removesuffix("?") and (not param[2] or wanted.endswith("?"))
        fits = fits and (not names or i == 0 or param[0] == name)
    if not fits:
        by_name = ", by these names" if names else ""
        raise row_error(table, schema, f"a row of the kind '{kind}' has the parameters ({', '.join(types)}){by_name}")
