"""Datasets, samplers and data loaders for wengert, as in torch.utils.data.

PyTorch's data pipes are not part of it.
"""

from __future__ import annotations

from typing import NoReturn

from wengert_data._utils.collate import default_collate, default_convert
from wengert_data._utils.worker import get_worker_info
from wengert_data.dataloader import DataLoader
from wengert_data.dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from wengert_data.distributed import DistributedSampler
from wengert_data.iterators import _DatasetKind
from wengert_data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

__version__ = "0.1.0"
__all__ = [
    "BatchSampler", "ChainDataset", "ConcatDataset", "DataLoader", "Dataset", "DistributedSampler", "IterableDataset",
    "RandomSampler", "Sampler", "SequentialSampler", "StackDataset", "Subset", "SubsetRandomSampler", "TensorDataset",
    "WeightedRandomSampler", "_DatasetKind", "default_collate", "default_convert", "get_worker_info", "random_split",
]  # fmt: skip
__changing__ = (
    "DFIterDataPipe", "DataChunk", "IterDataPipe", "MapDataPipe", "argument_validation", "communication", "datapipes",
    "functional_datapipe", "graph", "graph_settings", "guaranteed_datapipes_determinism", "non_deterministic",
    "runtime_validation", "runtime_validation_disabled",
)  # fmt: skip
"""PyTorch's names that are missing here: wengert asks ``__getattr__`` for them."""


def __getattr__(name: str) -> NoReturn:
    reason = ": data pipes are not part of wengert; subclass Dataset or IterableDataset" if name in __changing__ else ""
    raise AttributeError(f"module 'wengert.utils.data' has no attribute '{name}'{reason}", name=name)
