from wengert_compat.version import __version__ as __version__
from wengert_compat.version import cuda as cuda
from wengert_compat.version import debug as debug
from wengert_compat.version import git_version as git_version
from wengert_compat.version import hip as hip

__all__ = ["__version__", "cuda", "debug", "git_version", "hip"]
