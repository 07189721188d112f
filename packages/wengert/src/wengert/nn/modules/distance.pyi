# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.distance import CosineSimilarity as CosineSimilarity
from wengert_nn.modules.distance import PairwiseDistance as PairwiseDistance

__all__ = [
    "CosineSimilarity", "PairwiseDistance"
]
