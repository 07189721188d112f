"""Derivatives of scaled dot-product attention.

The first order is fused: scores are computed again by blocks. The derivatives of the gradient, and forward mode, are
made of ordinary ops with all scores in memory. P: weights, softmax of the scores S = scale q k^T + mask; G: gradient of
the result; E = G v^T, the gradient of P; D = P (E - <P, E>), that of S, with <,> the sum along keys, which stays.
"""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE


def transpose(x: Tensor) -> Tensor:
    """The transpose."""
    return x.transpose(-2, -1)


def sum_over_keys(x: Tensor) -> Tensor:
    """The sum along keys, which stays."""
    return x.sum(-1, True)


def weights_of(query: Tensor, key: Tensor, mask: Any, causal: bool, scale: float) -> Any:
    """P; zeros for a query that sees no key."""
    scores = query @ transpose(key) * scale
    scores = scores if mask is None else scores + mask.to(scores.dtype)
    if causal:
        seen = wc.ones(*scores.shape[-2:], dtype=wc.bool, device=scores.device).tril()
        scores = scores.masked_fill(seen.logical_not(), -math.inf)
    blind = (scores == -math.inf).all(-1, keepdim=True)
    return scores.masked_fill(blind, 0).softmax(-1).masked_fill(blind, 0)


def slope(weights: Tensor, of_weights: Tensor) -> Tensor:
    """The gradient of scores from that of weights; its own transpose."""
    return weights * (of_weights - sum_over_keys(weights * of_weights))


def scores_tangent(
    query_t: Tensor, key_t: Tensor, mask_t: Any, query: Tensor, key: Tensor, mask: Any, scale: float
) -> Tensor:
    """The tangent of S; a mask is float, and has one of its own."""
    scores_t = (query_t @ transpose(key) + query @ transpose(key_t)) * scale
    return scores_t if mask is None or mask_t is None else scores_t + mask_t


def backward(
    grad: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Any,
    result: Tensor,
    logsumexp: Tensor,
    is_causal: bool,
    scale: float,
) -> Any:
    """The gradients of query, key and value."""
    return wc._scaled_dot_product_attention_backward(
        grad, query, key, value, attn_mask, result, logsumexp, is_causal, scale
    )


def attention_tangent(
    query_t: Tensor,
    key_t: Tensor,
    value_t: Tensor,
    attn_mask_t: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Any,
    is_causal: bool,
    scale: float,
) -> Any:
    """The tangent of the result."""
    weights = weights_of(query, key, attn_mask, is_causal, scale)
    scores_t = scores_tangent(query_t, key_t, attn_mask_t, query, key, attn_mask, scale)
    return slope(weights, scores_t) @ value + weights @ value_t, None


TABLE.derivative(
    "_scaled_dot_product_attention",
    joint=backward,
    joint_inputs=("query", "key", "value"),
    jvp=attention_tangent,
    outputs=("result",),
    node="ScaledDotProductFlashAttentionForCpuBackward0",
)


def backward_of_backward(
    grads: Any,
    grad_output: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Any,
    is_causal: bool,
    scale: float,
) -> Any:
    """From cotangents a, b, c of the gradients of query, key and value: those of grad_output, query, key, value."""
    a, b, c = grads
    weights = weights_of(query, key, attn_mask, is_causal, scale)
    of_weights = grad_output @ transpose(value)
    of_scores = slope(weights, of_weights)
    x = (a @ transpose(key) + query @ transpose(b)) * scale  # of D
    w = slope(weights, x)  # of E
    r = (
        grad_output @ transpose(c)
        + x * (of_weights - sum_over_keys(weights * of_weights))
        - of_weights * sum_over_keys(x * weights)
    )
    z = slope(weights, r)  # of S
    return (
        w @ value + weights @ c,
        (z @ key + of_scores @ b) * scale,
        (transpose(z) @ query + transpose(of_scores) @ a) * scale,
        transpose(w) @ grad_output,
    )


def backward_tangents(
    grad_output_t: Tensor,
    query_t: Tensor,
    key_t: Tensor,
    value_t: Tensor,
    attn_mask_t: Any,
    grad_output: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Any,
    is_causal: bool,
    scale: float,
) -> Any:
    """The tangents of the three gradients."""
    weights = weights_of(query, key, attn_mask, is_causal, scale)
    weights_t = slope(weights, scores_tangent(query_t, key_t, attn_mask_t, query, key, attn_mask, scale))
    of_weights = grad_output @ transpose(value)
    of_weights_t = grad_output_t @ transpose(value) + grad_output @ transpose(value_t)
    of_scores = slope(weights, of_weights)
    of_scores_t = weights_t * (of_weights - sum_over_keys(weights * of_weights)) + weights * (
        of_weights_t - sum_over_keys(weights_t * of_weights + weights * of_weights_t)
    )
    return (
        (of_scores_t @ key + of_scores @ key_t) * scale,
        (transpose(of_scores_t) @ query + transpose(of_scores) @ query_t) * scale,
        transpose(weights_t) @ grad_output + transpose(weights) @ grad_output_t,
    )


TABLE.derivative(
    "_scaled_dot_product_attention_backward",
    joint=backward_of_backward,
    joint_inputs=("grad_output", "query", "key", "value"),
    jvp=backward_tangents,
)
