"""Surroundings of a captured function on a device: arguments, the host's numbers, generators."""

from __future__ import annotations

import pytest
import wengert as wg
from sim_graphs import on_sim

explain = wg.replay.explain
NUMBER = wg.tensor(1.0)


def by_mask(x):
    try:
        return x[x > 5.5]
    except RuntimeError:
        return x * 0


def from_data(x):
    try:
        return x * wg.tensor(3.0, device="sim")
    except RuntimeError:
        return x * 0


def fresh(w, k):
    NUMBER.fill_(k)
    return on_sim([5.0, 6.0])


SHARED, RANDOM = "shares memory with a tensor from outside", "random numbers of the host are drawn"
CASES = {
    "outside is written": (lambda w, x: (w.add_(1), x * 2)[1], lambda w, k: w, SHARED),
    "the argument is written": (lambda w, x: (x.add_(1), w * 2)[1], lambda w, k: w, SHARED),
    "a view is written": (lambda w, x: (x.add_(1), w * 2)[1], lambda w, k: w[:1], SHARED),
    "by an alias": (lambda w, x: (w.data.add_(1), x * 2)[1], lambda w, k: w, SHARED),
    "in some calls": (lambda w, x: (w.add_(1), x * 2)[1], lambda w, k: w if k % 4 == 3 else fresh(w, k), SHARED),
    "nobody writes": (lambda w, x: x * w, lambda w, k: w, ""),
    "several writes": (lambda w, x: x.add_(1).mul_(2).sum(), fresh, ""),
    "writes by aliases": (lambda w, x: (w.detach().add_(x), w.data.mul_(2), w * 2)[2], fresh, ""),
    "numbers of the host": (lambda w, x: x * NUMBER.item(), fresh, "a number of a tensor of the host"),
    "arrays of the host": (lambda w, x: x * float(NUMBER.numpy()), fresh, "memory of the host"),
    "random numbers of the host": (lambda w, x: x * float(wg.rand(1)), fresh, RANDOM),
    "an order of the host": (lambda w, x: x * wg.randperm(10)[0].item(), fresh, RANDOM),
    "a seed": (lambda w, x: (wg.manual_seed(5), x + wg.rand(2, device="sim"))[1], fresh, "the state of a generator"),
    "the shape of an argument": (lambda w, x: (x.resize_(1), x * 2)[1], fresh, "shape or memory of an argument"),
    "a mask": (lambda w, x: by_mask(x), fresh, "catches an error of the capture"),
    "Python data": (lambda w, x: from_data(x), fresh, "catches an error of the capture"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_calls_are_as_usual(name):
    function, make, reason = CASES[name]
    seen = []
    for is_captured in (False, True):
        wg.manual_seed(0)
        w = on_sim([1.0, 2.0])
        run = wg.capture(lambda x: function(w, x), quiet=True) if is_captured else lambda x: function(w, x)  # noqa: B023
        rows = []
        for k in range(8):
            x = make(w, k)
            result = run(x).tolist()
            rows.append((result, x.tolist(), x._version, w.tolist(), w._version, wg.rand(1).item()))
        seen.append(rows)
    assert seen[0] == seen[1]
    found = explain(run)
    assert any(reason in one for one in found.reasons) if reason else found.replays == 6, found


def test_arguments_that_overlap_by_two_storages():
    base = on_sim([1.0, 2.0, 3.0])
    run = wg.capture(lambda x, y: (x.add_(1), y * 2)[1], quiet=True)
    for k in range(4):
        assert run(base, wg.from_dlpack(base[1:])).tolist() == [2 * (3.0 + k), 2 * (4.0 + k)]
    assert explain(run).reasons == ["two arguments share memory"]
