# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.channelshuffle import ChannelShuffle as ChannelShuffle

__all__ = [
    "ChannelShuffle"
]
