"""Samples of copies of views: those of the views themselves, with dims counted from the end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from wengert_testing.case import OpCase, T
from wengert_testing.samples.pointwise import complex as complex_parts
from wengert_testing.samples.shapes import RECORDED
from wengert_testing.samples.view import views

BY_VIEW = {case.op: case for case in (*views.CASES, *complex_parts.CASES) if case.note != RECORDED}
COPIED = """
alias as_strided diagonal narrow permute select slice split split_with_sizes squeeze t transpose unbind unfold unsqueeze
view view_as_complex view_as_real
""".split()
PARTS = "chunk split split_with_sizes".split()
FROM_THE_END: dict[str, Any] = {
    "chunk": (T(2, 4), 2, -1),
    "diagonal": (T(2, 3, 3), 0, -2, -1),
    "narrow": (T(2, 3), -1, 0, 2),
    "slice": (T(2, 3), -1, 0, 2),
    "split": (T(2, 4), 2, -1),
    "transpose": (T(2, 3), -1, -2),
}


def copy_row(view: str, name: str) -> OpCase:
    """The row of a copy; those that split take lengths only where they are called after them."""
    case = BY_VIEW[view]
    inputs = [given for given in case.inputs if view != "split" or isinstance(given[1], int)]
    return replace(case, op=name, inputs=[*inputs, *([FROM_THE_END[view]] if view in FROM_THE_END else [])])


def expand_sample(x: Any, size: Any, implicit: Any = False) -> Any:
    return BY_VIEW["expand"].oracle(x, size)  # type: ignore[misc]


CASES = [
    *(copy_row(view, f"{view}_copy") for view in COPIED),
    *(copy_row(view, f"unsafe_{view}") for view in PARTS),
    replace(BY_VIEW["alias"], op="detach_copy", grad=False, note="it has no history"),
    OpCase("expand_copy", expand_sample, [*BY_VIEW["expand"].inputs, (T(3), (2, 3), {"implicit": True})], complex=True),
]
