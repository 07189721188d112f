"""Collectives of several tensors at once."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from wengert import Tensor

from wengert_distributed.collectives import checks
from wengert_distributed.collectives.gathering import all_gather
from wengert_distributed.collectives.reducing import SUM, all_reduce
from wengert_distributed.errors import DistBackendError
from wengert_distributed.interface.future import Future
from wengert_distributed.interface.work import Work
from wengert_distributed.reduce_op import RedOpType, ReduceOp


class JointWork:
    """Several collectives under way, of which one future waits."""

    def __init__(self, works: list[Work], results: list[Tensor]) -> None:
        self.works: list[Work] = works
        self.results: list[Tensor] = results
        self.future = Future(self)
        self.is_completed()

    def wait(self) -> None:
        """Wait until all have ended or one has failed."""
        for work in self.works:
            with suppress(DistBackendError):  # the future has it
                work.wait()
        self.is_completed()

    def is_completed(self) -> bool:
        """Return whether all have ended, without waiting; fill the future then."""
        ended = all(work.is_completed() for work in self.works)
        if ended and not self.future._done:
            errors = [error for work in self.works if (error := work.exception()) is not None]
            if errors:
                self.future.set_exception(errors[0])
            else:
                self.future.set_result(self.results)
        return ended


def all_reduce_coalesced(
    tensors: list[Tensor] | Tensor, op: ReduceOp | RedOpType = SUM, group: Any = None, async_op: bool = False
) -> Future | None:
    """Reduce each of several tensors of all ranks, in place.

    tensors: of the same shapes and dtypes on all ranks.
    Returns a Future of them with ``async_op=True``, else None; raises as ``all_reduce``.
    PyTorch's ``torch.distributed.all_reduce_coalesced``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.all_reduce_coalesced([wg.ones(2), wg.ones(3)])
    >>> wg.distributed.destroy_process_group()
    """
    each = [tensors] if isinstance(tensors, Tensor) else tensors
    checks.check_tensor_list(each, "tensor")
    checks.check_one_dtype(each, ())
    if checks.active_group("all_reduce_coalesced", group) is None:
        return None
    return together([all_reduce(tensor, op, group, async_op=True) for tensor in each], list(each), async_op)


def all_gather_coalesced(
    output_tensor_lists: list[list[Tensor]], input_tensor_list: list[Tensor], group: Any = None, async_op: bool = False
) -> Future | None:
    """Gather each of several tensors of all ranks.

    output_tensor_lists: for each rank, a tensor of the shape and dtype of each input.
    Returns a Future of them with ``async_op=True``, else None; raises as ``all_gather``.
    PyTorch's ``torch.distributed.all_gather_coalesced``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.all_gather_coalesced([[wg.empty(2), wg.empty(3)]], [wg.ones(2), wg.ones(3)])
    >>> wg.distributed.destroy_process_group()
    """
    checks.check_tensor_list(input_tensor_list, "tensor_list")
    checks.check_one_dtype(input_tensor_list, ())
    if not isinstance(output_tensor_lists, list):
        raise TypeError("Invalid function argument: output_tensor_lists should be a list")
    for one in output_tensor_lists:
        checks.check_tensor_list(one, "output_tensor_lists")
        checks.check_one_dtype(one, ())
        if len(one) != len(input_tensor_list):
            raise RuntimeError(f"invalid output size: {len(one)} outputs of a rank for {len(input_tensor_list)} inputs")
    if checks.active_group("all_gather_coalesced", group) is None:
        return None
    works = [
        all_gather([outputs[index] for outputs in output_tensor_lists], tensor, group, async_op=True)
        for index, tensor in enumerate(input_tensor_list)
    ]
    return together(works, [one for outputs in output_tensor_lists for one in outputs], async_op)


def together(works: list[Work | None], results: list[Tensor], async_op: bool) -> Future | None:
    """Return a future of several collectives, or wait for them."""
    future = JointWork([work for work in works if work is not None], results).future
    if async_op:
        return future
    future.wait()
    return None
