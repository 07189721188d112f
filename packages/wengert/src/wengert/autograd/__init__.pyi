from wengert.autograd import function as function
from wengert.autograd import graph as graph
from wengert_engine import Function as Function
from wengert_engine import backward as backward
from wengert_engine import enable_grad as enable_grad
from wengert_engine import grad as grad
from wengert_engine import inference_mode as inference_mode
from wengert_engine import no_grad as no_grad
from wengert_engine import set_grad_enabled as set_grad_enabled
from wengert_engine.inspection import SavedTensor as SavedTensor
from wengert_engine.mutation import _unsafe_preserve_version_counter as _unsafe_preserve_version_counter
from wengert_engine.namespaces.variable import Variable as Variable
from wengert_engine.nested import NestedIOFunction as NestedIOFunction

__all__ = ["Function", "NestedIOFunction", "Variable", "backward", "enable_grad", "grad", "inference_mode", "no_grad",
           "set_grad_enabled"]
