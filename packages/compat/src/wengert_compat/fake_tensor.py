"""wengert._subclasses.fake_tensor: PyTorch's tensors without values, of which wengert has none.

>>> import wengert as wg
>>> from wengert._subclasses.fake_tensor import is_fake
>>> is_fake(wg.ones(1))
False
"""

from __future__ import annotations

__all__ = ["FakeTensor", "is_fake"]


class FakeTensor:
    """A tensor without values. There are none; the class is for tests by ``isinstance``."""

    def __init__(self) -> None:
        raise NotImplementedError("wengert has no fake tensors: no program is traced without its values")


def is_fake(x: object) -> bool:
    """Return False: tensors have values here."""
    return False
