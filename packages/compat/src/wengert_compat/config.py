"""wengert.__config__: texts about how the installation was built, for reports, and for programs that search in them.

>>> import wengert as wg
>>> print(wg.__config__.show().splitlines()[0])
wengert built with:
>>> "USE_OPENMP=ON" in wg.__config__.show()
False
"""

from __future__ import annotations

__all__ = ["parallel_info", "show"]


def show() -> str:
    """Return the versions of wengert, Python and NumPy, and the library of NumPy's matrix products, in lines.

    >>> import wengert as wg
    >>> "NumPy" in wg.__config__.show()
    True
    """
    import platform

    import numpy as np

    from wengert_compat.version import __version__

    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    facts = [f"wengert {__version__}", f"Python {platform.python_version()}", f"NumPy {np.__version__}",
             f"BLAS of NumPy: {blas.get('name')} {blas.get('version')}",
             "Build settings: USE_CUDA=0, USE_MKLDNN=OFF, USE_OPENMP=OFF"]
    return "wengert built with:\n" + "".join(f"  - {fact}\n" for fact in facts)


def parallel_info() -> str:
    """Return how many threads operations use, and how many processors there are, in lines.

    >>> import wengert as wg
    >>> "get_num_threads" in wg.__config__.parallel_info()
    True
    """
    import os

    from wengert_core import get_num_threads

    return f"wengert.get_num_threads() : {get_num_threads()}\nos.cpu_count() : {os.cpu_count()}\n"
