"""wengert.nn.parallel: data parallelism over one device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert_nn.modules.module import Module

__all__ = ["DataParallel"]


class DataParallel(Module):
    """A module that calls another one, as PyTorch's does where there are no GPUs.

    module: the module that computes.   device_ids, output_device, dim: accepted; a batch is not divided.
    Shapes: those of ``module``.

    >>> import wengert as wg
    >>> model = wg.nn.DataParallel(wg.nn.Identity())
    >>> model(wg.ones(2)), model.device_ids
    (tensor([1., 1.]), [])
    """

    def __init__(
        self, module: Module, device_ids: Sequence[Any] | None = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        self.module = module
        self.dim = dim
        self.device_ids: list[Any] = []
        self.output_device = output_device

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return what the module returns."""
        return self.module(*inputs, **kwargs)
