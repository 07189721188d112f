# Written by tools/generate/module_stubs.py.
from wengert_nn.init import _calculate_correct_fan as _calculate_correct_fan
from wengert_nn.init import _calculate_fan_in_and_fan_out as _calculate_fan_in_and_fan_out
from wengert_nn.init import _no_grad_fill_ as _no_grad_fill_
from wengert_nn.init import _no_grad_normal_ as _no_grad_normal_
from wengert_nn.init import _no_grad_trunc_normal_ as _no_grad_trunc_normal_
from wengert_nn.init import _no_grad_uniform_ as _no_grad_uniform_
from wengert_nn.init import _no_grad_zero_ as _no_grad_zero_
from wengert_nn.init import calculate_gain as calculate_gain
from wengert_nn.init import constant as constant
from wengert_nn.init import constant_ as constant_
from wengert_nn.init import dirac as dirac
from wengert_nn.init import dirac_ as dirac_
from wengert_nn.init import eye as eye
from wengert_nn.init import eye_ as eye_
from wengert_nn.init import kaiming_normal as kaiming_normal
from wengert_nn.init import kaiming_normal_ as kaiming_normal_
from wengert_nn.init import kaiming_uniform as kaiming_uniform
from wengert_nn.init import kaiming_uniform_ as kaiming_uniform_
from wengert_nn.init import normal as normal
from wengert_nn.init import normal_ as normal_
from wengert_nn.init import ones_ as ones_
from wengert_nn.init import orthogonal as orthogonal
from wengert_nn.init import orthogonal_ as orthogonal_
from wengert_nn.init import sparse as sparse
from wengert_nn.init import sparse_ as sparse_
from wengert_nn.init import trunc_normal_ as trunc_normal_
from wengert_nn.init import uniform as uniform
from wengert_nn.init import uniform_ as uniform_
from wengert_nn.init import xavier_normal as xavier_normal
from wengert_nn.init import xavier_normal_ as xavier_normal_
from wengert_nn.init import xavier_uniform as xavier_uniform
from wengert_nn.init import xavier_uniform_ as xavier_uniform_
from wengert_nn.init import zeros_ as zeros_

__all__ = [
    "_calculate_correct_fan", "_calculate_fan_in_and_fan_out", "_no_grad_fill_", "_no_grad_normal_",
    "_no_grad_trunc_normal_", "_no_grad_uniform_", "_no_grad_zero_", "calculate_gain", "constant", "constant_",
    "dirac", "dirac_", "eye", "eye_", "kaiming_normal", "kaiming_normal_", "kaiming_uniform", "kaiming_uniform_",
    "normal", "normal_", "ones_", "orthogonal", "orthogonal_", "sparse", "sparse_", "trunc_normal_", "uniform",
    "uniform_", "xavier_normal", "xavier_normal_", "xavier_uniform", "xavier_uniform_", "zeros_"
]
