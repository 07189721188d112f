"""Transformers: an encoder, a decoder, and both together."""

from __future__ import annotations

import copy
import warnings
from typing import Any, ClassVar

from wengert import Tensor
from wengert.nn import functional as F

from wengert_nn import init
from wengert_nn.functional.masks import as_additive, is_causal_mask, subsequent_mask, zero_padding
from wengert_nn.modules.container import ModuleList
from wengert_nn.modules.module import Module
from wengert_nn.modules.normalization import LayerNorm
from wengert_nn.modules.transformer_layers import Activation, TransformerDecoderLayer, TransformerEncoderLayer

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]

class Transformer(Module):
    """An encoder of a source sequence, and a decoder that reads a target sequence and what the encoder returned.

    d_model: features of both sequences and of the result. nhead: heads of attention. num_encoder_layers,
    num_decoder_layers, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias: as for
    ``TransformerEncoderLayer``. custom_encoder, custom_decoder: modules in their places. All weights with more than one
    dim are drawn by ``xavier_uniform_``.
    Source: Vaswani and others, Attention is all you need, 2017.

    >>> import wengert as wg
    >>> model = wg.nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
    >>> model(wg.ones(3, 5, 8), wg.ones(3, 4, 8)).shape
    torch.Size([3, 4, 8])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        options = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        factory: dict[str, Any] = {"device": device, "dtype": dtype}
        if custom_encoder is None:
            layer: Module = TransformerEncoderLayer(*options, **factory)
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **factory)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm)
        self.encoder = custom_encoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*options, **factory)
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **factory)
            custom_decoder = TransformerDecoder(layer, num_decoder_layers, norm)
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the decoder's result for `tgt`, ``(T, N, E)``, and the memory of `src`, ``(S, N, E)``.

        The masks of source, target and memory are those of ``MultiheadAttention``.
        """
        batch_dim = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch_dim) != tgt.size(batch_dim):
            raise RuntimeError(
                "the batch number of src and tgt must be equal, but they are "
                f"{src.size(batch_dim)} and {tgt.size(batch_dim)}"
            )
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError(
                "the feature number of src and tgt must be equal to d_model, "
                f"{self.d_model}, but they are {src.size(-1)} and {tgt.size(-1)}"
            )
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        output: Tensor = self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )  # fmt: skip
        return output

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """Return the causal mask: -inf above the diagonal, 0 elsewhere.

        >>> Transformer.generate_square_subsequent_mask(2)
        tensor([[0., -inf],
                [0., 0.]])
        """
        return subsequent_mask(sz, device, dtype)

    def _reset_parameters(self) -> None:
        """Draw all weights with more than one dim anew."""
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)


class TransformerEncoder(Module):
    """Copies of an encoder layer, one after the other.

    encoder_layer: the layer that is copied. num_layers: how many copies. norm: a module at the end, or None.
    enable_nested_tensor, mask_check: whether rows of padding become zeros in evaluation, as where PyTorch computes with
    nested tensors; a warning says why they will not.

    >>> import wengert as wg
    >>> layer = wg.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    >>> wg.nn.TransformerEncoder(layer, 2)(wg.ones(3, 5, 8)).shape
    torch.Size([3, 5, 8])
    """

    __constants__: ClassVar[list[str]] = ["norm"]

    def __init__(
        self,
        encoder_layer: Any,
        num_layers: int,
        norm: Any = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers: ModuleList = copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        reason = why_not_nested(encoder_layer)
        self.use_nested_tensor: bool = enable_nested_tensor and not reason
        if enable_nested_tensor and reason:
            warnings.warn(
                f"enable_nested_tensor is True, but self.use_nested_tensor is False because {reason}", stacklevel=2
            )

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """Return the result of the last layer. mask, src_key_padding_mask: as ``MultiheadAttention`` has them.

        is_causal: whether the mask is the causal one; None: compare it.
        """
        padding = as_additive(src_key_padding_mask, "src_key_padding_mask", src.dtype, mask, "mask")
        mask = as_additive(mask, "mask", src.dtype)
        is_causal = is_causal_mask(mask, is_causal, length_of(src, self.layers[0]))
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=is_causal, src_key_padding_mask=padding)
        if padding is not None and mask is None and self.use_nested_tensor:
            output = zero_padding(self.layers[0], src, output, padding, self.mask_check)
        return output if self.norm is None else self.norm(output)


class TransformerDecoder(Module):
    """Copies of a decoder layer, one after the other.

    decoder_layer: the layer that is copied. num_layers: how many copies. norm: a module at the end, or None.

    >>> import wengert as wg
    >>> layer = wg.nn.TransformerDecoderLayer(8, 2, 16)
    >>> wg.nn.TransformerDecoder(layer, 2)(wg.ones(4, 3, 8), wg.ones(5, 3, 8)).shape
    torch.Size([4, 3, 8])
    """

    __constants__: ClassVar[list[str]] = ["norm"]

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Any = None) -> None:
        super().__init__()
        self.layers: ModuleList = copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the result of the last layer; masks as ``MultiheadAttention`` has them."""
        output = tgt
        tgt_is_causal = is_causal_mask(tgt_mask, tgt_is_causal, length_of(tgt, self.layers[0]))
        for layer in self.layers:
            output = layer(
                output, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
                memory_is_causal=memory_is_causal,
            )  # fmt: skip
        return output if self.norm is None else self.norm(output)


def copies(module: Any, number: int) -> ModuleList:
    """Return copies of a module."""
    return ModuleList([copy.deepcopy(module) for _ in range(number)])


def length_of(x: Any, layer: Any) -> int:
    """Return the length of sequences ``(L, E)``, ``(L, N, E)`` or ``(N, L, E)``."""
    return int(x.size(1 if x.dim() == 3 and layer.self_attn.batch_first else 0))


def why_not_nested(layer: Any) -> str:
    """Return why PyTorch does not compute with nested tensors for copies of a layer, or ''."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention = layer.self_attn
    reasons = (
        (layer.norm_first, "encoder_layer.norm_first was True"),
        (
            not attention.batch_first,
            "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)",
        ),
        (not attention._qkv_same_embed_dim, "encoder_layer.self_attn._qkv_same_embed_dim was not True"),
        (attention.in_proj_bias is None, "encoder_layer.self_attn was passed bias=False"),
        (not layer.activation_relu_or_gelu, "encoder_layer.activation_relu_or_gelu was not True"),
        (layer.norm1.eps != layer.norm2.eps, "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps"),
        (attention.num_heads % 2 == 1, "encoder_layer.self_attn.num_heads is odd"),
    )
    return next((text for applies, text in reasons if applies), "")
