"""wengert.backends: which libraries of PyTorch's backends are there, and their settings.

wengert computes with its own kernels and with the BLAS that NumPy has, or the user has chosen. A setting of a library
that is not used can be set and read, and changes nothing.

>>> import wengert as wg
>>> wg.backends.cudnn.is_available(), wg.backends.mps.is_available()
(False, False)
"""

__all__: list[str] = []
