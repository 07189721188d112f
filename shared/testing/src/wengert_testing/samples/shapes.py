"""Inputs that many rows share, rows of functions with two names, and rows without an oracle."""

from __future__ import annotations

from typing import Any

from wengert_testing.case import OpCase, T

Inputs = list[tuple[Any, ...]]

UNARY: Inputs = [(T(),), (T(5),), (T(2, 3),), (T(0, 3),), (T(2, 1, 3),), (T(2, 1, 2, 2),)]
PAIRS: Inputs = [
    (T(), T()),
    (T(4), T(4)),
    (T(2, 3), T(3)),
    (T(2, 1), T(1, 3)),
    (T(0, 3), T(3)),
    (T(), T(2, 3)),
    (T(2, 1, 2, 1), T(3, 1, 2)),
]
WITH_NUMBER: Inputs = [*PAIRS, (T(2, 3), 1.5), (T(3), 2)]
REDUCED: Inputs = [
    (T(),),
    (T(4),),
    (T(2, 3),),
    (T(2, 3), 0),
    (T(2, 3), -1, True),
    (T(2, 3, 2), (0, -1)),
    (T(2, 3, 2), [1], True),
    (T(2, 1, 3, 2), (1, -1)),
]
"""Of a reduction over any dims."""
ALONG: Inputs = [(T(), 0), (T(4), 0), (T(2, 3), 1), (T(3, 2), -2), (T(2, 3, 2), 1), (T(2, 1, 3, 2), -2)]
"""Of work along one dim."""
ONE_DIM: Inputs = [(T(4),), (T(3, 2), 0), (T(2, 3), -1), (T(2, 3), 1, True), (T(), 0), (T(2, 1, 3, 2), 2)]
"""Of a choice along one dim, the last by default."""


def with_words(inputs: Inputs, **words: Any) -> Inputs:
    """The same inputs with keyword arguments."""
    return [(*given, words) for given in inputs]


def both(name: Any, *settings: Any, **words: Any) -> Any:
    """A function that stands both at the top and in nn.functional."""
    return [OpCase(name, *settings, **words), OpCase(f"nn.functional.{name}", *settings, **words)]


def of_nn(name: Any, *settings: Any, **words: Any) -> Any:
    """A function of nn.functional."""
    return OpCase(f"nn.functional.{name}", *settings, **words)


RECORDED = "values are compared with PyTorch's recorded answers"
"""Why a row has no oracle: the values are recorded for all rows (tests/torch_parity/recorded/test_inputs.py)."""


def recorded_rows(inputs: dict[str, Inputs], **words: Any) -> list[OpCase]:
    """A row without an oracle for each op: dims counted from the end, and keywords that the other rows leave out.

    tests/ops/test_samples.py says which argument of which op no row has.
    """
    return [OpCase(op, None, given, note=RECORDED, **words) for op, given in inputs.items()]
