"""Tensors from and to Python data, NumPy arrays, DLPack and the memory of devices."""
