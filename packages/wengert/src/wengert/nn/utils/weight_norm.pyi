# Written by tools/generate/module_stubs.py.
from wengert_nn.utils.weight_norm import WeightNorm as WeightNorm
from wengert_nn.utils.weight_norm import remove_weight_norm as remove_weight_norm
from wengert_nn.utils.weight_norm import weight_norm as weight_norm

__all__ = [
    "WeightNorm", "remove_weight_norm", "weight_norm"
]
