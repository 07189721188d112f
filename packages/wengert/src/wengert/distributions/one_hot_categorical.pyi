# Written by tools/generate/module_stubs.py.
from wengert_distributions.discrete.one_hot_categorical import OneHotCategorical as OneHotCategorical
from wengert_distributions.discrete.one_hot_categorical import OneHotCategoricalStraightThrough as OneHotCategoricalStraightThrough

__all__ = [
    "OneHotCategorical", "OneHotCategoricalStraightThrough"
]
