"""The group "nccl" on a stand-in for CuPy: ranks are threads, arrays are the host's."""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import fake_nccl
import numpy as np
import pytest
from wengert_distributed.backends import launcher, nccl_id, nccl_requests
from wengert_distributed.backends.nccl import NcclGroup
from wengert_distributed.errors import DistBackendError, DistNetworkError, DistStoreError
from wengert_distributed.interface.process_group import Call
from wengert_distributed.reduce_op import RedOpType
from wengert_distributed.stores.store import HashStore

RANKS = 3


@pytest.fixture(autouse=True)
def cupy(monkeypatch):
    for name, module in fake_nccl.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(nccl_requests, "LOOK", 0.005)
    fake_nccl.CALLS.clear()


def on_ranks(function: Callable[[NcclGroup], Any], tmp_path: Any, ranks: int = RANKS) -> list[Any]:
    """Return the function's result on each rank."""

    def run(rank: int) -> Any:
        group = NcclGroup.connect(rank, ranks, f"file://{tmp_path}/id", 5)
        result = function(group)
        group.close()
        return result

    with ThreadPoolExecutor(ranks) as pool:
        return [one.result(20) for one in [pool.submit(run, rank) for rank in range(ranks)]]


def array(*values: Any, dtype: str = "float32") -> Any:
    return fake_nccl.Array(np.array(values, dtype))


@pytest.mark.parametrize(
    ("op", "expected"),
    [("SUM", [9, 9]), ("PRODUCT", [24, 15]), ("MIN", [2, 1]), ("MAX", [4, 5]), ("BAND", [0, 1]), ("BOR", [7, 7]),
     ("BXOR", [5, 7])],
)  # fmt: skip
def test_reductions_are_computed_over_all_ranks(op, expected, tmp_path):
    def reduce(group: NcclGroup) -> list[Any]:
        values = [(2, 5), (3, 3), (4, 1)][group.rank]
        kind = RedOpType[op]
        every, root, part = array(*values, dtype="int32"), array(*values, dtype="int32"), array(0, dtype="int32")
        for request in (group.all_reduce(every, kind), group.reduce(root, 1, kind)):
            assert request.wait(20)
        six = array(*[values[0]] * RANKS, dtype="int32")
        assert group.reduce_scatter(part, six, kind).wait(20)
        return [every.tolist(), root.tolist(), part.tolist()]

    results = on_ranks(reduce, tmp_path)
    assert [every for every, _, _ in results] == [expected] * RANKS
    assert results[1][1] == expected
    assert [part for _, _, part in results] == [expected[:1]] * RANKS


def test_memory_moves_to_all_ranks(tmp_path):
    def move(group: NcclGroup) -> list[Any]:
        rank = group.rank
        mine, gathered, parts, part = array(rank, -rank), array(*range(6)), array(*range(6)), array(0, 0)
        group.broadcast(sent := array(rank, rank), 2).wait(20)
        group.all_gather(gathered, mine).wait(20)
        group.gather(parts if rank == 0 else None, mine, 0).wait(20)
        group.scatter(part, array(*range(6)) if rank == 1 else None, 1).wait(20)
        group.barrier().wait(20)
        return [sent.tolist(), gathered.tolist(), parts.tolist(), part.tolist()]

    gathered = [0, 0, 1, -1, 2, -2]
    for rank, result in enumerate(on_ranks(move, tmp_path)):
        assert result == [[2, 2], gathered, gathered if rank == 0 else [0, 1, 2, 3, 4, 5], [2 * rank, 2 * rank + 1]]


def test_all_to_all_takes_parts_of_different_sizes(tmp_path):
    def exchange(group: NcclGroup) -> list[Any]:
        rank = group.rank  # sends rank r: r elements
        output = array(*[-1.0] * (RANKS * rank))
        group.all_to_all(output, array(*[rank] * 3), [rank] * RANKS, list(range(RANKS))).wait(20)
        return output.tolist()  # type: ignore[no-any-return]

    assert on_ranks(exchange, tmp_path) == [[], [0, 1, 2], [0, 0, 1, 1, 2, 2]]


