# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.fold import Fold as Fold
from wengert_nn.modules.fold import Unfold as Unfold

__all__ = [
    "Fold", "Unfold"
]
