"""Attention of several heads, with the projections before and after it."""

from __future__ import annotations

import math
from typing import Any

from wengert_core.ops.nn.attention import scaled_dot_product_attention
from wengert_core.ops.nn.dropout import dropout
from wengert_core.optable.core_table import TABLE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops


def require(condition: bool, message: str) -> None:
    """AssertionError, as torch has it here."""
    if not condition:
        raise AssertionError(message)


def is_batched(
    query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None, attn_mask: Tensor | None
) -> bool:
    """Whether there is a dim of sequences; the ranks of all inputs agree."""
    rank = query.dim()
    require(rank in (2, 3), f"query should be unbatched 2D or batched 3D tensor but received {rank}-D query tensor")
    kind = "batched (3-D)" if rank == 3 else "unbatched (2-D)"
    require(
        key.dim() == rank and value.dim() == rank,
        f"For {kind} `query`, expected `key` and `value` to be {rank}-D but found {key.dim()}-D and {value.dim()}-D "
        "tensors respectively",
    )
    if key_padding_mask is not None:
        require(
            key_padding_mask.dim() == rank - 1,
            f"For {kind} `query`, expected `key_padding_mask` to be `None` or {rank - 1}-D but found "
            f"{key_padding_mask.dim()}-D tensor instead",
        )
    if attn_mask is not None:
        require(
            attn_mask.dim() in (2, 3),
            f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.dim()}-D tensor "
            "instead",
        )
    return rank == 3


def additive(mask: Tensor | None, name: str, dtype: Any, other: Tensor | None = None) -> Any:
    """A mask to be added; truth values say which keys are NOT seen. other: a mask that should be of the same kind."""
    if mask is None:
        return None
    if other is not None and other.dtype is not mask.dtype:
        warn_user(
            "Support for mismatched key_padding_mask and attn_mask is deprecated. Use same type for both instead."
        )
    if mask.dtype.name == "bool":
        return mask.new_zeros(mask.shape, dtype=dtype).masked_fill_(mask, -math.inf)
    require(mask.dtype.category == 2, f"only bool and floating types of {name} are supported")
    return mask


def shaped_mask(mask: Tensor | None, heads: int, queries: int, keys: int) -> Any:
    """The mask as [1 or heads of all sequences, queries, keys]."""
    if mask is None:
        return None
    wanted: tuple[int, ...] = (queries, keys) if mask.dim() == 2 else (heads, queries, keys)
    if tuple(mask.shape) != wanted:
        raise RuntimeError(f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {wanted}.")
    return mask.unsqueeze(0) if mask.dim() == 2 else mask


def project_inputs(inputs: Any, weights: Any, bias: Tensor | None) -> list[Any]:
    """Each of query, key and value by its own matrix; equal inputs by one product."""
    linear = ops["nn.functional.linear"]
    query, key, value = inputs
    if not isinstance(weights, (list, tuple)):
        if query is key is value:
            return list(linear(query, weights, bias).chunk(3, -1))
        weights = weights.chunk(3)
    biases = (None, None, None) if bias is None else bias.chunk(3)
    return [linear(x, w, b) for x, w, b in zip(inputs, weights, biases, strict=True)]


def of_heads(x: Tensor, sequences: int, num_heads: int, size: int) -> Any:
    """[length, sequences, heads * size] as [sequences * heads, length, size]."""
    return x.reshape(x.size(0), sequences * num_heads, size).transpose(0, 1)


def static(x: Tensor, name: str, heads: int, size: int) -> Tensor:
    """Keys or values that are given as they are."""
    require(x.size(0) == heads, f"expecting {name}.size(0) of {heads}, but got {x.size(0)}")
    require(x.size(2) == size, f"expecting {name}.size(2) of {size}, but got {x.size(2)}")
    return x


def longer(mask: Tensor | None, more: int) -> Any:
    """A mask with more keys, which all see."""
    return mask if mask is None or not more else ops["constant_pad_nd"](mask, (0, more), 0)


def as_batch(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """One sequence as a batch of one; equal inputs stay one tensor."""
    if query is key is value:
        query = query.unsqueeze(1)
        return query, query, query
    return query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)


def chosen_weights(key: Tensor, value: Tensor, together: Tensor | None, separate: Any) -> Any:
    """The matrix of all three projections, or (separate) one for each."""
    if separate is None:
        require(key.shape == value.shape, f"key shape {key.shape} does not match value shape {value.shape}")
        require(together is not None, "use_separate_proj_weight is False but in_proj_weight is None")
        return together
    require(
        tuple(key.shape[:2]) == tuple(value.shape[:2]),
        f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}",
    )
    for name, weight in zip("qkv", separate, strict=True):
        require(weight is not None, f"use_separate_proj_weight is True but {name}_proj_weight is None")
    return separate


