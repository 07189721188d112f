"""Exceptions that cross from a worker process to the loader's process."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["ExceptionWrapper"]


class TextOfKeyError(str):
    """A message that KeyError shows as it is, with its line breaks, and not as a repr."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class ExceptionWrapper:
    """The type and the traceback of an exception, to raise it in another process.

    exc_info: as from ``sys.exc_info()``, the default.
    where: the place of the exception, for the message: "in DataLoader worker process 0".
    """

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        import sys
        import traceback

        exc_info = exc_info or sys.exc_info()
        self.exc_type: Any = exc_info[0]
        self.exc_msg = "".join(traceback.format_exception(*exc_info))
        self.where = where

    def reraise(self) -> NoReturn:
        """Raise an exception of the same type with the original traceback in its message.

        It is a RuntimeError where the type cannot be made from a message alone.
        """
        text = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            raise KeyError(TextOfKeyError(text))
        if getattr(self.exc_type, "message", None):
            raise self.exc_type(message=text)
        try:
            error = self.exc_type(text)
        except Exception:  # its __init__ may refuse the message in any way
            raise RuntimeError(text) from None
        raise error
