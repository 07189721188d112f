"""wengert-compat: names around autograd that programs written for PyTorch use.

They enter through the entry points that a stranger's plugin has, and are loaded when they are first used. wengert
neither compiles nor traces: a function stays what it is, and each name says here what that means for it.
"""

__version__ = "0.1.0"
