"""Random collectives over real MPI beside those of NumPy, on all ranks (mpi_run.py)."""

from __future__ import annotations

import os
import random
from typing import Any

import numpy as np
import wengert as wg
import wengert.distributed as dist

dist.init_process_group("mpi")
RANK, SIZE = dist.get_rank(), dist.get_world_size()
SEEDS = int(os.environ.get("WENGERT_TEST_SEEDS", "15"))
DTYPES = (wg.float32, wg.float64, wg.int64, wg.uint8, wg.int16, wg.float16, wg.bfloat16, wg.complex64)
GROUPS = [(None, list(range(SIZE)))]
for members in ([0, 1], list(reversed(range(SIZE))), list(range(0, SIZE, 2))):
    GROUPS.append((dist.new_group(members), sorted(members)))


def make_tensor(shape: tuple[int, ...], dtype: Any, seed: int, rank: int, layout: int) -> wg.Tensor:
    """Return small integers, contiguous, with gaps, transposed, or at an offset."""
    values = np.random.default_rng([seed, rank]).integers(0, 4, shape)
    tensor = wg.tensor(values).to(dtype)
    if layout == 1:
        whole = wg.zeros(*shape[:-1], 2 * shape[-1], dtype=dtype)
        whole[..., ::2] = tensor
        return whole[..., ::2]
    if layout == 2:
        return tensor.transpose(0, -1).contiguous().transpose(0, -1)
    if layout == 3:
        whole = wg.zeros(shape[0] + 1, *shape[1:], dtype=dtype)
        whole[1:] = tensor
        return whole[1:]
    return tensor


def numbers(tensor: wg.Tensor) -> np.ndarray:
    return tensor.to(wg.complex128).numpy()


class Collective:
    """One collective of a group: ``start`` begins it, ``check`` compares its results."""

    def __init__(self, choice: random.Random, seed: int) -> None:
        self.group, ranks = choice.choice(GROUPS)
        self.name = choice.choice(["all_reduce", "broadcast", "all_gather_into_tensor", "all_gather", "reduce",
                                   "reduce_scatter_tensor", "all_to_all_single", "scatter", "gather"])  # fmt: skip
        self.async_op = choice.random() < 0.5
        self.root = choice.choice(ranks)
        shape = tuple(choice.randint(1, 5) for _ in range(choice.randint(1, 3)))
        if choice.random() < 0.1:
            shape = (choice.choice([5000, 70000]),)
        dtype = choice.choice(DTYPES)
        layouts = [choice.randrange(4) for _ in range(SIZE)]
        self.takes_part, self.ranks, self.shape = RANK in ranks, ranks, shape
        whole = self.name in ("reduce_scatter_tensor", "all_to_all_single")
        wide = (shape[0] * len(ranks), *shape[1:]) if whole else shape
        every = [make_tensor(wide, dtype, seed, rank, layouts[rank]) for rank in ranks]
        self.inputs = [numbers(one) for one in every]
        if self.takes_part:
            self.position = ranks.index(RANK)
            self.x = every[self.position]
            self.output = self.x.new_zeros((shape[0] * len(ranks), *shape[1:]))
            self.part = self.x.new_zeros(shape)
            self.parts = [self.x.new_zeros(shape) for _ in ranks]
            self.pieces = [make_tensor(shape, dtype, seed, 100 + rank, layouts[RANK]) for rank in ranks]

    def start(self) -> Any:
        if not self.takes_part:
            return None
        how = {"group": self.group, "async_op": self.async_op}
        is_root = self.root == RANK
        function = getattr(dist, self.name)
        if self.name == "all_reduce":
            return function(self.x, **how)
        if self.name in ("broadcast", "reduce"):
            return function(self.x, self.root, **how)
        if self.name in ("all_gather_into_tensor", "all_to_all_single"):
            return function(self.output, self.x, **how)
        if self.name == "reduce_scatter_tensor":
            return function(self.part, self.x, **how)
        if self.name == "scatter":
            return function(self.part, self.pieces if is_root else None, self.root, **how)
        if self.name == "gather":
            return function(self.x, self.parts if is_root else None, self.root, **how)
        return function(self.parts, self.x, **how)

    def check(self) -> None:
        if not self.takes_part:
            return
        rows, mine, is_root = self.shape[0], self.position, self.root == RANK
        here = slice(mine * rows, (mine + 1) * rows)
        if self.name == "all_reduce" or (self.name == "reduce" and is_root):
            pairs = [(self.x, sum(self.inputs))]
        elif self.name == "broadcast":
            pairs = [(self.x, self.inputs[self.ranks.index(self.root)])]
        elif self.name == "all_gather_into_tensor":
            pairs = [(self.output, np.concatenate(self.inputs))]
        elif self.name == "all_gather" or (self.name == "gather" and is_root):
            pairs = list(zip(self.parts, self.inputs, strict=True))
        elif self.name == "reduce_scatter_tensor":
            pairs = [(self.part, sum(self.inputs)[here])]
        elif self.name == "all_to_all_single":
            pairs = [(self.output, np.concatenate([one[here] for one in self.inputs]))]
        elif self.name == "scatter":
            pairs = [(self.part, numbers(self.pieces[mine]))]
        else:
            pairs = []
        for tensor, expected in pairs:
            np.testing.assert_array_equal(numbers(tensor), expected, err_msg=f"{self.name} {self.shape}")


def check_random_collectives_in_flight_together() -> None:
    for seed in range(SEEDS):
        choice = random.Random(seed)
        pending: list[tuple[Collective, Any]] = []
        for step in range(40):
            one = Collective(choice, 100 * seed + step)
            pending.append((one, one.start()))
            patience = random.Random(1000 * seed + 10 * step + RANK)  # each rank waits at other times
            while len(pending) > patience.randint(0, 8):
                first, work = pending.pop(patience.randrange(len(pending)))
                if work is not None:
                    assert work.wait()
                first.check()
        for one, work in pending:
            if work is not None:
                assert work.wait()
            one.check()
