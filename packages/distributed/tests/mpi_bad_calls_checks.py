"""Checks on two processes with MPI: bad calls raise there what they raise on simulated ranks (mpi_run.py).

They are the calls that leave both ranks alike, so that the next call finds the group as it was.
"""

from __future__ import annotations

import wengert as wg
from bad_call_cases import answer_of, read_calls
from test_bad_calls_as_torch import answers

APART = ("DistBackendError", "DistError")
UNDER_WAY = (
    "dist.init_process_group(", "dist.destroy_process_group(", "dist.isend(t(), other).", "dist.irecv(t(), other).",
)  # fmt: skip
"""Calls that end the group, or leave a message under way."""


def check_bad_calls_raise_as_on_simulated_ranks() -> None:
    wg.distributed.init_process_group("mpi")
    rank = wg.distributed.get_rank()
    unlike, asked = {}, 0
    for call in read_calls():
        if call.ranks == 1 or call.source.startswith(UNDER_WAY):
            continue
        expected = [answer[0][:1] for answer in answers(call.name)]
        if expected[0] != expected[1] or expected[0][:1] in ([name] for name in APART):
            continue
        asked += 1
        given = answer_of(call.source, wg, rank)
        if given is None or given[0][:1] != expected[rank]:
            unlike[call.name] = (given, expected[rank])
    wg.distributed.destroy_process_group()
    assert not unlike
    assert asked > 300
