# Written by tools/generate/module_stubs.py.
from wengert_nn.activations.rectifiers import CELU as CELU
from wengert_nn.activations.rectifiers import ELU as ELU
from wengert_nn.activations.rectifiers import Hardtanh as Hardtanh
from wengert_nn.activations.rectifiers import LeakyReLU as LeakyReLU
from wengert_nn.activations.rectifiers import PReLU as PReLU
from wengert_nn.activations.rectifiers import RReLU as RReLU
from wengert_nn.activations.rectifiers import ReLU as ReLU
from wengert_nn.activations.rectifiers import ReLU6 as ReLU6
from wengert_nn.activations.rectifiers import SELU as SELU
from wengert_nn.activations.rectifiers import Threshold as Threshold
from wengert_nn.activations.smooth import GELU as GELU
from wengert_nn.activations.smooth import GLU as GLU
from wengert_nn.activations.smooth import Hardshrink as Hardshrink
from wengert_nn.activations.smooth import Hardsigmoid as Hardsigmoid
from wengert_nn.activations.smooth import Hardswish as Hardswish
from wengert_nn.activations.smooth import LogSigmoid as LogSigmoid
from wengert_nn.activations.smooth import Mish as Mish
from wengert_nn.activations.smooth import SiLU as SiLU
from wengert_nn.activations.smooth import Sigmoid as Sigmoid
from wengert_nn.activations.smooth import Softplus as Softplus
from wengert_nn.activations.smooth import Softshrink as Softshrink
from wengert_nn.activations.smooth import Softsign as Softsign
from wengert_nn.activations.smooth import Tanh as Tanh
from wengert_nn.activations.smooth import Tanhshrink as Tanhshrink
from wengert_nn.activations.softmax import LogSoftmax as LogSoftmax
from wengert_nn.activations.softmax import Softmax as Softmax
from wengert_nn.activations.softmax import Softmax2d as Softmax2d
from wengert_nn.activations.softmax import Softmin as Softmin
from wengert_nn.modules.attention import MultiheadAttention as MultiheadAttention

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU", "LogSigmoid",
    "LogSoftmax", "Mish", "MultiheadAttention", "PReLU", "RReLU", "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid",
    "Softmax", "Softmax2d", "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink", "Threshold"
]
