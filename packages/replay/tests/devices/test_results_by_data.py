"""Results that are ``data`` of an argument on a device: they share its memory, and count versions of their own."""

from __future__ import annotations

import pytest
import wengert as wg

FUNCTIONS = {
    "data": lambda x: x.data,
    "view of data": lambda x: x.data[1:],
    "data, written": lambda x: x.data.add_(1),
    "two of one": lambda x: (lambda d: (d, d[:2]))(x.data),
    "two": lambda x: (x.data, x.data),
    "data and a view": lambda x: (x.data, x[1:]),
    "detach": lambda x: x.detach(),
    "the argument": lambda x: x,
}


def facts(function, x):
    """Versions of the argument and of results before and after a write to each."""
    results = function(x)
    results = results if isinstance(results, tuple) else (results,)
    found = [x.tolist(), *[one.tolist() for one in results], [one._version for one in (x, *results)]]
    for target in (x, *results):
        target.mul_(2)
        found.append([one._version for one in (x, *results)])
    return [*found, x.tolist(), *[one.tolist() for one in results]]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_versions(name):
    run = wg.capture(FUNCTIONS[name], quiet=True)
    for k in range(5):
        values = [1.0 + k, 2.0, 3.0]
        assert facts(run, wg.tensor(values, device="sim")) == facts(FUNCTIONS[name], wg.tensor(values, device="sim"))
    assert wg.replay.explain(run).replays >= 2
