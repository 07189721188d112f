"""Functions and constants that loaders and their worker processes share."""

from __future__ import annotations

from wengert_data._utils.errors import ExceptionWrapper

__all__ = ["HAS_NUMPY", "IS_WINDOWS", "MP_STATUS_CHECK_INTERVAL", "ExceptionWrapper"]

HAS_NUMPY = True
IS_WINDOWS = False
MP_STATUS_CHECK_INTERVAL = 5.0
"""The seconds that a process waits for another one before it looks whether that one still runs."""
