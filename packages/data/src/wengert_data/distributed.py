"""The sampler that gives each of several processes its share of a dataset."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from typing import Any

import wengert

from wengert_data.sampler import Sampler

__all__ = ["DistributedSampler"]


def number_in_group(function: str) -> int:
    """Return what a function of ``wengert.distributed`` says of the default group. ValueError where there is none."""
    distributed = getattr(wengert, "distributed", None)
    if distributed is None:
        raise ValueError(
            "Default process group has not been initialized, please make sure to call init_process_group: pip install "
            '"wengert[distributed]", or pass num_replicas and rank'
        )
    return int(getattr(distributed, function)())


class DistributedSampler(Sampler[Any]):
    """Every ``num_replicas``-th index of a dataset, beginning with number ``rank`` of a common order.

    All shares have the same number of indices: if the dataset's length is not divisible by ``num_replicas``, the first
    indices are repeated at the end, or with ``drop_last`` the last ones are left out.

    num_replicas, rank: how many processes there are, and the number of this one; by default those of the process group
    (``wengert.distributed.init_process_group``). ValueError where there is none, and for a rank that is no process's.
    shuffle: whether the common order is random. It depends on ``seed`` and on the epoch: call ``set_epoch`` before each
    epoch, or all epochs have the same order.

    >>> list(DistributedSampler(range(5), num_replicas=2, rank=1, shuffle=False))
    [1, 3, 0]
    >>> list(DistributedSampler(range(5), num_replicas=2, rank=1, shuffle=False, drop_last=True))
    [1, 3]
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None:
            num_replicas = number_in_group("get_world_size")
        if rank is None:
            rank = number_in_group("get_rank")
        if rank >= num_replicas or rank < 0:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch: int = 0
        self.drop_last = drop_last
        self.shuffle = shuffle
        self.seed = seed
        size = len(dataset)
        self.num_samples: int = size // num_replicas if drop_last else -(-size // num_replicas)
        self.total_size: int = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        size = len(self.dataset)
        order = list(range(size))
        if self.shuffle:
            generator = wengert.Generator().manual_seed(self.seed + self.epoch)
            order = wengert.randperm(size, generator=generator).tolist()
        if size < self.total_size and size:
            order *= -(-self.total_size // size)
        share = order[self.rank : self.total_size : self.num_replicas]
        if len(share) != self.num_samples:
            raise AssertionError(
                f"Number of subsampled indices ({len(share)}) does not match num_samples ({self.num_samples}): the "
                f"dataset's length is {size} now"
            )
        return iter(share)

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Set the number of the epoch, on which the random order depends."""
        self.epoch = epoch
