# Written by tools/generate/module_stubs.py.
from wengert_nn.parameter import Buffer as Buffer
from wengert_nn.parameter import Parameter as Parameter
from wengert_nn.parameter import UninitializedBuffer as UninitializedBuffer
from wengert_nn.parameter import UninitializedParameter as UninitializedParameter
from wengert_nn.parameter import UninitializedTensorMixin as UninitializedTensorMixin
from wengert_nn.parameter import is_lazy as is_lazy

__all__ = [
    "Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "UninitializedTensorMixin", "is_lazy"
]
