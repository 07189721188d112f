"""The board on which ranks of one machine see each other, and the message of a failed collective."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys

import pytest
from wengert_distributed.errors import DistBackendError
from wengert_distributed.faults import diagnosis
from wengert_distributed.faults.board import (
    LEFT,
    PAGE,
    RAISED,
    RUNNING,
    Board,
    create_memory,
    open_memory,
    process_exists,
)
from wengert_distributed.faults.records import RING, SLOT, Records
from wengert_distributed.faults.signatures import ALL_REDUCE, BARRIER, BROADCAST, REDUCE, describe, signature
from wengert_distributed.interface.process_group import POINT_TO_POINT, Call, Peer, ProcessGroup


def boards(count: int) -> list[Board]:
    memory = mmap.mmap(-1, count * PAGE)
    return [Board(memory, index, count) for index in range(count)]


def test_ranks_that_call_the_same_agree():
    for step in range(1, 100):
        for board in boards(3):
            assert board.begin(5, 10, step) == 1
    three = boards(3)
    for step in range(1, 100):
        assert [board.begin(step % 7, 10 * step, step) for board in three] == [step] * 3
        for board in three:
            board.finish(step)
        assert [three[0].latest_end(index) for index in range(3)] == [step] * 3
        assert three[0].last(2) == (step % 7, 10 * step, step, step)


@pytest.mark.parametrize("other", [(6, 10, 1), (5, 11, 1), (5, 10, 2)])
def test_the_later_of_two_ranks_sees_another_call(other):
    first, second = boards(2)
    assert first.begin(5, 10, 1) == 1
    assert second.begin(*other) == 0
    assert first.differs(1, 1)
    assert second.differs(0, 1)


def test_a_rank_that_is_ahead_or_behind_is_no_mismatch():
    first, second = boards(2)
    for step in range(1, 70):
        assert first.begin(step, step, step) == step
    assert not first.has_begun(1, 1)
    for step in range(1, 70):
        assert second.begin(step, step, step) == step
    assert first.has_begun(1, 69)
    assert second.has_begun(0, 1)


def test_collectives_that_end_in_another_order_leave_the_highest_number():
    board, other = boards(2)
    for step in (1, 2, 3):
        board.begin(1, 1, step)
    for step in (3, 1, 2):
        board.finish(step)
    assert other.latest_end(0) == 3


def test_a_record_that_is_being_written_does_not_count():
    first, second = boards(2)
    first.begin(5, 10, 1)
    second.begin(6, 10, 1)
    assert second.differs(0, 1)
    first.words[(RING + SLOT) // 8 + 3] = 0  # what a writer does first
    assert not second.differs(0, 1)
    assert not second.has_begun(0, 1)


@pytest.mark.parametrize(("size", "index", "count"), [(2, 2, 2), (2, -1, 2), (2, 0, 3), (0, 0, 0), (1, 0, 1 << 40)])
def test_memory_that_is_no_board_is_refused(size, index, count):
    with pytest.raises(ValueError, match="a board of"):
        Records(bytearray(size * PAGE), index, count)


def test_a_board_is_written_by_its_own_rank_alone():
    for count in (1, 2, 3, 5):
        memory = bytearray((count + 2) * PAGE)
        view = memoryview(memory)[PAGE:-PAGE]
        for index in range(count):
            board = Records(view, index, count)
            for step in range(1, 70):
                assert board.begin(7, 8, step) == step
                board.finish(step)
            assert bytes(memory[:PAGE]) + bytes(memory[-PAGE:]) == bytes(2 * PAGE)
            assert all(any(view[rank * PAGE : (rank + 1) * PAGE]) == (rank <= index) for rank in range(count))
    with pytest.raises(BufferError):
        Records(bytes(PAGE), 0, 1)
    with pytest.raises(ValueError, match="no collective 1 of rank 5"):
        board.differs(5, 1)


def test_texts_and_states_are_read_by_the_others():
    board, other = boards(2)
    assert other.state(0) == RUNNING
    assert other.text(0) == (0, "")
    board.write_text(4, "x" * 2000)
    assert other.text(0) == (4, "x" * 1024)
    board.write_text(5, "größer")
    assert other.text(0) == (5, "größer")
    board.write_state(RAISED, "ValueError: no")
    board.write_state(LEFT)
    assert other.state(0) == RAISED
    assert other.detail(0) == "ValueError: no"


def test_memory_of_a_board_is_a_file_that_may_be_removed():
    path = create_memory(2)
    first, second = Board(open_memory(path, 2), 0, 2), Board(open_memory(path, 2), 1, 2)
    os.unlink(path)
    first.begin(1, 2, 3)
    assert second.last(0) == (1, 2, 3, 1)
    assert second.is_alive(0)


def test_a_process_that_has_ended_does_not_exist():
    with subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.read()  # its end; nobody has waited for it
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert not process_exists(child.pid)
    assert not process_exists(child.pid)
    assert process_exists(os.getpid())


def test_a_signature_tells_its_collective():
    float32 = 11
    assert describe(signature(ALL_REDUCE, float32, 3), 7) == ("all_reduce", "float32[7], MIN")
    assert describe(signature(REDUCE, float32, 0 | 2 << 8), 7) == ("reduce", "float32[7], SUM, root 2")
    assert describe(signature(BROADCAST, float32, 5), 7) == ("broadcast", "float32[7], root 5")
    assert describe(signature(BARRIER), 0) == ("barrier", "")


class Group(ProcessGroup):
    backend = "test"
    rank, size = 0, 4

    def __init__(self, peers: list[Peer] | Exception) -> None:
        self.answer = peers

    def peers(self) -> list[Peer]:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


REDUCE_CALL, LAST = Call(7, "all_reduce", "SUM, float32[3]"), Call(6, "broadcast", "float32[2], root 0")
OTHER_SHAPE = Call(7, "all_reduce", "SUM, float32[4]")
RECEIVE = Call(POINT_TO_POINT, "recv", "float32[1] from rank 1")


@pytest.mark.parametrize(
    ("peer", "text"),
    [
        (Peer(1, None, "finished"), "rank 1: has begun no collective yet: it computes, or hangs"),
        (Peer(1, LAST, "finished"), "has not begun this collective: its last one, now ended, is broadcast(float32[2]"),
        (Peer(1, LAST, "running"), "has not begun this collective: it is still in broadcast("),
        (Peer(1, Call(8, "barrier"), "running"), "rank 1: is ahead, in barrier(), collective 8"),
        (Peer(1, OTHER_SHAPE, "running"), "calls another collective, or other shapes: all_reduce(SUM, float32[4])"),
        (Peer(1, REDUCE_CALL, "finished"), "rank 1: has ended this collective"),
        (Peer(1, REDUCE_CALL, "running"), "rank 1: waits in this collective"),
        (Peer(1, RECEIVE, "running"), "rank 1: waits in recv(float32[1] from rank 1)"),
        (Peer(1, LAST, "raised", "ValueError: no\nmore"), "rank 1 has ended\n  rank 1: raised ValueError: no; "),
        (Peer(1, None, "left"), "has left the group or ended its program; it has begun no collective"),
        (Peer(1, LAST, "silent"), "gives no sign: it has died, or hangs outside of collectives"),
        (Peer(1, LAST, "silent", "killed"), "rank 1: killed; its last collective is broadcast("),
    ],
)  # fmt: skip
def test_the_message_says_where_a_rank_is(peer, text):
    error = diagnosis.failure(Group([peer]), REDUCE_CALL, "it has not ended within 5 s")
    assert isinstance(error, DistBackendError)
    assert str(error).startswith("all_reduce(SUM, float32[3]), collective 7 failed on rank 0 of 4 (backend test): ")
    assert text in str(error)


def test_the_message_of_a_receive_names_the_others_collectives():
    message = str(diagnosis.failure(Group([Peer(1, LAST, "finished"), Peer(2, LAST, "running")]), RECEIVE, "no answer"))
    assert "recv(float32[1] from rank 1) failed on rank 0" in message
    assert "rank 1: has ended broadcast(float32[2], root 0), collective 6, its last collective" in message
    assert "rank 2: waits in broadcast(" in message


def test_ranks_in_the_same_collective_are_counted_where_others_are_not():
    peers = [Peer(rank, REDUCE_CALL, "running") for rank in range(1, 40)]
    message = str(diagnosis.failure(Group([*peers, Peer(40, LAST, "running")]), REDUCE_CALL, "why"))
    assert message.count("\n  rank ") == 1
    assert "39 other ranks are in the same collective or not shown" in message
    assert str(diagnosis.failure(Group(peers), REDUCE_CALL, "why")).count("\n  rank ") == 16


def test_the_error_of_a_transport_is_named_and_a_failing_question_hides_nothing():
    message = str(diagnosis.failure(Group(OSError("gone")), REDUCE_CALL, ValueError("truncated")))
    assert "ValueError: truncated" in message
    assert "asking the other ranks failed: gone" in message
