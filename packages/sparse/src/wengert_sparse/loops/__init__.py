"""Compiled loops over the elements of sparse tensors on the CPU."""
