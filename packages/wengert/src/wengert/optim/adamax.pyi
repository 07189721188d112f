# Written by tools/generate/module_stubs.py.
from wengert_optim.adamax import Adamax as Adamax
from wengert_optim.adamax import adamax as adamax

__all__ = [
    "Adamax", "adamax"
]
