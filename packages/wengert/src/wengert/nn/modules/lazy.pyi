# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.lazy import LazyModuleMixin as LazyModuleMixin
from wengert_nn.modules.lazy import _LazyProtocol as _LazyProtocol

__all__ = [
    "LazyModuleMixin", "_LazyProtocol"
]
