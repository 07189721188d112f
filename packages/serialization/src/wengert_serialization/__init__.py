"""Saving and loading tensors with wengert, in PyTorch's file format."""

__version__ = "0.1.0"
