# Written by tools/generate/module_stubs.py.
from wengert_distributions.transformed.transformed_distribution import TransformedDistribution as TransformedDistribution

__all__ = [
    "TransformedDistribution"
]
