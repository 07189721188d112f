"""Layers of transformers: attention, then a network with one hidden layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from wengert import Tensor
from wengert.nn import functional as F

from wengert_nn.functional.masks import as_additive
from wengert_nn.modules.attention import MultiheadAttention
from wengert_nn.modules.dropout import Dropout
from wengert_nn.modules.linear import Linear
from wengert_nn.modules.module import Module
from wengert_nn.modules.normalization import LayerNorm

__all__ = ["TransformerDecoderLayer", "TransformerEncoderLayer"]

Activation = str | Callable[[Tensor], Tensor]


class TransformerEncoderLayer(Module):
    """Self-attention, then a network with one hidden layer; each is added to its input and normalized.

    d_model: features. nhead: heads of attention. dim_feedforward: features of the hidden layer. dropout: the
    probability of a zero, in three places and in the weights of attention. activation: "relu", "gelu" or a function,
    after the hidden layer. layer_norm_eps: the eps of the normalizations. batch_first: whether inputs are ``(N, L, E)``
    rather than ``(L, N, E)``. norm_first: normalize the inputs of both parts rather than the sums. bias: whether linear
    maps and normalizations have biases.

    >>> import wengert as wg
    >>> wg.nn.TransformerEncoderLayer(8, 2, 16)(wg.ones(5, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    __constants__: ClassVar[list[str]] = ["norm_first"]
    self_attn: MultiheadAttention

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        factory: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **factory)
        self.linear1: Linear = Linear(d_model, dim_feedforward, **factory)
        self.dropout: Dropout = Dropout(dropout)
        self.linear2: Linear = Linear(dim_feedforward, d_model, **factory)
        self.norm_first = norm_first
        self.norm1: LayerNorm = LayerNorm(d_model, eps=layer_norm_eps, **factory)
        self.norm2: LayerNorm = LayerNorm(d_model, eps=layer_norm_eps, **factory)
        self.dropout1: Dropout = Dropout(dropout)
        self.dropout2: Dropout = Dropout(dropout)
        self.activation: Callable[[Tensor], Tensor] = as_activation(activation)
        self.activation_relu_or_gelu: int = activation_number(self.activation)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if not hasattr(self, "activation"):
            self.activation = F.relu

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Return the result; masks as ``MultiheadAttention`` has them."""
        padding = as_additive(src_key_padding_mask, "src_key_padding_mask", src.dtype, src_mask, "src_mask")
        mask = as_additive(src_mask, "src_mask", src.dtype)
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), mask, padding, is_causal=is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, mask, padding, is_causal=is_causal))
        return self.norm2(x + self._ff_block(x))  # type: ignore[no-any-return]

    def _sa_block(
        self, x: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None, is_causal: bool = False
    ) -> Tensor:
        """Return the self-attention."""
        x = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False, is_causal=is_causal
        )[0]
        return self.dropout1(x)  # type: ignore[no-any-return]

    def _ff_block(self, x: Tensor) -> Tensor:
        """Return the network with one hidden layer."""
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))  # type: ignore[no-any-return]


class TransformerDecoderLayer(Module):
    """Self-attention, attention to a memory, then a network with one hidden layer; each is added and normalized.

    The arguments are those of ``TransformerEncoderLayer``.

    >>> import wengert as wg
    >>> wg.nn.TransformerDecoderLayer(8, 2, 16)(wg.ones(4, 3, 8), wg.ones(5, 3, 8)).shape
    torch.Size([4, 3, 8])
    """

    __constants__: ClassVar[list[str]] = ["norm_first"]
    self_attn: MultiheadAttention
    multihead_attn: MultiheadAttention

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        factory: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **factory)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **factory)
        self.linear1: Linear = Linear(d_model, dim_feedforward, **factory)
        self.dropout: Dropout = Dropout(dropout)
        self.linear2: Linear = Linear(dim_feedforward, d_model, **factory)
        self.norm_first = norm_first
        self.norm1: LayerNorm = LayerNorm(d_model, eps=layer_norm_eps, **factory)
        self.norm2: LayerNorm = LayerNorm(d_model, eps=layer_norm_eps, **factory)
        self.norm3: LayerNorm = LayerNorm(d_model, eps=layer_norm_eps, **factory)
        self.dropout1: Dropout = Dropout(dropout)
        self.dropout2: Dropout = Dropout(dropout)
        self.dropout3: Dropout = Dropout(dropout)
        self.activation: Callable[[Tensor], Tensor] = as_activation(activation)

    def __setstate__(self, state: dict[str, Any]) -> None:
        state.setdefault("activation", F.relu)
        super().__setstate__(state)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the result; masks as ``MultiheadAttention`` has them."""
        of_self = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        of_memory = (memory_mask, memory_key_padding_mask, memory_is_causal)
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *of_self)
            x = x + self._mha_block(self.norm2(x), memory, *of_memory)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *of_self))
        x = self.norm2(x + self._mha_block(x, memory, *of_memory))
        return self.norm3(x + self._ff_block(x))  # type: ignore[no-any-return]

    def _sa_block(
        self, x: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None, is_causal: bool = False
    ) -> Tensor:
        """Return the self-attention."""
        x = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, is_causal=is_causal, need_weights=False
        )[0]
        return self.dropout1(x)  # type: ignore[no-any-return]

    def _mha_block(
        self,
        x: Tensor,
        mem: Tensor,
        attn_mask: Tensor | None,
        key_padding_mask: Tensor | None,
        is_causal: bool = False,
    ) -> Tensor:
        """Return the attention to the memory."""
        x = self.multihead_attn(
            x, mem, mem, attn_mask=attn_mask, key_padding_mask=key_padding_mask, is_causal=is_causal,
            need_weights=False,
        )[0]  # fmt: skip
        return self.dropout2(x)  # type: ignore[no-any-return]

    def _ff_block(self, x: Tensor) -> Tensor:
        """Return the network with one hidden layer."""
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))  # type: ignore[no-any-return]


def as_activation(activation: Activation) -> Callable[[Tensor], Tensor]:
    """Return a function, which may be chosen by its name."""
    if not isinstance(activation, str):
        return activation
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    function: Callable[[Tensor], Tensor] = getattr(F, activation)
    return function


def activation_number(activation: Any) -> int:
    """Return 1 for relu, 2 for gelu, 0 for another activation."""
    name = type(activation).__name__ if isinstance(activation, Module) else ""
    if activation is F.relu or name == "ReLU":
        return 1
    return 2 if activation is F.gelu or name == "GELU" else 0
