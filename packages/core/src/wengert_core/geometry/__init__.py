"""Sizes and strides as numbers: checked products of them, and the type of a shape."""
