"""The simulated clock: computation, delays of transfers, and what overlaps."""

from __future__ import annotations

import pytest
import wengert as wg
from wengert_testing.sim_group import compute, run_ranks, simulated_time

dist = wg.distributed


def seconds_per_byte(name: str, nbytes: int, ranks: int) -> float:
    """A second for each byte of all ranks together; a barrier takes none."""
    return float(nbytes)


def test_a_transfer_takes_as_long_as_the_function_says() -> None:
    def program() -> float:
        dist.all_reduce(wg.ones(3))
        dist.barrier()
        return simulated_time()

    assert run_ranks(2, program, delays=seconds_per_byte) == [24.0, 24.0]


def test_a_collective_begins_when_the_last_rank_has_come() -> None:
    def program() -> float:
        compute(10.0 * dist.get_rank())
        dist.all_reduce(wg.ones(1))
        return simulated_time()

    assert run_ranks(3, program, delays=seconds_per_byte) == [32.0] * 3


@pytest.mark.parametrize(("seconds", "end"), [(5.0, 8.0), (11.0, 11.0)], ids=["shorter", "longer"])
def test_computation_hides_a_transfer(seconds: float, end: float) -> None:
    def program() -> float:
        work = dist.all_reduce(wg.ones(1), async_op=True)
        compute(seconds)
        work.wait()
        return simulated_time()

    assert run_ranks(2, program, delays=seconds_per_byte) == [end, end]


def test_many_ranks_run() -> None:
    def program() -> float:
        x = wg.ones(4)
        dist.all_reduce(x)
        return float(x[0])

    assert run_ranks(256, program, checks=False) == [256.0] * 256


def test_time_exists_only_on_simulated_ranks() -> None:
    with pytest.raises(RuntimeError, match="is no rank of"):
        simulated_time()
    with pytest.raises(RuntimeError, match="is no rank of"):
        compute(1.0)
