"""Which module brings which names to the table and to Tensor: those that are not loaded at once.

NAMESPACES: the modules of wengert that names of ops lie in.

Written by tools/generate/op_families.py.
"""

OPS = {
    "copy.cast": (
        "_to_copy "
    ),
    "copy.flip_roll_tril": (
        "flip fliplr flipud roll rot90 tril tril_ triu triu_ "
    ),
    "copy.joining": (
        "_block_diag block_diag broadcast_shapes broadcast_tensors cartesian_prod cat column_stack combinations "
        "concat concatenate dstack hstack meshgrid repeat repeat_interleave row_stack stack tile vstack "
    ),
    "copy.pixel_shuffle": (
        "_pixel_shuffle _pixel_unshuffle nn.functional.pixel_shuffle nn.functional.pixel_unshuffle pixel_shuffle "
        "pixel_unshuffle "
    ),
    "create.factories": (
        "arange as_tensor asarray empty empty_like empty_strided eye frombuffer full full_like linspace logspace "
        "new_empty new_empty_strided new_full new_ones new_tensor new_zeros ones ones_like range scalar_tensor "
        "tensor tril_indices triu_indices zeros zeros_like "
    ),
    "create.random": (
        "_normal _normal_of_std bernoulli bernoulli_ binomial cauchy_ exponential_ geometric_ log_normal_ "
        "multinomial normal normal_ poisson rand rand_like randint randint_like randn randn_like random_ randperm "
        "uniform_ "
    ),
    "index.embedding_bag": (
        "_embedding_bag embedding_bag nn.functional.embedding_bag "
    ),
    "index.embeddings": (
        "_embedding embedding_renorm_ nn.functional.embedding nn.functional.one_hot "
    ),
    "index.gather_scatter": (
        "_put _take argwhere gather index_add index_add_ index_copy index_copy_ index_fill index_fill_ "
        "index_select masked_scatter masked_scatter_ masked_select nonzero put scatter scatter_ scatter_add "
        "scatter_add_ take take_along_dim "
    ),
    "index.getitem_fill": (
        "copy_ fill fill_ index index_put index_put_ masked_fill masked_fill_ zero_ "
    ),
    "index.scatter_reduce": (
        "index_reduce index_reduce_ scatter_reduce scatter_reduce_ "
    ),
    "index.searching": (
        "_isin _searchsorted bucketize isin searchsorted unravel_index "
    ),
    "linalg.addmv_baddbmm": (
        "addbmm addmv addmv_ addr baddbmm "
    ),
    "linalg.distances": (
        "_cdist _cdist_backward _pdist _pdist_backward cdist cosine_similarity nn.functional.cosine_similarity "
        "nn.functional.pairwise_distance nn.functional.pdist pairwise_distance pdist "
    ),
    "linalg.einsum": (
        "einsum "
    ),
    "linalg.linalg_cholesky": (
        "_cholesky _cholesky_inverse _cholesky_solve cholesky cholesky_inverse cholesky_solve linalg.cholesky "
        "linalg.cholesky_ex linalg_cholesky_ex "
    ),
    "linalg.linalg_det": (
        "det linalg.det linalg.slogdet linalg_det linalg_slogdet logdet slogdet "
    ),
    "linalg.linalg_functions": (
        "_linalg_householder_product _ormqr linalg.householder_product linalg.matrix_exp linalg.matrix_power "
        "linalg.tensorinv linalg.tensorsolve linalg.vander linalg_matrix_exp matrix_exp matrix_power orgqr ormqr "
        "vander "
    ),
    "linalg.linalg_least_squares": (
        "linalg.lstsq linalg.matrix_rank linalg.pinv linalg_lstsq linalg_pinv pinverse "
    ),
    "linalg.linalg_lobpcg": (
        "_eigenpairs lobpcg "
    ),
    "linalg.linalg_lu": (
        "_linalg_lu _lu_permutation _lu_unpack linalg.lu linalg.lu_factor linalg.lu_factor_ex linalg.lu_solve "
        "linalg_lu_factor_ex linalg_lu_solve lu lu_solve lu_unpack "
    ),
    "linalg.linalg_norms": (
        "linalg.cond linalg.matrix_norm linalg.norm "
    ),
    "linalg.linalg_solve": (
        "_triangular_solve inverse linalg.inv linalg.inv_ex linalg.solve linalg.solve_ex linalg.solve_triangular "
        "linalg_inv_ex linalg_solve_ex linalg_solve_triangular triangular_solve "
    ),
    "linalg.linalg_spectral": (
        "_geqrf geqrf linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.qr linalg.svd linalg.svdvals "
        "linalg_eig linalg_eigh linalg_qr linalg_svd qr svd "
    ),
    "linalg.matmul": (
        "addmm addmm_ bmm dot linalg.matmul matmul mm mv nn.functional.linear vdot "
    ),
    "linalg.products": (
        "_linalg_cross _trace _trilinear bilinear chain_matmul cross ger inner kron linalg.cross linalg.multi_dot "
        "linalg.vecdot nn.functional.bilinear outer trace "
    ),
    "linalg.tensordot": (
        "tensordot "
    ),
    "loss.binary_cross_entropy": (
        "_binary_cross_entropy _binary_cross_entropy_loss _binary_cross_entropy_slope "
        "_binary_cross_entropy_with_logits nn.functional.binary_cross_entropy "
        "nn.functional.binary_cross_entropy_with_logits "
    ),
    "loss.class_margins": (
        "_multi_margin_loss _multilabel_margin_loss nn.functional.multi_margin_loss "
        "nn.functional.multilabel_margin_loss "
    ),
    "loss.cross_entropy_nll": (
        "nll_loss nll_loss_backward nn.functional.cross_entropy nn.functional.nll_loss "
    ),
    "loss.ctc": (
        "_ctc_loss nn.functional.ctc_loss "
    ),
    "loss.likelihood_losses": (
        "nn.functional.gaussian_nll_loss nn.functional.kl_div nn.functional.poisson_nll_loss "
    ),
    "loss.margin_losses": (
        "_soft_margin_loss nn.functional.cosine_embedding_loss nn.functional.hinge_embedding_loss "
        "nn.functional.margin_ranking_loss nn.functional.multilabel_soft_margin_loss "
        "nn.functional.soft_margin_loss nn.functional.triplet_margin_loss "
        "nn.functional.triplet_margin_with_distance_loss "
    ),
    "loss.regression": (
        "_huber _huber_loss _huber_slope _mse_loss _smooth_l1 _smooth_l1_loss _smooth_l1_slope "
        "nn.functional.huber_loss nn.functional.l1_loss nn.functional.mse_loss nn.functional.smooth_l1_loss "
    ),
    "loss.toplevel_aliases": (
        "binary_cross_entropy_with_logits cosine_embedding_loss ctc_loss embedding hinge_embedding_loss kl_div "
        "margin_ranking_loss poisson_nll_loss triplet_margin_loss "
    ),
    "nn.attention": (
        "_scaled_dot_product_attention _scaled_dot_product_attention_backward "
        "nn.functional.scaled_dot_product_attention "
    ),
    "nn.channel_dropout": (
        "alpha_dropout alpha_dropout_ dropout dropout_ feature_alpha_dropout feature_alpha_dropout_ "
        "feature_dropout feature_dropout_ nn.functional.alpha_dropout nn.functional.dropout1d "
        "nn.functional.dropout2d nn.functional.dropout3d nn.functional.feature_alpha_dropout "
    ),
    "nn.convolution": (
        "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d convolution convolution_weight "
        "nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d nn.functional.conv_transpose1d "
        "nn.functional.conv_transpose2d nn.functional.conv_transpose3d "
    ),
    "nn.dropout": (
        "nn.functional.dropout nn.functional.normalize "
    ),
    "nn.grid_sample": (
        "_affine_grid_generator nn.functional.affine_grid nn.functional.grid_sample "
    ),
    "nn.grid_sample_primitives": (
        "_grid_sampler_2d _grid_sampler_3d _grid_sampler_backward _grid_sampler_grid_backward "
    ),
    "nn.interpolation": (
        "nn.functional.interpolate "
    ),
    "nn.layer_norms": (
        "layer_norm nn.functional.layer_norm nn.functional.rms_norm rms_norm "
    ),
    "nn.multi_head": (
        "nn.functional.multi_head_attention_forward "
    ),
    "nn.normalization": (
        "_batch_norm _group_norm _layer_norm batch_norm group_norm instance_norm nn.functional.batch_norm "
        "nn.functional.group_norm nn.functional.instance_norm normalization_backward "
    ),
    "nn.padding": (
        "_col2im _im2col _reflection_pad1d _reflection_pad2d _reflection_pad3d _replication_pad1d "
        "_replication_pad2d _replication_pad3d constant_pad_nd nn.functional.fold nn.functional.pad "
        "nn.functional.unfold "
    ),
    "nn.pooling": (
        "_adaptive_avg_pool1d _adaptive_avg_pool2d _adaptive_avg_pool3d adaptive_avg_pool1d "
        "adaptive_avg_pool_backward adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d avg_pool1d "
        "avg_pool_backward max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d "
        "max_pool3d_with_indices nn.functional.adaptive_avg_pool1d nn.functional.adaptive_avg_pool2d "
        "nn.functional.adaptive_avg_pool3d nn.functional.adaptive_max_pool1d nn.functional.adaptive_max_pool2d "
        "nn.functional.adaptive_max_pool3d nn.functional.avg_pool1d nn.functional.avg_pool2d "
        "nn.functional.avg_pool3d nn.functional.max_pool1d nn.functional.max_pool2d nn.functional.max_pool3d "
        "pool_gather pool_scatter "
    ),
    "nn.upsampling": (
        "_upsample_backward _upsample_bicubic2d _upsample_bicubic2d_aa _upsample_bilinear2d "
        "_upsample_bilinear2d_aa _upsample_lanczos2d_aa _upsample_linear1d _upsample_nearest1d _upsample_nearest2d "
        "_upsample_nearest3d _upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d "
        "_upsample_trilinear3d "
    ),
    "pointwise.activations": (
        "gelu gelu_backward leaky_relu leaky_relu_ leaky_relu_backward nn.functional.gelu nn.functional.leaky_relu "
        "nn.functional.relu nn.functional.sigmoid nn.functional.silu nn.functional.softplus nn.functional.tanh "
        "relu relu_ sigmoid sigmoid_ sigmoid_backward silu silu_ silu_backward softplus softplus_backward "
        "tanh_backward threshold threshold_ threshold_backward "
    ),
    "pointwise.arithmetic": (
        "_rsub abs abs_ absolute add add_ copysign copysign_ div div_ divide floor_divide floor_divide_ fmax fmin "
        "fmod fmod_ heaviside heaviside_ hypot hypot_ maximum minimum mul mul_ multiply neg neg_ negative "
        "negative_ nextafter nextafter_ positive pow pow_ reciprocal reciprocal_ remainder remainder_ rsqrt rsqrt_ "
        "rsub sgn sgn_ sign sign_ sqrt sqrt_ square square_ sub sub_ subtract true_divide "
    ),
    "pointwise.bitwise": (
        "bitwise_and bitwise_and_ bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_not_ bitwise_or "
        "bitwise_or_ bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_ "
    ),
    "pointwise.comparison": (
        "_nan_to_num _nan_to_num_ allclose eq eq_ equal ge ge_ greater greater_equal gt gt_ isclose isfinite isinf "
        "isnan isneginf isposinf le le_ less less_equal logical_and logical_and_ logical_not logical_not_ "
        "logical_or logical_or_ logical_xor logical_xor_ lt lt_ nan_to_num nan_to_num_ ne ne_ not_equal signbit "
    ),
    "pointwise.complex": (
        "angle complex conj conj_physical conj_physical_ imag isreal polar real resolve_conj resolve_neg "
    ),
    "pointwise.composed_activations": (
        "log_sigmoid log_sigmoid_backward nn.functional.leaky_relu_ nn.functional.logsigmoid nn.functional.relu_ "
        "nn.functional.rrelu nn.functional.rrelu_ nn.functional.softsign nn.functional.tanhshrink "
        "nn.functional.threshold nn.functional.threshold_ rrelu rrelu_ "
    ),
    "pointwise.exponential": (
        "erf erf_ erfc erfc_ erfinv erfinv_ exp exp2 exp2_ exp_ expm1 expm1_ log log10 log10_ log1p log1p_ log2 "
        "log2_ log_ logaddexp logit logit_ special.ndtr xlogy xlogy_ "
    ),
    "pointwise.gamma": (
        "digamma digamma_ lgamma lgamma_ mvlgamma "
    ),
    "pointwise.gated_activations": (
        "_prelu_kernel _prelu_kernel_backward glu nn.functional.glu nn.functional.prelu prelu "
    ),
    "pointwise.piecewise_activations": (
        "_celu _celu_ celu celu_ elu elu_ elu_backward hardshrink hardshrink_backward hardsigmoid hardsigmoid_ "
        "hardsigmoid_backward hardswish hardswish_ hardswish_backward hardtanh hardtanh_ hardtanh_backward mish "
        "mish_ mish_backward nn.functional.celu nn.functional.celu_ nn.functional.elu nn.functional.elu_ "
        "nn.functional.hardshrink nn.functional.hardsigmoid nn.functional.hardswish nn.functional.hardtanh "
        "nn.functional.hardtanh_ nn.functional.mish nn.functional.relu6 nn.functional.selu nn.functional.selu_ "
        "nn.functional.softshrink selu selu_ softshrink softshrink_backward "
    ),
    "pointwise.powers": (
        "_ldexp float_power frexp gcd gcd_ lcm lcm_ ldexp ldexp_ logaddexp2 "
    ),
    "pointwise.rounding": (
        "ceil ceil_ fix fix_ floor floor_ frac frac_ round round_ trunc trunc_ "
    ),
    "pointwise.ternary": (
        "addcdiv addcdiv_ addcmul addcmul_ clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ lerp "
        "lerp_ where "
    ),
    "pointwise.trigonometric": (
        "acos acos_ acosh acosh_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 "
        "arctan_ arctanh arctanh_ asin asin_ asinh asinh_ atan atan2 atan2_ atan_ atanh atanh_ cos cos_ cosh cosh_ "
        "deg2rad deg2rad_ rad2deg rad2deg_ sin sin_ sinc sinc_ sinh sinh_ tan tan_ tanh tanh_ "
    ),
    "reduce.covariance": (
        "corrcoef cov "
    ),
    "reduce.differences": (
        "cumulative_trapezoid diff gradient trapezoid trapz "
    ),
    "reduce.histogram": (
        "_histogram bincount histc histogram mode "
    ),
    "reduce.histogramdd": (
        "_histogramdd histogramdd "
    ),
    "reduce.norms": (
        "_dist _norm _renorm dist linalg.vector_norm linalg_vector_norm norm renorm "
    ),
    "reduce.quantiles": (
        "nanquantile quantile "
    ),
    "reduce.reductions": (
        "_aminmax _count_nonzero _max _min _nansum all amax amin aminmax any argmax argmin count_nonzero max "
        "max.dim mean min min.dim nanmean nansum prod sum "
    ),
    "reduce.scans": (
        "cummax cummin cumprod cumsum logcumsumexp "
    ),
    "reduce.softmax": (
        "_log_softmax_backward_data _softmax_backward_data log_softmax nn.functional.log_softmax "
        "nn.functional.softmax nn.functional.softmin softmax "
    ),
    "reduce.sorting": (
        "_median _nanmedian argsort kthvalue median median.dim msort nanmedian nanmedian.dim sort topk "
    ),
    "reduce.unique": (
        "_unique _unique_consecutive unique unique_consecutive "
    ),
    "reduce.variance_logsumexp": (
        "logsumexp std std.correction std_mean std_mean.correction var var.correction var_mean var_mean.correction "
    ),
    "signal.fft": (
        "_fft_c2c _fft_c2r _fft_r2c fft.fft fft.fft2 fft.fftfreq fft.fftn fft.fftshift fft.hfft fft.hfft2 "
        "fft.hfftn fft.ifft fft.ifft2 fft.ifftn fft.ifftshift fft.ihfft fft.ihfft2 fft.ihfftn fft.irfft fft.irfft2 "
        "fft.irfftn fft.rfft fft.rfft2 fft.rfftfreq fft.rfftn "
    ),
    "signal.stft": (
        "istft stft "
    ),
    "signal.windows": (
        "bartlett_window blackman_window hamming_window hann_window kaiser_window signal.windows.bartlett "
        "signal.windows.blackman signal.windows.cosine signal.windows.exponential signal.windows.gaussian "
        "signal.windows.general_cosine signal.windows.general_hamming signal.windows.hamming signal.windows.hann "
        "signal.windows.kaiser signal.windows.nuttall "
    ),
    "special_names": (
        "special.digamma special.erf special.erfc special.erfinv special.exp2 special.expit special.expm1 "
        "special.gammaln special.log1p special.log_softmax special.logit special.logsumexp special.multigammaln "
        "special.psi special.round special.sinc special.softmax special.xlogy "
    ),
    "view.diagonals": (
        "_diag_embed _diagonal_copy diag diag_embed diagflat linalg.diagonal "
    ),
    "view.scatter_views": (
        "as_strided_scatter diagonal_scatter select_scatter slice_scatter "
    ),
    "view.splits": (
        "dsplit hsplit tensor_split vsplit "
    ),
    "view.view_backward": (
        "diagonal_backward restride select_backward slice_backward "
    ),
    "view.view_copies": (
        "alias_copy as_strided_copy detach_copy diagonal_copy expand_copy narrow_copy permute_copy select_copy "
        "slice_copy split_copy split_with_sizes_copy squeeze_copy t_copy transpose_copy unbind_copy unfold_copy "
        "unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze_copy view_as_complex_copy view_as_real_copy "
        "view_copy "
    ),
    "view.views": (
        "_fw_primal _reshape_alias _unsafe_view adjoint alias as_strided as_strided_ atleast_1d atleast_2d "
        "atleast_3d broadcast_to chunk clone contiguous diagonal expand expand_as flatten mH mT matrix_H moveaxis "
        "movedim narrow numpy_T permute ravel reshape reshape_as resize_ resize_as_ select set_ slice split "
        "split_with_sizes squeeze squeeze_ swapaxes swapdims t t_ transpose transpose_ unbind unflatten unfold "
        "unsqueeze unsqueeze_ view view_as view_as_complex view_as_real "
    ),
}

