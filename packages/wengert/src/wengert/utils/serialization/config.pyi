# Written by tools/generate/module_stubs.py.
from wengert_serialization.config import load as load
from wengert_serialization.config import save as save

__all__ = [
    "load", "save"
]
