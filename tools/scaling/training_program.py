"""Training steps on each rank, with wengert or PyTorch: without communication, with it, and communication alone.

    mpiexec -n 2 python training_program.py LIBRARY NETWORK BUCKET_MIB [LATENCY BANDWIDTH]

Times are milliseconds of a step: ``alone`` of one rank's batch without DistributedDataParallel, ``local`` within
``no_sync``, ``step`` with reductions, ``reduce`` of an all_reduce of each bucket, one after another, ``backward`` of
backward alone. Latency (seconds) and bandwidth (bytes in a second) make the network an emulated one; ``instant`` is
a step whose transfers take no time then, ``delays`` is how long they take, ``exposed`` how much longer the step is.
"""

from __future__ import annotations

import importlib
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

LIBRARY, NETWORK, BUCKET = sys.argv[1], sys.argv[2], float(sys.argv[3])
EMULATED = [float(each) for each in sys.argv[4:6]]
torch: Any = importlib.import_module(LIBRARY)
SAMPLES, CALLS = (25, 4) if EMULATED else (9, 6)


def digits(width: int = 512) -> tuple[Any, Any]:
    """A network for handwritten digits of 8 x 8, and a batch of 64."""
    nn = torch.nn
    layers = [nn.Linear(64, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(),
              nn.Linear(width, 10)]  # fmt: skip
    return nn.Sequential(*layers), torch.randn(64, 64)


def transformer(width: int = 256) -> tuple[Any, Any]:
    """A block of a transformer, and a batch of 4 sequences of 32."""
    layer = torch.nn.TransformerEncoderLayer(width, 8, 4 * width, dropout=0.0, batch_first=True)
    return layer, torch.randn(4, 32, width)


def one_step(model: Any, optimizer: Any, x: Any) -> Callable[[], None]:
    """A function that does a training step."""

    def step() -> None:
        optimizer.zero_grad()
        (model(x) ** 2).mean().backward()
        optimizer.step()

    return step


def milliseconds(distributed: Any, function: Callable[[], None]) -> float:
    """Return how long a call takes, on the average of some; all ranks begin together."""
    distributed.barrier()
    begin = time.perf_counter()
    for _ in range(CALLS):
        function()
    return (time.perf_counter() - begin) / CALLS * 1e3


def bucket_times(module: Any, step: Callable[[], None], limit: int) -> dict[str, Any]:
    """Return when gradients are there, bucket by bucket, in milliseconds after a step began, and when it has ended."""
    order = list(reversed(list(module.parameters())))
    times: dict[int, float] = {}
    handles = [
        parameter.register_post_accumulate_grad_hook(lambda p: times.__setitem__(id(p), time.perf_counter()))
        for parameter in order
    ]
    runs = []
    for _ in range(SAMPLES):
        begin = time.perf_counter()
        step()
        runs.append([*[(times[id(p)] - begin) * 1e3 for p in order], (time.perf_counter() - begin) * 1e3])
    for handle in handles:
        handle.remove()
    ready: list[float] = []
    sizes: list[int] = []
    for place, parameter in enumerate(order):
        middle = statistics.median(run[place] for run in runs)
        if sizes and (sizes[-1] + parameter.numel()) * 4 <= limit:
            sizes[-1] += parameter.numel()
            ready[-1] = max(ready[-1], middle)
        else:
            sizes.append(parameter.numel())
            ready.append(middle)
    return {"ready": ready, "nbytes": [4 * size for size in sizes], "end": statistics.median(run[-1] for run in runs)}


def backward_time(model: Any, x: Any) -> float:
    """Return how long backward takes, in milliseconds."""
    samples = []
    for _ in range(SAMPLES * CALLS):
        model.zero_grad()
        loss = (model(x) ** 2).mean()
        begin = time.perf_counter()
        loss.backward()
        samples.append(time.perf_counter() - begin)
    return statistics.median(samples) * 1e3


def without_delays(step: Callable[[], None]) -> Callable[[], None]:
    """Return a step whose transfers take no time: ranks wait for each other, and for nothing else."""
    from tools.scaling.delayed_group import DelayedGroup
    from tools.scaling.model import Network

    def instant() -> None:
        DelayedGroup.network = Network(0.0, float("inf"))
        step()
        DelayedGroup.network = Network(*EMULATED)

    return instant


def delays_of(step: Callable[[], None]) -> float:
    """Return how long the emulated network moves gradients in a step, in milliseconds; 0 without one."""
    if not EMULATED:
        return 0.0
    from tools.scaling.delayed_group import DelayedGroup

    before = len(DelayedGroup.durations)
    step()
    return sum(DelayedGroup.durations[before:]) * 1e3


def begin_group() -> Any:
    """Start the process group: mpi, the emulated network, or gloo with the rank that the launcher gives."""
    if EMULATED:
        from tools.scaling.delayed_group import DelayedGroup
        from tools.scaling.model import Network

        DelayedGroup.network = Network(*EMULATED)
        torch.distributed.Backend.register_backend("delayed", DelayedGroup)
        torch.distributed.init_process_group("delayed")
    elif LIBRARY == "wengert":
        torch.distributed.init_process_group("mpi")
    else:
        rank, size = int(os.environ.get("PMI_RANK", 0)), int(os.environ.get("PMI_SIZE", 1))
        torch.distributed.init_process_group("gloo", rank=rank, world_size=size)
    return torch.distributed


def main() -> None:
    """Measure; rank 0 prints."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    distributed = begin_group()
    networks = {"digits": digits, "transformer": transformer}
    module, x = networks[NETWORK]()
    other, _ = networks[NETWORK]()
    buckets_of = {"bucket_cap_mb_list": [BUCKET]} if EMULATED else {"bucket_cap_mb": BUCKET}
    model = torch.nn.parallel.DistributedDataParallel(module, gradient_as_bucket_view=True, **buckets_of)
    sizes = [parameter.numel() for parameter in module.parameters()]
    limit = int(BUCKET * (1 << 20)) // 4
    total = sum(sizes)
    buckets = [torch.zeros(min(limit, total - begin)) for begin in range(0, total, limit)]
    step = one_step(model, torch.optim.SGD(module.parameters(), lr=1e-3), x)

    def local() -> None:
        with model.no_sync():
            step()

    def reduce() -> None:
        for bucket in buckets:
            distributed.all_reduce(bucket)

    functions = {"alone": one_step(other, torch.optim.SGD(other.parameters(), lr=1e-3), x), "local": local,
                 "step": step, "reduce": reduce}  # fmt: skip
    if EMULATED:
        functions = {"alone": functions["alone"], "instant": without_delays(step), "step": step}
    for function in functions.values():
        milliseconds(distributed, function)
    samples: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(SAMPLES):
        for name, function in functions.items():
            samples[name].append(milliseconds(distributed, function))
    backward = backward_time(other, x)
    delays = delays_of(step)
    schedule = bucket_times(other, functions["alone"], limit * 4)
    if distributed.get_rank() == 0:
        found = {name: statistics.median(each) for name, each in samples.items()}
        found |= {"backward": backward, "delays": delays}
        if EMULATED:
            pairs = zip(samples["step"], samples["instant"], strict=True)
            found["exposed"] = statistics.median(one - other for one, other in pairs)
        print(json.dumps(found | {"parameters": total, "buckets": len(buckets), "schedule": schedule}))
    distributed.destroy_process_group()


main()
