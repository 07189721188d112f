# Written by tools/generate/module_stubs.py.
from wengert_optim.base.step_hooks import register_optimizer_step_post_hook as register_optimizer_step_post_hook
from wengert_optim.base.step_hooks import register_optimizer_step_pre_hook as register_optimizer_step_pre_hook
from wengert_optim.base.torch_names import _default_to_fused_or_foreach as _default_to_fused_or_foreach
from wengert_optim.base.torch_names import _device_dtype_check_for_fused as _device_dtype_check_for_fused
from wengert_optim.base.torch_names import _disable_dynamo_if_unsupported as _disable_dynamo_if_unsupported
from wengert_optim.base.torch_names import _get_capturable_supported_devices as _get_capturable_supported_devices
from wengert_optim.base.torch_names import _get_value as _get_value
from wengert_optim.base.torch_names import _stack_if_compiling as _stack_if_compiling
from wengert_optim.base.torch_names import _view_as_real as _view_as_real
from wengert_optim.optimizer import Optimizer as Optimizer
from wengert_optim.optimizer import ParamsT as ParamsT
from wengert_optim.optimizer import _capturable_doc as _capturable_doc
from wengert_optim.optimizer import _differentiable_doc as _differentiable_doc
from wengert_optim.optimizer import _foreach_doc as _foreach_doc
from wengert_optim.optimizer import _fused_doc as _fused_doc
from wengert_optim.optimizer import _get_scalar_dtype as _get_scalar_dtype
from wengert_optim.optimizer import _global_optimizer_post_hooks as _global_optimizer_post_hooks
from wengert_optim.optimizer import _global_optimizer_pre_hooks as _global_optimizer_pre_hooks
from wengert_optim.optimizer import _maximize_doc as _maximize_doc
from wengert_optim.optimizer import _params_doc as _params_doc
from wengert_optim.optimizer import _params_t as _params_t
from wengert_optim.optimizer import _to_scalar as _to_scalar
from wengert_optim.optimizer import _use_grad_for_differentiable as _use_grad_for_differentiable
from wengert_optim.optimizer import params_t as params_t
from wengert_optim.optimizer import required as required
from wengert_optim.param_groups import _RequiredParameter as _RequiredParameter

__all__ = [
    "Optimizer", "ParamsT", "_RequiredParameter", "_capturable_doc", "_default_to_fused_or_foreach",
    "_device_dtype_check_for_fused", "_differentiable_doc", "_disable_dynamo_if_unsupported", "_foreach_doc",
    "_fused_doc", "_get_capturable_supported_devices", "_get_scalar_dtype", "_get_value",
    "_global_optimizer_post_hooks", "_global_optimizer_pre_hooks", "_maximize_doc", "_params_doc", "_params_t",
    "_stack_if_compiling", "_to_scalar", "_use_grad_for_differentiable", "_view_as_real", "params_t",
    "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook", "required"
]
