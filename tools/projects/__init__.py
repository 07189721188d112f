"""Public projects that use PyTorch, run on wengert and on PyTorch."""