def test_sends_of_one_block_begin_together(tmp_path):
    def ring(group: NcclGroup) -> float:
        received = array(-1.0)
        with group.coalesce():  # receives first: one after another they would wait for ever
            request = group.recv(received, (group.rank - 1) % RANKS, 0)
            group.send(array(group.rank), (group.rank + 1) % RANKS, 0)
            assert received.tolist() == [-1.0]
        assert request.wait(20)
        assert request.source == (group.rank - 1) % RANKS
        return received.tolist()[0]  # type: ignore[no-any-return]

    assert on_ranks(ring, tmp_path) == [2, 0, 1]
    with pytest.raises(ValueError, match="cannot receive from any rank"):
        on_ranks(lambda group: group.recv(array(0), None, 0), tmp_path, 1)


def test_a_part_of_the_ranks_is_a_group_in_the_order_of_the_list(tmp_path):
    def split(group: NcclGroup) -> Any:
        part = group.split([2, 0], 1)
        if part is None:
            return None
        gathered = array(0, 0)
        part.all_gather(gathered, array(group.rank)).wait(20)
        part.close()
        return part.rank, part.size, gathered.tolist()

    assert on_ranks(split, tmp_path) == [(1, 2, [2, 0]), None, (0, 2, [2, 0])]


def test_arrays_without_elements_start_nothing(tmp_path):
    def start(group: NcclGroup) -> list[Any]:
        empty = array()
        return [group.all_reduce(empty, RedOpType.SUM), group.reduce(empty, 0, RedOpType.SUM), group.send(empty, 0, 0),
                group.broadcast(empty, 0), group.all_gather(empty, empty), group.recv(empty, 0, 0),
                group.reduce_scatter(empty, empty, RedOpType.SUM)]  # fmt: skip

    assert on_ranks(start, tmp_path, 1) == [[None] * 7]


def test_streams_wait_for_each_other_and_the_host_does_not(tmp_path):
    def reduce(group: NcclGroup) -> None:
        fake_nccl.Event.happens = False
        request = group.all_reduce(array(1), RedOpType.SUM)
        assert not request.test()
        assert request.wait(20)
        assert len(group.pending) == 1
        fake_nccl.Event.happens = True

    try:
        on_ranks(reduce, tmp_path, 1)
    finally:
        fake_nccl.Event.happens = True
    assert fake_nccl.CALLS == ["7 waits for 0", "0 waits for 7", "synchronize 7"]


def test_the_host_waits_where_the_environment_asks_for_it(tmp_path, monkeypatch):
    monkeypatch.setenv("WENGERT_NCCL_BLOCKING_WAIT", "1")
    monkeypatch.setattr(fake_nccl.Event, "happens", False)
    assert on_ranks(lambda group: group.all_reduce(array(1), RedOpType.SUM).wait(0.01), tmp_path, 1) == [False]


def test_a_collective_that_does_not_end_is_aborted_and_the_next_call_raises(tmp_path, monkeypatch):
    def hang(group: NcclGroup) -> str:
        group.seconds = 0.02
        limit = time.monotonic() + 5
        group.all_reduce(array(1), RedOpType.SUM)
        monkeypatch.setattr(fake_nccl.Event, "happens", False)
        while not group.failure:
            assert time.monotonic() < limit
            time.sleep(0.001)
        with pytest.raises(DistBackendError, match=r"aborted on rank .: a collective has not ended") as error:
            group.all_reduce(array(1), RedOpType.SUM)
        return f"{group.communicator.ended} {error.type.__name__}"

    assert on_ranks(hang, tmp_path, 2) == ["aborted DistBackendError"] * 2


def test_a_rank_that_does_not_come_is_an_error(tmp_path):
    with pytest.raises(DistBackendError, match=r"init_process_group: not all ranks have called it within 0\.05 s"):
        NcclGroup.connect(0, 2, f"file://{tmp_path}/id", 0.05)


