# Written by tools/generate/module_stubs.py.
from wengert_distributions.base.utils import _standard_normal as _standard_normal
from wengert_distributions.base.utils import _sum_rightmost as _sum_rightmost
from wengert_distributions.base.utils import broadcast_all as broadcast_all
from wengert_distributions.base.utils import clamp_probs as clamp_probs
from wengert_distributions.base.utils import euler_constant as euler_constant
from wengert_distributions.base.utils import lazy_property as lazy_property
from wengert_distributions.base.utils import logits_to_probs as logits_to_probs
from wengert_distributions.base.utils import probs_to_logits as probs_to_logits
from wengert_distributions.base.utils import tril_matrix_to_vec as tril_matrix_to_vec
from wengert_distributions.base.utils import vec_to_tril_matrix as vec_to_tril_matrix

__all__ = [
    "_standard_normal", "_sum_rightmost", "broadcast_all", "clamp_probs", "euler_constant", "lazy_property",
    "logits_to_probs", "probs_to_logits", "tril_matrix_to_vec", "vec_to_tril_matrix"
]
