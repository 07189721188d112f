"""Grad modes, for the engine's modules. See grad_mode.pyx."""

cdef bint enforces_grad_layout()       # of this thread
