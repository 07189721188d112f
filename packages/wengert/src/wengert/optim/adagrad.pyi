# Written by tools/generate/module_stubs.py.
from wengert_optim.adagrad import Adagrad as Adagrad
from wengert_optim.adagrad import adagrad as adagrad

__all__ = [
    "Adagrad", "adagrad"
]
