"""Collectives of one process, differentiable collectives, and data parallel training without other ranks.

What several ranks take is measured by tools/scaling, beside mpi4py and PyTorch.
"""

from typing import Any

import wengert as wg


class Collectives:
    """Calls on a group of one process, which moves nothing: what stands above a transport."""

    params = ("all_reduce", "all_gather_into_tensor", "reduce_scatter_tensor", "broadcast", "barrier")
    param_names = ("collective",)

    def setup(self, name: str) -> None:
        wg.distributed.init_process_group("self")
        x, y = wg.ones(16), wg.ones(16)
        arguments: dict[str, tuple[Any, ...]] = {
            "all_reduce": (x,), "all_gather_into_tensor": (y, x), "reduce_scatter_tensor": (y, x),
            "broadcast": (x, 0), "barrier": (),
        }  # fmt: skip
        self.function, self.arguments, self.x = getattr(wg.distributed, name), arguments[name], x

    def teardown(self, name: str) -> None:
        wg.distributed.destroy_process_group()

    def time_call(self, name: str) -> None:
        self.function(*self.arguments)


class Training:
    """Forward and backward of a small network, with and without DistributedDataParallel, on one rank."""

    params = (False, True)
    param_names = ("data_parallel",)

    def setup(self, data_parallel: bool) -> None:
        wg.distributed.init_process_group("self")
        model: Any = wg.nn.Sequential(wg.nn.Linear(64, 128), wg.nn.Tanh(), wg.nn.Linear(128, 10))
        self.model = wg.nn.parallel.DistributedDataParallel(model) if data_parallel else model
        self.x = wg.ones(16, 64)
        self.weight = wg.ones(16, requires_grad=True)

    def teardown(self, data_parallel: bool) -> None:
        wg.distributed.destroy_process_group()

    def time_backward(self, data_parallel: bool) -> None:
        self.model(self.x).sum().backward()

    def time_differentiable_all_reduce(self, data_parallel: bool) -> None:
        wg.distributed.nn.functional.all_reduce(self.weight).sum().backward()
