# Written by tools/generate/module_stubs.py.
from wengert_optim.adamw import AdamW as AdamW
from wengert_optim.adamw import adamw as adamw

__all__ = [
    "AdamW", "adamw"
]
