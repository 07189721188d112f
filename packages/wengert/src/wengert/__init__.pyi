from typing import Any

from wengert_core import *  # noqa: F403 - all of core's names, as at runtime
from wengert_engine import enable_grad as enable_grad
from wengert_engine import inference_mode as inference_mode
from wengert_engine import is_grad_enabled as is_grad_enabled
from wengert_engine import is_inference_mode_enabled as is_inference_mode_enabled
from wengert_engine import no_grad as no_grad
from wengert_engine import set_grad_enabled as set_grad_enabled
from wengert_registry import Registry

from wengert import autograd as autograd
from wengert import linalg as linalg
from wengert import nn as nn

__version__: str
plugins: Registry

def __getattr__(name: str) -> Any: ...  # what plugins bring

# ---- from here on written by tools/tensor_stub.py from the op table: do not edit
from wengert_core import matmul as matmul
from wengert_core import softmax as softmax
from wengert_core import tensor as tensor
