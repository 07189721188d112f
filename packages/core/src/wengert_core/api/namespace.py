"""What core mounts into ``wengert`` itself, beside its ops."""

from types import ModuleType
from typing import Any

import wengert_core
from wengert_core.api.public import LATER as PUBLIC_LATER
from wengert_core.drivers.linalg.linalg_error import LinAlgError
from wengert_core.tensors import named_tuple

LATER = {*PUBLIC_LATER} - {"random", "tensortype"}  # a module, which an entry point mounts; no name of torch's
"""Names that ``top`` leaves out: ``wengert_core`` loads what they stand for when it is asked."""
DTYPE_ALIASES = {"float": "float32", "double": "float64", "half": "float16", "long": "int64", "int": "int32",
                 "short": "int16", "cfloat": "complex64", "cdouble": "complex128"}
"""torch's second names of dtypes; only mounted, because inside a module they would hide Python's own."""


def top() -> dict[str, Any]:
    """Core's public names: dtypes, Tensor, what is no op (the op table gives the rest)."""
    values = vars(wengert_core).items()
    names = {name: value for name, value in values if not name.startswith("_") and is_public(name, value)}
    names.pop("tensortype", None)  # there when its module has been used
    aliases = {alias: getattr(wengert_core, name) for alias, name in DTYPE_ALIASES.items()}
    return names | {"linalg.LinAlgError": LinAlgError, "return_types": named_tuple.MODULE} | aliases


def is_public(name: str, value: Any) -> bool:
    """Not a submodule that merely happens to be imported."""
    return not isinstance(value, ModuleType)