class Control:
    """MPI's group, as far as NCCL's asks it."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.board = self.monitor = self
        self.sequence, self.ended = 7, False

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *arguments: self.calls.append(f"{name}{arguments}")

    def any_ended(self) -> bool:
        return self.ended


def test_mpi_carries_reports_of_ranks_and_a_failed_one_ends_the_wait(tmp_path, monkeypatch):
    control = Control()
    monkeypatch.setattr(nccl_requests, "PATIENCE", 0.01)

    def reduce(group: NcclGroup) -> str:
        group.control = control
        group.announce(Call(1, "all_reduce"))
        request = group.all_reduce(array(1), RedOpType.SUM)
        assert request.wait(20)
        group.finish(Call(1, "all_reduce"))
        group.fail("no")
        group.peers()
        monkeypatch.setattr(fake_nccl.Event, "happens", False)
        request.start -= 1
        assert nccl_requests.look(group) == ""
        control.ended = True
        return nccl_requests.look(group)

    assert on_ranks(reduce, tmp_path, 1) == ["another rank has ended"]
    assert control.calls == [
        "begin_external(Call(number=1, name='all_reduce', facts=''),)", "finish(7,)", "fail('no',)", "peers()",
        "close()",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("environment", "launched"),
    [
        ({}, (0, 1, -1, False)),
        ({"RANK": "1", "WORLD_SIZE": "4", "LOCAL_RANK": "1"}, (1, 4, 1, False)),
        ({"PMI_RANK": "2", "PMI_SIZE": "3", "MPI_LOCALRANKID": "0"}, (2, 3, 0, True)),
        ({"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}, (0, 2, -1, True)),
        ({"RANK": "1"}, (0, 1, -1, False)),
    ],
)
def test_ranks_come_from_the_launcher(environment, launched, monkeypatch):
    for names in launcher.NAMES:
        for name in names:
            monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(launcher.importlib.util, "find_spec", lambda name: object())
    assert launcher.read_launcher() == launched


def test_the_id_travels_by_tcp():
    with ThreadPoolExecutor(3) as pool:
        results = [
            pool.submit(nccl_id.exchange_id, lambda: b"x" * 128, rank, 3, "tcp://127.0.0.1:29731", 5)
            for rank in (1, 2, 0)
        ]
        assert {one.result(10) for one in results} == {b"x" * 128}


def test_the_ids_of_several_groups_travel_by_one_store():
    store = HashStore()
    for content in (b"x" * 128, b"y" * 128):
        with ThreadPoolExecutor(3) as pool:
            results = [
                pool.submit(nccl_id.exchange_id, functools.partial(bytes, content), rank, 3, store, 5)
                for rank in (1, 2, 0)
            ]
            assert {one.result(10) for one in results} == {content}
    with pytest.raises(DistStoreError, match="nccl/id/3"):
        nccl_id.exchange_id(bytes, 1, 2, store, 0.02)


def test_an_id_that_does_not_arrive_is_an_error(tmp_path, monkeypatch):
    with pytest.raises(DistNetworkError, match=r"rank 0 has not written NCCL's id into .* within 0\.05 s"):
        nccl_id.exchange_id(bytes, 1, 2, f"file://{tmp_path}/absent", 0.05)
    with pytest.raises(DistNetworkError, match="rank 0 does not answer at 127"):
        nccl_id.exchange_id(bytes, 1, 2, "tcp://127.0.0.1:29732", 0.05)
    with pytest.raises(DistNetworkError, match="0 of 1 other ranks have asked rank 0"):
        nccl_id.exchange_id(bytes, 0, 2, "tcp://127.0.0.1:29733", 0.05)
    with pytest.raises(RuntimeError, match="No rendezvous handler for mail://"):
        nccl_id.exchange_id(bytes, 1, 2, "mail://somebody", 0.05)
    monkeypatch.delenv("MASTER_ADDR", raising=False)
    with pytest.raises(ValueError, match="no address of rank 0"):
        nccl_id.exchange_id(bytes, 1, 2, None, 0.05)


def test_without_cupy_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy.cuda.nccl", None)
    assert not NcclGroup.is_available()
    with pytest.raises(DistBackendError, match=r"doesn't have NCCL built in.*pip install"):
        NcclGroup.connect(-1, -1, None, 1)
