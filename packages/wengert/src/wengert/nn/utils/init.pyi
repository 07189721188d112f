# Written by tools/generate/module_stubs.py.
from wengert_nn.utils.init import skip_init as skip_init

__all__ = [
    "skip_init"
]
