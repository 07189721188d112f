# Written by tools/generate/module_stubs.py.
from wengert_distributed.parallel.join import Join as Join
from wengert_distributed.parallel.join import JoinHook as JoinHook
from wengert_distributed.parallel.join import Joinable as Joinable

__all__ = [
    "Join", "JoinHook", "Joinable"
]
