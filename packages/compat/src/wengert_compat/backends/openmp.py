"""wengert.backends.openmp: whether kernels share their work by OpenMP."""

__all__ = ["is_available"]


def is_available() -> bool:
    """Return False: wengert's kernels have threads of their own (``set_num_threads``), without OpenMP.

    >>> import wengert as wg
    >>> wg.backends.openmp.is_available()
    False
    """
    return False
