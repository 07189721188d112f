"""Attention of several heads, with the projections before and after it."""

from __future__ import annotations

from typing import Any, ClassVar

import wengert
from wengert import Tensor
from wengert.nn.functional import multi_head_attention_forward

from wengert_nn import init
from wengert_nn.modules.linear import NonDynamicallyQuantizableLinear
from wengert_nn.modules.module import Module
from wengert_nn.parameter import Parameter

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """Compute, for each of several heads, the means of values that a softmax of products of queries and keys weights.

    Head h computes ``softmax(Q_h K_h^T / sqrt(head_dim)) V_h`` with ``Q_h``, ``K_h`` and ``V_h`` linear in query, key
    and value; a last linear map mixes the heads.

    embed_dim: features of the query and of the result. num_heads: divides `embed_dim`. dropout: the probability of a
    zero in the weights while training. bias: whether the linear maps have biases. add_bias_kv: whether one more key and
    value are learned. add_zero_attn: whether there is one more key and value of zeros. kdim, vdim: features of key and
    value, `embed_dim` by default. batch_first: whether inputs are ``(N, L, E)`` rather than ``(L, N, E)``.
    Source: Vaswani and others, Attention is all you need, 2017.

    >>> import wengert as wg
    >>> attention = wg.nn.MultiheadAttention(8, 2, batch_first=True)
    >>> x = wg.ones(3, 5, 8)
    >>> output, weights = attention(x, x, x)
    >>> output.shape, weights.shape
    (torch.Size([3, 5, 8]), torch.Size([3, 5, 5]))
    """

    __constants__: ClassVar[list[str]] = ["batch_first"]
    bias_k: Tensor | None
    bias_v: Tensor | None
    out_proj: NonDynamicallyQuantizableLinear

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} "
                "instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim: int = embed_dim if kdim is None else kdim
        self.vdim: int = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim: int = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError(f"embed_dim must be divisible by num_heads, got {embed_dim} and {num_heads}")
        shapes = self._projections()
        for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight", "in_proj_weight", "in_proj_bias"):
            shape = (3 * embed_dim if bias else None) if name == "in_proj_bias" else shapes.get(name)
            self.register_parameter(name, make_parameter(shape, device, dtype))
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        for name in ("bias_k", "bias_v"):
            if add_bias_kv:
                self.register_parameter(name, make_parameter((1, 1, embed_dim), device, dtype))
            else:
                setattr(self, name, None)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _projections(self) -> dict[str, tuple[int, int]]:
        """Return the shapes of the weights that project query, key and value: one, or three of them."""
        size = self.embed_dim
        if self._qkv_same_embed_dim:
            return {"in_proj_weight": (3 * size, size)}
        return {"q_proj_weight": (size, size), "k_proj_weight": (size, self.kdim), "v_proj_weight": (size, self.vdim)}

    def _reset_parameters(self) -> None:
        """Draw the weights anew, and set the biases to 0."""
        for name in self._projections():
            init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def __setstate__(self, state: dict[str, Any]) -> None:
        state.setdefault("_qkv_same_embed_dim", True)
        super().__setstate__(state)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Return the result, ``(L, N, E)``, and the weights, or None.

        query: ``(L, N, E)``. key, value: ``(S, N, kdim)`` and ``(S, N, vdim)``; all with N in front if `batch_first`,
        or all without N. key_padding_mask: ``(N, S)``, True for keys that no query sees, or numbers that are added.
        need_weights: without, the weights are not returned, which is faster. attn_mask: ``(L, S)`` or
        ``(N * num_heads, L, S)``, True for keys that a query does not see, or numbers that are added to the products.
        average_attn_weights: return the mean over the heads, ``(N, L, S)``, or the weights of all, ``(N, H, L, S)``.
        is_causal: a hint that `attn_mask`, which is needed then, is the causal one.
        """
        swaps = self.batch_first and query.dim() == 3
        if swaps:
            query, key, value = swap_dims(query, key, value)
        own = self._separate_weights() if not self._qkv_same_embed_dim else {}
        output, weights = multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias,
            self.bias_k, self.bias_v, self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias,
            training=self.training, key_padding_mask=key_padding_mask, need_weights=need_weights, attn_mask=attn_mask,
            average_attn_weights=average_attn_weights, is_causal=is_causal, **own,
        )  # fmt: skip
        return output.transpose(1, 0) if swaps else output, weights

    def _separate_weights(self) -> dict[str, Any]:
        """Return the arguments for weights of query, key and value that are not one matrix."""
        return {"use_separate_proj_weight": True, **{name: getattr(self, name) for name in self._projections()}}

    def merge_masks(
        self, attn_mask: Tensor | None, key_padding_mask: Tensor | None, query: Tensor
    ) -> tuple[Tensor | None, int | None]:
        """Return one mask of both, and its kind: 1 for keys only, 2 otherwise, None without a mask."""
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        batch, length, _ = query.shape
        if attn_mask.dim() == 3:
            merged = attn_mask.view(batch, -1, length, length)
        else:
            merged = attn_mask.view(1, 1, length, length).expand(batch, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            merged = merged + key_padding_mask.view(batch, 1, 1, length).expand(-1, self.num_heads, -1, -1)
        return merged, 2


def make_parameter(shape: Any, device: Any, dtype: Any) -> Any:
    """Return a parameter of a shape; None without one."""
    return None if shape is None else Parameter(wengert.empty(shape, device=device, dtype=dtype))


def swap_dims(query: Any, key: Any, value: Any) -> tuple[Any, Any, Any]:
    """Return the inputs with the first two dims exchanged; equal inputs stay one tensor, and are projected together."""
    new_query = query.transpose(1, 0)
    new_key = new_query if key is query else key.transpose(1, 0)
    return new_query, new_key, new_key if value is key else value.transpose(1, 0)
