# Written by tools/generate/module_stubs.py.
from wengert_data.dataset import ChainDataset as ChainDataset
from wengert_data.dataset import ConcatDataset as ConcatDataset
from wengert_data.dataset import Dataset as Dataset
from wengert_data.dataset import IterableDataset as IterableDataset
from wengert_data.dataset import StackDataset as StackDataset
from wengert_data.dataset import Subset as Subset
from wengert_data.dataset import T_co as T_co
from wengert_data.dataset import TensorDataset as TensorDataset
from wengert_data.dataset import random_split as random_split

__all__ = [
    "ChainDataset", "ConcatDataset", "Dataset", "IterableDataset", "StackDataset", "Subset", "T_co",
    "TensorDataset", "random_split"
]
