"""Loops of convolution, attention and normalization."""
