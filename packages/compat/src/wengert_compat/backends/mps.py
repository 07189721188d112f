"""wengert.backends.mps: Apple's GPUs, for which there is no device.

>>> import wengert as wg
>>> "mps" if wg.backends.mps.is_available() else "cpu"
'cpu'
"""

__all__ = ["is_available", "is_built"]


def is_built() -> bool:
    """Return False: wengert has no code for Apple's GPUs.

    >>> import wengert as wg
    >>> wg.backends.mps.is_built()
    False
    """
    return False


def is_available() -> bool:
    """Return False: there is no device called mps.

    >>> import wengert as wg
    >>> wg.backends.mps.is_available()
    False
    """
    return False
