"""Drivers of convolution, pooling, normalization and attention."""
