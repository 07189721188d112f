"""Casts of each operation inside of autocast: to lower precision, to float32, or to the widest dtype of its arguments.

The lists are those of PyTorch 2.13 for the CPU and for CUDA; a device of any other type has those of CUDA. Operations
that are in no list compute in the dtypes they get. Tensors of float64, of integers and of complex numbers are never
cast, nor are those on another type of device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert_core import TABLE, bfloat16, float16, float32
from wengert_core.extend import Tensor, dtype

from wengert_compat.amp.contractions import is_product
from wengert_compat.amp.settings import SETTINGS, get_autocast_dtype

Policy = Callable[[list[Any], str], Sequence[Any]]

FLOATING = {bfloat16, float16, float32}
"""Dtypes that autocast casts from."""


# ---- policies
def device_of(values: list[Any]) -> str:
    """Return the type of device that a call runs on: the first among its tensors that is not the CPU's."""
    for value in values:
        for one in value if type(value) in (list, tuple) else (value,):
            if isinstance(one, Tensor) and not one.is_cpu:
                return str(one.device.type)
    return "cpu"


def is_eligible(value: Any, kind: str) -> bool:
    """Return whether a value is a tensor that autocast casts on this type of device."""
    if not isinstance(value, Tensor) or value.dtype not in FLOATING:
        return False
    return value.is_cpu if kind == "cpu" else bool(value.device.type == kind)


def map_tensors(values: list[Any], kind: str, cast: Callable[[Any], Any]) -> list[Any]:
    """Return the values with the tensors among them, and in lists among them, cast."""
    return [
        [cast(one) if is_eligible(one, kind) else one for one in value] if type(value) in (list, tuple)
        else cast(value) if is_eligible(value, kind) else value
        for value in values
    ]  # fmt: skip


def lower(values: list[Any], kind: str) -> list[Any]:
    """Cast to the dtype of lower precision."""
    target = get_autocast_dtype(kind)
    return map_tensors(values, kind, lambda t: t if t.dtype is target else lower_precision(t, target))


def lower_precision(t: Tensor, target: Any) -> Tensor:
    """Return a tensor in lower precision: of a leaf of float32 the one made before, unless it was written to since."""
    if not (SETTINGS.cache_enabled and t.requires_grad and t.is_leaf and t.dtype is float32 and not t._is_view()):
        return t.to(target)
    kept = SETTINGS.cache.get(id(t))
    if kept is not None and kept[0] is t and kept[1] == t._version and kept[2].dtype is target:
        return kept[2]  # type: ignore[no-any-return]
    made = t.to(target)
    if made.requires_grad:  # under no_grad() it is not, and must not stand for the leaf later
        SETTINGS.cache[id(t)] = (t, t._version, made)
    return made


def lower_of_products(name: str) -> Policy:
    """Return the policy of a function that multiplies matrices or elements, by its arguments."""
    return lambda values, kind: lower(values, kind) if is_product(name, values) else values


def single(values: list[Any], kind: str) -> list[Any]:
    """Cast to float32."""
    return map_tensors(values, kind, lambda t: t.to(float32))


def single_at_borders(values: list[Any], kind: str) -> list[Any]:
    """Cast to float32 where padding repeats or reflects its input."""
    reads_borders = any(isinstance(value, str) and value in ("reflect", "replicate") for value in values)
    return single(values, kind) if reads_borders else values


def single_unless_dtype(values: list[Any], kind: str) -> list[Any]:
    """Cast to float32, unless the call says in which dtype it is to compute."""
    return values if any(isinstance(value, dtype) for value in values) else single(values, kind)


def widest(values: list[Any], kind: str) -> list[Any]:
    """Cast to the one dtype among the tensors, or to float32 where there are several."""
    found: set[Any] = set()
    map_tensors(values, kind, lambda t: found.add(t.dtype))
    target = next(iter(found)) if len(found) == 1 else float32
    return map_tensors(values, kind, lambda t: t.to(target))


def refuse_op(values: list[Any], kind: str) -> list[Any]:
    """Refuse binary_cross_entropy on a GPU: what it needs, float16 cannot hold."""
    raise RuntimeError(
        "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast. "
        "Use binary_cross_entropy_with_logits, which computes the sigmoid as well, or autocast(enabled=False) around."
    )


# ---- lists
def policies_by_name(policy: Policy, names: str) -> dict[str, Policy]:
    """Return a policy for each name: of an op, or of a function with the part of the namespace it is in."""
    return dict.fromkeys(names.split(), policy)


