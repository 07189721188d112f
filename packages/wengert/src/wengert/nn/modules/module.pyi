# Written by tools/generate/module_stubs.py.
from wengert_nn.base.global_hooks import register_module_backward_hook as register_module_backward_hook
from wengert_nn.base.global_hooks import register_module_buffer_registration_hook as register_module_buffer_registration_hook
from wengert_nn.base.global_hooks import register_module_forward_hook as register_module_forward_hook
from wengert_nn.base.global_hooks import register_module_forward_pre_hook as register_module_forward_pre_hook
from wengert_nn.base.global_hooks import register_module_full_backward_hook as register_module_full_backward_hook
from wengert_nn.base.global_hooks import register_module_full_backward_pre_hook as register_module_full_backward_pre_hook
from wengert_nn.base.global_hooks import register_module_module_registration_hook as register_module_module_registration_hook
from wengert_nn.base.global_hooks import register_module_parameter_registration_hook as register_module_parameter_registration_hook
from wengert_nn.base.state_dict import _IncompatibleKeys as _IncompatibleKeys
from wengert_nn.modules.module import Module as Module
from wengert_nn.modules.module import _addindent as _addindent

__all__ = [
    "Module", "_IncompatibleKeys", "_addindent", "register_module_backward_hook",
    "register_module_buffer_registration_hook", "register_module_forward_hook", "register_module_forward_pre_hook",
    "register_module_full_backward_hook", "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook", "register_module_parameter_registration_hook"
]
