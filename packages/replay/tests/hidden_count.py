"""A count of Python that no look at a function's state finds: it is in the environment of the process."""

import os
from collections.abc import Callable

NAME = "WENGERT_TEST_HIDDEN_COUNT"


def hidden_count(first: int = 0) -> Callable[[], int]:
    """Return a function that gives numbers in order. Only the one that was made last counts."""
    os.environ[NAME] = str(first)

    def count() -> int:
        n = int(os.environ[NAME])
        os.environ[NAME] = str(n + 1)
        return n

    return count
