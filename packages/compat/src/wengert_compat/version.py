"""wengert.version: which wengert this is.

``__version__`` is that of the installed distribution. ``cuda`` and ``hip`` are None: wengert is built without them, and
a device is a plugin. ``debug`` is False. ``git_version`` is "Unknown": a distribution does not say which commit it is.

>>> import wengert as wg
>>> wg.version.__version__ == wg.__version__
True
>>> wg.version.cuda is None
True
"""

from importlib import metadata

__all__ = ["__version__", "cuda", "debug", "git_version", "hip"]

__version__ = metadata.version("wengert")
debug = False
cuda: str | None = None
hip: str | None = None
git_version = "Unknown"
