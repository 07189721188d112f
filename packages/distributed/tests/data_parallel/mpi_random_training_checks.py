"""Random data parallel trainings over real MPI, beside the same training of one process (mpi_run.py)."""

from __future__ import annotations

import contextlib
import itertools
import os
import random

import wengert as wg
import wengert.distributed as dist
from wengert import nn

dist.init_process_group("mpi")
RANK, SIZE = dist.get_rank(), dist.get_world_size()
STEPS = 5
SEEDS = int(os.environ.get("WENGERT_TEST_SEEDS", "25"))


class Network(nn.Module):
    """Branches of affine maps, of which an input takes some; the weights may have several dtypes."""

    def __init__(self, choice: random.Random, mixed: bool) -> None:
        super().__init__()
        self.branches = nn.ModuleList()
        for _ in range(choice.randint(1, 4)):
            sizes = [4, *(choice.choice([1, 3, 8, 17]) for _ in range(choice.randint(0, 3))), 2]
            layers = [nn.Linear(a, b, bias=choice.random() < 0.7) for a, b in itertools.pairwise(sizes)]
            self.branches.append(nn.Sequential(*layers))
        self.shared = nn.Parameter(wg.randn(2))
        self.frozen = nn.Parameter(wg.randn(3), requires_grad=False)
        self.double()
        if mixed:
            self.branches[0].float()

    def forward(self, x: wg.Tensor, taken: tuple[int, ...]) -> wg.Tensor:
        results = [self.branches[one](x.to(self.branches[one][0].weight.dtype)).double() for one in taken]
        return sum(results) * self.shared


def training(seed: int):
    """Return what all ranks choose alike: the network's choices, the way it is trained, and inputs of every rank."""
    choice = random.Random(seed)
    shape_seed, mixed = choice.random(), choice.random() < 0.4
    branches = len(Network(random.Random(shape_seed), mixed).branches)
    way = choice.choice(["plain", "unused", "static"])
    every = tuple(range(branches))
    if way == "unused":
        taken = [[tuple(sorted(choice.sample(every, choice.randint(1, branches)))) for _ in range(SIZE)]
                 for _ in range(STEPS)]  # fmt: skip
    else:
        taken = [[every] * SIZE for _ in range(STEPS)]
    options = {
        "bucket_cap_mb": choice.choice([1e-5, 1e-4, 5e-4, 25]), "find_unused_parameters": way == "unused",
        "static_graph": way == "static", "gradient_as_bucket_view": choice.random() < 0.5,
    }  # fmt: skip
    accumulates = [way != "static" and choice.random() < 0.3 for _ in range(STEPS - 1)] + [False]
    return shape_seed, mixed, taken, options, accumulates, choice.random() < 0.5


def inputs(seed: int, step: int, rank: int) -> wg.Tensor:
    generator = wg.Generator().manual_seed(1000 * seed + 10 * step + rank)
    return wg.randn(3, 4, generator=generator, dtype=wg.float64)


def network(seed: int, shape_seed: float, mixed: bool) -> Network:
    wg.manual_seed(seed)
    return Network(random.Random(shape_seed), mixed)


def run_alone(seed: int) -> list[wg.Tensor]:
    """Return the parameters after the training of one process that has all inputs."""
    shape_seed, mixed, taken, _, accumulates, to_none = training(seed)
    module = network(seed, shape_seed, mixed)
    optimizer = wg.optim.SGD(module.parameters(), lr=0.01, momentum=0.5)
    for step in range(STEPS):
        loss = sum(module(inputs(seed, step, rank), taken[step][rank]).square().sum() for rank in range(SIZE)) / SIZE
        loss.backward()
        if not accumulates[step]:
            optimizer.step()
            optimizer.zero_grad(set_to_none=to_none)
    return list(module.parameters())


def run_parallel(seed: int) -> list[wg.Tensor]:
    """Return the parameters of this rank after the training of all ranks."""
    shape_seed, mixed, taken, options, accumulates, to_none = training(seed)
    module = network(seed + RANK, shape_seed, mixed)  # others than those of rank 0: they are overwritten
    model = nn.parallel.DistributedDataParallel(module, **options)
    optimizer = wg.optim.SGD(model.parameters(), lr=0.01, momentum=0.5)
    for step in range(STEPS):
        with model.no_sync() if accumulates[step] else contextlib.nullcontext():
            model(inputs(seed, step, RANK), taken[step][RANK]).square().sum().backward()
        if not accumulates[step]:
            optimizer.step()
            optimizer.zero_grad(set_to_none=to_none)
    return list(model.parameters())


def check_random_trainings_agree_with_one_process() -> None:
    for seed in range(SEEDS):
        tolerance = 1e-3 if training(seed)[1] else 1e-9
        for one, other in zip(run_parallel(seed), run_alone(seed), strict=True):
            assert wg.allclose(one, other, rtol=tolerance, atol=tolerance), (seed, training(seed), one, other)


def make_optimizer(choice: random.Random, parameters, divided: bool):
    """Return an optimizer that the choices name; one whose state is divided among the ranks, or one that has it all."""
    kind, options = choice.choice([(wg.optim.Adam, {"lr": 0.01}), (wg.optim.SGD, {"lr": 0.01, "momentum": 0.9}),
                                   (wg.optim.AdamW, {"lr": 0.01, "weight_decay": 0.1})])  # fmt: skip
    if divided:
        return dist.optim.ZeroRedundancyOptimizer(parameters, optimizer_class=kind, **options)
    return kind(parameters, **options)


def check_different_numbers_of_inputs_with_a_divided_state() -> None:
    for seed in range(SEEDS // 2):
        choice = random.Random(seed)
        shape_seed, divided = choice.random(), choice.random() < 0.7
        counts = [choice.randint(0, STEPS) for _ in range(SIZE)]
        counts[choice.randrange(SIZE)] = STEPS
        cap, optimizer_seed = choice.choice([1e-5, 5e-4, 25]), choice.random()

        module = network(seed + RANK, shape_seed, False)
        every = tuple(range(len(module.branches)))
        model = nn.parallel.DistributedDataParallel(module, bucket_cap_mb=cap)
        optimizer = make_optimizer(random.Random(optimizer_seed), model.parameters(), divided)
        joined = [model, optimizer] if divided else [model]
        with dist.algorithms.join.Join(joined):
            for step in range(counts[RANK]):
                optimizer.zero_grad()
                model(inputs(seed, step, RANK), every).square().sum().backward()
                optimizer.step()

        alone = network(seed, shape_seed, False)
        one = make_optimizer(random.Random(optimizer_seed), alone.parameters(), False)
        for step in range(STEPS):
            one.zero_grad()
            losses = [alone(inputs(seed, step, rank), every).square().sum()
                      for rank in range(SIZE) if step < counts[rank]]  # fmt: skip
            (sum(losses) / SIZE).backward()
            one.step()
        for a, b in zip(model.parameters(), alone.parameters(), strict=True):
            assert wg.allclose(a, b, rtol=1e-8, atol=1e-8), (seed, counts, divided, cap, type(one), a, b)
