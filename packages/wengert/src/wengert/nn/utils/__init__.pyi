# Written by tools/generate/module_stubs.py.
from wengert.nn.utils import clip_grad as clip_grad
from wengert.nn.utils import convert_parameters as convert_parameters
from wengert.nn.utils import fusion as fusion
from wengert.nn.utils import init as init
from wengert.nn.utils import memory_format as memory_format
from wengert.nn.utils import parametrizations as parametrizations
from wengert.nn.utils import parametrize as parametrize
from wengert.nn.utils import rnn as rnn
from wengert.nn.utils import stateless as stateless
from wengert_nn.utils.clip_grad import clip_grad_norm as clip_grad_norm
from wengert_nn.utils.clip_grad import clip_grad_norm_ as clip_grad_norm_
from wengert_nn.utils.clip_grad import clip_grad_value_ as clip_grad_value_
from wengert_nn.utils.clip_grad import clip_grads_with_norm_ as clip_grads_with_norm_
from wengert_nn.utils.clip_grad import get_total_norm as get_total_norm
from wengert_nn.utils.convert_parameters import parameters_to_vector as parameters_to_vector
from wengert_nn.utils.convert_parameters import vector_to_parameters as vector_to_parameters
from wengert_nn.utils.fusion import fuse_conv_bn_eval as fuse_conv_bn_eval
from wengert_nn.utils.fusion import fuse_conv_bn_weights as fuse_conv_bn_weights
from wengert_nn.utils.fusion import fuse_linear_bn_eval as fuse_linear_bn_eval
from wengert_nn.utils.fusion import fuse_linear_bn_weights as fuse_linear_bn_weights
from wengert_nn.utils.init import skip_init as skip_init
from wengert_nn.utils.memory_format import convert_conv2d_weight_memory_format as convert_conv2d_weight_memory_format
from wengert_nn.utils.memory_format import convert_conv3d_weight_memory_format as convert_conv3d_weight_memory_format
from wengert_nn.utils.spectral_norm import remove_spectral_norm as remove_spectral_norm
from wengert_nn.utils.spectral_norm import spectral_norm as spectral_norm
from wengert_nn.utils.weight_norm import remove_weight_norm as remove_weight_norm
from wengert_nn.utils.weight_norm import weight_norm as weight_norm

__all__ = [
    "clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_",
    "convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format", "fuse_conv_bn_eval",
    "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights", "get_total_norm",
    "parameters_to_vector", "remove_spectral_norm", "remove_weight_norm", "skip_init", "spectral_norm",
    "vector_to_parameters", "weight_norm"
]
