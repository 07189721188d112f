"""wengert.cuda.graphs: graphs of CUDA devices, by PyTorch's names."""

from wengert_replay.devices.callables import make_graphed_callables
from wengert_replay.devices.graphs import CUDAGraph, graph, graph_pool_handle, is_current_stream_capturing

__all__ = ["CUDAGraph", "graph", "graph_pool_handle", "is_current_stream_capturing", "make_graphed_callables"]
