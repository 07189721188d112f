# Written by tools/generate/module_stubs.py.
from wengert_optim.sgd import SGD as SGD
from wengert_optim.sgd import sgd as sgd

__all__ = [
    "SGD", "sgd"
]
