# Written by tools/generate/module_stubs.py.
from wengert_optim.adadelta import Adadelta as Adadelta
from wengert_optim.adadelta import adadelta as adadelta

__all__ = [
    "Adadelta", "adadelta"
]
