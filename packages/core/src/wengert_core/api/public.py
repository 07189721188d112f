"""What users call that is neither an op nor a dtype: ``PUBLIC`` is put into the namespace of wengert_core, ``LATER``
names what comes when it is asked for.
"""

from __future__ import annotations

import math
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from wengert_core.backends.default_device import get_default_device, set_default_device
from wengert_core.devices.device import device
from wengert_core.devices.layout import layout, strided
from wengert_core.dispatch.composite import Composite
from wengert_core.dtypes.dtypes import ALL as DTYPES
from wengert_core.runtime.thread_pool import get_num_threads, set_num_threads
from wengert_core.tensors.memory_format import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    memory_format,
    preserve_format,
)
from wengert_core.tensors.tensor import Tensor


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor on the memory of another library's array or tensor.

    ext_tensor: an object with ``__dlpack__`` (NumPy, CuPy, PyTorch, JAX, ...) or a DLPack capsule.
    device: "cpu" or None.   copy: True for memory of its own, None or False to share.
    BufferError for a dtype or device we do not have, ValueError for negative strides.

    >>> import numpy as np
    >>> from wengert_core import from_dlpack
    >>> a = np.zeros(2)
    >>> t = from_dlpack(a)
    >>> a[1] = 7
    >>> t.tolist()
    [0.0, 7.0]
    """
    from wengert_core.exchange import dlpack

    return dlpack.from_dlpack(ext_tensor, device=device, copy=copy)


def get_printoptions() -> dict[str, Any]:
    """The options in force for printing tensors; see set_printoptions.

    >>> from wengert_core import get_printoptions
    >>> get_printoptions()["precision"]
    4
    """
    from wengert_core.api.printing import get_printoptions

    return get_printoptions()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Choose how tensors are printed: digits, from how many elements on to summarize, how many of each end, line width.

    profile: "default", "short" or "full".   sci_mode: True or False instead of the choice by values.

    >>> from wengert_core import set_printoptions, tensor
    >>> set_printoptions(precision=2)
    >>> tensor([1 / 3])
    tensor([0.33])
    >>> set_printoptions(profile="default")
    """
    from wengert_core.api import printing

    printing.set_printoptions(precision, threshold, edgeitems, linewidth, profile, sci_mode)


PUBLIC: dict[str, Any] = {
    f.__name__: f
    for f in (
        device, from_dlpack, get_default_device, get_num_threads, get_printoptions, layout, memory_format,
        set_default_device, set_num_threads, set_printoptions,
    )
}  # fmt: skip
PUBLIC |= {
    "channels_last": channels_last, "channels_last_3d": channels_last_3d, "contiguous_format": contiguous_format,
    "preserve_format": preserve_format, "strided": strided,
}  # fmt: skip
PUBLIC |= {"e": math.e, "inf": math.inf, "nan": math.nan, "newaxis": None, "pi": math.pi}
_ALIASES = {"cdouble": "complex128", "cfloat": "complex64", "double": "float64", "float": "float32", "half": "float16",
            "int": "int32", "long": "int64", "short": "int16"}  # fmt: skip
PUBLIC |= {name: DTYPES[kind] for name, kind in _ALIASES.items()}

LATER = {
    name: module
    for module, names in {
        "exchange.type_info": """can_cast finfo get_device iinfo is_complex is_conj is_floating_point is_inference
                                 is_neg is_nonzero is_same_size is_signed is_tensor numel promote_types result_type""",
        "exchange.numpy_bridge": "from_numpy",
        "api.legacy_constructors": """BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor
                                      HalfTensor IntTensor LongTensor ShortTensor tensortype""",
        "api.storage_files": "from_file",
        "api.untyped_storage": "UntypedStorage is_storage",
        "api.typed_storage": "TypedStorage",
        "api.legacy_storages": """BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage
                                  ComplexFloatStorage DoubleStorage FloatStorage HalfStorage IntStorage LongStorage
                                  ShortStorage Storage""",
        "rng.generator": "Generator default_generator get_rng_state initial_seed manual_seed seed set_rng_state",
        "memory": "memory",
        "random": "random",
    }.items()
    for name in names.split()
}
"""Names whose module is loaded when one of them is asked for: many programs need none."""


COMPOSITES = """can_cast get_device is_complex is_conj is_floating_point is_inference is_neg is_nonzero is_same_size
                is_signed numel promote_types result_type""".split()
"""Functions of those that read their arguments as operations do: by other names, and with ``__torch_function__``."""


@cache
def composite(module: ModuleType, name: str) -> Composite:
    """A function that reads its arguments as operations do."""
    return Composite(getattr(module, name), name)


def load_later(name: str) -> Any:
    """What a name of LATER stands for."""
    module = import_module(f"wengert_core.{LATER[name]}")
    if name == LATER[name]:
        return module
    if name in COMPOSITES:
        return composite(module, name)
    types = getattr(module, "TYPES", {})
    return types[name] if name in types else getattr(module, name)
