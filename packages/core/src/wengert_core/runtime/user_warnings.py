"""Warnings that point at the line of the user's program, however many of our own functions lie between."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any

OURS = {"wengert", "wengert_compat", "wengert_core", "wengert_engine", "wengert_formulas", "wengert_graph"}


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """warnings.warn for the innermost frame outside of wengert; compiled functions have no frame and do not count.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_user("better not", FutureWarning)
    >>> caught[0].category.__name__, str(caught[0].message)
    ('FutureWarning', 'better not')
    """
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in OURS:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def warn_of_lost_hooks(hooks: Iterable[Callable[..., Any]]) -> None:
    """Warn of hooks of a tensor that a copy or a pickle does not keep; not of those marked as such."""
    for hook in hooks:
        if not hasattr(hook, "__torch_unserializable__"):
            warn_user(f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can "
                      "decorate the function with @torch.utils.hooks.unserializable_hook to suppress this warning")
