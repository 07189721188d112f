"""wengert-special: SciPy's special functions as operations of wengert, with derivatives of all orders.

They enter through the entry points that a stranger's plugin has, and are loaded when one of their names is first used;
SciPy itself when one of them is first computed.
"""

__version__ = "0.1.0"
