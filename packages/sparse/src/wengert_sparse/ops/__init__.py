"""Rows of the op table: operations that PyTorch has for sparse tensors only."""
