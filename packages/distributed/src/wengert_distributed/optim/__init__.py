"""Optimizers over several ranks, as in torch.distributed.optim."""

from __future__ import annotations

from wengert_distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer

__all__ = ["ZeroRedundancyOptimizer"]
