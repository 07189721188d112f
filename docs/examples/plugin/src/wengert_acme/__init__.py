"""wengert-acme: an example of a plugin. Its operations appear in ``wengert`` as soon as it is installed."""

__version__ = "0.3.0"
