"""Names of dtypes in torch's messages, and its error for a dtype that an op has no kernel for."""

from __future__ import annotations

from wengert_core.dtypes.dtypes import ALL, SCALAR_NAMES, dtype

CPP_NAMES = dict(zip(ALL, SCALAR_NAMES, strict=True))
"""torch's C++ names of the dtypes, by ours: "Float" for float32."""


def not_implemented_for(name: str, kind: dtype) -> NotImplementedError:
    """torch's error for a dtype that an op has no kernel for."""
    return NotImplementedError(f"\"{name}\" not implemented for '{CPP_NAMES[kind.name]}'")
