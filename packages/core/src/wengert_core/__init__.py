"""wengert-core: tensors on NumPy's memory, with CPU kernels; usable without automatic differentiation."""

import numpy as _numpy
from wengert_registry import registry as _registry

from wengert_core import _native  # finds and loads the compiled modules, so it comes first
from wengert_core.display import install as _install_display
from wengert_core.dtypes import ALL as _DTYPES
from wengert_core.dtypes import dtype, get_default_dtype, set_default_dtype
from wengert_core.ops import names as _names
from wengert_core.ops.operators import install as _install_operators
from wengert_core.public import LATER as _LATER
from wengert_core.public import PUBLIC as _PUBLIC
from wengert_core.public import load_later as _load_later
from wengert_core.sizes import Size
from wengert_core.tensor import Tensor
from wengert_core.tensor_methods import mount_all as _mount_all
from wengert_core.without_engine import mount_all as _mount_without_engine


def _accept(candidate: object, obj: object, stage: object) -> None:
    from wengert_core.op_plugins import accept  # with the first op

    accept(candidate, obj, stage)


def _accept_device(candidate: object, obj: object, stage: object) -> None:
    from wengert_core.device_check import accept  # with the first device

    accept(candidate, obj, stage)


_registry.group("ops").on_accept(_accept, together=True)
_registry.group("devices").on_accept(_accept_device)
_names.promise_methods()
_install_operators()
_mount_all()
_install_display()
_mount_without_engine()
globals().update(_DTYPES)
globals().update(_PUBLIC)
del globals()["tensor"]  # the module of that name, which was imported above: the op goes first


def __getattr__(name: str) -> object:
    """What the first use loads: an op, the table of them, some other names."""
    if name == "__all__":
        return [name for name in __dir__() if not name.startswith("_")]
    if name == "TABLE":
        from wengert_core.ops.table import TABLE

        return TABLE
    if name in _LATER:
        found = globals()[name] = _load_later(name)
        return found
    if "." in name or name not in _names.OPS:
        raise AttributeError(f"module 'wengert_core' has no attribute '{name}'")
    op = globals()[name] = _names.OPS[name]
    return op


def __dir__() -> list[str]:
    return sorted({*globals(), "TABLE", *_LATER, *(name for name in _names.OPS.families if "." not in name)})


__version__ = "0.1.0"
