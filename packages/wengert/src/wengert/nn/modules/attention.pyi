# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.attention import MultiheadAttention as MultiheadAttention
