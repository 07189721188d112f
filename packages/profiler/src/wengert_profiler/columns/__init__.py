"""Columns: the events of a recording as NumPy arrays, normalized and named as PyTorch names them."""
