"""The names of PyTorch's that stand in files, and the objects of wengert that they mean: one table for both directions.

A name is written as PyTorch's where there is one, so that PyTorch reads our files. Reading never imports ``torch``: its
names lead to wengert.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pickle import UnpicklingError
from typing import Any

import wengert

from wengert_serialization import _utils

__all__ = ["full_name", "object_of", "torch_name"]

DTYPES = "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 bfloat16 float16 float32 float64 complex64 complex128"
KINDS = "BFloat16 Bool Byte Char ComplexDouble ComplexFloat Double Float Half Int Long Short"
"""Classes of tensors and storages by dtype: FloatTensor, FloatStorage, ..."""
CLASSES = "Tensor Size device dtype layout memory_format"
FORMATS = "contiguous_format channels_last channels_last_3d preserve_format"
REBUILDING = [name for name in vars(_utils) if name.startswith("_rebuild_") and name != "_rebuild_from_type_v2"]


def parts(name: str) -> tuple[str, str]:
    """Return module and name of a dotted name; equal modules are one object, which a pickle has once."""
    module, _, last = name.rpartition(".")
    return sys.intern(module), last


def get_layout(name: str) -> Any:
    """Return the layout that a name such as ``torch.sparse_coo`` means. KeyError for another name."""
    found = getattr(wengert, name.removeprefix("torch."), None) if name.startswith("torch.") else None
    if not isinstance(found, wengert.layout):
        raise KeyError(f"there is no layout {name!r}")
    return found


def stand_in(name: str) -> Any:
    """Return a function of this module with a name."""

    def never_called() -> None:
        """Do nothing: files name this, and do not call it."""

    never_called.__name__ = never_called.__qualname__ = name
    return never_called


def refuse_generator(*args: Any) -> Any:
    """Raise UnpicklingError: the state of PyTorch's generator is that of another algorithm."""
    raise UnpicklingError("the file has a torch.Generator, whose state wengert's generators cannot have. Save its "
                          "initial_seed() instead")


OBJECTS: dict[str, Any] = {
    **{f"torch.{name}": getattr(wengert, name) for name in f"{DTYPES} {CLASSES} {FORMATS}".split()},
    **{f"torch.{kind}Storage": getattr(wengert, f"{kind}Storage") for kind in KINDS.split()},
    **{f"torch._utils.{name}": getattr(_utils, name) for name in REBUILDING},
    "torch._tensor._rebuild_from_type_v2": _utils._rebuild_from_type_v2,
    "torch.serialization._get_layout": get_layout,
    "torch.storage.UntypedStorage": wengert.UntypedStorage,
    "torch.storage.TypedStorage": wengert.TypedStorage,
}
"""Objects by PyTorch's name for them, for writing and for reading."""
OLD_NAMES: dict[str, Any] = {
    "torch.tensor._rebuild_from_type_v2": _utils._rebuild_from_type_v2,
    "torch._utils._rebuild_xla_tensor": _utils._rebuild_device_tensor_from_numpy,
    "torch.storage._UntypedStorage": wengert.UntypedStorage,
    "torch.storage._TypedStorage": wengert.TypedStorage,
    "torch._C._TensorBase": wengert.Tensor,
    "torch._C.TensorBase": wengert.Tensor,
    "torch._C.Generator": refuse_generator,
    "torch._C._VariableFunctionsClass": wengert,  # torch.relu is pickled as an attribute of this class
}
"""Objects by other names of PyTorch's, for reading alone."""
MODULES = {
    "torch._C._nn": "nn.functional", "torch._tensor": "", "torch.tensor": "", "torch._C._linalg": "linalg",
    "torch._C._fft": "fft", "torch._C._special": "special",
}  # fmt: skip
"""Modules of PyTorch's whose names lie elsewhere in wengert. Those of the last three begin with linalg_ and so on."""
PACKAGES = {
    "wengert_nn": "nn", "wengert_optim": "optim", "wengert_distributions": "distributions",
    "wengert_data": "utils.data",
}  # fmt: skip
"""Packages of ours that define classes which files name, and where these are mounted."""
HOMES = ("nn.functional", "", "special", "linalg", "fft", "sparse", "nn.init")
"""Modules of wengert that give functions whose own module is no public one."""
STAND_INS = {f"{kind}Storage": stand_in(f"{kind}Storage") for kind in KINDS.split()}
"""Functions that a pickle names in the place of classes of storages, which cannot be imported."""
globals().update(STAND_INS)
NAMES = {id(value): parts(name) for name, value in OBJECTS.items()} | {
    id(value): parts(f"torch.{name}") for name, value in STAND_INS.items()
}
"""PyTorch's module and name by the identity of the object, which need not be hashable."""
SEEN: dict[int, tuple[Any, tuple[str, str] | None]] = {}
"""The names looked up for other objects, with the object, so that its identity stays taken."""