def with_bias(k: Tensor, v: Tensor, bias_k: Tensor | None, bias_v: Tensor | None, is_static: tuple[bool, bool]) -> Any:
    """Keys and values with one more, the same for all sequences."""
    if bias_k is None or bias_v is None:
        require(bias_k is None, "bias_k is set but bias_v is None")
        require(bias_v is None, "bias_v is set but bias_k is None")
        return k, v
    require(not is_static[0], "bias cannot be added to static key.")
    require(not is_static[1], "bias cannot be added to static value.")
    return (ops["cat"]([x, more.expand(1, x.size(1), -1)]) for x, more in ((k, bias_k), (v, bias_v)))


def with_zeros(x: Tensor) -> Any:
    """[heads, length, size] with one more row of zeros."""
    return ops["constant_pad_nd"](x, (0, 0, 0, 1), 0)


def joined_masks(mask: Tensor | None, padding: Tensor | None, sequences: int, heads: int, keys: int) -> Any:
    """The masks of all queries and of each sequence's keys, added."""
    if padding is None:
        return mask
    for dim, wanted in enumerate((sequences, keys)):
        require(
            padding.size(dim) == wanted,
            f"Expected key_padded_mask.shape[{dim}] to be {wanted}, but got {padding.size(dim)}",
        )
    each = padding.reshape(sequences, 1, 1, keys).expand(-1, heads // sequences, -1, -1).reshape(heads, 1, keys)
    return each if mask is None else mask + each


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Any,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: Any = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: Any = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: Any = True,
    is_causal: Any = False,
) -> tuple[Any, Any]:
    # Source: Vaswani et al., "Attention is all you need", 2017.
    batched = is_batched(query, key, value, key_padding_mask, attn_mask)
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if not batched:
        query, key, value = as_batch(query, key, value)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    padding_mask = additive(key_padding_mask, "key_padding_mask", query.dtype, attn_mask)
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None
    else:
        attn_mask, is_causal = additive(attn_mask, "attn_mask", query.dtype), False
    length, sequences, width = query.shape
    require(width == embed_dim_to_check, f"was expecting embedding dimension of {embed_dim_to_check}, but got {width}")
    size, heads = width // num_heads, sequences * num_heads
    require(size * num_heads == width, f"embed_dim {width} not divisible by num_heads {num_heads}")
    separate = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    q, k, v = project_inputs((query, key, value), chosen_weights(key, value, in_proj_weight, separate), in_proj_bias)
    attn_mask = shaped_mask(attn_mask, heads, length, key.size(0))
    k, v = with_bias(k, v, bias_k, bias_v, (static_k is not None, static_v is not None))
    q = of_heads(q, sequences, num_heads, size)
    k = of_heads(k, sequences, num_heads, size) if static_k is None else static(static_k, "static_k", heads, size)
    v = of_heads(v, sequences, num_heads, size) if static_v is None else static(static_v, "static_v", heads, size)
    if add_zero_attn:
        k, v = with_zeros(k), with_zeros(v)
    keys, more = k.size(1), (bias_k is not None) + add_zero_attn
    attn_mask = joined_masks(longer(attn_mask, more), longer(padding_mask, more), sequences, heads, keys)
    dropout_p = dropout_p if training else 0.0
    if need_weights:
        result, seen = with_weights(q, k, v, attn_mask, dropout_p)
    else:
        result, seen = scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, is_causal), None
    result = result.transpose(0, 1).reshape(length * sequences, width)
    result = ops["nn.functional.linear"](result, out_proj_weight, out_proj_bias)
    result = result.reshape(length, sequences, result.size(1))
    if seen is not None:
        seen = seen.reshape(sequences, num_heads, length, keys)
        seen = seen.mean(1) if average_attn_weights else seen
    return (result, seen) if batched else (result.squeeze(1), None if seen is None else seen.squeeze(0))


def with_weights(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout_p: float) -> tuple[Any, Any]:
    """(result, weights) of [heads, length, size]."""
    scores = (q * (1 / math.sqrt(q.size(-1)))).bmm(k.transpose(-2, -1))
    weights = (scores if mask is None else scores + mask).softmax(-1)
    weights = dropout(weights, dropout_p) if dropout_p > 0 else weights
    return weights.bmm(v), weights


TABLE.composite(multi_head_attention_forward, namespace="nn.functional")
