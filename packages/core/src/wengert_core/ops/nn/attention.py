"""Scaled dot-product attention."""

from __future__ import annotations

import math
from typing import Any

from wengert_core.drivers.pointwise.pointwise_checks import every_sample
from wengert_core.dtypes.dtypes import ALL, C_NAMES
from wengert_core.ops.nn.dropout import dropout
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops

# ---- references


def softmax_and_logsumexp(xp: Any, query: Any, key: Any, mask: Any, causal: Any, scale: Any) -> Any:
    """(softmax of the scores along keys, logarithm of the sums of their exponentials); zeros for who sees no key."""
    scores = xp.matmul(query, xp.swapaxes(key, -1, -2)) * scale
    scores = scores if mask is None else scores + mask
    if causal:
        scores = xp.where(xp.tri(*scores.shape[-2:], dtype=bool), scores, -xp.inf)
    top = scores.max(-1, keepdims=True) if scores.shape[-1] else xp.full((*scores.shape[:-1], 1), -xp.inf, scores.dtype)
    powers = xp.exp(scores - xp.where(top == -xp.inf, 0, top))
    total = powers.sum(-1, keepdims=True)
    seen = total != 0
    sums = xp.where(seen, top + xp.log(total), xp.inf)[..., 0]
    return powers / xp.where(seen, total, 1), sums


def attention_reference(xp: Any, query: Any, key: Any, value: Any, mask: Any, causal: Any, scale: Any) -> Any:
    """The reference of attention."""
    weights, sums = softmax_and_logsumexp(xp, query, key, mask, causal, scale)
    return xp.matmul(weights, value), sums


def attention_backward_reference(
    xp: Any, grad: Any, query: Any, key: Any, value: Any, mask: Any, out: Any, sums: Any, causal: Any, scale: Any
) -> Any:
    """The reference of the gradient."""
    weights, _ = softmax_and_logsumexp(xp, query, key, mask, causal, scale)
    slopes = xp.matmul(grad, xp.swapaxes(value, -1, -2))
    slopes = weights * (slopes - (weights * slopes).sum(-1, keepdims=True)) * scale
    of_query, of_key = xp.matmul(slopes, key), xp.matmul(xp.swapaxes(slopes, -1, -2), query)
    return of_query, of_key, xp.matmul(xp.swapaxes(weights, -1, -2), grad)


# ---- primitives

TABLE.attention_row(
    "_scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask, bool is_causal, "
    "float scale) -> (Tensor result, Tensor logsumexp)",
    reference=attention_reference,
    doc="softmax(query @ key.mT * scale + attn_mask) @ value by blocks, and the logarithm of each query's sum.",
)
TABLE.attention_row(
    "_scaled_dot_product_attention_backward(Tensor grad_output, Tensor query, Tensor key, Tensor value, "
    "Tensor? attn_mask, Tensor result, Tensor logsumexp, bool is_causal, float scale) -> "
    "(Tensor grad_query, Tensor grad_key, Tensor grad_value)",
    reference=attention_backward_reference,
    backward=True,
    doc="The gradients of attention, from scores that are computed again.",
)


# ---- functions


def check(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, is_causal: bool) -> None:
    """What attention refuses."""
    for i, (name, x) in enumerate((("query", query), ("key", key), ("value", value))):
        if not isinstance(x, Tensor):
            raise TypeError(
                f"scaled_dot_product_attention(): argument '{name}' (position {i + 1}) must be Tensor, not "
                f"{type(x).__name__}"
            )
    if min(query.dim(), key.dim(), value.dim()) < 2:
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {query.dim()} "
            f"key.dim: {key.dim()} and value.dim: {value.dim()} instead."
        )
    if query.dtype is not key.dtype or query.dtype is not value.dtype:
        names = [C_NAMES[x.dtype.code] for x in (query, key, value)]
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {names[0]} key.dtype: "
            f"{names[1]} and value.dtype: {names[2]} instead."
        )
    if query.dtype.category < 2:
        raise RuntimeError(f"expected scalar type Float but found {query.dtype}: attention takes floating tensors")
    if mask is None:
        return
    if mask.dtype.name not in ("bool", "float32") and mask.dtype is not query.dtype:
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{C_NAMES[mask.dtype.code]} and  query.dtype: {C_NAMES[query.dtype.code]} instead."
        )
    if is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")


