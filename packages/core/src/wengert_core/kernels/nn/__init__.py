"""Loops of convolution, attention, normalization and resampling."""
