# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.sparse import Embedding as Embedding
from wengert_nn.modules.sparse import EmbeddingBag as EmbeddingBag

__all__ = [
    "Embedding", "EmbeddingBag"
]
