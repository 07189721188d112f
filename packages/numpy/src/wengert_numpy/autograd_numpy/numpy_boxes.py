"""HIPS autograd's class of arrays in differentiated code, by its name."""

from wengert_numpy.autograd_numpy.extend import Box as ArrayBox

__all__ = ["ArrayBox"]