PRODUCTS = """
    mm bmm addmm addbmm baddbmm matmul linalg.matmul linalg.vecdot prelu
    conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d
    nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d nn.functional.conv_transpose1d
    nn.functional.conv_transpose2d nn.functional.conv_transpose3d nn.functional.linear nn.functional.prelu
    nn.functional.scaled_dot_product_attention
"""
LOSSES = """
    binary_cross_entropy_with_logits cosine_embedding_loss hinge_embedding_loss kl_div margin_ranking_loss nll_loss
    poisson_nll_loss triplet_margin_loss nn.functional.binary_cross_entropy_with_logits
    nn.functional.cosine_embedding_loss nn.functional.hinge_embedding_loss nn.functional.huber_loss
    nn.functional.kl_div nn.functional.l1_loss nn.functional.margin_ranking_loss nn.functional.mse_loss
    nn.functional.multi_margin_loss nn.functional.multilabel_margin_loss nn.functional.nll_loss
    nn.functional.poisson_nll_loss nn.functional.smooth_l1_loss nn.functional.soft_margin_loss
    nn.functional.triplet_margin_loss
"""
MATRICES = """
    cholesky cholesky_inverse cholesky_solve geqrf inverse lu lu_solve orgqr ormqr pinverse qr svd triangular_solve
    linalg.cholesky linalg.cholesky_ex linalg.cond linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh
    linalg.householder_product linalg.inv linalg.inv_ex linalg.lstsq linalg.matrix_rank linalg.qr linalg.solve
    linalg.svd linalg.svdvals linalg.tensorinv linalg.tensorsolve
"""
TRANSFORMS = "stft " + " ".join(
    f"fft.{name}" for name in "fft fft2 fftn hfft ifft ifft2 ifftn ihfft irfft irfft2 irfftn rfft rfft2 rfftn".split()
)

CPU: dict[str, Policy] = {
    **policies_by_name(lower, PRODUCTS + "chain_matmul linalg.multi_dot"),
    **policies_by_name(single, LOSSES + MATRICES + TRANSFORMS),
    **policies_by_name(single, """
        cdist ctc_loss nn.functional.ctc_loss nn.functional.binary_cross_entropy nn.functional.cross_entropy
        nn.functional.grid_sample nn.functional.adaptive_avg_pool3d nn.functional.adaptive_max_pool3d
        nn.functional.avg_pool3d nn.functional.max_pool3d max_pool3d
        nanquantile quantile polar prod trace view_as_complex
    """),
    **policies_by_name(single_at_borders, "nn.functional.pad"),
    **{name: lower_of_products(name) for name in ("einsum", "inner", "tensordot")},
    **policies_by_name(widest, "cat stack index_copy"),
}  # fmt: skip
"""The policies of calls on the CPU."""

ACCELERATOR: dict[str, Policy] = {
    **policies_by_name(lower, PRODUCTS + "addmv addr mv einsum chain_matmul linalg.multi_dot"),
    **policies_by_name(single, LOSSES),
    **policies_by_name(single, """
        acos asin cosh erfinv exp expm1 log log10 log1p log2 reciprocal rsqrt sinh tan pow nn.functional.softplus
        layer_norm nn.functional.layer_norm group_norm nn.functional.group_norm rms_norm nn.functional.rms_norm
        cosine_similarity nn.functional.cosine_similarity dist pdist nn.functional.pdist cdist renorm logsumexp norm
        nn.functional.interpolate
    """),
    **policies_by_name(single_unless_dtype, """
        prod softmax nn.functional.softmax log_softmax nn.functional.log_softmax cumprod cumsum sum
        linalg.vector_norm linalg.matrix_norm linalg_vector_norm _norm
    """),
    **policies_by_name(widest, """
        addcdiv addcmul atan2 bilinear nn.functional.bilinear cross dot vdot nn.functional.grid_sample index_put
        tensordot scatter_add
    """),
    **policies_by_name(refuse_op, "nn.functional.binary_cross_entropy"),
}  # fmt: skip
"""The policies of calls on other devices."""

BY_LAST_NAME: dict[str, list[str]] = {}
for _name in (*CPU, *ACCELERATOR):
    for _shown in {_name.rpartition(".")[2], _name.replace(".", "_")}:  # linalg.inv calls itself linalg_inv
        BY_LAST_NAME.setdefault(_shown, []).append(_name)


def cast_for(function: Any) -> Callable[[list[Any]], Sequence[Any]] | None:
    """Return what casts the arguments of an op or a function; None where it is in no list."""
    name = next((name for name in BY_LAST_NAME.get(function.__name__, ()) if TABLE.ops.get(name) is function), "")
    policies = {"cpu": CPU.get(name)}
    elsewhere = ACCELERATOR.get(name)

    def cast(values: list[Any]) -> Sequence[Any]:
        kind = device_of(values)
        policy = policies.get(kind, elsewhere)
        return policy(values, kind) if policy is not None and kind in SETTINGS.enabled else values

    return cast if name else None
