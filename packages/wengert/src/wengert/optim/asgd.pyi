# Written by tools/generate/module_stubs.py.
from wengert_optim.asgd import ASGD as ASGD
from wengert_optim.asgd import asgd as asgd

__all__ = [
    "ASGD", "asgd"
]
