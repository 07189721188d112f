"""wengert-numpy: functions of NumPy, SciPy and the array API standard on tensors, with derivatives.

``protocols`` is the entrance: NumPy, and libraries that look for a namespace, call its functions. ``functions`` holds
an implementation for each function of NumPy, ``array_api`` the namespace of the standard.
"""

from wengert_numpy import _native  # noqa: F401 - finds and loads the compiled modules, so it comes first

__version__ = "0.1.0"
