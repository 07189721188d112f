"""A limit of time on calls that wait for other ranks and cannot be stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from wengert_distributed.errors import DistBackendError

T = TypeVar("T")


def call_within(function: Callable[[], T], seconds: float, name: str) -> T:
    """Return a function's result; DistBackendError where it has not returned after some seconds.

    It runs in a thread, which is left behind then.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name=f"wengert-{name}", daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise DistBackendError(f"{name}: not all ranks have called it within {seconds:g} s")
    return results[0]
