from wengert_engine.namespaces.forward_ad import UnpackedDualTensor as UnpackedDualTensor
from wengert_engine.namespaces.forward_ad import _is_fwd_grad_enabled as _is_fwd_grad_enabled
from wengert_engine.namespaces.forward_ad import _set_fwd_grad_enabled as _set_fwd_grad_enabled
from wengert_engine.namespaces.forward_ad import dual_level as dual_level
from wengert_engine.namespaces.forward_ad import enter_dual_level as enter_dual_level
from wengert_engine.namespaces.forward_ad import exit_dual_level as exit_dual_level
from wengert_engine.namespaces.forward_ad import make_dual as make_dual
from wengert_engine.namespaces.forward_ad import set_fwd_grad_enabled as set_fwd_grad_enabled
from wengert_engine.namespaces.forward_ad import unpack_dual as unpack_dual

__all__ = ["UnpackedDualTensor", "_is_fwd_grad_enabled", "_set_fwd_grad_enabled", "dual_level", "enter_dual_level",
           "exit_dual_level", "make_dual", "set_fwd_grad_enabled", "unpack_dual"]
