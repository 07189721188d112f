# Written by tools/generate/module_stubs.py.
from wengert_data.dataset import T_co as T_co
from wengert_data.sampler import BatchSampler as BatchSampler
from wengert_data.sampler import RandomSampler as RandomSampler
from wengert_data.sampler import Sampler as Sampler
from wengert_data.sampler import SequentialSampler as SequentialSampler
from wengert_data.sampler import SubsetRandomSampler as SubsetRandomSampler
from wengert_data.sampler import WeightedRandomSampler as WeightedRandomSampler

__all__ = [
    "BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler", "T_co",
    "WeightedRandomSampler"
]
