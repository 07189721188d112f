# Written by tools/generate/module_stubs.py.
from wengert_optim.rprop import Rprop as Rprop
from wengert_optim.rprop import rprop as rprop

__all__ = [
    "Rprop", "rprop"
]
