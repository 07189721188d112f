"""Op schemas: ``"sum(Tensor self, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor"``.

Types: Tensor, Any (tensor or number), Scalar, int, int[], bool, float, dtype, str, Tensor[], object; ``?`` behind a
type lets None in, ``int[]*`` lets the numbers stand as positional arguments of their own. Outputs may be named: ``->
(Tensor values, Tensor indices)``.
"""

from __future__ import annotations

Parameter = tuple[str, str, bool, bool, bool, bool, object]
CONSTANTS = {"None": None, "True": True, "False": False, "...": ...}  # ...: left out, which None is not
# What was read before, since many rows are alike: by all that follows a name, and single parameters.
READ: dict[str, tuple[list[Parameter], tuple[str, ...]]] = {}
READ_PARTS: dict[tuple[str, bool], Parameter] = {}


def parse_schema(schema: str) -> tuple[str, list[Parameter], tuple[str, ...]]:
    """(name, parameters, output names); a parameter is (name, type, optional, varargs, keyword-only, required,
    default).

    Raises ValueError for a schema that cannot be read.
    """
    name, _, rest = schema.partition("(")
    if rest not in READ:
        READ[rest] = _read(rest, schema)
    params, outputs = READ[rest]
    return name, params, outputs


def _read(rest: str, schema: str) -> tuple[list[Parameter], tuple[str, ...]]:
    inside, arrow, returns = rest.partition(" -> ")
    if not arrow or not inside.endswith(")"):
        raise ValueError(f"schema not understood: {schema!r}; expected 'name(Type param, ...) -> Tensor'")
    params = []
    keyword_only = False
    for part in inside[:-1].split(", "):
        if part == "*":
            keyword_only = True
        elif part:
            key = (part, keyword_only)
            if key not in READ_PARTS:
                READ_PARTS[key] = _parameter(part, keyword_only, schema)
            params.append(READ_PARTS[key])
    return params, _outputs(returns)


def _parameter(part: str, keyword_only: bool, schema: str) -> Parameter:
    kind, space, rest = part.partition(" ")
    if not space:
        raise ValueError(f"schema not understood: parameter {part!r} of {schema!r} has no type or no name")
    param, equals, default = rest.partition("=")
    varargs = kind.endswith("*")
    kind = kind.rstrip("*")
    optional = kind.endswith("?")
    return param, kind.rstrip("?"), optional, varargs, keyword_only, not equals, _constant(default) if equals else None


def _constant(text: str) -> object:
    """The value of a default: None, a bool, a number, a quoted string, or [0,1]."""
    if text in CONSTANTS:
        return CONSTANTS[text]
    if text[0] in "'\"":
        return text[1:-1]
    if text[0] == "[":
        return tuple(int(number) for number in text[1:-1].split(","))
    try:
        return int(text)
    except ValueError:
        return float(text)


def _outputs(returns: str) -> tuple[str, ...]:
    if not returns.startswith("("):
        return (returns.partition(" ")[2] or "result",)
    return tuple(part.partition(" ")[2] for part in returns[1:-1].split(", "))
