"""wengert-core: tensors on NumPy's memory, with CPU kernels; usable without automatic differentiation."""

import numpy as _numpy
from wengert_registry import registry as _registry

from wengert_core import _native  # finds and loads the compiled modules, so it comes first
from wengert_core.api.engine_stubs import mount_all as _mount_without_engine
from wengert_core.api.public import LATER as _LATER
from wengert_core.api.public import PUBLIC as _PUBLIC
from wengert_core.api.public import load_later as _load_later
from wengert_core.api.repr_iter import install as _install_display
from wengert_core.api.tensor_methods import mount_all as _mount_all
from wengert_core.dtypes.dtypes import ALL as _DTYPES
from wengert_core.dtypes.dtypes import dtype, get_default_dtype, set_default_dtype
from wengert_core.geometry.size import Size
from wengert_core.ops.operators import install as _install_operators
from wengert_core.optable import lazy_names as _lazy_names
from wengert_core.tensors.tensor import Tensor


def _accept(candidate: object, obj: object) -> object:
    from wengert_core.optable.plugin_tables import accept  # with the first op

    return accept(candidate, obj)


def _accept_device(candidate: object, obj: object) -> object:
    from wengert_core.devices.plugin_check import accept  # with the first device

    return accept(candidate, obj)


def _accept_layout(candidate: object, obj: object) -> object:
    from wengert_core.layouts.lookup import accept  # with the first layout

    return accept(candidate, obj)


_registry.group("ops").on_accept(_accept, together=True)
_registry.group("devices").on_accept(_accept_device)
_registry.group("layouts").on_accept(_accept_layout)
_lazy_names.promise_methods()
_install_operators()
_mount_all()
_install_display()
_mount_without_engine()
globals().update(_DTYPES)
globals().update(_PUBLIC)


def __getattr__(name: str) -> object:
    """What the first use loads: an op, the table of them, some other names."""
    if name == "__all__":
        return [name for name in __dir__() if not name.startswith("_")]
    if name == "TABLE":
        from wengert_core.optable.core_table import TABLE

        return TABLE
    if name in _LATER:
        found = globals()[name] = _load_later(name)
        return found
    if "." in name or name not in _lazy_names.OPS:
        raise AttributeError(f"module 'wengert_core' has no attribute '{name}'")
    op = globals()[name] = _lazy_names.OPS[name]
    return op


def __dir__() -> list[str]:
    return sorted({*globals(), "TABLE", *_LATER, *(name for name in _lazy_names.OPS.families if "." not in name)})


__version__ = "0.1.0"
