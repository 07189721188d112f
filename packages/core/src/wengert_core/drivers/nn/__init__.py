"""Drivers of convolution, pooling, normalization, attention and resampling."""
