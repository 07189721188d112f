# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.transformer import Transformer as Transformer
from wengert_nn.modules.transformer import TransformerDecoder as TransformerDecoder
from wengert_nn.modules.transformer import TransformerEncoder as TransformerEncoder
from wengert_nn.modules.transformer_layers import TransformerDecoderLayer as TransformerDecoderLayer
from wengert_nn.modules.transformer_layers import TransformerEncoderLayer as TransformerEncoderLayer

__all__ = [
    "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer"
]
