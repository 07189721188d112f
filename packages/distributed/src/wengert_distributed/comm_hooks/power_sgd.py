"""PowerSGD: gradients are sent as products of two thin matrices.

Source: T. Vogels, S. P. Karimireddy, M. Jaggi, PowerSGD: Practical Low-Rank Gradient Compression for Distributed
Optimization, NeurIPS 2019, algorithms 1 and 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import wengert
from wengert import Tensor

from wengert_distributed.comm_hooks.default_hooks import _allreduce_fut
from wengert_distributed.groups.world import member_group
from wengert_distributed.interface.future import Future
from wengert_distributed.parallel.buckets import GradBucket

__all__ = ["PowerSGDState", "batched_powerSGD_hook", "powerSGD_hook"]

QR_RANK = 3
"""The rank from which on matrices are orthogonalized by a QR factorization."""
Split = tuple[list[tuple[Tensor, Tensor]], list[Tensor]]
"""Pairs of a part of a bucket and the matrix that it is compressed as, and the parts that are not compressed."""


class PowerSGDState:
    """The state of PowerSGD between steps, and its options, as PyTorch's ``PowerSGDState``.

    process_group: the ranks; None for all.
    matrix_approximation_rank: how many columns the thin matrices have; more are more exact, and slower.
    start_powerSGD_iter: the backward from which on gradients are compressed; until then they are averaged as they are.
    min_compression_rate: a gradient is compressed if that makes it smaller by at least this factor.
    use_error_feedback: add what the compression lost to the next gradient.
    warm_start: begin with the matrix of the step before; else with random numbers.
    orthogonalization_epsilon: added to the norms of columns, so that columns of zeros do no harm.
    random_seed: the seed of the random numbers, the same on all ranks.
    compression_stats_logging_frequency, batch_tensors_with_same_shape: accepted, without an effect.
    Raises ValueError where compression would begin before the buckets are final, in the third backward.

    >>> import wengert as wg
    >>> from wengert_distributed.comm_hooks.power_sgd import PowerSGDState, powerSGD_hook
    >>> wg.distributed.init_process_group("self")
    >>> model = wg.nn.parallel.DistributedDataParallel(wg.nn.Linear(8, 8))
    >>> state = PowerSGDState(None, matrix_approximation_rank=1, start_powerSGD_iter=2)
    >>> model.register_comm_hook(state, powerSGD_hook)
    >>> for _ in range(3):
    ...     model(wg.ones(1, 8)).sum().backward()
    >>> state.compression_stats()
    (3.0, 72, 24)
    >>> wg.distributed.destroy_process_group()
    """

    def __init__(
        self, process_group: Any, matrix_approximation_rank: int = 1, start_powerSGD_iter: int = 1000,
        min_compression_rate: float = 2, use_error_feedback: bool = True, warm_start: bool = True,
        orthogonalization_epsilon: float = 0, random_seed: int = 0, compression_stats_logging_frequency: int = 10_000,
        batch_tensors_with_same_shape: bool = False,
    ) -> None:  # fmt: skip
        if (use_error_feedback or warm_start) and start_powerSGD_iter <= 1:
            raise ValueError(
                "Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled, because PowerSGD "
                "can only be applied after the first two iterations in DDP."
            )
        self.process_group = process_group
        self.matrix_approximation_rank = matrix_approximation_rank
        self.start_powerSGD_iter = start_powerSGD_iter
        self.min_compression_rate = min_compression_rate
        self.use_error_feedback = use_error_feedback
        self.warm_start = warm_start
        self.orthogonalization_epsilon = orthogonalization_epsilon
        self.compression_stats_logging_frequency = compression_stats_logging_frequency
        self.batch_tensors_with_same_shape = batch_tensors_with_same_shape
        self.rng: Any = wengert.Generator().manual_seed(random_seed)
        self.error_dict: dict[int, Tensor] = {}
        self.p_memory_dict: dict[int, Tensor] = {}
        self.q_memory_dict: dict[int, Tensor] = {}
        self.iter: int = 0
        self.total_numel_before_compression: int = 0
        self.total_numel_after_compression: int = 0

    def maybe_increase_iter(self, bucket: GradBucket) -> None:
        """Count a backward when its last bucket is reduced."""
        if bucket.is_last():
            self.iter += 1

    def compression_stats(self) -> tuple[float, int, int]:
        """Return how much smaller the gradients became, and the elements before and after compression so far."""
        before, after = self.total_numel_before_compression, self.total_numel_after_compression
        return (before / after if after else 0, before, after)

    def count(self, before: int, after: int) -> None:
        """Count elements before and after compression."""
        self.total_numel_before_compression += before
        self.total_numel_after_compression += after


def powerSGD_hook(state: PowerSGDState, bucket: GradBucket) -> Future:
    """Average the gradients of a bucket approximately: matrices as products of two thin ones, others as they are.

    A gradient with several dims is a matrix whose rows are the first dim. Returns a future of the flat gradients.
    """

    def is_small(rows: int, columns: int) -> bool:
        rank = min(rows, columns, state.matrix_approximation_rank)
        return (rows + columns) * rank * state.min_compression_rate < rows * columns

    def split() -> Split:
        pairs = [(gradient, matrix_of(gradient)) for gradient in bucket.gradients()]
        compressed = [pair for pair in pairs if is_small(*pair[1].shape)]
        return compressed, [gradient for gradient, matrix in pairs if not is_small(*matrix.shape)]

    return start_compression(state, bucket, split)


def batched_powerSGD_hook(state: PowerSGDState, bucket: GradBucket) -> Future:
    """Average the gradients of a bucket approximately, as one square matrix: faster and less exact than powerSGD_hook.

    Returns a future of the flat gradients.
    """
    side = math.ceil(math.sqrt(bucket.buffer().numel()))

    def split() -> Split:
        buffer = bucket.buffer()
        square = wengert.zeros(side * side, dtype=buffer.dtype, device=buffer.device)
        square[: buffer.numel()] = buffer
        return [(buffer, square.view(side, side))], []

    return start_compression(state, bucket, split)


def matrix_of(gradient: Tensor) -> Tensor:
    """Return a gradient as a matrix whose rows are its first dim; one without dims as 1 by 1."""
    rows = gradient.shape[0] if gradient.dim() else 1
    return gradient.reshape(rows, -1) if gradient.numel() else gradient.reshape(rows, 0)


def start_compression(state: PowerSGDState, bucket: GradBucket, split: Callable[[], Split]) -> Future:
    """Start the reduction of a bucket; before the first compressed backward as without compression."""
    if state.iter < state.start_powerSGD_iter:
        state.maybe_increase_iter(bucket)
        return _allreduce_fut(state.process_group, bucket.buffer())
    return LowRankReduction(state, bucket, split).start()


class LowRankReduction:
    """One reduction of a bucket by thin matrices: M is approximated by P Q^T, with P = M Q and Q = M^T P averaged."""

    qs: list[Tensor]
    q_memory: Tensor
    ps: list[Tensor]
    p_memory: Tensor
    matrices: list[Tensor]
    targets: list[Tensor]
    others: list[Tensor]
    buffer: Tensor
    bucket: GradBucket
    state: PowerSGDState

    def __init__(self, state: PowerSGDState, bucket: GradBucket, split: Callable[[], Split]) -> None:
        self.state, self.bucket, self.buffer = state, bucket, bucket.buffer()
        self.group: Any = member_group(state.process_group)
        error = state.error_dict.get(bucket.index())
        if error is not None:
            self.buffer.add_(error)
        self.before: Tensor | None = self.buffer.clone() if state.use_error_feedback else None
        pairs, self.others = split()
        self.targets, self.matrices = [target for target, _ in pairs], [matrix for _, matrix in pairs]
        ranks = [min(*matrix.shape, state.matrix_approximation_rank) for matrix in self.matrices]
        shapes = [(matrix.shape, rank) for matrix, rank in zip(self.matrices, ranks, strict=True)]
        sizes_p, sizes_q = [(shape[0], rank) for shape, rank in shapes], [(shape[1], rank) for shape, rank in shapes]
        self.is_new: bool = not state.warm_start or bucket.index() not in state.q_memory_dict
        self.p_memory, self.ps = self.memory(state.p_memory_dict, sizes_p)
        self.q_memory, self.qs = self.memory(state.q_memory_dict, sizes_q)
        after = self.p_memory.numel() + self.q_memory.numel() + sum(other.numel() for other in self.others)
        state.count(self.buffer.numel(), after)

    def memory(self, stored: dict[int, Tensor], shapes: Sequence[tuple[int, int]]) -> tuple[Tensor, list[Tensor]]:
        """Return the flat memory of thin matrices, that of the step before if it is there, and their views."""
        sizes = [rows * columns for rows, columns in shapes]
        flat = stored.get(self.bucket.index())
        if self.is_new or flat is None:
            flat = wengert.zeros(sum(sizes), dtype=self.buffer.dtype, device=self.buffer.device)
            stored[self.bucket.index()] = flat
        parts = flat.split(sizes) if sizes else []
        return flat, [part.view(shape) for part, shape in zip(parts, shapes, strict=True)]

    def start(self) -> Future:
        """Start to average the uncompressed gradients and the matrices P; return a future of the flat gradients."""
        for q in self.qs:
            if self.is_new:
                q.copy_(wengert.randn(q.shape, generator=self.state.rng))
            orthogonalize(q, self.state.orthogonalization_epsilon)
        for matrix, p, q in zip(self.matrices, self.ps, self.qs, strict=True):
            p.copy_(matrix @ q)
        flat = [other.reshape(-1) for other in self.others]
        self.flat_others: Tensor | None = wengert.cat(flat) if flat else None
        if self.flat_others is None:
            return self.average_p(None)
        return _allreduce_fut(self.group, self.flat_others).then(self.average_p)

    def average_p(self, _: Any) -> Future:
        """Put the uncompressed gradients back, and start to average P."""
        if self.flat_others is not None:
            parts = self.flat_others.split([other.numel() for other in self.others])
            for other, part in zip(self.others, parts, strict=True):
                other.copy_(part.view(other.shape))
        return _allreduce_fut(self.group, self.p_memory).then(self.average_q)

    def average_q(self, _: Any) -> Future:
        """Compute Q from P, and start to average it."""
        for matrix, p, q in zip(self.matrices, self.ps, self.qs, strict=True):
            orthogonalize(p, self.state.orthogonalization_epsilon)
            q.copy_(matrix.t() @ p)
        return _allreduce_fut(self.group, self.q_memory).then(self.decompress)

    def decompress(self, _: Any) -> Tensor:
        """Return the flat gradients, with P Q^T in place of each matrix, and note what that lost."""
        for target, p, q in zip(self.targets, self.ps, self.qs, strict=True):
            target.copy_((p @ q.t()).view(-1)[: target.numel()].view(target.shape))
        if self.before is not None:
            self.state.error_dict[self.bucket.index()] = self.before.sub_(self.buffer)
        self.state.maybe_increase_iter(self.bucket)
        return self.buffer


def orthogonalize(matrix: Tensor, epsilon: float) -> None:
    """Make the columns of a matrix orthonormal, in place."""
    if matrix.shape[1] >= QR_RANK and matrix.dtype in (wengert.float32, wengert.float64):
        matrix.copy_(wengert.linalg.qr(matrix)[0])
        return
    for number in range(matrix.shape[1]):
        column, rest = matrix[:, number : number + 1], matrix[:, number + 1 :]
        norm = column.norm() + epsilon
        if norm > 0:
            column.div_(norm)
        rest.sub_(column @ (column.t() @ rest))