METHODS = {
    "copy.flip_roll_tril": (
        "flip fliplr flipud roll rot90 tril tril_ triu triu_ "
    ),
    "copy.joining": (
        "repeat repeat_interleave tile "
    ),
    "create.factories": (
        "new_empty new_empty_strided new_full new_ones new_tensor new_zeros "
    ),
    "create.random": (
        "bernoulli bernoulli_ cauchy_ exponential_ geometric_ log_normal_ multinomial normal_ random_ uniform_ "
    ),
    "index.gather_scatter": (
        "argwhere gather index_add index_add_ index_copy index_copy_ index_fill index_fill_ index_select "
        "masked_scatter masked_scatter_ masked_select nonzero put put_ scatter scatter_ scatter_add scatter_add_ "
        "take take_along_dim "
    ),
    "index.getitem_fill": (
        "copy_ fill_ index_put index_put_ masked_fill masked_fill_ zero_ "
    ),
    "index.scatter_reduce": (
        "index_reduce index_reduce_ scatter_reduce scatter_reduce_ "
    ),
    "linalg.addmv_baddbmm": (
        "addbmm addbmm_ addmv addmv_ addr addr_ baddbmm baddbmm_ "
    ),
    "linalg.linalg_cholesky": (
        "cholesky cholesky_inverse cholesky_solve "
    ),
    "linalg.linalg_det": (
        "det logdet slogdet "
    ),
    "linalg.linalg_functions": (
        "matrix_exp matrix_power orgqr ormqr "
    ),
    "linalg.linalg_least_squares": (
        "pinverse "
    ),
    "linalg.linalg_lu": (
        "lu lu_solve "
    ),
    "linalg.linalg_solve": (
        "inverse triangular_solve "
    ),
    "linalg.linalg_spectral": (
        "geqrf qr svd "
    ),
    "linalg.matmul": (
        "addmm addmm_ bmm dot matmul mm mv vdot "
    ),
    "linalg.products": (
        "cross ger inner kron outer trace "
    ),
    "pointwise.activations": (
        "relu relu_ sigmoid sigmoid_ "
    ),
    "pointwise.arithmetic": (
        "__rdiv__ abs abs_ absolute absolute_ add add_ copysign copysign_ div div_ divide divide_ floor_divide "
        "floor_divide_ fmax fmin fmod fmod_ heaviside heaviside_ hypot hypot_ maximum minimum mul mul_ multiply "
        "multiply_ neg neg_ negative negative_ nextafter nextafter_ positive pow pow_ reciprocal reciprocal_ "
        "remainder remainder_ rsqrt rsqrt_ sgn sgn_ sign sign_ sqrt sqrt_ square square_ sub sub_ subtract "
        "subtract_ true_divide true_divide_ "
    ),
    "pointwise.bitwise": (
        "bitwise_and bitwise_and_ bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_not_ bitwise_or "
        "bitwise_or_ bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_ "
    ),
    "pointwise.comparison": (
        "allclose eq eq_ equal ge ge_ greater greater_ greater_equal greater_equal_ gt gt_ isclose isfinite isinf "
        "isnan isneginf isposinf le le_ less less_ less_equal less_equal_ logical_and logical_and_ logical_not "
        "logical_not_ logical_or logical_or_ logical_xor logical_xor_ lt lt_ nan_to_num nan_to_num_ ne ne_ "
        "not_equal not_equal_ signbit "
    ),
    "pointwise.complex": (
        "angle conj conj_physical conj_physical_ imag isreal real resolve_conj resolve_neg "
    ),
    "pointwise.exponential": (
        "erf erf_ erfc erfc_ erfinv erfinv_ exp exp2 exp2_ exp_ expm1 expm1_ log log10 log10_ log1p log1p_ log2 "
        "log2_ log_ logaddexp logit logit_ xlogy xlogy_ "
    ),
    "pointwise.gamma": (
        "digamma digamma_ lgamma lgamma_ mvlgamma mvlgamma_ "
    ),
    "pointwise.gated_activations": (
        "prelu "
    ),
    "pointwise.piecewise_activations": (
        "hardshrink "
    ),
    "pointwise.powers": (
        "float_power float_power_ frexp gcd gcd_ lcm lcm_ ldexp ldexp_ logaddexp2 "
    ),
    "pointwise.rounding": (
        "ceil ceil_ fix fix_ floor floor_ frac frac_ round round_ trunc trunc_ "
    ),
    "pointwise.ternary": (
        "addcdiv addcdiv_ addcmul addcmul_ clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ lerp "
        "lerp_ where "
    ),
    "pointwise.trigonometric": (
        "acos acos_ acosh acosh_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 "
        "arctan2_ arctan_ arctanh arctanh_ asin asin_ asinh asinh_ atan atan2 atan2_ atan_ atanh atanh_ cos cos_ "
        "cosh cosh_ deg2rad deg2rad_ rad2deg rad2deg_ sin sin_ sinc sinc_ sinh sinh_ tan tan_ tanh tanh_ "
    ),
    "reduce.covariance": (
        "corrcoef cov "
    ),
    "reduce.differences": (
        "diff "
    ),
    "reduce.histogram": (
        "bincount histc histogram mode "
    ),
    "reduce.norms": (
        "dist norm renorm renorm_ "
    ),
    "reduce.quantiles": (
        "nanquantile quantile "
    ),
    "reduce.reductions": (
        "all amax amin aminmax any argmax argmin count_nonzero max mean min nanmean nansum prod sum sum_to_size "
    ),
    "reduce.scans": (
        "cummax cummin cumprod cumprod_ cumsum cumsum_ logcumsumexp "
    ),
    "reduce.softmax": (
        "log_softmax softmax "
    ),
    "reduce.sorting": (
        "argsort kthvalue median msort nanmedian sort topk "
    ),
    "reduce.unique": (
        "unique unique_consecutive "
    ),
    "reduce.variance_logsumexp": (
        "logsumexp std var "
    ),
    "signal.stft": (
        "istft stft "
    ),
    "view.diagonals": (
        "diag diag_embed diagflat fill_diagonal_ "
    ),
    "view.scatter_views": (
        "as_strided_scatter diagonal_scatter select_scatter slice_scatter "
    ),
    "view.splits": (
        "dsplit hsplit tensor_split vsplit "
    ),
    "view.view_copies": (
        "narrow_copy unsafe_chunk unsafe_split unsafe_split_with_sizes "
    ),
    "view.views": (
        "H T _base _is_view adjoint as_strided as_strided_ broadcast_to chunk clone contiguous diagonal expand "
        "expand_as flatten is_contiguous is_set_to itemsize mH mT moveaxis movedim narrow nbytes nelement permute "
        "ravel reshape reshape_as resize_ resize_as_ select set_ size split split_with_sizes squeeze squeeze_ "
        "storage_offset stride swapaxes swapaxes_ swapdims swapdims_ t t_ transpose transpose_ unbind unflatten "
        "unfold unsqueeze unsqueeze_ view view_as "
    ),
}

NAMESPACES = ("fft", "linalg", "nn.functional", "signal.windows", "special")
