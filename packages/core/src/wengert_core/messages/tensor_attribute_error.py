"""The error of an attribute that a tensor has not, because of its dtype or its shape."""


class TensorAttributeError(RuntimeError, AttributeError):
    """An attribute that this tensor does not have.

    A RuntimeError as PyTorch's, and an AttributeError, so that ``hasattr``, ``getattr`` with a default and checks of
    runtime protocols get an answer.

    >>> from wengert_core import ones
    >>> hasattr(ones(2), "imag"), getattr(ones(2), "mT", None)
    (False, None)
    """
