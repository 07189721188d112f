"""Functions that PyTorch writes in Python: as attributes of a class they become methods, as its other functions do not.

Note [Attributes of classes] is in class_attributes.pxd.
"""

from __future__ import annotations

__all__ = ["PYTHON_FUNCTIONS"]

TOP = (
    "atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist "
    "chain_matmul einsum lobpcg lu meshgrid norm stft tensordot unique unique_consecutive unravel_index "
).split()
NN_FUNCTIONAL = (
    "adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d "
    "affine_grid alpha_dropout batch_norm binary_cross_entropy binary_cross_entropy_with_logits celu "
    "cosine_embedding_loss cross_entropy ctc_loss dropout dropout1d dropout2d dropout3d elu embedding "
    "embedding_bag feature_alpha_dropout fold gaussian_nll_loss glu grid_sample group_norm hardsigmoid hardswish "
    "hardtanh hinge_embedding_loss huber_loss instance_norm interpolate kl_div l1_loss layer_norm leaky_relu "
    "log_softmax margin_ranking_loss max_pool1d max_pool2d max_pool3d mish mse_loss multi_head_attention_forward "
    "multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss nll_loss normalize pad poisson_nll_loss "
    "relu relu6 rms_norm rrelu selu sigmoid silu smooth_l1_loss soft_margin_loss softmax softmin softsign tanh "
    "tanhshrink threshold triplet_margin_loss triplet_margin_with_distance_loss unfold "
).split()
PYTHON_FUNCTIONS = frozenset([*TOP, *[f"nn.functional.{name}" for name in NN_FUNCTIONAL]])
"""Public names of composites that are Python functions in PyTorch."""
