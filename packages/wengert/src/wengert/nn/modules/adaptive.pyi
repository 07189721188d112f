# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.adaptive import AdaptiveLogSoftmaxWithLoss as AdaptiveLogSoftmaxWithLoss
from wengert_nn.modules.adaptive import _ASMoutput as _ASMoutput

__all__ = [
    "AdaptiveLogSoftmaxWithLoss", "_ASMoutput"
]