def as_heads(query: Tensor, key: Tensor, value: Tensor) -> tuple[Any, Any]:
    """Keys and values with a head for each of the query's: each serves several of them."""
    heads = query.size(-3)
    if not heads:
        return key, value
    if heads % key.size(-3) or heads % value.size(-3):
        raise RuntimeError(
            f"Number of heads in key and value must divide the number of heads in query, but they are {key.size(-3)}, "
            f"{value.size(-3)} and {heads}"
        )
    return tuple(  # type: ignore[return-value]
        x if x.size(-3) == heads else ops["repeat_interleave"](x, heads // x.size(-3), -3) for x in (key, value)
    )


def additive_mask(mask: Tensor, dtype: Any) -> Any:
    """A mask to be added: 0 where a mask of truth values lets a key be seen, -inf elsewhere."""
    if mask.dtype.name == "bool":
        return mask.new_zeros(mask.shape, dtype=dtype).masked_fill_(mask.logical_not(), -math.inf)
    return mask.to(dtype)


def common_batch(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Any:
    """The inputs with equal dims in front, where blocks can serve them; None where not."""
    sizes = query.shape[:-2]
    if key.shape[:-2] != sizes or value.shape[:-2] != sizes:
        if query.dim() > 64:
            return None
        try:
            sizes = ops["broadcast_shapes"](sizes, key.shape[:-2], value.shape[:-2])
        except RuntimeError:
            return None
        query, key, value = (x.expand(*sizes, *x.shape[-2:]) for x in (query, key, value))
    if query.size(-1) != key.size(-1) or key.size(-2) != value.size(-2):
        return None
    if mask is not None:
        shape = (*sizes, query.size(-2), key.size(-2))
        if mask.dim() > len(shape) or any(m not in (1, n) for m, n in zip(mask.shape[::-1], shape[::-1], strict=False)):
            return None
        mask = mask.expand(shape)
    return query, key, value, mask


def composed_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float, is_causal: bool, scale: float
) -> Any:
    """Attention made of other ops, with all scores in memory."""
    scores = query @ key.transpose(-2, -1) * scale
    if is_causal:
        mask = additive_mask(
            ops["ones"](*scores.shape[-2:], dtype=ALL["bool"], device=scores.device).tril(), query.dtype
        )
    if mask is None:
        weights = scores.softmax(-1)
    else:
        scores = scores + mask
        blind = (scores == -math.inf).all(-1, keepdim=True)
        weights = scores.masked_fill(blind, 0).softmax(-1).masked_fill(blind, 0)
    return (dropout(weights, dropout_p) if dropout_p > 0 else weights) @ value


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    check(query, key, value, attn_mask, is_causal)
    if enable_gqa and query.dim() > 2:
        key, value = as_heads(query, key, value)
    if dropout_p > 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p:g}")
    if scale is None:
        scale = 1 / math.sqrt(query.size(-1)) if query.size(-1) else 1.0
    mask = None if attn_mask is None else additive_mask(attn_mask, query.dtype)
    if dropout_p <= 0 and query.dtype.category == 2 and not (mask is not None and every_sample(mask).requires_grad):
        fitted = common_batch(query, key, value, mask)
        if fitted is not None:
            return ops["_scaled_dot_product_attention"](*fitted, is_causal, float(scale))[0]
    return composed_attention(query, key, value, mask, dropout_p, is_causal, scale)


TABLE.composite(scaled_dot_product_attention, namespace="nn.functional")
