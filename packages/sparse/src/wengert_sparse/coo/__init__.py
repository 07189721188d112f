"""Kernels of tensors of layout ``sparse_coo``: functions of their components, without history."""
