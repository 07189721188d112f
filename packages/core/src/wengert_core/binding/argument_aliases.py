"""Other names of arguments: those of NumPy, which torch takes of every function, and a few of torch's own."""

from __future__ import annotations

from typing import Any

OF_NUMPY = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}
PARTS = {"sections": "indices_or_sections", "indices": "indices_or_sections"}
OF_TORCH = {
    "lstsq": {"b": "B"},
    "tensorsolve": {"other": "B"},
    "cholesky_solve": {"input2": "L"},
    "ormqr": {"input2": "tau", "input3": "other"},
    "isin": {"element": "elements", "test_element": "test_elements"},
    "searchsorted": {"self": "input"},
    "hsplit": PARTS,
    "vsplit": PARTS,
    "dsplit": PARTS,
}
"""The names that torch itself looks for, where they are not those of its documentation."""


def other_names(function: Any, name: str) -> dict[str, str]:
    """Other names that a function's arguments may be given by, with its own; name: under which it is called.

    "input" is another name of every first argument.

    >>> def halved(input, dim=0): ...
    >>> other_names(halved, "halved")
    {'axis': 'dim', 'x': 'input', 'a': 'input', 'x1': 'input'}
    """
    code = getattr(function, "__code__", None)
    if code is None:
        return {}
    own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    known = OF_NUMPY | OF_TORCH.get(name, OF_TORCH.get(getattr(function, "__name__", ""), {}))
    if "input" not in own and code.co_argcount:
        known = {word: own[0] if target == "input" else target for word, target in known.items()} | {"input": own[0]}
    return {word: target for word, target in known.items() if target in own and word not in own}
