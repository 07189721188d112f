# Written by tools/generate/module_stubs.py.
from wengert_optim.rmsprop import RMSprop as RMSprop
from wengert_optim.rmsprop import rmsprop as rmsprop

__all__ = [
    "RMSprop", "rmsprop"
]
