# Written by tools/generate/module_stubs.py.
from wengert_distributions.transformed.relaxed_categorical import ExpRelaxedCategorical as ExpRelaxedCategorical
from wengert_distributions.transformed.relaxed_categorical import RelaxedOneHotCategorical as RelaxedOneHotCategorical

__all__ = [
    "ExpRelaxedCategorical", "RelaxedOneHotCategorical"
]
