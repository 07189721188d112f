"""Op schemas: ``"sum(Tensor self, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor"``.

Types: Tensor, Any (tensor or number), Scalar, int, int[], bool, float, dtype, str, Tensor[], object; ``?`` behind a
type lets None in, ``int[]*`` lets the numbers stand as positional arguments of their own. Outputs may be named: ``->
(Tensor values, Tensor indices)``.
"""

from __future__ import annotations

Parameter = tuple[str, str, bool, bool, bool, bool, object]
TYPES = ("Tensor", "Any", "Scalar", "int", "int[]", "bool", "float", "dtype", "str", "Tensor[]", "object")
MOST_PARAMETERS = 16  # places for them in C: MAX_SLOTS of dispatch/op.pxd
MOST_OUTPUTS = 8
CONSTANTS = {"None": None, "True": True, "False": False, "...": ...}  # ...: left out, which None is not
DEFAULTS: dict[str, tuple[type, ...]] = {  # what a default that is not None may be; none for other types
    "Any": (bool, int, float), "Scalar": (bool, int, float), "int": (int,), "int[]": (int, tuple), "bool": (bool,),
    "float": (int, float), "str": (str,), "object": (bool, int, float, str, tuple, type(...)),
}  # fmt: skip
# What was read before, since many rows are alike: by all that follows a name, and single parameters.
READ: dict[str, tuple[list[Parameter], tuple[str, ...]]] = {}
READ_PARTS: dict[tuple[str, bool], Parameter] = {}


def parse_schema(schema: str) -> tuple[str, list[Parameter], tuple[str, ...]]:
    """(name, parameters, output names); a parameter is (name, type, optional, varargs, keyword-only, required,
    default).

    Raises ValueError for a schema that cannot be read, TypeError for what is no text.
    """
    if not isinstance(schema, str):
        raise TypeError(f"a schema must be str, not {type(schema).__name__}: 'name(Type param, ...) -> Tensor'")
    name, _, rest = schema.partition("(")
    if not all(part.isidentifier() for part in name.split(".")):
        raise misread(schema, f"the name '{name}' is no identifier, nor several with dots between them")
    if rest not in READ:
        READ[rest] = _read(rest, schema)
    params, outputs = READ[rest]
    return name, params, outputs


def misread(schema: str, why: str) -> ValueError:
    """The error for a schema that cannot be read."""
    return ValueError(
        f"schema not understood: {schema!r}: {why}; expected 'name(Type param, ..., *, Type param=default) -> Tensor', "
        f"the types being {', '.join(TYPES)}, with ? behind one that None may stand for"
    )


def _read(rest: str, schema: str) -> tuple[list[Parameter], tuple[str, ...]]:
    inside, arrow, returns = rest.partition(" -> ")
    if not arrow or not inside.endswith(")"):
        raise misread(schema, "it has no ') -> ' before what it returns")
    params: list[Parameter] = []
    keyword_only = False
    for part in inside[:-1].split(", ") if inside != ")" else ():
        if part == "*" and not keyword_only:
            keyword_only = True
            continue
        key = (part, keyword_only)
        if key not in READ_PARTS:
            READ_PARTS[key] = _parameter(part, keyword_only, schema)
        params.append(READ_PARTS[key])
    if keyword_only and not (params and params[-1][4]):
        raise misread(schema, "no parameter follows the *")
    _check_together(params, schema)
    return params, _outputs(returns, schema)


def _check_together(params: list[Parameter], schema: str) -> None:
    """ValueError where single parameters are well, but not together."""
    names = [param[0] for param in params]
    for name in names:
        if names.count(name) > 1:
            raise misread(schema, f"it has two parameters called '{name}'")
    if len(names) > MOST_PARAMETERS:
        raise misread(schema, f"an op has at most {MOST_PARAMETERS} parameters, this one has {len(names)}")
    positional = [param for param in params if not param[4]]
    for i, param in enumerate(positional[1:]):
        before = positional[i]
        if param[5] and not before[5]:
            raise misread(schema, f"the parameter '{param[0]}' without a default follows '{before[0]}', which has one")
        if before[3]:
            raise misread(
                schema, f"'{param[0]}' follows '{before[0]}', which takes all further arguments (its type ends in *)"
            )


def _parameter(part: str, keyword_only: bool, schema: str) -> Parameter:
    kind, space, rest = part.partition(" ")
    if not space:
        raise misread(schema, f"parameter {part!r} has no type or no name")
    param, equals, default = rest.partition("=")
    if not param.isidentifier():
        raise misread(schema, f"the name '{param}' of a parameter is no identifier")
    varargs = kind.endswith("*")
    optional = kind.removesuffix("*").endswith("?")
    plain = kind.removesuffix("*").removesuffix("?")
    if plain not in TYPES:
        raise misread(schema, f"the type '{kind}' of parameter '{param}' is not known")
    if varargs and (plain not in ("int[]", "object") or keyword_only):
        raise misread(schema, f"'{kind}' of parameter '{param}': the * is for int[] and object, before the keywords")
    value = _constant(default, param, schema) if equals else None
    allowed = DEFAULTS.get(plain, ())
    if value is not None and (not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed)):
        raise misread(schema, f"the default {default} of parameter '{param}' is no {plain}")
    return param, plain, optional, varargs, keyword_only, not equals, value


def _constant(text: str, param: str, schema: str) -> object:
    """The value of a default: None, a bool, a number, a quoted string, or [0,1]."""
    if text in CONSTANTS:
        return CONSTANTS[text]
    if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]:
        return text[1:-1]
    try:
        if text[:1] == "[" and text[-1:] == "]":
            return tuple(int(number) for number in text[1:-1].split(",")) if text != "[]" else ()
        try:
            return int(text)
        except ValueError:
            return float(text)
    except ValueError:
        raise misread(
            schema,
            f"the default {text!r} of parameter '{param}' is none of None, True, False, a number, a quoted text, [0,1]",
        ) from None


def _outputs(returns: str, schema: str) -> tuple[str, ...]:
    if returns == "Tensor[]":
        return ("result",)
    several = returns.startswith("(") and returns.endswith(")")
    parts = returns[1:-1].split(", ") if several else [returns]
    outputs = []
    for i, part in enumerate(parts):
        kind, _, name = part.partition(" ")
        if kind != "Tensor":
            raise misread(schema, f"it returns '{part}'; an op returns Tensor, Tensor[] or (Tensor name, Tensor name)")
        name = name or (f"result{i}" if len(parts) > 1 else "result")
        if not name.isidentifier():
            raise misread(schema, f"the name '{name}' of an output is no identifier")
        if name in outputs:
            raise misread(schema, f"it has two outputs called '{name}'")
        outputs.append(name)
    if len(outputs) > MOST_OUTPUTS:
        raise misread(schema, f"an op has at most {MOST_OUTPUTS} outputs, this one has {len(outputs)}")
    return tuple(outputs)
