"""Batched tensors: operations, gradients and Functions inside of ``vmap``."""
