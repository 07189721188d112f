# Written by tools/generate/module_stubs.py.
from wengert_distributions.transforms.registry import ConstraintRegistry as ConstraintRegistry
from wengert_distributions.transforms.registry import biject_to as biject_to
from wengert_distributions.transforms.registry import transform_to as transform_to

__all__ = [
    "ConstraintRegistry", "biject_to", "transform_to"
]
