"""``getval`` and ``isbox``: whether values are followed by derivatives, and their values without."""

from wengert_numpy.autograd_numpy.extend import Box, getval, isbox, notrace_primitive, primitive

__all__ = ["Box", "getval", "isbox", "notrace_primitive", "primitive"]
