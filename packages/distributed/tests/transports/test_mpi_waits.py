"""Waits for collectives of MPI on one rank: tests in a row, interrupts, and requests."""

from __future__ import annotations

import subprocess
import sys

import pytest
from mpi_run import missing

PROGRAM = """
from wengert_distributed.backends.mpi import MpiGroup
from wengert_distributed.backends.mpi import requests
from wengert_distributed.interface.process_group import Call

class Raw:
    def __init__(self, tests, error=None):
        self.left, self.error = tests, error
    def Test(self):
        self.left -= 1
        if self.left == 0 and self.error is not None:
            raise self.error
        return self.left <= 0

group = MpiGroup.connect(-1, -1, None, 5)
call = Call(1, "all_reduce", "")
spins = len(group.spins)

group.announce_wait(call, 5.0)
raw = Raw(spins)
assert group.follow(raw, 1) is None and raw.left == 0 and group.board.latest_end(0) == 1

raw = Raw(2 * spins + 5)  # it takes longer: a request waits for it, and looks where the others are
request = group.follow(raw, 2)
assert raw.left == spins + 5 and group.board.latest_end(0) == 1
assert request.wait(5.0) and raw.left == 0 and group.board.latest_end(0) == 2
assert not requests.ABANDONED

group.announce(call)  # async_op=True: not a single test
raw = Raw(1)
request = group.follow(raw, 3)
assert raw.left == 1 and request.test() and group.board.latest_end(0) == 3

group.announce_wait(call, 5.0)
raw = Raw(3, KeyboardInterrupt())
try:
    group.follow(raw, 4)
except KeyboardInterrupt:
    assert list(requests.ABANDONED.values()) == [raw]  # MPI may still write its memory
    requests.ABANDONED.clear()
else:
    raise AssertionError
print("all passed")
"""


@pytest.mark.skipif(bool(missing()), reason=missing())
def test_a_collective_that_ends_soon_makes_no_request() -> None:
    """MPI is initialized in a process of its own, not in that of the tests."""
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stdout) == (0, "all passed\n"), result.stderr
