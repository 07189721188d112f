"""Names of PyTorch's profiler, as they are mounted into ``wengert``."""