# ---- from wengert to PyTorch
def torch_name(obj: Any) -> tuple[str, str] | None:
    """Return PyTorch's module and name for an object of wengert's; None where PyTorch has none, or for another object.

    >>> import wengert as wg
    >>> torch_name(wg.float32), torch_name(wg.nn.functional.relu), torch_name(print)
    (('torch', 'float32'), ('torch.nn.functional', 'relu'), None)
    """
    if id(obj) in NAMES:
        return NAMES[id(obj)]
    home = getattr(obj, "__module__", None) or type(obj).__module__
    if not isinstance(home, str) or not home.startswith(("wengert", "torch.return_types")):
        return None
    if id(obj) not in SEEN:
        SEEN[id(obj)] = (obj, next(homes(obj, home), None))
    return SEEN[id(obj)][1]


def homes(obj: Any, home: str) -> Iterator[tuple[str, str]]:
    """Return an iterator over the names by which PyTorch has an object, the best one first.

    home: the module that defines it here, which may be a part of the module that PyTorch has.
    """
    name: str = getattr(obj, "__qualname__", "") or getattr(obj, "__name__", "")
    if home == "torch.return_types":
        yield home, name
    package, _, inside = home.partition(".")
    for module in candidates(PACKAGES[package], inside) if package in PACKAGES else HOMES:
        short = short_name(name, module)
        if value_at(module, short) is obj:
            yield sys.intern(f"torch.{module}".rstrip(".")), short


def short_name(name: str, module: str) -> str:
    """Return an operation's name in the module for its family: det for linalg_det in linalg."""
    return name.removeprefix(f"{module}_") if module in ("linalg", "fft", "special") else name


def candidates(package: str, inside: str) -> Iterator[str]:
    """Return an iterator over modules of wengert that may give a class: by its file, then all, then those around."""
    parts = inside.split(".") if inside else []
    yield ".".join([package, *parts])
    yield ".".join([package, *parts[-1:]])
    mounted = wengert.plugins.group("namespace").names()
    yield from sorted((one for one in mounted if one.startswith(f"{package}.")), key=lambda one: (-one.count("."), one))
    yield package


def value_at(module: str, name: str) -> Any:
    """Return what a module of wengert calls so; None where there is no such module or name."""
    try:
        found: Any = import_module(f"wengert.{module}".rstrip("."))
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        return None
    return found


# ---- from PyTorch to wengert
def object_of(module: str, name: str) -> Any:
    """Return the object that a name of PyTorch's means. AttributeError for one that wengert does not have.

    >>> object_of("torch._C._nn", "gelu") is object_of("torch.nn.functional", "gelu")
    True
    """
    full = f"{module}.{name}"
    for table in (OBJECTS, OLD_NAMES):
        if full in table:
            return table[full]
    try:
        place = MODULES.get(module, module.removeprefix("torch").lstrip("."))
        found: Any = import_module(f"wengert.{place}".rstrip("."))
        for part in short_name(name, place).split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise AttributeError(f"the file names {full}, which wengert does not have: {error}") from error
    return result_maker(found) if module == "torch.return_types" else found


def result_maker(cls: Any) -> Any:
    """Return the function that a pickle calls to make a result with names: it gets the items and an empty dict."""
    return lambda items, extra=None: cls(items)


def is_torch(module: str) -> bool:
    """Return whether a module's name is one of PyTorch's."""
    return module == "torch" or module.startswith("torch.")


def full_name(obj: Any) -> str:
    """Return the dotted name by which files name an object: PyTorch's for one of wengert's."""
    found = torch_name(obj)
    return ".".join(found) if found else f"{obj.__module__}.{obj.__qualname__}"
