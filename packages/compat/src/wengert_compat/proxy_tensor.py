"""wengert.fx.experimental.proxy_tensor: for programs that ask whether they are traced by ``make_fx``.

>>> from wengert.fx.experimental.proxy_tensor import get_proxy_mode
>>> get_proxy_mode() is None
True
"""

from __future__ import annotations

__all__ = ["get_proxy_mode"]


def get_proxy_mode() -> None:
    """Return None: no function is being traced."""
