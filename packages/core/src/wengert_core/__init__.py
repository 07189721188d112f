"""wengert-core: tensors on NumPy's memory, with CPU kernels; usable without automatic differentiation."""

from wengert_core.devices import device, layout, strided
from wengert_core.dtypes import ALL as _DTYPES
from wengert_core.dtypes import dtype, get_default_dtype, promote_types, set_default_dtype
from wengert_core.interop import from_numpy
from wengert_core.layouts import channels_last, contiguous_format, memory_format, preserve_format
from wengert_core.ops import TABLE
from wengert_core.table import install as _install
from wengert_core.tensor import Size, Storage, Tensor
from wengert_core.tensor_methods import mount_all as _mount_all

_install(TABLE)
_mount_all()
globals().update(_DTYPES)
globals().update({name: op for name, op in TABLE.ops.items() if "." not in name})

__version__ = "0.1.0"
