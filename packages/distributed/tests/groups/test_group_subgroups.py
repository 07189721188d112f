"""Groups of some of the ranks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import wengert as wg
from wengert_testing.sim_group import run_ranks

dist = wg.distributed
OUTSIDE = dist.GroupMember.NON_GROUP_MEMBER


def total(group: Any) -> float:
    x = wg.tensor([float(dist.get_rank())])
    dist.all_reduce(x, group=group)
    return float(x)


def test_ranks_outside_a_new_group_get_no_group() -> None:
    def program() -> Any:
        group = dist.new_group([2, 0])
        if dist.get_rank() == 1:
            assert group == OUTSIDE
            return None
        assert dist.get_process_group_ranks(group) == [0, 2]
        return dist.get_rank(group), dist.get_world_size(group), total(group)

    assert run_ranks(3, program) == [(0, 2, 2.0), None, (1, 2, 2.0)]


def test_ranks_in_the_order_that_is_asked_for() -> None:
    def program() -> Any:
        group = dist.new_group([2, 0, 1], sort_ranks=False)
        assert dist.get_process_group_ranks(group) == [2, 0, 1]
        everyone = [wg.zeros(1) for _ in range(3)]
        dist.all_gather(everyone, wg.tensor([float(dist.get_rank())]), group=group)
        return dist.get_rank(group), [float(one) for one in everyone]

    assert run_ranks(3, program) == [(1, [2.0, 0.0, 1.0]), (2, [2.0, 0.0, 1.0]), (0, [2.0, 0.0, 1.0])]


def test_groups_run_beside_each_other() -> None:
    def program() -> float:
        rank = dist.get_rank()
        rows = [dist.new_group([0, 1]), dist.new_group([2, 3])]
        columns = [dist.new_group([0, 2]), dist.new_group([1, 3])]
        return total(rows[rank // 2]) * 10 + total(columns[rank % 2])

    for seed in range(3):
        assert run_ranks(4, program, seed=seed) == [12.0, 14.0, 52.0, 54.0]


def test_only_members_make_a_group_with_local_synchronization() -> None:
    def program() -> Any:
        if dist.get_rank() == 0:
            return dist.new_group([1, 2], use_local_synchronization=True)
        groups = [dist.new_group([1, 2], use_local_synchronization=True) for _ in range(2)]
        assert groups[0].group_name != groups[1].group_name
        return [total(group) for group in groups]

    assert run_ranks(3, program) == [None, [3.0, 3.0], [3.0, 3.0]]


def test_ranks_are_translated() -> None:
    def program() -> None:
        group = dist.new_group([1, 3])
        if dist.get_rank() not in (1, 3):
            return
        assert [dist.get_group_rank(group, rank) for rank in (1, 3)] == [0, 1]
        assert [dist.get_global_rank(group, rank) for rank in (0, 1)] == [1, 3]
        assert dist.get_global_rank(dist.group.WORLD, 2) == dist.get_group_rank(dist.group.WORLD, 2) == 2
        with pytest.raises(ValueError, match="Global rank 0 is not part of group"):
            dist.get_group_rank(group, 0)
        with pytest.raises(ValueError, match="Group rank 2 is not part of group"):
            dist.get_global_rank(group, 2)
        with pytest.raises(ValueError, match="Group None is not registered"):
            dist.get_group_rank(None, 0)

    run_ranks(4, program)


def test_a_group_is_split_into_parts() -> None:
    def program() -> Any:
        part = dist.split_group(split_ranks=[[0, 1], [2, 3]])
        assert dist.get_process_group_ranks(part) == ([0, 1] if dist.get_rank() < 2 else [2, 3])
        if dist.get_rank() < 2:
            return total(part)
        half = dist.split_group(part, [[1]])
        return total(part), None if half is None else dist.get_process_group_ranks(half)

    assert run_ranks(4, program) == [1.0, 1.0, (5.0, None), (5.0, [3])]


def test_subgroups_of_one_size_and_by_enumeration() -> None:
    def program() -> Any:
        own, groups = dist.new_subgroups(2)
        assert len(groups) == 2
        other, enumerated = dist.new_subgroups_by_enumeration([[0, 3], [1]])
        assert len(enumerated) == 2
        assert (other is None) == (dist.get_rank() == 2)
        return total(own), None if other is None else total(other)

    assert run_ranks(4, program) == [(1.0, 3.0), (1.0, 1.0), (5.0, None), (5.0, 3.0)]


def test_groups_that_a_rank_is_not_in_are_counted_as_well() -> None:
    def program() -> int:
        dist.new_group([0])
        dist.new_group([0, 1])
        return dist.get_pg_count()

    assert run_ranks(2, program) == [3, 3]


def test_a_destroyed_group_is_unknown() -> None:
    def program() -> None:
        group = dist.new_group([0, 1])
        assert dist.get_pg_count() == 2
        dist.destroy_process_group(group)
        with pytest.raises(ValueError, match="not initialized in the world group map"):
            dist.all_reduce(wg.ones(1), group=group)
        with pytest.raises(ValueError, match="is not registered"):
            dist.get_rank(group)
        with pytest.raises(ValueError, match="Invalid process group specified"):
            dist.destroy_process_group(group)
        dist.destroy_process_group(OUTSIDE)
        dist.destroy_process_group()
        with pytest.raises(ValueError, match="Default process group has not been initialized"):
            dist.get_rank()

    run_ranks(2, program)


BAD = {
    "a rank that does not exist": (lambda: dist.new_group([1]), ValueError, "Rank 1 is out of range. Valid ranks"),
    "a negative rank": (lambda: dist.new_group([-1]), ValueError, r"Rank -1 is out of range"),
    "a rank twice": (lambda: dist.new_group([0, 0]), ValueError, r"duplicate entries|world size should be less"),
    "too many ranks": (lambda: dist.new_group([0, 1]), ValueError, "world size should be less or equal"),
    "no ranks": (lambda: dist.new_group([]), ValueError, "must not be empty"),
    "a timeout that is a number": (lambda: dist.new_group([0], timeout=3), TypeError, "type datetime.timedelta, got 3"),
    "a negative timeout": (lambda: dist.new_group([0], timeout=timedelta(seconds=-1)), RuntimeError, "Invalid timeout"),
    "an unknown backend": (lambda: dist.new_group([0], backend="nope"), AssertionError, "Unknown backend type nope"),
    "no parts": (dist.split_group, ValueError, "split_ranks cannot be None or empty"),
    "a rank in two parts": (lambda: dist.split_group(split_ranks=[[0], [0]]), ValueError, "duplicate ranks"),
    "more ranks than there are": (lambda: dist.new_subgroups(2), ValueError, r"'group_size' \(2\) must not exceed"),
    "groups of no ranks": (lambda: dist.new_subgroups(0), ValueError, r"'group_size' \(0\) must be positive"),
    "groups of no size": (dist.new_subgroups, ValueError, "Default group size only takes effect when CUDA"),
    "a rank in two groups": (lambda: dist.new_subgroups_by_enumeration([[0], [0]]), ValueError,
                             r"Rank 0 has appeared in both subgroup \[0\] and \[0\]"),
    "no groups": (lambda: dist.new_subgroups_by_enumeration([]), ValueError, "cannot be empty"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_bad_groups_raise_as_pytorch_does(what: str) -> None:
    call, exception, phrase = BAD[what]
    dist.init_process_group("self")
    try:
        with pytest.raises(exception, match=phrase):
            call()
    finally:
        dist.destroy_process_group()


def test_a_group_of_another_backend_than_the_default_group_has() -> None:
    def program() -> None:
        with pytest.raises(ValueError, match="has no backend self: it has cpu:sim"):
            dist.new_group([0], backend="self")

    run_ranks(2, program)


def test_ranks_that_do_not_divide_into_groups() -> None:
    def program() -> None:
        with pytest.raises(ValueError, match=r"world size \(3\) must be divisible by group_size=2"):
            dist.new_subgroups(2)
        with pytest.raises(ValueError, match=r"duplicate entries, got \[1, 1\]"):
            dist.new_group([1, 1])

    run_ranks(3, program)


def test_a_group_has_its_own_timeout() -> None:
    def program() -> None:
        group = dist.new_group([0, 1], timeout=timedelta(seconds=2))
        if dist.get_rank() == 0:
            with pytest.raises(dist.DistBackendError, match="has not ended within 2 s"):
                dist.all_reduce(wg.ones(1), group=group)
            with pytest.raises(dist.DistBackendError, match=r"a rank that it needs has ended|rank 1 has ended"):
                dist.barrier()
        else:
            with pytest.raises(dist.DistBackendError, match="has not ended within 9 s"):
                dist.irecv(wg.ones(1), 0).wait(timedelta(seconds=9))

    errors = run_ranks(2, program, checks=False, return_exceptions=True)
    assert errors == [None, None]
