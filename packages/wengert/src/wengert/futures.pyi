# Written by tools/generate/module_stubs.py.
from wengert_distributed.interface.future import Future as Future
from wengert_distributed.interface.future import collect_all as collect_all
from wengert_distributed.interface.future import wait_all as wait_all

__all__ = [
    "Future", "collect_all", "wait_all"
]
