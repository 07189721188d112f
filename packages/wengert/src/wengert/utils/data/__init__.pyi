# Written by tools/generate/module_stubs.py.
from wengert.utils.data import dataloader as dataloader
from wengert.utils.data import dataset as dataset
from wengert.utils.data import distributed as distributed
from wengert.utils.data import sampler as sampler
from wengert_data._utils.collate import default_collate as default_collate
from wengert_data._utils.collate import default_convert as default_convert
from wengert_data._utils.worker import get_worker_info as get_worker_info
from wengert_data.dataloader import DataLoader as DataLoader
from wengert_data.dataset import ChainDataset as ChainDataset
from wengert_data.dataset import ConcatDataset as ConcatDataset
from wengert_data.dataset import Dataset as Dataset
from wengert_data.dataset import IterableDataset as IterableDataset
from wengert_data.dataset import StackDataset as StackDataset
from wengert_data.dataset import Subset as Subset
from wengert_data.dataset import TensorDataset as TensorDataset
from wengert_data.dataset import random_split as random_split
from wengert_data.distributed import DistributedSampler as DistributedSampler
from wengert_data.iterators import _DatasetKind as _DatasetKind
from wengert_data.sampler import BatchSampler as BatchSampler
from wengert_data.sampler import RandomSampler as RandomSampler
from wengert_data.sampler import Sampler as Sampler
from wengert_data.sampler import SequentialSampler as SequentialSampler
from wengert_data.sampler import SubsetRandomSampler as SubsetRandomSampler
from wengert_data.sampler import WeightedRandomSampler as WeightedRandomSampler

__all__ = [
    "BatchSampler", "ChainDataset", "ConcatDataset", "DataLoader", "Dataset", "DistributedSampler",
    "IterableDataset", "RandomSampler", "Sampler", "SequentialSampler", "StackDataset", "Subset",
    "SubsetRandomSampler", "TensorDataset", "WeightedRandomSampler", "_DatasetKind", "default_collate",
    "default_convert", "get_worker_info", "random_split"
]
