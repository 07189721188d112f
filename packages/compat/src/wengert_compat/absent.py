"""Names in modules of PyTorch that wengert does not have otherwise: what programs read there without using the rest."""

from __future__ import annotations

import re

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
"""``torch.hub.HASH_REGEX``, which finds the hash in the name of a file that was downloaded."""


def is_in_onnx_export() -> bool:
    """Return False: nothing is exported to ONNX here.

    >>> import wengert as wg
    >>> wg.onnx.is_in_onnx_export()
    False
    """
    return False
