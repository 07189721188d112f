"""Internal rows, which ``wengert`` neither shows nor gives, because torch has no function of that name at the top.

They are rows all the same: formulas, plugins and other ops call them by these names, from ``wengert_core`` or ``find``.
"""

METHODS = (
    "add_ addcdiv_ addcmul_ addmm_ atan2_ bernoulli_ bitwise_and_ bitwise_left_shift_ bitwise_not_ bitwise_or_ "
    "bitwise_right_shift_ bitwise_xor_ cauchy_ contiguous copy_ copysign_ digamma_ div_ eq_ erfinv_ expand expand_as "
    "exponential_ floor_divide_ fmod_ ge_ geometric_ gt_ heaviside_ hypot_ index_add_ index_copy_ index_fill_ "
    "index_reduce_ le_ lerp_ lgamma_ log_normal_ logical_and_ logical_not_ logical_or_ logical_xor_ lt_ masked_fill_ "
    "masked_scatter_ mH mT mul_ ne_ new_empty new_empty_strided new_full new_ones new_tensor new_zeros nextafter_ "
    "normal_ pow_ random_ remainder_ repeat reshape_as resize_ scatter_ scatter_add_ scatter_reduce_ set_ sgn_ sign_ "
    "squeeze_ sub_ t_ transpose_ tril_ triu_ unfold uniform_ unsqueeze_ view view_as"
).split()
"""torch has these as methods (or attributes) only."""

ELSEWHERE = (
    "elu elu_ gelu glu hardsigmoid hardsigmoid_ hardswish hardswish_ hardtanh hardtanh_ "
    "leaky_relu leaky_relu_ linalg_cholesky_ex linalg_det linalg_eig linalg_eigh linalg_inv_ex linalg_lstsq "
    "linalg_lu_factor_ex linalg_matrix_exp linalg_pinv linalg_qr linalg_slogdet linalg_solve_ex "
    "linalg_solve_triangular linalg_svd linalg_vector_norm log_sigmoid mish mish_ nll_loss silu silu_ softplus "
    "softshrink"
).split()
"""torch has these in nn.functional or linalg, some by another name."""

INNER = (
    "_adaptive_avg_pool1d _affine_grid_generator _batch_norm _binary_cross_entropy _binary_cross_entropy_loss "
    "_binary_cross_entropy_slope _binary_cross_entropy_with_logits _block_diag _cdist _cdist_backward _celu "
    "_celu_ _cholesky "
    "_cholesky_inverse _cholesky_solve _col2im _count_nonzero _diag_embed _diagonal_copy _dist _eigenpairs _embedding "
    "_fw_primal _geqrf _grid_sampler_2d _grid_sampler_3d _grid_sampler_backward _grid_sampler_grid_backward "
    "_group_norm _histogram _histogramdd _huber _huber_loss _huber_slope _im2col _isin "
    "_layer_norm _ldexp _linalg_cross _linalg_householder_product _linalg_lu "
    "_lu_permutation _lu_unpack _max _median _min _mse_loss _multi_margin_loss _multilabel_margin_loss "
    "_nan_to_num _nan_to_num_ _nanmedian _nansum _norm _normal _normal_of_std _ormqr _pdist "
    "_pdist_backward _pixel_shuffle "
    "_pixel_unshuffle _prelu_kernel_backward _put _reflection_pad1d _reflection_pad2d _reflection_pad3d _renorm "
    "_replication_pad1d _replication_pad2d _replication_pad3d _reshape_alias _rsub _scaled_dot_product_attention "
    "_scaled_dot_product_attention_backward _searchsorted _smooth_l1 _smooth_l1_loss _smooth_l1_slope "
    "_soft_margin_loss _take _to_copy _trace _triangular_solve _unique_consecutive _unsafe_view "
    "_upsample_backward _upsample_bicubic2d _upsample_bicubic2d_aa _upsample_bilinear2d _upsample_bilinear2d_aa "
    "_upsample_lanczos2d_aa _upsample_linear1d _upsample_nearest1d _upsample_nearest2d _upsample_nearest3d "
    "_upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d _upsample_trilinear3d "
    "adaptive_avg_pool_backward adaptive_max_pool2d adaptive_max_pool3d alias avg_pool_backward "
    "convolution_weight diagonal_backward elu_backward gelu_backward hardshrink_backward hardsigmoid_backward "
    "hardswish_backward hardtanh_backward index leaky_relu_backward linalg_lu_solve log_sigmoid_backward "
    "matrix_H max_pool2d_with_indices max_pool3d_with_indices mish_backward nll_loss_backward "
    "normalization_backward numpy_T pool_gather pool_scatter restride select_backward sigmoid_backward "
    "silu_backward slice slice_backward softplus_backward softshrink_backward tanh_backward threshold_backward "
).split()
"""What formulas and other ops call."""

HIDDEN = frozenset({*METHODS, *ELSEWHERE, *INNER})
