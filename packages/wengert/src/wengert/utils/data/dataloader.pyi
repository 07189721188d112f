# Written by tools/generate/module_stubs.py.
from wengert_data._utils.collate import default_collate as default_collate
from wengert_data._utils.collate import default_convert as default_convert
from wengert_data._utils.worker import get_worker_info as get_worker_info
from wengert_data.dataloader import DataLoader as DataLoader
from wengert_data.dataloader import _InfiniteConstantSampler as _InfiniteConstantSampler
from wengert_data.dataset import Dataset as Dataset
from wengert_data.dataset import IterableDataset as IterableDataset
from wengert_data.iterators import _BaseDataLoaderIter as _BaseDataLoaderIter
from wengert_data.iterators import _DatasetKind as _DatasetKind
from wengert_data.iterators import _MultiProcessingDataLoaderIter as _MultiProcessingDataLoaderIter
from wengert_data.iterators import _SingleProcessDataLoaderIter as _SingleProcessDataLoaderIter
from wengert_data.sampler import BatchSampler as BatchSampler
from wengert_data.sampler import RandomSampler as RandomSampler
from wengert_data.sampler import Sampler as Sampler
from wengert_data.sampler import SequentialSampler as SequentialSampler

__all__ = [
    "BatchSampler", "DataLoader", "Dataset", "IterableDataset", "RandomSampler", "Sampler", "SequentialSampler",
    "_BaseDataLoaderIter", "_DatasetKind", "_InfiniteConstantSampler", "_MultiProcessingDataLoaderIter",
    "_SingleProcessDataLoaderIter", "default_collate", "default_convert", "get_worker_info"
]
