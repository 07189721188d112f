# Written by tools/generate/module_stubs.py.
from wengert_optim.adam import Adam as Adam
from wengert_optim.adam import adam as adam

__all__ = [
    "Adam", "adam"
]
