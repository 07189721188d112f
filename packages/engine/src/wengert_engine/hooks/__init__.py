"""Hooks over saved tensors and over gradients of several tensors, and writes to saved tensors."""
