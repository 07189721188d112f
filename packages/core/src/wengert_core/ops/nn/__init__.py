"""Rows of network layers: convolution, pooling, normalization, attention, interpolation."""
