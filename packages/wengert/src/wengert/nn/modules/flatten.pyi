# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.flatten import Flatten as Flatten
from wengert_nn.modules.flatten import Unflatten as Unflatten

__all__ = [
    "Flatten", "Unflatten"
]
