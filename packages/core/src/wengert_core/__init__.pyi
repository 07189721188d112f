from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from collections.abc import Sequence
from typing import Any, Literal, overload

from wengert_core import memory as memory
from wengert_core import random as random
from wengert_core.api.legacy_constructors import tensortype as tensortype
from wengert_core.api.legacy_storages import storagetype as _storagetype
from wengert_core.api.public import get_printoptions as get_printoptions
from wengert_core.api.public import set_printoptions as set_printoptions
from wengert_core.api.storage_files import from_file as from_file
from wengert_core.api.typed_storage import TypedStorage as TypedStorage
from wengert_core.api.untyped_storage import UntypedStorage as UntypedStorage
from wengert_core.api.untyped_storage import is_storage as is_storage
from wengert_core.backends.default_device import get_default_device as get_default_device
from wengert_core.backends.default_device import set_default_device as set_default_device
from wengert_core.devices.device import device as device
from wengert_core.devices.layout import layout as layout
from wengert_core.devices.layout import strided as strided
from wengert_core.dtypes.dtypes import dtype as dtype
from wengert_core.dtypes.dtypes import get_default_dtype as get_default_dtype
from wengert_core.dtypes.dtypes import set_default_dtype as set_default_dtype
from wengert_core.exchange.dlpack import from_dlpack as from_dlpack
from wengert_core.exchange.numpy_bridge import from_numpy as from_numpy
from wengert_core.exchange.type_info import can_cast as can_cast
from wengert_core.exchange.type_info import finfo as finfo
from wengert_core.exchange.type_info import get_device as get_device
from wengert_core.exchange.type_info import iinfo as iinfo
from wengert_core.exchange.type_info import is_complex as is_complex
from wengert_core.exchange.type_info import is_conj as is_conj
from wengert_core.exchange.type_info import is_floating_point as is_floating_point
from wengert_core.exchange.type_info import is_inference as is_inference
from wengert_core.exchange.type_info import is_neg as is_neg
from wengert_core.exchange.type_info import is_nonzero as is_nonzero
from wengert_core.exchange.type_info import is_same_size as is_same_size
from wengert_core.exchange.type_info import is_signed as is_signed
from wengert_core.exchange.type_info import is_tensor as is_tensor
from wengert_core.exchange.type_info import numel as numel
from wengert_core.exchange.type_info import promote_types as promote_types
from wengert_core.exchange.type_info import result_type as result_type
from wengert_core.geometry.size import Size as Size
from wengert_core.optable.core_table import TABLE as TABLE
from wengert_core.random import Generator as Generator
from wengert_core.random import default_generator as default_generator
from wengert_core.random import get_rng_state as get_rng_state
from wengert_core.random import initial_seed as initial_seed
from wengert_core.random import manual_seed as manual_seed
from wengert_core.random import seed as seed
from wengert_core.random import set_rng_state as set_rng_state
from wengert_core.runtime.thread_pool import get_num_threads as get_num_threads
from wengert_core.runtime.thread_pool import set_num_threads as set_num_threads
from wengert_core.tensors import return_types as _return_types
from wengert_core.tensors.memory_format import channels_last as channels_last
from wengert_core.tensors.memory_format import channels_last_3d as channels_last_3d
from wengert_core.tensors.memory_format import contiguous_format as contiguous_format
from wengert_core.tensors.memory_format import memory_format as memory_format
from wengert_core.tensors.memory_format import preserve_format as preserve_format
from wengert_core.tensors.tensor import Tensor as Tensor
from wengert_core.tensors.tensor import (
    _Device,
    _DType,
    _Ints,
    _Operand,
    _Scalar,
)

_dtype = dtype
_Generator = Generator
_layout = layout
_memory_format = memory_format

__version__: str
e: _float
inf: _float
nan: _float
newaxis: None
pi: _float

bool: dtype
uint8: dtype
int8: dtype
int16: dtype
uint16: dtype
uint32: dtype
uint64: dtype
int32: dtype
int64: dtype
float16: dtype
bfloat16: dtype
float32: dtype
float64: dtype
complex64: dtype
complex128: dtype
half: dtype
float: dtype
double: dtype
short: dtype
int: dtype
long: dtype
cfloat: dtype
cdouble: dtype

BFloat16Storage: _storagetype
BoolStorage: _storagetype
ByteStorage: _storagetype
CharStorage: _storagetype
ComplexDoubleStorage: _storagetype
ComplexFloatStorage: _storagetype
DoubleStorage: _storagetype
FloatStorage: _storagetype
HalfStorage: _storagetype
IntStorage: _storagetype
LongStorage: _storagetype
ShortStorage: _storagetype
Storage: _storagetype
BoolTensor: tensortype
ByteTensor: tensortype
CharTensor: tensortype
ShortTensor: tensortype
IntTensor: tensortype
LongTensor: tensortype
HalfTensor: tensortype
BFloat16Tensor: tensortype
FloatTensor: tensortype
DoubleTensor: tensortype

