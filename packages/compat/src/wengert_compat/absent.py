"""Dtypes of PyTorch that no tensor has here: programs compare with them."""

from __future__ import annotations


class AbsentDtype:
    """A dtype of PyTorch that no tensor has here. Programs compare dtypes with it; it makes no tensor.

    >>> import wengert as wg
    >>> wg.complex32, wg.complex64 == wg.complex32
    (torch.complex32, False)
    """

    def __init__(self, name: str, itemsize: int, is_complex: bool) -> None:
        self.name, self.itemsize, self.is_complex = name, itemsize, is_complex
        self.is_floating_point = False

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


complex32 = chalf = AbsentDtype("complex32", 4, True)
