"""Bad input to collectives: PyTorch's exceptions, with its key phrases."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
import wengert as wg
from wengert_testing.sim_group import run_ranks

dist = wg.distributed
SUM = dist.ReduceOp.SUM
NOT_INITIALIZED = "Default process group has not been initialized, please make sure to call init_process_group."


@pytest.fixture
def world() -> Iterator[None]:
    """A world of one rank."""
    dist.init_process_group("self")
    yield
    dist.destroy_process_group()


def t() -> Any:
    return wg.ones(3)


def longs() -> Any:
    return wg.ones(3, dtype=wg.int64)


WITHOUT_A_GROUP: dict[str, Callable[[], Any]] = {
    "all_reduce": lambda: dist.all_reduce(t()),
    "reduce": lambda: dist.reduce(t(), 0),
    "broadcast": lambda: dist.broadcast(t(), 0),
    "all_gather": lambda: dist.all_gather([t()], t()),
    "all_gather_into_tensor": lambda: dist.all_gather_into_tensor(t(), t()),
    "gather": lambda: dist.gather(t(), [t()]),
    "scatter": lambda: dist.scatter(t(), [t()]),
    "reduce_scatter": lambda: dist.reduce_scatter(t(), [t()]),
    "reduce_scatter_tensor": lambda: dist.reduce_scatter_tensor(t(), t()),
    "all_to_all": lambda: dist.all_to_all([t()], [t()]),
    "all_to_all_single": lambda: dist.all_to_all_single(t(), t()),
    "all_reduce_coalesced": lambda: dist.all_reduce_coalesced([t()]),
    "all_gather_coalesced": lambda: dist.all_gather_coalesced([[t()]], [t()]),
    "send": lambda: dist.send(t(), 0),
    "recv": lambda: dist.recv(t(), 0),
    "isend": lambda: dist.isend(t(), 0),
    "irecv": lambda: dist.irecv(t(), 0),
    "P2POp": lambda: dist.P2POp(dist.isend, t(), 0),
    "barrier": dist.barrier,
    "monitored_barrier": dist.monitored_barrier,
    "all_gather_object": lambda: dist.all_gather_object([None], 1),
    "gather_object": lambda: dist.gather_object(1, [None]),
    "broadcast_object_list": lambda: dist.broadcast_object_list([1]),
    "scatter_object_list": lambda: dist.scatter_object_list([None], [1]),
    "send_object_list": lambda: dist.send_object_list([1], 0),
    "recv_object_list": lambda: dist.recv_object_list([1], 0),
    "get_rank": dist.get_rank,
    "get_world_size": dist.get_world_size,
    "get_backend": dist.get_backend,
    "get_backend_config": dist.get_backend_config,
    "get_process_group_ranks": lambda: dist.get_process_group_ranks(None),
    "get_group_rank": lambda: dist.get_group_rank(None, 0),
    "new_group": lambda: dist.new_group([0]),
    "split_group": lambda: dist.split_group(split_ranks=[[0]]),
    "new_subgroups": lambda: dist.new_subgroups(1),
    "new_subgroups_by_enumeration": lambda: dist.new_subgroups_by_enumeration([[0]]),
}


@pytest.mark.parametrize("name", WITHOUT_A_GROUP)
def test_calls_before_init_process_group(name: str) -> None:
    with pytest.raises(ValueError, match=re.escape(NOT_INITIALIZED)):
        WITHOUT_A_GROUP[name]()


BAD: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    # what is no tensor, no list, no reduction
    "a number": (lambda: dist.all_reduce(3), TypeError, r"Expected parameter `tensor` of type torch\.Tensor"),
    "a list for a tensor": (lambda: dist.broadcast([t()], 0), TypeError, "Expected parameter `tensor` of type"),
    "no tensor to send": (lambda: dist.send(3, 1), TypeError, "Expected parameter `tensor` of type"),
    "no tensor to receive": (lambda: dist.recv(3, 1), TypeError, "Expected parameter `tensor` of type"),
    "a tensor for a list": (lambda: dist.all_gather(t(), t()), TypeError, r"of type List\[torch\.Tensor\]"),
    "a list of numbers": (lambda: dist.all_gather([3], t()), TypeError, "with elements of type"),
    "a number to scatter": (lambda: dist.scatter(t(), 3), TypeError, "`scatter_list` of type List"),
    "a list for an output": (lambda: dist.all_gather_into_tensor([t()], t()), TypeError, "`output_tensor` of type"),
    "an op that is a number": (lambda: dist.all_reduce(t(), op=3), TypeError, "incompatible function arguments"),
    "an op that is a word": (lambda: dist.all_reduce(t(), op="sum"), TypeError, "incompatible function arguments"),
    "a ReduceOp of a word": (lambda: dist.ReduceOp("SUM"), TypeError, "incompatible constructor arguments"),
    # dtypes and reductions
    "an average of integers": (lambda: dist.all_reduce(longs(), op=dist.ReduceOp.AVG), RuntimeError,
                               "result type Float can't be cast to the desired output type Long"),
    "a sum without its factor": (lambda: dist.all_reduce(t(), op=dist.ReduceOp.PREMUL_SUM), RuntimeError,
                                 "PREMUL_SUM needs a factor"),
    "a factor that is a word": (lambda: dist._make_nccl_premul_sum("2"), TypeError, "incompatible function arguments"),
    "bits of floats": (lambda: dist.all_reduce(t(), op=dist.ReduceOp.BAND), RuntimeError,
                       r"Cannot use ReduceOp\.BAND with non-integral dtype"),
    "a product of complex numbers": (lambda: dist.all_reduce(t() * 1j, op=dist.ReduceOp.PRODUCT), ValueError,
                                     r"all_reduce does not support RedOpType\.PRODUCT on complex tensors"),
    "bits of complex numbers": (lambda: dist.all_reduce(t() * 1j, op=dist.ReduceOp.BOR), ValueError,
                                r"all_reduce does not support RedOpType\.BOR on complex tensors"),
    "outputs of another dtype": (lambda: dist.all_gather([longs()], t()), ValueError,
                                 "Invalid usage of tensors with different dtypes"),
    "an output of another dtype": (lambda: dist.all_gather_into_tensor(t(), longs()), RuntimeError,
                                   "invalid tensor type"),
    "parts of another dtype": (lambda: dist.reduce_scatter_tensor(t(), longs()), RuntimeError, "invalid tensor type"),
    "exchanges of two dtypes": (lambda: dist.all_to_all_single(t(), longs()), ValueError, "different dtypes"),
    # layouts and devices
    "a sparse tensor": (lambda: dist.all_reduce(t().to_sparse()), RuntimeError, "unsupported layout"),
    "a device without a backend": (lambda: dist.all_reduce(wg.ones(3, device="sim")), RuntimeError,
                                   "No backend type associated with device type sim"),
    "two devices": (lambda: dist.all_gather_into_tensor(wg.ones(3), wg.ones(3, device="sim")), RuntimeError,
                    "No backend type associated with device type sim"),
    # ranks
    "a root beyond the last": (lambda: dist.broadcast(t(), 1), RuntimeError, "invalid root rank: 1"),
    "a negative root": (lambda: dist.reduce(t(), -1), RuntimeError, "invalid root rank: -1"),
    "a root beyond the group": (lambda: dist.broadcast(t(), group_src=3), RuntimeError, "invalid root rank: 3"),
    "no root": (lambda: dist.broadcast(t()), ValueError, "Must specify global_rank or group_rank"),
    "two roots": (lambda: dist.broadcast(t(), 0, group_src=0), ValueError, "Can't specify both group_rank and global"),
    "a root that is a word": (lambda: dist.broadcast(t(), "a"), TypeError, "Invalid function argument"),
    "a root that is a float": (lambda: dist.reduce(t(), 1.0), TypeError, "Invalid function argument"),
    "this rank as destination": (lambda: dist.send(t(), 0), ValueError, "destination rank should not be the same"),
    "this rank as source": (lambda: dist.recv(t(), 0), ValueError, "source rank should not be the same"),
    "no destination": (lambda: dist.send(t()), ValueError, "Must specify global_rank or group_rank"),
    "objects to this rank": (lambda: dist.send_object_list([1], 0), ValueError, "Invalid destination rank"),
    "objects from this rank": (lambda: dist.recv_object_list([1], 0), ValueError, "Invalid source rank"),
    "a negative tag": (lambda: dist.irecv(t(), tag=-1), RuntimeError, "Tag must be nonneg"),
    # lists and sizes
    "two outputs": (lambda: dist.all_gather([t(), t()], t()), RuntimeError, r"\(expected length 1, got 2\)"),
    "no outputs": (lambda: dist.all_gather([], t()), RuntimeError, r"\(expected length 1, got 0\)"),
    "longer outputs": (lambda: dist.all_gather([wg.ones(4)], t()), RuntimeError, r"\(expected \(3\), got \(4\)\)"),
    "outputs of two dims": (lambda: dist.all_gather([wg.ones(3, 1)], t()), RuntimeError, r"got \(3, 1\)\)"),
    "a longer whole": (lambda: dist.all_gather_into_tensor(wg.ones(4), t()), RuntimeError, "invalid tensor size"),
    "nothing to gather into": (lambda: dist.gather(t(), None, 0), ValueError,
                               "``gather_list`` must be specified on destination rank"),
    "two tensors to gather into": (lambda: dist.gather(t(), [t(), t()], 0), RuntimeError,
                                   "same as size of the process group. The list has 2 entries for 1 ranks"),
    "nothing to scatter": (lambda: dist.scatter(t(), None, 0), ValueError,
                           "``scatter_list`` must be specified on source rank"),
    "two tensors to scatter": (lambda: dist.scatter(t(), [t(), t()], 0), RuntimeError, "Incorrect input list size 2"),
    "two inputs": (lambda: dist.reduce_scatter(t(), [t(), t()]), RuntimeError, "invalid input tensor list size, must"),
    "a longer input": (lambda: dist.reduce_scatter_tensor(t(), wg.ones(4)), RuntimeError, "invalid tensor size"),
    "two outputs to exchange": (lambda: dist.all_to_all([t(), t()], [t()]), RuntimeError, "does not match world size"),
    "a part for itself that grows": (lambda: dist.all_to_all_single(wg.ones(4), t()), RuntimeError,
                                     "all_to_all_single: invalid tensor size: rank 0 sends 3 elements to itself, but"),
    "a tensor for itself that grows": (lambda: dist.all_to_all([wg.ones(4)], [t()]), RuntimeError,
                                       "all_to_all: invalid tensor size: rank 0 sends 3 elements to itself, but"),
    "splits that do not add up": (lambda: dist.all_to_all_single(t(), t(), [2], [3]), RuntimeError,
                                  "Split sizes doesn't match total dim 0 size"),
    "two splits": (lambda: dist.all_to_all_single(t(), t(), [3, 1], [3, 1]), RuntimeError,
                   "Number of tensor splits not equal to group size"),
    # batches
    "a batch of numbers": (lambda: dist.batch_isend_irecv([3]), ValueError, "Invalid ``p2p_op_list``"),
    "a batch that is a number": (lambda: dist.batch_isend_irecv(3), ValueError, "Invalid ``p2p_op_list``"),
    "an empty batch": (lambda: dist.batch_isend_irecv([]), ValueError, "Invalid ``p2p_op_list``"),
    "send in a batch": (lambda: dist.P2POp(dist.send, t(), 1), ValueError, "Invalid ``op``"),
    "a batch without a peer": (lambda: dist.P2POp(dist.isend, t()), ValueError, "Must specify global_rank"),
    "no tensor in a batch": (lambda: dist.P2POp(dist.isend, 3, 1), TypeError, "Expected parameter `tensor`"),
    # objects
    "a number of objects": (lambda: dist.broadcast_object_list(3, 0), TypeError, "`object_list` to be a list"),
    "two places for one object": (lambda: dist.all_gather_object([None, None], 1), RuntimeError, "world size"),
    "no place for an object": (lambda: dist.gather_object(3, None), ValueError, "must be specified on destination"),
    "nothing to scatter to": (lambda: dist.scatter_object_list([], [3]), ValueError, "list of size at least 1"),
    "no objects to scatter": (lambda: dist.scatter_object_list([None], None), ValueError, "non-None"),
    # groups and timeouts
    "a group that is a number": (lambda: dist.all_reduce(t(), group=3), ValueError,
                                 "Process group 3 is not initialized in the world group map"),
    "a rank in a number": (lambda: dist.get_rank(3), ValueError, "Group 3 is not registered"),
    "devices that are no list": (lambda: dist.barrier(device_ids=3), TypeError, r"should be List\[int\]"),
    "a negative timeout": (lambda: dist.monitored_barrier(timeout=timedelta(seconds=-1)), RuntimeError,
                           "Invalid timeout"),
    "a timeout that is a number": (lambda: dist.monitored_barrier(timeout=3), TypeError, "type datetime.timedelta"),
}  # fmt: skip


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize("what", BAD)
def test_bad_input_raises_as_pytorch_does(what: str) -> None:
    call, exception, phrase = BAD[what]
    with pytest.raises(exception, match=phrase) as raised:
        call()
    assert type(raised.value) is exception


@pytest.mark.usefixtures("world")
def test_collectives_on_a_rank_outside_the_group_warn_and_do_nothing() -> None:
    outside = dist.GroupMember.NON_GROUP_MEMBER
    x = t()
    for name, call in {
        "all_reduce": lambda: dist.all_reduce(x, group=outside), "broadcast": lambda: dist.broadcast(x, 0, outside),
        "barrier": lambda: dist.barrier(outside), "all_gather": lambda: dist.all_gather([x], x, outside),
        "isend": lambda: dist.isend(x, 1, outside), "gather_object": lambda: dist.gather_object(1, [], 0, outside),
    }.items():  # fmt: skip
        with pytest.warns(UserWarning, match=f"Running {name} on global rank 0 which does not belong to the given gr"):
            assert call() is None
    assert (dist.get_rank(outside), dist.get_world_size(outside)) == (-1, -1)
    with pytest.raises(ValueError, match="Invalid process group specified"):
        dist.get_backend(outside)


def test_lists_on_the_wrong_rank() -> None:
    def program() -> None:
        rank = dist.get_rank()
        if rank == 1:
            with pytest.raises(ValueError, match="``gather_list`` must NOT be specified on non-destination ranks"):
                dist.gather(t(), [t(), t()], dst=0)
            with pytest.raises(ValueError, match="``scatter_list`` must NOT be specified on non-source ranks"):
                dist.scatter(t(), [t(), t()], src=0)
        group = dist.new_group([0])
        if rank == 0:
            with pytest.raises(ValueError, match="Global rank 1 is not part of group"):
                dist.broadcast(t(), src=1, group=group)

    run_ranks(2, program)


@pytest.mark.parametrize(
    ("mine", "others"), [((3,), (4,)), ((2, 3), (5,))], ids=["another length", "another number of elements"]
)
def test_ranks_with_different_sizes_all_raise(mine: tuple[int, ...], others: tuple[int, ...]) -> None:
    def program() -> None:
        dist.all_reduce(wg.ones(mine if dist.get_rank() == 0 else others))

    errors = run_ranks(3, program, return_exceptions=True)
    assert all(isinstance(error, dist.DistBackendError) for error in errors)
    first = next(str(error) for error in errors if "have called different collectives" in str(error))
    assert str(list(mine)) in first
    assert str(list(others)) in first


def test_ranks_with_different_dtypes_all_raise() -> None:
    def program() -> None:
        dist.all_reduce(t() if dist.get_rank() else longs())

    errors = run_ranks(2, program, return_exceptions=True)
    assert all(isinstance(error, dist.DistBackendError) for error in errors)
    assert "int64" in str(errors[1])
    assert "float32" in str(errors[0])