# composites whose result depends on what is asked for
@overload
def max(input: Tensor, dim: None = None, keepdim: _bool = False) -> Tensor: ...
@overload
def max(input: Tensor, dim: _int, keepdim: _bool = False) -> _return_types.max: ...
@overload
def max(input: Tensor, dim: Tensor, keepdim: _bool = False) -> Tensor: ...
@overload
def max(input: Tensor, *, other: Tensor) -> Tensor: ...
@overload
def min(input: Tensor, dim: None = None, keepdim: _bool = False) -> Tensor: ...
@overload
def min(input: Tensor, dim: _int, keepdim: _bool = False) -> _return_types.min: ...
@overload
def min(input: Tensor, dim: Tensor, keepdim: _bool = False) -> Tensor: ...
@overload
def min(input: Tensor, *, other: Tensor) -> Tensor: ...
@overload
def median(input: Tensor, dim: None = None, keepdim: _bool = False) -> Tensor: ...
@overload
def median(input: Tensor, dim: _int, keepdim: _bool = False) -> _return_types.median: ...
@overload
def nanmedian(input: Tensor, dim: None = None, keepdim: _bool = False) -> Tensor: ...
@overload
def nanmedian(input: Tensor, dim: _int, keepdim: _bool = False) -> _return_types.nanmedian: ...
@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    dim: _int | None = None,
) -> Tensor: ...
@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    *,
    return_inverse: Literal[True],
    return_counts: Literal[False] = False,
    dim: _int | None = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    *,
    return_inverse: Literal[False] = False,
    return_counts: Literal[True],
    dim: _int | None = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    *,
    return_inverse: Literal[True],
    return_counts: Literal[True],
    dim: _int | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    dim: _int | None = None,
) -> Any: ...
@overload
def unique_consecutive(
    input: Tensor,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    dim: _int | None = None,
) -> Tensor: ...
@overload
def unique_consecutive(
    input: Tensor,
    *,
    return_inverse: Literal[True],
    return_counts: Literal[False] = False,
    dim: _int | None = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def unique_consecutive(
    input: Tensor,
    *,
    return_inverse: Literal[False] = False,
    return_counts: Literal[True],
    dim: _int | None = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def unique_consecutive(
    input: Tensor,
    *,
    return_inverse: Literal[True],
    return_counts: Literal[True],
    dim: _int | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def unique_consecutive(
    input: Tensor,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    dim: _int | None = None,
) -> Any: ...
@overload
def lu(
    A: Tensor, pivot: _bool = True, get_infos: Literal[False] = False, out: Sequence[Tensor] | None = None
) -> tuple[Tensor, Tensor]: ...
@overload
def lu(
    A: Tensor, pivot: _bool = True, *, get_infos: Literal[True], out: Sequence[Tensor] | None = None
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def lu(
    A: Tensor, pivot: _bool = True, get_infos: _bool = False, out: Sequence[Tensor] | None = None
) -> Any: ...
@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...
@overload
def where(condition: Tensor, input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
@overload
def where(
    condition: Tensor, input: _Operand | None = None, other: _Operand | None = None, *, out: Tensor | None = None
) -> Any: ...
@overload
def atleast_1d(tensor: Tensor, /) -> Tensor: ...
@overload
def atleast_1d(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]: ...
@overload
def atleast_1d(first: Tensor, second: Tensor, /, *tensors: Tensor) -> tuple[Tensor, ...]: ...
@overload
def atleast_2d(tensor: Tensor, /) -> Tensor: ...
@overload
def atleast_2d(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]: ...
@overload
def atleast_2d(first: Tensor, second: Tensor, /, *tensors: Tensor) -> tuple[Tensor, ...]: ...
@overload
def atleast_3d(tensor: Tensor, /) -> Tensor: ...
@overload
def atleast_3d(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]: ...
@overload
def atleast_3d(first: Tensor, second: Tensor, /, *tensors: Tensor) -> tuple[Tensor, ...]: ...

# ---- from here on written by tools/generate/tensor_stub.py from the op table: do not edit
def _adaptive_avg_pool1d(input: Tensor, output_size: _Ints) -> Tensor: ...
def _adaptive_avg_pool2d(input: Tensor, output_size: _Ints) -> Tensor: ...
def _adaptive_avg_pool3d(input: Tensor, output_size: _Ints) -> Tensor: ...
def _affine_grid_generator(theta: Tensor, size: _Ints, align_corners: _bool) -> tuple[Tensor, Tensor]: ...
def _aminmax(input: Tensor, *, dim: _int | None = None, keepdim: _bool = False) -> tuple[Tensor, Tensor]: ...
def _batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    mean: Tensor | None,
    var: Tensor | None,
    layout: _layout,
    eps: _float,
) -> tuple[Tensor, Tensor, Tensor]: ...
def _binary_cross_entropy(input: Tensor, target: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def _binary_cross_entropy_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: _int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def _binary_cross_entropy_slope(input: Tensor, target: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def _binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: _int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def _block_diag(tensors: Sequence[Tensor]) -> Tensor: ...
def _cdist(x1: Tensor, x2: Tensor, p: _float = 2.0, by_product: _bool = False) -> Tensor: ...
def _cdist_backward(grad_output: Tensor, x1: Tensor, x2: Tensor, p: _float, distances: Tensor) -> Tensor: ...
def _celu(input: Tensor, alpha: _Scalar = 1.0, *, out: Tensor | None = None) -> Tensor: ...
def _celu_(input: Tensor, alpha: _Scalar = 1.0) -> Tensor: ...
def _cholesky(input: Tensor, upper: _bool = False) -> Tensor: ...
def _cholesky_inverse(input: Tensor, upper: _bool = False) -> Tensor: ...
def _cholesky_solve(input: Tensor, input2: Tensor, upper: _bool = False) -> Tensor: ...
def _col2im(
    input: Tensor,
    output_size: _Ints,
    kernel_size: _Ints,
    dilation: _Ints,
    padding: _Ints,
    stride: _Ints,
) -> Tensor: ...
def _count_nonzero(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def _ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: _Ints,
    target_lengths: _Ints,
    blank: _int,
    zero_infinity: _bool,
) -> Tensor: ...
def _diag_embed(
    input: Tensor,
    offset: _int = 0,
    dim1: _int = -2,
    dim2: _int = -1,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def _diagonal_copy(
    input: Tensor,
    offset: _int = 0,
    dim1: _int = 0,
    dim2: _int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def _dist(input: Tensor, other: Tensor, p: _Scalar = 2) -> Tensor: ...
def _eigenpairs(A: Tensor, B: Tensor, values: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor]: ...
def _embedding(
    weight: Tensor,
    indices: Tensor,
    padding_idx: _int = -1,
    scale_grad_by_freq: _bool = False,
    sparse: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def _embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: _bool = False,
    mode: _int = 0,
    sparse: _bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: _bool = False,
    padding_idx: _int = -1,
) -> tuple[Tensor, Tensor, Tensor, Tensor]: ...
def _fft_c2c(
    input: Tensor,
    dim: _Ints,
    normalization: _int,
    forward: _bool,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def _fft_c2r(
    input: Tensor,
    dim: _Ints,
    normalization: _int,
    last_dim_size: _int,
    forward: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def _fft_r2c(
    input: Tensor,
    dim: _Ints,
    normalization: _int,
    onesided: _bool,
    forward: _bool = True,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def _fw_primal(input: Tensor) -> Tensor: ...
def _geqrf(input: Tensor) -> tuple[Tensor, Tensor]: ...
def _grid_sampler_2d(
    input: Tensor,
    grid: Tensor,
    interpolation_mode: _int,
    padding_mode: _int,
    align_corners: _bool,
) -> Tensor: ...
def _grid_sampler_3d(
    input: Tensor,
    grid: Tensor,
    interpolation_mode: _int,
    padding_mode: _int,
    align_corners: _bool,
) -> Tensor: ...
def _grid_sampler_backward(
    grad_output: Tensor,
    grid: Tensor,
    input_size: _Ints,
    interpolation_mode: _int,
    padding_mode: _int,
    align_corners: _bool,
) -> Tensor: ...
def _grid_sampler_grid_backward(
    grad_output: Tensor,
    input: Tensor,
    grid: Tensor,
    interpolation_mode: _int,
    padding_mode: _int,
    align_corners: _bool,
) -> Tensor: ...
def _group_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    mean: Tensor | None,
    var: Tensor | None,
    layout: _layout,
    eps: _float,
) -> tuple[Tensor, Tensor, Tensor]: ...
def _histogram(
    input: Tensor,
    edges: Tensor,
    weight: Tensor | None,
    density: _bool,
    equal: _bool,
) -> tuple[Tensor, Tensor]: ...
def _histogramdd(
    input: Tensor,
    edges: Tensor,
    lengths: _Ints,
    weight: Tensor | None,
    density: _bool,
    equal: _bool,
) -> Tensor: ...
def _huber(input: Tensor, target: Tensor, beta: _Scalar, *, out: Tensor | None = None) -> Tensor: ...
def _huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: _int = 1,
    delta: _float = 1.0,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def _huber_slope(input: Tensor, target: Tensor, beta: _Scalar, *, out: Tensor | None = None) -> Tensor: ...
def _im2col(input: Tensor, kernel_size: _Ints, dilation: _Ints, padding: _Ints, stride: _Ints) -> Tensor: ...
def _isin(input: Tensor, test_elements: Tensor, invert: _bool) -> Tensor: ...
def _layer_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    mean: Tensor | None,
    var: Tensor | None,
    layout: _layout,
    eps: _float,
) -> tuple[Tensor, Tensor, Tensor]: ...
def _ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def _linalg_cross(input: Tensor, other: Tensor, *, dim: _int = -1, out: Tensor | None = None) -> Tensor: ...
def _linalg_householder_product(input: Tensor, tau: Tensor) -> Tensor: ...
def _linalg_lu(A: Tensor, *, pivot: _bool = True) -> tuple[Tensor, Tensor, Tensor]: ...
def _log_softmax_backward_data(grad_output: Tensor, output: Tensor, dim: _int) -> Tensor: ...
def _lu_permutation(pivots: Tensor, rows: _int) -> Tensor: ...
def _lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: _bool = True,
    unpack_pivots: _bool = True,
) -> tuple[Tensor, Tensor, Tensor]: ...
def _max(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def _median(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def _min(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def _mse_loss(input: Tensor, target: Tensor, reduction: _int = 1, *, out: Tensor | None = None) -> Tensor: ...
def _multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: _Scalar = 1,
    margin: _Scalar = 1,
    weight: Tensor | None = None,
    reduction: _int = 1,
) -> Tensor: ...
def _multilabel_margin_loss(input: Tensor, target: Tensor, reduction: _int = 1) -> Tensor: ...
def _nan_to_num(
    input: Tensor,
    nan: _Scalar,
    posinf: _Scalar,
    neginf: _Scalar,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def _nan_to_num_(input: Tensor, nan: _Scalar, posinf: _Scalar, neginf: _Scalar) -> Tensor: ...
def _nanmedian(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def _nansum(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _DType | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def _norm(input: Tensor, p: _Scalar, dim: _Ints, keepdim: _bool = False) -> Tensor: ...
def _normal(
    mean: Tensor,
    std: _Operand,
    *,
    generator: _Generator | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def _normal_of_std(
    std: Tensor,
    mean: _Operand,
    *,
    generator: _Generator | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def _ormqr(
    input: Tensor,
    input2: Tensor,
    input3: Tensor,
    left: _bool = True,
    transpose: _bool = False,
) -> Tensor: ...
def _pdist(input: Tensor, p: _float = 2.0) -> Tensor: ...
def _pdist_backward(grad_output: Tensor, input: Tensor, p: _float, distances: Tensor) -> Tensor: ...
def _pixel_shuffle(input: Tensor, upscale_factor: _int, *, out: Tensor | None = None) -> Tensor: ...
def _pixel_unshuffle(input: Tensor, downscale_factor: _int, *, out: Tensor | None = None) -> Tensor: ...
def _prelu_kernel(input: Tensor, weight: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def _prelu_kernel_backward(
    grad_output: Tensor,
    input: Tensor,
    weight: Tensor,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def _put(
    input: Tensor,
    index: Tensor,
    source: Tensor,
    accumulate: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def _reflection_pad1d(input: Tensor, padding: _Ints) -> Tensor: ...
def _reflection_pad2d(input: Tensor, padding: _Ints) -> Tensor: ...
def _reflection_pad3d(input: Tensor, padding: _Ints) -> Tensor: ...
def _renorm(input: Tensor, p: _Scalar, dim: _int, maxnorm: _Scalar, *, out: Tensor | None = None) -> Tensor: ...
def _replication_pad1d(input: Tensor, padding: _Ints) -> Tensor: ...
def _replication_pad2d(input: Tensor, padding: _Ints) -> Tensor: ...
def _replication_pad3d(input: Tensor, padding: _Ints) -> Tensor: ...
@overload
def _reshape_alias(input: Tensor, size: _Ints) -> Tensor: ...
@overload
def _reshape_alias(input: Tensor, *size: _int) -> Tensor: ...
def _rsub(other: _Operand, input: _Operand, *, alpha: _Scalar = 1, out: Tensor | None = None) -> Tensor: ...
def _scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    is_causal: _bool,
    scale: _float,
) -> tuple[Tensor, Tensor]: ...
def _scaled_dot_product_attention_backward(
    grad_output: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    result: Tensor,
    logsumexp: Tensor,
    is_causal: _bool,
    scale: _float,
) -> tuple[Tensor, Tensor, Tensor]: ...
def _searchsorted(sorted_sequence: Tensor, input: Tensor, right: _bool, sorter: Tensor | None = None) -> Tensor: ...
def _smooth_l1(input: Tensor, target: Tensor, beta: _Scalar, *, out: Tensor | None = None) -> Tensor: ...
def _smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    reduction: _int = 1,
    beta: _float = 1.0,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def _smooth_l1_slope(input: Tensor, target: Tensor, beta: _Scalar, *, out: Tensor | None = None) -> Tensor: ...
def _soft_margin_loss(
    input: Tensor,
    target: Tensor,
    reduction: _int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def _softmax_backward_data(grad_output: Tensor, output: Tensor, dim: _int) -> Tensor: ...
def _take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def _to_copy(input: Tensor, dtype: _DType, device: _Device | None = None) -> Tensor: ...
def _trace(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def _triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: _bool = True,
    transpose: _bool = False,
    unitriangular: _bool = False,
) -> tuple[Tensor, Tensor]: ...
def _trilinear(i1: Tensor, i2: Tensor, i3: Tensor) -> Tensor: ...
def _unique(
    input: Tensor,
    dim: _int | None = None,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    *,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
def _unique_consecutive(
    input: Tensor,
    dim: _int | None = None,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    *,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def _unsafe_view(input: Tensor, size: _Ints) -> Tensor: ...
@overload
def _unsafe_view(input: Tensor, *size: _int) -> Tensor: ...
def _upsample_backward(
    grad_output: Tensor,
    kind: Any,
    input_size: _Ints,
    align_corners: _bool = False,
    scales: Any = None,
) -> Tensor: ...
def _upsample_bicubic2d(
    input: Tensor,
    output_size: _Ints,
    align_corners: _bool = False,
    scales: Any = None,
) -> Tensor: ...
def _upsample_bicubic2d_aa(
    input: Tensor,
    output_size: _Ints,
    align_corners: _bool = False,
    scales: Any = None,
) -> Tensor: ...
def _upsample_bilinear2d(
    input: Tensor,
    output_size: _Ints,
    align_corners: _bool = False,
    scales: Any = None,
) -> Tensor: ...
def _upsample_bilinear2d_aa(
    input: Tensor,
    output_size: _Ints,
    align_corners: _bool = False,
    scales: Any = None,
) -> Tensor: ...
def _upsample_lanczos2d_aa(
    input: Tensor,
    output_size: _Ints,
    align_corners: _bool = False,
    scales: Any = None,
) -> Tensor: ...
def _upsample_linear1d(
    input: Tensor,
    output_size: _Ints,
    align_corners: _bool = False,
    scales: Any = None,
) -> Tensor: ...
def _upsample_nearest1d(
    input: Tensor,
    output_size: _Ints,
    align_corners: _bool = False,
    scales: Any = None,
) -> Tensor: ...
def _upsample_nearest2d(
    input: Tensor,
    output_size: _Ints,
    align_corners: _bool = False,
    scales: Any = None,
) -> Tensor: ...
def _upsample_nearest3d(
    input: Tensor,
    output_size: _Ints,
    align_corners: _bool = False,
    scales: Any = None,
) -> Tensor: ...
def _upsample_nearest_exact1d(
    input: Tensor,
    output_size: _Ints,
    align_corners: _bool = False,
    scales: Any = None,
) -> Tensor: ...
def _upsample_nearest_exact2d(
    input: Tensor,
    output_size: _Ints,
    align_corners: _bool = False,
    scales: Any = None,
) -> Tensor: ...
def _upsample_nearest_exact3d(
    input: Tensor,
    output_size: _Ints,
    align_corners: _bool = False,
    scales: Any = None,
) -> Tensor: ...
def _upsample_trilinear3d(
    input: Tensor,
    output_size: _Ints,
    align_corners: _bool = False,
    scales: Any = None,
) -> Tensor: ...
def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def abs_(input: Tensor) -> Tensor: ...
def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def acos_(input: Tensor) -> Tensor: ...
def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def acosh_(input: Tensor) -> Tensor: ...
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor: ...
def adaptive_avg_pool_backward(grad_output: Tensor, input_sizes: _Ints, ndim: _int) -> Tensor: ...
def adaptive_max_pool1d(input: Tensor, output_size: _Ints) -> tuple[Tensor, Tensor]: ...
def adaptive_max_pool2d(input: Tensor, output_size: _Ints) -> tuple[Tensor, Tensor]: ...
def adaptive_max_pool3d(input: Tensor, output_size: _Ints) -> tuple[Tensor, Tensor]: ...
def add(input: _Operand, other: _Operand, *, alpha: _Scalar = 1, out: Tensor | None = None) -> Tensor: ...
def add_(input: Tensor, other: _Operand, *, alpha: _Scalar = 1) -> Tensor: ...
def addbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: _Scalar = 1,
    alpha: _Scalar = 1,
    out: Tensor | None = None,
) -> Tensor: ...
def addcdiv(
    input: Tensor,
    tensor1: Tensor,
    tensor2: Tensor,
    *,
    value: _Scalar = 1,
    out: Tensor | None = None,
) -> Tensor: ...
def addcdiv_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Scalar = 1) -> Tensor: ...
def addcmul(
    input: Tensor,
    tensor1: Tensor,
    tensor2: Tensor,
    *,
    value: _Scalar = 1,
    out: Tensor | None = None,
) -> Tensor: ...
def addcmul_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Scalar = 1) -> Tensor: ...
def addmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: _Scalar = 1,
    alpha: _Scalar = 1,
    out: Tensor | None = None,
) -> Tensor: ...
def addmm_(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _Scalar = 1, alpha: _Scalar = 1) -> Tensor: ...
def addmv(
    input: Tensor,
    mat: Tensor,
    vec: Tensor,
    *,
    beta: _Scalar = 1,
    alpha: _Scalar = 1,
    out: Tensor | None = None,
) -> Tensor: ...
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: _Scalar = 1, alpha: _Scalar = 1) -> Tensor: ...
def addr(
    input: Tensor,
    vec1: Tensor,
    vec2: Tensor,
    *,
    beta: _Scalar = 1,
    alpha: _Scalar = 1,
    out: Tensor | None = None,
) -> Tensor: ...
def adjoint(input: Tensor) -> Tensor: ...
def alias(input: Tensor) -> Tensor: ...
def alias_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def all(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def allclose(
    input: Any,
    other: Any,
    rtol: _float = 1e-05,
    atol: _float = 1e-08,
    equal_nan: _bool = False,
) -> _bool: ...
def alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def amax(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def amin(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def aminmax(
    input: Tensor,
    *,
    dim: _int | None = None,
    keepdim: _bool = False,
    out: Sequence[Tensor] | None = None,
) -> _return_types.aminmax: ...
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def any(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def arange(
    start: Any = ...,
    end: Any = ...,
    step: Any = ...,
    *,
    out: Tensor | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arccos_(input: Tensor) -> Tensor: ...
def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arccosh_(input: Tensor) -> Tensor: ...
def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arcsin_(input: Tensor) -> Tensor: ...
def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arcsinh_(input: Tensor) -> Tensor: ...
def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arctan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arctan_(input: Tensor) -> Tensor: ...
def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arctanh_(input: Tensor) -> Tensor: ...
def argmax(
    input: Tensor,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def argmin(
    input: Tensor,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def argsort(
    input: Tensor,
    dim: _int = -1,
    descending: _bool = False,
    *,
    stable: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def argwhere(input: Tensor) -> Tensor: ...
def as_strided(input: Tensor, size: _Ints, stride: _Ints, storage_offset: _int | None = None) -> Tensor: ...
def as_strided_(input: Tensor, size: _Ints, stride: _Ints, storage_offset: _int | None = None) -> Tensor: ...
def as_strided_copy(
    input: Tensor,
    size: Sequence[_int],
    stride: Sequence[_int],
    storage_offset: _int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def as_strided_scatter(
    input: Tensor,
    src: Tensor,
    size: _Ints,
    stride: _Ints,
    storage_offset: _int | None = None,
) -> Tensor: ...
def as_tensor(data: Any, dtype: _DType | None = None, device: _Device | None = None) -> Tensor: ...
def asarray(
    obj: Any,
    *,
    dtype: _DType | None = None,
    device: _Device | None = None,
    copy: _bool | None = None,
    requires_grad: _bool | None = None,
) -> Tensor: ...
def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def asin_(input: Tensor) -> Tensor: ...
def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def asinh_(input: Tensor) -> Tensor: ...
def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def atan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def atan2_(input: Tensor, other: Tensor) -> Tensor: ...
def atan_(input: Tensor) -> Tensor: ...
def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def atanh_(input: Tensor) -> Tensor: ...
def avg_pool1d(
    input: Tensor,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints = 0,
    ceil_mode: _bool = False,
    count_include_pad: _bool = True,
) -> Tensor: ...
def avg_pool_backward(
    grad_output: Tensor,
    input_sizes: _Ints,
    ndim: _int,
    kernel_size: _Ints,
    stride: _Ints | None,
    padding: _Ints,
    ceil_mode: _bool,
    count_include_pad: _bool,
    divisor_override: _int | None,
) -> Tensor: ...
def baddbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: _Scalar = 1,
    alpha: _Scalar = 1,
    out: Tensor | None = None,
) -> Tensor: ...
def bartlett_window(
    window_length: _int,
    periodic: _bool = True,
    *,
    dtype: _DType | None = None,
    layout: _layout | None = ...,
    device: _Device | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: _bool,
    momentum: _float,
    eps: _float,
    cudnn_enabled: _bool,
) -> Tensor: ...
def bernoulli(
    input: Tensor,
    p: _float | None = None,
    *,
    generator: _Generator | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def bernoulli_(input: Tensor, p: _Operand = 0.5, *, generator: _Generator | None = None) -> Tensor: ...
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor: ...
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: _int = 0,
) -> Tensor: ...
def bincount(input: Tensor, weights: Tensor | None = None, minlength: _int = 0) -> Tensor: ...
def binomial(count: Tensor, prob: Tensor, *, generator: _Generator | None = None) -> Tensor: ...
def bitwise_and(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_and_(input: Tensor, other: _Operand) -> Tensor: ...
def bitwise_left_shift(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_left_shift_(input: Tensor, other: _Operand) -> Tensor: ...
def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_not_(input: Tensor) -> Tensor: ...
def bitwise_or(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_or_(input: Tensor, other: _Operand) -> Tensor: ...
def bitwise_right_shift(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_right_shift_(input: Tensor, other: _Operand) -> Tensor: ...
def bitwise_xor(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_xor_(input: Tensor, other: _Operand) -> Tensor: ...
def blackman_window(
    window_length: _int,
    periodic: _bool = True,
    *,
    dtype: _DType | None = None,
    layout: _layout | None = ...,
    device: _Device | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def block_diag(*tensors: Tensor) -> Tensor: ...
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def broadcast_shapes(*shapes: Any) -> Size: ...
def broadcast_tensors(*tensors: Any) -> tuple[Any, ...]: ...
@overload
def broadcast_to(input: Tensor, size: _Ints) -> Tensor: ...
@overload
def broadcast_to(input: Tensor, *size: _int) -> Tensor: ...
def bucketize(
    input: Any,
    boundaries: Tensor,
    *,
    out_int32: _bool = False,
    right: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def cartesian_prod(*tensors: Tensor) -> Tensor: ...
def cat(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def cauchy_(
    input: Tensor,
    median: _float = 0,
    sigma: _float = 1,
    *,
    generator: _Generator | None = None,
) -> Tensor: ...
def cdist(
    x1: Tensor,
    x2: Tensor,
    p: _float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor: ...
def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def ceil_(input: Tensor) -> Tensor: ...
def celu(input: Tensor, alpha: _float = 1.0) -> Tensor: ...
def celu_(input: Tensor, alpha: _float = 1.0) -> Tensor: ...
def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor: ...
def cholesky(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
def cholesky_inverse(L: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
def cholesky_solve(input: Tensor, L: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
def chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]: ...
def clamp(
    input: Tensor,
    min: _Operand | None = None,
    max: _Operand | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def clamp_(input: Tensor, min: _Operand | None = None, max: _Operand | None = None) -> Tensor: ...
def clamp_max(input: Tensor, max: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def clamp_max_(input: Tensor, max: _Operand) -> Tensor: ...
def clamp_min(input: Tensor, min: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def clamp_min_(input: Tensor, min: _Operand) -> Tensor: ...
def clip(
    input: Tensor,
    min: _Operand | None = None,
    max: _Operand | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def clip_(input: Tensor, min: _Operand | None = None, max: _Operand | None = None) -> Tensor: ...
def clone(input: Tensor, *, memory_format: _memory_format | None = None) -> Tensor: ...
def column_stack(tensors: Any, *, out: Tensor | None = None) -> Tensor: ...
def combinations(input: Tensor, r: _int = 2, with_replacement: _bool = False) -> Tensor: ...
def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def concat(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def concatenate(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def conj(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def conj_physical_(input: Tensor) -> Tensor: ...
def constant_pad_nd(input: Tensor, pad: _Ints, value: _Scalar = 0) -> Tensor: ...
def contiguous(input: Tensor, *, memory_format: _memory_format | None = None) -> Tensor: ...
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | str = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor: ...
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | str = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor: ...
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | str = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor: ...
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor: ...
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor: ...
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor: ...
def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: _Ints,
    padding: _Ints,
    dilation: _Ints,
    transposed: _bool,
    output_padding: _Ints,
    groups: _int,
) -> Tensor: ...
def convolution_weight(
    input: Tensor,
    grad_output: Tensor,
    kernel_size: _Ints,
    stride: _Ints,
    padding: _Ints,
    dilation: _Ints,
    groups: _int,
) -> Tensor: ...
def copy_(input: Tensor, src: _Operand, non_blocking: _bool = False) -> Tensor: ...
def copysign(input: Tensor, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def copysign_(input: Tensor, other: _Operand) -> Tensor: ...
def corrcoef(input: Tensor) -> Tensor: ...
def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def cos_(input: Tensor) -> Tensor: ...
def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def cosh_(input: Tensor) -> Tensor: ...
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: _float = 0.0,
    reduction: _int = 0,
) -> Tensor: ...
def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = 1, eps: _float = 1e-08) -> Tensor: ...
def count_nonzero(input: Any, dim: _Ints | None = None) -> Tensor: ...
def cov(
    input: Tensor,
    *,
    correction: _int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor: ...
def cross(input: Tensor, other: Tensor, dim: _int | None = None, *, out: Tensor | None = None) -> Tensor: ...
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[_int],
    target_lengths: Tensor | Sequence[_int],
    blank: _int = 0,
    reduction: _int = 0,
    zero_infinity: _bool = False,
) -> Tensor: ...
def cummax(input: Tensor, dim: _int, *, out: Sequence[Tensor] | None = None) -> _return_types.cummax: ...
def cummin(input: Tensor, dim: _int, *, out: Sequence[Tensor] | None = None) -> _return_types.cummin: ...
def cumprod(input: Tensor, dim: _int, *, dtype: _DType | None = None, out: Tensor | None = None) -> Tensor: ...
def cumsum(input: Tensor, dim: _int, *, dtype: _DType | None = None, out: Tensor | None = None) -> Tensor: ...
def cumulative_trapezoid(y: Tensor, x: Tensor = ..., *, dx: Any = 1, dim: _int = -1) -> Tensor: ...
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def deg2rad_(input: Tensor) -> Tensor: ...
def det(input: Tensor) -> Tensor: ...
def detach_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def diag(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def diag_embed(input: Tensor, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor: ...
def diagflat(input: Tensor, offset: _int = 0) -> Tensor: ...
def diagonal(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor: ...
def diagonal_backward(grad_output: Tensor, input_sizes: _Ints, offset: _int, dim1: _int, dim2: _int) -> Tensor: ...
def diagonal_copy(
    input: Tensor,
    offset: _int = 0,
    dim1: _int = 0,
    dim2: _int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def diagonal_scatter(input: Tensor, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor: ...
def diff(
    input: Tensor,
    n: _int = 1,
    dim: _int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def digamma_(input: Tensor) -> Tensor: ...
def dist(input: Tensor, other: Tensor, p: Any = 2) -> Tensor: ...
def div(
    input: _Operand,
    other: _Operand,
    *,
    rounding_mode: str | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def div_(input: Tensor, other: _Operand, *, rounding_mode: str | None = None) -> Tensor: ...
def divide(
    input: _Operand,
    other: _Operand,
    *,
    rounding_mode: str | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def dropout(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def dropout_(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]: ...
def dstack(tensors: Any, *, out: Tensor | None = None) -> Tensor: ...
def einsum(*args: Any) -> Tensor: ...
def elu(
    input: Tensor,
    alpha: _Scalar = 1,
    scale: _Scalar = 1,
    input_scale: _Scalar = 1,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def elu_(input: Tensor, alpha: _Scalar = 1, scale: _Scalar = 1, input_scale: _Scalar = 1) -> Tensor: ...
def elu_backward(
    grad_output: Tensor,
    self_or_result: Tensor,
    alpha: _Scalar,
    scale: _Scalar,
    input_scale: _Scalar,
    is_result: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def embedding(
    weight: Tensor,
    indices: Tensor,
    padding_idx: _int = -1,
    scale_grad_by_freq: _bool = False,
    sparse: _bool = False,
) -> Tensor: ...
def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: _bool = False,
    mode: _int = 0,
    sparse: _bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: _bool = False,
    padding_idx: _int | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]: ...
def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: _float, norm_type: _float) -> Tensor: ...
@overload
def empty(
    size: _Ints,
    *,
    out: Tensor | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
@overload
def empty(
    *size: _int,
    out: Tensor | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def empty_like(
    input: Tensor,
    *,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def empty_strided(
    size: _Ints,
    stride: _Ints,
    *,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def eq(input: Tensor, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def eq_(input: Tensor, other: _Operand) -> Tensor: ...
def equal(input: Any, other: Any) -> _bool: ...
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def erf_(input: Tensor) -> Tensor: ...
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def erfc_(input: Tensor) -> Tensor: ...
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def erfinv_(input: Tensor) -> Tensor: ...
def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def exp2_(input: Tensor) -> Tensor: ...
def exp_(input: Tensor) -> Tensor: ...
@overload
def expand(input: Tensor, size: _Ints) -> Tensor: ...
@overload
def expand(input: Tensor, *size: _int) -> Tensor: ...
def expand_as(input: Tensor, other: Tensor) -> Tensor: ...
def expand_copy(
    input: Tensor,
    size: Sequence[_int],
    *,
    implicit: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def expm1_(input: Tensor) -> Tensor: ...
def exponential_(input: Tensor, lambd: _float = 1, *, generator: _Generator | None = None) -> Tensor: ...
def eye(
    n: _int,
    m: _int = ...,
    *,
    out: Tensor | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def feature_alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def feature_alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def feature_dropout(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def feature_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def fill(input: Tensor, value: _Operand) -> Tensor: ...
def fill_(input: Tensor, value: _Operand) -> Tensor: ...
def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def fix_(input: Tensor) -> Tensor: ...
def flatten(input: Tensor, start_dim: _int = 0, end_dim: _int = -1) -> Tensor: ...
@overload
def flip(input: Tensor, dims: _Ints) -> Tensor: ...
@overload
def flip(input: Tensor, *dims: _int) -> Tensor: ...
def fliplr(input: Tensor) -> Tensor: ...
def flipud(input: Tensor) -> Tensor: ...
def float_power(input: Any, exponent: Any, *, out: Tensor | None = None) -> Tensor: ...
def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def floor_(input: Tensor) -> Tensor: ...
def floor_divide(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def floor_divide_(input: Tensor, other: _Operand) -> Tensor: ...
def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def fmod(input: Tensor, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def fmod_(input: Tensor, other: _Operand) -> Tensor: ...
def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def frac_(input: Tensor) -> Tensor: ...
def frexp(input: Tensor, *, out: Sequence[Tensor] | None = None) -> _return_types.frexp: ...
def frombuffer(
    buffer: Any,
    *,
    dtype: _DType,
    count: _int = -1,
    offset: _int = 0,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def full(
    size: _Ints,
    fill_value: _Scalar,
    *,
    out: Tensor | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def full_like(
    input: Tensor,
    fill_value: _Scalar,
    *,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def gather(
    input: Tensor,
    dim: _int,
    index: Tensor,
    *,
    sparse_grad: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def gcd_(input: Tensor, other: Tensor) -> Tensor: ...
def ge(input: Tensor, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def ge_(input: Tensor, other: _Operand) -> Tensor: ...
def gelu(input: Tensor, *, approximate: str = "none", out: Tensor | None = None) -> Tensor: ...
def gelu_backward(
    grad_output: Tensor,
    input: Tensor,
    *,
    approximate: str = "none",
    out: Tensor | None = None,
) -> Tensor: ...
def geometric_(input: Tensor, p: _float, *, generator: _Generator | None = None) -> Tensor: ...
def geqrf(input: Tensor, *, out: Sequence[Tensor] | None = None) -> _return_types.geqrf: ...
def ger(input: Any, vec2: Any, *, out: Tensor | None = None) -> Tensor: ...
def glu(input: Tensor, dim: _int = -1, *, out: Tensor | None = None) -> Tensor: ...
def gradient(
    input: Tensor,
    *,
    spacing: Any = None,
    dim: _int | Sequence[_int] | None = None,
    edge_order: _int = 1,
) -> tuple[Tensor, ...]: ...
def greater(input: Tensor, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def greater_equal(input: Tensor, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def group_norm(
    input: Tensor,
    num_groups: _int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: _float = 1e-05,
    cudnn_enabled: _bool = True,
) -> Tensor: ...
def gt(input: Tensor, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def gt_(input: Tensor, other: _Operand) -> Tensor: ...
def hamming_window(
    window_length: _int,
    periodic: _bool = True,
    alpha: _float = 0.54,
    beta: _float = 0.46,
    *,
    dtype: _DType | None = None,
    layout: _layout | None = ...,
    device: _Device | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def hann_window(
    window_length: _int,
    periodic: _bool = True,
    *,
    dtype: _DType | None = None,
    layout: _layout | None = ...,
    device: _Device | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def hardshrink(input: Tensor, lambd: _Scalar = 0.5, *, out: Tensor | None = None) -> Tensor: ...
def hardshrink_backward(
    grad_output: Tensor,
    input: Tensor,
    lambd: _Scalar,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def hardsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def hardsigmoid_(input: Tensor) -> Tensor: ...
def hardsigmoid_backward(grad_output: Tensor, input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def hardswish(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def hardswish_(input: Tensor) -> Tensor: ...
def hardswish_backward(grad_output: Tensor, input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def hardtanh(
    input: Tensor,
    min_val: _Scalar = -1,
    max_val: _Scalar = 1,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def hardtanh_(input: Tensor, min_val: _Scalar = -1, max_val: _Scalar = 1) -> Tensor: ...
def hardtanh_backward(
    grad_output: Tensor,
    input: Tensor,
    min_val: _Scalar,
    max_val: _Scalar,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def heaviside_(input: Tensor, values: Tensor) -> Tensor: ...
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: _float = 1.0, reduction: _int = 0) -> Tensor: ...
def histc(
    input: Tensor,
    bins: _int = 100,
    min: _Scalar = 0,
    max: _Scalar = 0,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def histogram(
    input: Tensor,
    bins: Any = 100,
    *,
    range: Sequence[_float] | None = None,
    weight: Tensor | None = None,
    density: _bool = False,
    out: tuple[Tensor, Tensor] | None = None,
) -> _return_types.histogram: ...
def histogramdd(
    input: Tensor,
    bins: Any,
    range: Sequence[_float] | None = None,
    weight: Tensor | None = None,
    density: _bool = False,
) -> _return_types.histogramdd: ...
def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]: ...
def hstack(tensors: Any, *, out: Tensor | None = None) -> Tensor: ...
def hypot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def hypot_(input: Tensor, other: Tensor) -> Tensor: ...
def imag(input: Any) -> Tensor: ...
def index(input: Tensor, indices: Any) -> Tensor: ...
def index_add(
    input: Tensor,
    dim: _int,
    index: Tensor,
    source: Tensor,
    *,
    alpha: _Scalar = 1,
    out: Tensor | None = None,
) -> Tensor: ...
def index_add_(input: Tensor, dim: _int, index: Tensor, source: Tensor, *, alpha: _Scalar = 1) -> Tensor: ...
def index_copy(input: Tensor, dim: _int, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def index_copy_(input: Tensor, dim: _int, index: Tensor, source: Tensor) -> Tensor: ...
def index_fill(input: Tensor, dim: _int, index: Tensor, value: _Operand) -> Tensor: ...
def index_fill_(input: Tensor, dim: _int, index: Tensor, value: _Operand) -> Tensor: ...
def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: _bool = False) -> Tensor: ...
def index_put_(input: Tensor, indices: Any, values: Tensor, accumulate: _bool = False) -> Tensor: ...
def index_reduce(
    input: Tensor,
    dim: _int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: _bool = True,
    out: Tensor | None = None,
) -> Tensor: ...
def index_reduce_(
    input: Tensor,
    dim: _int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: _bool = True,
) -> Tensor: ...
def index_select(input: Tensor, dim: _int, index: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: _bool,
    momentum: _float,
    eps: _float,
    cudnn_enabled: _bool,
) -> Tensor: ...
def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def isclose(
    input: Any,
    other: Any,
    rtol: _float = 1e-05,
    atol: _float = 1e-08,
    equal_nan: _bool = False,
) -> Tensor: ...
def isfinite(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def isin(
    elements: Any,
    test_elements: Any,
    *,
    assume_unique: _bool = False,
    invert: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def isinf(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def isnan(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def isreal(input: Any) -> Tensor: ...
def istft(
    input: Tensor,
    n_fft: _int,
    hop_length: _int | None = None,
    win_length: _int | None = None,
    window: Tensor | None = None,
    center: _bool = True,
    normalized: _bool = False,
    onesided: _bool | None = None,
    length: _int | None = None,
    return_complex: _bool = False,
) -> Tensor: ...
def kaiser_window(
    window_length: _int,
    periodic: _bool = True,
    beta: _float = 12.0,
    *,
    dtype: _DType | None = None,
    layout: _layout | None = ...,
    device: _Device | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def kl_div(input: Tensor, target: Tensor, reduction: _int = 0, *, log_target: _bool = False) -> Tensor: ...
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def kthvalue(
    input: Tensor,
    k: _int,
    dim: _int = -1,
    keepdim: _bool = False,
    *,
    out: Sequence[Tensor] | None = None,
) -> _return_types.kthvalue: ...
def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[_int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: _float = 1e-05,
    cudnn_enable: _bool = True,
) -> Tensor: ...
def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def lcm_(input: Tensor, other: Tensor) -> Tensor: ...
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def ldexp_(input: Tensor, other: Tensor) -> Tensor: ...
def le(input: Tensor, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def le_(input: Tensor, other: _Operand) -> Tensor: ...
def leaky_relu(input: Tensor, negative_slope: _Scalar = 0.01, *, out: Tensor | None = None) -> Tensor: ...
def leaky_relu_(input: Tensor, negative_slope: _Scalar = 0.01) -> Tensor: ...
def leaky_relu_backward(
    grad_output: Tensor,
    input: Tensor,
    negative_slope: _Scalar,
    self_is_result: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def lerp(input: Tensor, end: Tensor, weight: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def lerp_(input: Tensor, end: Tensor, weight: _Operand) -> Tensor: ...
def less(input: Tensor, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def less_equal(input: Tensor, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def lgamma_(input: Tensor) -> Tensor: ...
def linalg_cholesky_ex(A: Tensor, *, upper: _bool = False) -> tuple[Tensor, Tensor]: ...
def linalg_det(A: Tensor) -> tuple[Tensor, Tensor, Tensor]: ...
def linalg_eig(A: Tensor) -> tuple[Tensor, Tensor]: ...
def linalg_eigh(A: Tensor, UPLO: str = "L", compute_v: _bool = True) -> tuple[Tensor, Tensor]: ...
def linalg_inv_ex(A: Tensor) -> tuple[Tensor, Tensor]: ...
def linalg_lstsq(A: Tensor, B: Tensor, rcond: _float, driver: str) -> tuple[Tensor, Tensor, Tensor, Tensor]: ...
def linalg_lu_factor_ex(A: Tensor) -> tuple[Tensor, Tensor, Tensor]: ...
def linalg_lu_solve(
    LU: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    left: _bool = True,
    adjoint: _bool = False,
) -> Tensor: ...
def linalg_matrix_exp(A: Tensor) -> Tensor: ...
def linalg_pinv(A: Tensor, atol: _Operand, rtol: _Operand, hermitian: _bool = False) -> Tensor: ...
def linalg_qr(A: Tensor, mode: str = "reduced") -> tuple[Tensor, Tensor]: ...
def linalg_slogdet(A: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]: ...
def linalg_solve_ex(A: Tensor, B: Tensor, *, left: _bool = True) -> tuple[Tensor, Tensor, Tensor, Tensor]: ...
def linalg_solve_triangular(
    A: Tensor,
    B: Tensor,
    *,
    upper: _bool,
    left: _bool = True,
    unitriangular: _bool = False,
) -> Tensor: ...
def linalg_svd(
    A: Tensor,
    full_matrices: _bool = False,
    compute_uv: _bool = True,
) -> tuple[Tensor, Tensor, Tensor]: ...
def linalg_vector_norm(
    input: Tensor,
    ord: _Scalar = 2,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _DType | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def linspace(
    start: Any = None,
    end: Any = None,
    steps: Any = None,
    *,
    out: Tensor | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def lobpcg(
    A: Tensor,
    k: _int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: _int | None = None,
    iK: Tensor | None = None,
    niter: _int | None = None,
    tol: _float | None = None,
    largest: _bool | None = None,
    method: str | None = None,
    tracker: Any = None,
    ortho_iparams: dict[str, _int] | None = None,
    ortho_fparams: dict[str, _float] | None = None,
    ortho_bparams: dict[str, _bool] | None = None,
) -> tuple[Tensor, Tensor]: ...
def log(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log10_(input: Tensor) -> Tensor: ...
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log1p_(input: Tensor) -> Tensor: ...
def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log2_(input: Tensor) -> Tensor: ...
def log_(input: Tensor) -> Tensor: ...
def log_normal_(
    input: Tensor,
    mean: _float = 1,
    std: _float = 2,
    *,
    generator: _Generator | None = None,
) -> Tensor: ...
def log_sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log_sigmoid_backward(grad_output: Tensor, input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log_softmax(input: Tensor, dim: _int, dtype: _DType | None = None, *, out: Tensor | None = None) -> Tensor: ...
def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logcumsumexp(input: Tensor, dim: _int, *, out: Tensor | None = None) -> Tensor: ...
def logdet(input: Tensor) -> Tensor: ...
def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logical_and_(input: Tensor, other: Tensor) -> Tensor: ...
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logical_not_(input: Tensor) -> Tensor: ...
def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logical_or_(input: Tensor, other: Tensor) -> Tensor: ...
def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logical_xor_(input: Tensor, other: Tensor) -> Tensor: ...
def logit(input: Tensor, eps: _float | None = None, *, out: Tensor | None = None) -> Tensor: ...
def logit_(input: Tensor, eps: _float | None = None) -> Tensor: ...
def logspace(
    start: Any = None,
    end: Any = None,
    steps: Any = None,
    base: _float = 10.0,
    *,
    out: Tensor | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def logsumexp(input: Tensor, dim: _Ints, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
def lt(input: Tensor, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def lt_(input: Tensor, other: _Operand) -> Tensor: ...
def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: _bool = True,
    unpack_pivots: _bool = True,
    *,
    out: Sequence[Tensor] | None = None,
) -> _return_types.lu_unpack: ...
def mH(input: Tensor) -> Tensor: ...
def mT(input: Tensor) -> Tensor: ...
def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: _float = 0.0,
    reduction: _int = 0,
) -> Tensor: ...
def masked_fill(input: Tensor, mask: Tensor, value: _Operand) -> Tensor: ...
def masked_fill_(input: Tensor, mask: Tensor, value: _Operand) -> Tensor: ...
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor: ...
def masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor: ...
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def matrix_H(input: Tensor) -> Tensor: ...
def matrix_exp(input: Tensor) -> Tensor: ...
def matrix_power(input: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor: ...
def max_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
) -> Tensor: ...
def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints = 0,
    dilation: _Ints = 1,
    ceil_mode: _bool = False,
) -> tuple[Tensor, Tensor]: ...
def max_pool2d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
) -> Tensor: ...
def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints = 0,
    dilation: _Ints = 1,
    ceil_mode: _bool = False,
) -> tuple[Tensor, Tensor]: ...
def max_pool3d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
) -> Tensor: ...
def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints = 0,
    dilation: _Ints = 1,
    ceil_mode: _bool = False,
) -> tuple[Tensor, Tensor]: ...
def maximum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def mean(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _DType | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Any, ...]: ...
def minimum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def mish(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def mish_(input: Tensor) -> Tensor: ...
def mish_backward(grad_output: Tensor, input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def mode(
    input: Tensor,
    dim: _int = -1,
    keepdim: _bool = False,
    *,
    out: Sequence[Tensor] | None = None,
) -> _return_types.mode: ...
def moveaxis(input: Tensor, source: _Ints, destination: _Ints) -> Tensor: ...
def movedim(input: Tensor, source: _Ints, destination: _Ints) -> Tensor: ...
def msort(input: Any, *, out: Tensor | None = None) -> Tensor: ...
def mul(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def mul_(input: Tensor, other: _Operand) -> Tensor: ...
def multinomial(
    input: Tensor,
    num_samples: _int,
    replacement: _bool = False,
    *,
    generator: _Generator | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def multiply(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def mvlgamma(input: Tensor, p: _int, *, out: Tensor | None = None) -> Tensor: ...
def nan_to_num(
    input: Any,
    nan: _float | None = None,
    posinf: _float | None = None,
    neginf: _float | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def nan_to_num_(
    input: Any,
    nan: _float | None = None,
    posinf: _float | None = None,
    neginf: _float | None = None,
) -> Tensor: ...
def nanmean(
    input: Any,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _DType | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def nanquantile(
    input: Tensor,
    q: Any,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor: ...
def nansum(
    input: Any,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _DType | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def narrow(input: Tensor, dim: _int, start: _int, length: _int) -> Tensor: ...
def narrow_copy(input: Tensor, dim: _int, start: _int, length: _int, *, out: Tensor | None = None) -> Tensor: ...
def ne(input: Tensor, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def ne_(input: Tensor, other: _Operand) -> Tensor: ...
def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def neg_(input: Tensor) -> Tensor: ...
def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def negative_(input: Tensor) -> Tensor: ...
@overload
def new_empty(
    input: Tensor,
    size: _Ints,
    *,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
@overload
def new_empty(
    input: Tensor,
    *size: _int,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def new_empty_strided(
    input: Tensor,
    size: _Ints,
    stride: _Ints,
    *,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def new_full(
    input: Tensor,
    size: _Ints,
    fill_value: _Scalar,
    *,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
@overload
def new_ones(
    input: Tensor,
    size: _Ints,
    *,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
@overload
def new_ones(
    input: Tensor,
    *size: _int,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def new_tensor(
    input: Tensor,
    data: Any,
    *,
    dtype: _DType | None = None,
    device: _Device | None = None,
    requires_grad: _bool | None = False,
    pin_memory: _bool | None = False,
) -> Tensor: ...
@overload
def new_zeros(
    input: Tensor,
    size: _Ints,
    *,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
@overload
def new_zeros(
    input: Tensor,
    *size: _int,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def nextafter_(input: Tensor, other: Tensor) -> Tensor: ...
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: _int = 1,
    ignore_index: _int = -100,
) -> Tensor: ...
def nll_loss_backward(
    grad_output: Tensor,
    self_shape: _Ints,
    target: Tensor,
    weight: Tensor | None,
    reduction: _int,
    ignore_index: _int,
) -> Tensor: ...
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[False] = False, out: Tensor | None = None) -> Tensor: ...
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True], out: Tensor | None = None) -> tuple[Tensor, ...]: ...
@overload
def nonzero(input: Tensor, *, as_tuple: _bool = False, out: Tensor | None = None) -> Any: ...
def norm(
    input: Tensor,
    p: Any = "fro",
    dim: _Ints | None = None,
    keepdim: _bool = False,
    out: Tensor | None = None,
    dtype: _DType | None = None,
) -> Tensor: ...
def normal(
    mean: Any,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: _Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    device: _Device | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def normal_(input: Tensor, mean: _float = 0, std: _float = 1, *, generator: _Generator | None = None) -> Tensor: ...
def normalization_backward(
    grad_output: Tensor,
    input: Tensor,
    weight: Tensor | None,
    mean: Tensor,
    var: Tensor,
    given: _bool,
    layout: _layout,
    eps: _float,
) -> tuple[Tensor, Tensor, Tensor]: ...
def not_equal(input: Tensor, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def numpy_T(input: Tensor) -> Tensor: ...
@overload
def ones(
    size: _Ints,
    *,
    out: Tensor | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
@overload
def ones(
    *size: _int,
    out: Tensor | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def ones_like(
    input: Tensor,
    *,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def orgqr(input: Tensor, input2: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def ormqr(
    input: Tensor,
    tau: Tensor,
    other: Tensor,
    left: _bool = True,
    transpose: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def pairwise_distance(
    x1: Tensor,
    x2: Tensor,
    p: _float = 2.0,
    eps: _float = 1e-06,
    keepdim: _bool = False,
) -> Tensor: ...
def pdist(input: Tensor, p: _float = 2.0) -> Tensor: ...
@overload
def permute(input: Tensor, dims: _Ints) -> Tensor: ...
@overload
def permute(input: Tensor, *dims: _int) -> Tensor: ...
def permute_copy(input: Tensor, dims: Sequence[_int], *, out: Tensor | None = None) -> Tensor: ...
def pinverse(input: Tensor, rcond: _float = 1e-15) -> Tensor: ...
def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor: ...
def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor: ...
def poisson(input: Tensor, *, generator: _Generator | None = None) -> Tensor: ...
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: _bool,
    full: _bool,
    eps: _float,
    reduction: _int,
) -> Tensor: ...
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def pool_gather(input: Tensor, indices: Tensor, ndim: _int) -> Tensor: ...
def pool_scatter(grad_output: Tensor, indices: Tensor, input_sizes: _Ints, ndim: _int) -> Tensor: ...
def positive(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def pow(input: _Operand, exponent: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def pow_(input: Tensor, exponent: _Operand) -> Tensor: ...
def prelu(input: Tensor, weight: Tensor) -> Tensor: ...
def prod(
    input: Tensor,
    dim: _int = ...,
    keepdim: _bool = False,
    *,
    dtype: _DType | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor: ...
def qr(input: Tensor, some: _bool = True, *, out: Sequence[Tensor] | None = None) -> _return_types.qr: ...
def quantile(
    input: Tensor,
    q: Any,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor: ...
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def rad2deg_(input: Tensor) -> Tensor: ...
@overload
def rand(
    size: _Ints,
    *,
    generator: _Generator | None = None,
    out: Tensor | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
@overload
def rand(
    *size: _int,
    generator: _Generator | None = None,
    out: Tensor | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def rand_like(
    input: Tensor,
    *,
    generator: _Generator | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def randint(
    low: Any = None,
    high: Any = None,
    size: Any = None,
    *,
    generator: _Generator | None = None,
    out: Tensor | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def randint_like(
    input: Tensor,
    low: Any = None,
    high: Any = None,
    *,
    generator: _Generator | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
@overload
def randn(
    size: _Ints,
    *,
    generator: _Generator | None = None,
    out: Tensor | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
@overload
def randn(
    *size: _int,
    generator: _Generator | None = None,
    out: Tensor | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def randn_like(
    input: Tensor,
    *,
    generator: _Generator | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def random_(
    input: Tensor,
    from_: Any = "unset",
    /,
    to: Any = "unset",
    *,
    generator: _Generator | None = None,
) -> Tensor: ...
def randperm(
    n: _int,
    *,
    generator: _Generator | None = None,
    out: Tensor | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def range(
    start: _Scalar,
    end: _Scalar = ...,
    step: _Scalar = 1,
    *,
    out: Tensor | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def ravel(input: Tensor) -> Tensor: ...
def real(input: Any) -> Tensor: ...
def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def reciprocal_(input: Tensor) -> Tensor: ...
def relu(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def relu_(input: Tensor) -> Tensor: ...
def remainder(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def remainder_(input: Tensor, other: _Operand) -> Tensor: ...
def renorm(input: Any, p: Any, dim: _int, maxnorm: Any, *, out: Tensor | None = None) -> Tensor: ...
@overload
def repeat(input: Tensor, repeats: _Ints) -> Tensor: ...
@overload
def repeat(input: Tensor, *repeats: _int) -> Tensor: ...
def repeat_interleave(
    input: Tensor | None = None,
    repeats: Any = None,
    dim: _int | None = None,
    *,
    output_size: _int | None = None,
) -> Tensor: ...
@overload
def reshape(input: Tensor, shape: _Ints) -> Tensor: ...
@overload
def reshape(input: Tensor, *shape: _int) -> Tensor: ...
def reshape_as(input: Tensor, other: Tensor) -> Tensor: ...
@overload
def resize_(input: Tensor, size: _Ints, *, memory_format: _memory_format | None = None) -> Tensor: ...
@overload
def resize_(input: Tensor, *size: _int, memory_format: _memory_format | None = None) -> Tensor: ...
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: _memory_format | None = None) -> Tensor: ...
def resolve_conj(input: Any) -> Tensor: ...
def resolve_neg(input: Any) -> Tensor: ...
def restride(
    input: Tensor,
    source: Any,
    target: Any,
    shared: Any = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[_int],
    weight: Tensor | None = None,
    eps: _float | None = None,
) -> Tensor: ...
def roll(input: Tensor, shifts: _Ints, dims: _Ints | None = None) -> Tensor: ...
def rot90(input: Tensor, k: _int = 1, dims: _Ints = (0, 1)) -> Tensor: ...
def round(input: Tensor, *, decimals: _int = 0, out: Tensor | None = None) -> Tensor: ...
def round_(input: Tensor, *, decimals: _int = 0) -> Tensor: ...
def row_stack(tensors: Any, *, out: Tensor | None = None) -> Tensor: ...
def rrelu(
    input: Tensor,
    lower: _float = 0.125,
    upper: _float = ...,
    training: _bool = False,
    generator: _Generator | None = None,
) -> Tensor: ...
def rrelu_(
    input: Tensor,
    lower: _float = 0.125,
    upper: _float = ...,
    training: _bool = False,
    generator: _Generator | None = None,
) -> Tensor: ...
def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def rsqrt_(input: Tensor) -> Tensor: ...
def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor: ...
def scalar_tensor(
    s: _Scalar,
    *,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def scatter(
    input: Tensor,
    dim: _int,
    index: Tensor,
    src: _Operand | None = None,
    *,
    value: _Operand | None = None,
    reduce: str | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def scatter_(
    input: Tensor,
    dim: _int,
    index: Tensor,
    src: _Operand | None = None,
    *,
    value: _Operand | None = None,
    reduce: str | None = None,
) -> Tensor: ...
def scatter_add(input: Tensor, dim: _int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def scatter_add_(input: Tensor, dim: _int, index: Tensor, src: Tensor) -> Tensor: ...
def scatter_reduce(
    input: Tensor,
    dim: _int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: _bool = True,
    out: Tensor | None = None,
) -> Tensor: ...
def scatter_reduce_(
    input: Tensor,
    dim: _int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: _bool = True,
) -> Tensor: ...
def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: _bool = False,
    right: _bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def select(input: Tensor, dim: _int, index: _int) -> Tensor: ...
def select_backward(grad_output: Tensor, input_sizes: _Ints, dim: _int, index: _int) -> Tensor: ...
def select_copy(input: Tensor, dim: _int, index: _int, *, out: Tensor | None = None) -> Tensor: ...
def select_scatter(input: Tensor, src: Tensor, dim: _int, index: _int) -> Tensor: ...
def selu(input: Tensor) -> Tensor: ...
def selu_(input: Tensor) -> Tensor: ...
def set_(
    input: Tensor,
    source: Any = ...,
    storage_offset: _int = 0,
    size: _Ints | None = None,
    stride: _Ints | None = None,
) -> Tensor: ...
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sgn_(input: Tensor) -> Tensor: ...
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sigmoid_(input: Tensor) -> Tensor: ...
def sigmoid_backward(grad_output: Tensor, output: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sign_(input: Tensor) -> Tensor: ...
def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def silu(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def silu_(input: Tensor) -> Tensor: ...
def silu_backward(grad_output: Tensor, input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sin_(input: Tensor) -> Tensor: ...
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sinc_(input: Tensor) -> Tensor: ...
def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sinh_(input: Tensor) -> Tensor: ...
def slice(
    input: Tensor,
    dim: _int = 0,
    start: _int | None = None,
    end: _int | None = None,
    step: _int = 1,
) -> Tensor: ...
def slice_backward(
    grad_output: Tensor,
    input_sizes: _Ints,
    dim: _int,
    start: _int | None,
    end: _int | None,
    step: _int,
) -> Tensor: ...
def slice_copy(
    input: Tensor,
    dim: _int = 0,
    start: _int | None = None,
    end: _int | None = None,
    step: _int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: _int = 0,
    start: _int | None = None,
    end: _int | None = None,
    step: _int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def slogdet(input: Tensor, *, out: Sequence[Tensor] | None = None) -> _return_types.slogdet: ...
def softmax(input: Tensor, dim: _int, dtype: _DType | None = None, *, out: Tensor | None = None) -> Tensor: ...
def softplus(input: Tensor, beta: _Scalar = 1, threshold: _Scalar = 20, *, out: Tensor | None = None) -> Tensor: ...
def softplus_backward(
    grad_output: Tensor,
    input: Tensor,
    beta: _Scalar,
    threshold: _Scalar,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def softshrink(input: Tensor, lambd: _Scalar = 0.5, *, out: Tensor | None = None) -> Tensor: ...
def softshrink_backward(
    grad_output: Tensor,
    input: Tensor,
    lambd: _Scalar,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def sort(
    input: Tensor,
    dim: _int = -1,
    descending: _bool = False,
    *,
    stable: _bool | None = None,
    out: Sequence[Tensor] | None = None,
) -> _return_types.sort: ...
def split(input: Tensor, split_size: Any, dim: _int = 0) -> tuple[Tensor, ...]: ...
def split_copy(
    input: Tensor,
    split_size: Any,
    dim: _int = 0,
    *,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, ...] | None: ...
def split_with_sizes(input: Tensor, split_sizes: _Ints, dim: _int = 0) -> tuple[Tensor, ...]: ...
def split_with_sizes_copy(
    input: Tensor,
    split_sizes: Sequence[_int],
    dim: _int = 0,
    *,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, ...] | None: ...
def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sqrt_(input: Tensor) -> Tensor: ...
def square(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def square_(input: Tensor) -> Tensor: ...
@overload
def squeeze(input: Tensor, dim: _Ints = ...) -> Tensor: ...
@overload
def squeeze(input: Tensor, *dim: _int) -> Tensor: ...
@overload
def squeeze_(input: Tensor, dim: _Ints = ...) -> Tensor: ...
@overload
def squeeze_(input: Tensor, *dim: _int) -> Tensor: ...
def squeeze_copy(input: Tensor, dim: _int | Sequence[_int] = ..., *, out: Tensor | None = None) -> Tensor: ...
def stack(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def std(
    input: Tensor,
    dim: _Ints | None = ...,
    unbiased: _bool = ...,
    keepdim: _bool = ...,
    *,
    correction: _float | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def std_mean(
    input: Tensor,
    dim: _Ints | None = ...,
    unbiased: _bool = ...,
    keepdim: _bool = ...,
    *,
    correction: _float | None = None,
) -> tuple[Tensor, Tensor]: ...
def stft(
    input: Tensor,
    n_fft: _int,
    hop_length: _int | None = None,
    win_length: _int | None = None,
    window: Tensor | None = None,
    center: Any = True,
    pad_mode: str = "reflect",
    normalized: _bool = False,
    onesided: _bool | None = None,
    return_complex: _bool | None = None,
    align_to_window: _bool | None = None,
) -> Tensor: ...
def sub(input: _Operand, other: _Operand, *, alpha: _Scalar = 1, out: Tensor | None = None) -> Tensor: ...
def sub_(input: Tensor, other: _Operand, *, alpha: _Scalar = 1) -> Tensor: ...
def subtract(input: _Operand, other: _Operand, *, alpha: _Scalar = 1, out: Tensor | None = None) -> Tensor: ...
def sum(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _DType | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def svd(
    input: Tensor,
    some: _bool = True,
    compute_uv: _bool = True,
    *,
    out: Sequence[Tensor] | None = None,
) -> _return_types.svd: ...
def swapaxes(input: Tensor, axis0: _int, axis1: _int) -> Tensor: ...
def swapdims(input: Tensor, dim0: _int, dim1: _int) -> Tensor: ...
def t(input: Tensor) -> Tensor: ...
def t_(input: Tensor) -> Tensor: ...
def t_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def take_along_dim(
    input: Tensor,
    indices: Tensor,
    dim: _int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def tan_(input: Tensor) -> Tensor: ...
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def tanh_(input: Tensor) -> Tensor: ...
def tanh_backward(grad_output: Tensor, output: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def tensor(
    data: Any,
    *,
    dtype: _DType | None = None,
    device: _Device | None = None,
    requires_grad: _bool | None = False,
    pin_memory: _bool | None = False,
) -> Tensor: ...
def tensor_split(
    input: Tensor,
    indices_or_sections: Any = None,
    dim: _int = 0,
    *,
    indices: Any = None,
    sections: _int = ...,
) -> tuple[Tensor, ...]: ...
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Tensor: ...
def threshold(input: Tensor, threshold: _Scalar, value: _Scalar, *, out: Tensor | None = None) -> Tensor: ...
def threshold_(input: Tensor, threshold: _Scalar, value: _Scalar) -> Tensor: ...
def threshold_backward(
    grad_output: Tensor,
    input: Tensor,
    threshold: _Scalar,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def tile(input: Tensor, *counts: Any, dims: Any = None) -> Tensor: ...
def topk(
    input: Tensor,
    k: _int,
    dim: _int = -1,
    largest: _bool = True,
    sorted: _bool = True,
    *,
    out: Sequence[Tensor] | None = None,
) -> _return_types.topk: ...
def trace(input: Tensor) -> Tensor: ...
def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor: ...
def transpose_(input: Tensor, dim0: _int, dim1: _int) -> Tensor: ...
def transpose_copy(input: Tensor, dim0: _int, dim1: _int, *, out: Tensor | None = None) -> Tensor: ...
def trapezoid(y: Tensor, x: Tensor = ..., *, dx: Any = 1, dim: _int = -1) -> Tensor: ...
def trapz(y: Tensor, x: Tensor = ..., *, dx: _float = 1, dim: _int = -1) -> Tensor: ...
def triangular_solve(
    b: Tensor,
    A: Tensor,
    upper: _bool = True,
    transpose: _bool = False,
    unitriangular: _bool = False,
    *,
    out: Sequence[Tensor] | None = None,
) -> _return_types.triangular_solve: ...
def tril(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def tril_(input: Tensor, diagonal: _int = 0) -> Tensor: ...
def tril_indices(
    row: _int,
    col: _int,
    offset: _int = 0,
    *,
    dtype: _DType | None = None,
    device: _Device | None = None,
    layout: _layout | None = None,
    pin_memory: _bool | None = False,
) -> Tensor: ...
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: _float = 1.0,
    p: _float = 2.0,
    eps: _float = 1e-06,
    swap: _bool = False,
    reduction: _int = 0,
) -> Tensor: ...
def triu(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def triu_(input: Tensor, diagonal: _int = 0) -> Tensor: ...
def triu_indices(
    row: _int,
    col: _int,
    offset: _int = 0,
    *,
    dtype: _DType | None = None,
    device: _Device | None = None,
    layout: _layout | None = None,
    pin_memory: _bool | None = False,
) -> Tensor: ...
def true_divide(
    input: _Operand,
    other: _Operand,
    *,
    rounding_mode: str | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def trunc_(input: Tensor) -> Tensor: ...
def unbind(input: Tensor, dim: _int = 0) -> tuple[Tensor, ...]: ...
def unbind_copy(
    input: Tensor,
    dim: _int = 0,
    *,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, ...] | None: ...
def unflatten(input: Tensor, dim: _int, sizes: _Ints) -> Tensor: ...
def unfold(input: Tensor, dimension: _int, size: _int, step: _int) -> Tensor: ...
def unfold_copy(input: Tensor, dimension: _int, size: _int, step: _int, *, out: Tensor | None = None) -> Tensor: ...
def uniform_(
    input: Tensor,
    from_: _float = 0,
    /,
    to: _float = 1,
    *,
    generator: _Generator | None = None,
) -> Tensor: ...
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]: ...
def unsafe_chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]: ...
def unsafe_split(input: Tensor, split_size: _int, dim: _int = 0) -> tuple[Tensor, ...]: ...
def unsafe_split_with_sizes(input: Tensor, split_sizes: Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]: ...
def unsqueeze(input: Tensor, dim: _int) -> Tensor: ...
def unsqueeze_(input: Tensor, dim: _int) -> Tensor: ...
def unsqueeze_copy(input: Tensor, dim: _int, *, out: Tensor | None = None) -> Tensor: ...
def vander(x: Tensor, N: _int | None = None, increasing: _bool = False) -> Tensor: ...
def var(
    input: Tensor,
    dim: _Ints | None = ...,
    unbiased: _bool = ...,
    keepdim: _bool = ...,
    *,
    correction: _float | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def var_mean(
    input: Tensor,
    dim: _Ints | None = ...,
    unbiased: _bool = ...,
    keepdim: _bool = ...,
    *,
    correction: _float | None = None,
) -> tuple[Tensor, Tensor]: ...
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def view(input: Tensor, size: Any) -> Tensor: ...
@overload
def view(input: Tensor, *size: _int) -> Tensor: ...
def view_as(input: Tensor, other: Tensor) -> Tensor: ...
def view_as_complex(input: Tensor) -> Tensor: ...
def view_as_complex_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def view_as_real(input: Tensor) -> Tensor: ...
def view_as_real_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def view_copy(
    input: Tensor,
    size: Any = None,
    *,
    dtype: _DType | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]: ...
def vstack(tensors: Any, *, out: Tensor | None = None) -> Tensor: ...
def xlogy(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def xlogy_(input: Tensor, other: _Operand) -> Tensor: ...
def zero_(input: Tensor) -> Tensor: ...
@overload
def zeros(
    size: _Ints,
    *,
    out: Tensor | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
@overload
def zeros(
    *size: _int,
    out: Tensor | None = None,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
) -> Tensor: ...
def zeros_like(
    input: Tensor,
    *,
    dtype: _DType | None = None,
    layout: _layout | None = None,
    device: _Device | None = None,
    pin_memory: _bool | None = False,
    requires_grad: _bool | None = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
