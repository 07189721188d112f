"""A warning names the user's line, whether it comes from compiled code, from a table of ours, or from a method."""

import warnings

import pytest
import wengert_core as wc
from wengert_core.ops.reduce.softmax import softmax

CALLS = {
    "a compiled driver": lambda: wc.ones(2, 2, 2).T,
    "a composite of a table": lambda: wc.meshgrid(wc.ones(2), wc.ones(3)),
    "a factory": lambda: wc.tensor(wc.ones(2)),
    "a function of nn": lambda: softmax(wc.ones(2)),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_points_at_the_line_that_called(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert [warning.filename for warning in caught] == [__file__]
