# Written by tools/generate/module_stubs.py.
from wengert_nn.utils.clip_grad import clip_grad_norm as clip_grad_norm
from wengert_nn.utils.clip_grad import clip_grad_norm_ as clip_grad_norm_
from wengert_nn.utils.clip_grad import clip_grad_value_ as clip_grad_value_
from wengert_nn.utils.clip_grad import clip_grads_with_norm_ as clip_grads_with_norm_
from wengert_nn.utils.clip_grad import get_total_norm as get_total_norm

__all__ = [
    "clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"
]
