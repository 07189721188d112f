"""Transforms of functions: batched tensors, and the operations, gradients and Functions inside of ``vmap``."""
