"""The group "nccl" on one GPU: a world of one rank, every collective, every dtype. Skipped without a GPU or NCCL."""

from __future__ import annotations

import time

import numpy as np
import pytest
from wengert_distributed.backends.nccl import NcclGroup, nccl_module
from wengert_distributed.backends.nccl_types import BITWISE, DTYPES, OPS
from wengert_distributed.reduce_op import RedOpType


def missing() -> str:
    """Return the reason why NCCL cannot be used here, "" where it can."""
    try:
        nccl_module()
    except Exception as error:
        return f"CuPy's NCCL cannot be imported: {error}"
    return "" if NcclGroup.is_available() else "no GPU"


WHY = missing()
pytestmark = pytest.mark.skipif(bool(WHY), reason=f"needs a GPU and NCCL: {WHY}")
LAUNCHERS = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK")


@pytest.fixture(scope="module")
def group():
    patch = pytest.MonkeyPatch()
    for name in LAUNCHERS:
        patch.delenv(name, raising=False)
    group = NcclGroup.connect(-1, -1, None, 30)
    yield group
    group.close()
    patch.undo()


@pytest.fixture
def cupy(group):
    return group.cupy


def finish(*requests):
    for request in requests:
        assert request.wait(10)


@pytest.mark.parametrize("dtype", DTYPES)
def test_reductions_of_one_rank_change_nothing(group, cupy, dtype):
    for op in [*OPS, *(BITWISE if np.dtype(dtype).kind in "iu" else ())]:
        array, part = cupy.arange(1, 1001).astype(dtype), cupy.zeros(1000, dtype)
        expected = array.get()
        finish(group.all_reduce(array, op))
        finish(group.reduce(array, 0, op))
        finish(group.reduce_scatter(part, array, op))
        np.testing.assert_array_equal(array.get(), expected)
        np.testing.assert_array_equal(part.get(), expected)


def test_memory_moves_to_the_only_rank(group, cupy):
    for dtype in ("bool", "int16", "float16", "float32", "complex128"):
        array = (cupy.arange(100) % 2).astype(dtype)
        outputs = [cupy.zeros(100, dtype) for _ in range(4)]
        finish(group.broadcast(array, 0), group.all_gather(outputs[0], array), group.gather(outputs[1], array, 0),
               group.scatter(outputs[2], array, 0), group.all_to_all(outputs[3], array, [100], [100]))  # fmt: skip
        for output in outputs:
            np.testing.assert_array_equal(output.get(), array.get())


def test_a_rank_sends_to_itself_in_one_block(group, cupy):
    array, output = cupy.arange(5.0), cupy.zeros(5)
    with group.coalesce():
        received, sent = group.recv(output, 0, 0), group.send(array, 0, 0)
    finish(received, sent)
    np.testing.assert_array_equal(output.get(), np.arange(5.0))


def test_a_group_of_a_part_and_a_barrier(group, cupy):
    part = group.split([0], 1)
    array = cupy.ones(3)
    finish(part.all_reduce(array, RedOpType.SUM))
    finish(part.barrier())
    assert (part.rank, part.size) == (0, 1)
    assert part.barrier().test() in (True, False)
    part.close()


def test_collectives_are_ordered_with_kernels_of_the_current_stream(group, cupy):
    with cupy.cuda.Stream(non_blocking=True):
        array, output = cupy.zeros(1 << 22), cupy.zeros(1 << 22)
        for _ in range(50):
            array += 1
            finish(group.all_gather(output, array))
            assert output is not array
            array = output + 0
        assert float(array.min()) == float(array.max()) == 50


def test_memory_of_a_dropped_array_is_not_reused_before_the_collective_has_ended(group, cupy):
    outputs, requests = [], []
    for number in range(50):
        array = cupy.full(1 << 20, number, "float32")
        outputs.append(cupy.empty(1 << 20, "float32"))
        requests.append(group.all_gather(outputs[-1], array))
        del array
    finish(*requests)
    assert [float(output[-1]) for output in outputs] == list(range(50))
    assert all(float(output.min()) == float(output.max()) for output in outputs)


def test_the_host_does_not_wait_for_a_collective(group, cupy):
    array, output = cupy.zeros(1 << 26, "float32"), cupy.zeros(1 << 26, "float32")
    finish(group.all_gather(output, array))
    cupy.cuda.Device().synchronize()
    start = time.perf_counter()
    requests = [group.all_gather(output, array) for _ in range(20)]
    finish(*requests)
    queued = time.perf_counter() - start
    cupy.cuda.Device().synchronize()
    assert requests[-1].test()
    assert queued < time.perf_counter() - start
