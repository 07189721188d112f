# Written by tools/generate/module_stubs.py.
from wengert.utils.serialization import config as config

__all__ = [
    "config"
]
