"""``save`` and ``load``, in PyTorch's file format: ``wengert.serialization``.

>>> import io
>>> import wengert as wg
>>> buffer = io.BytesIO()
>>> wg.save({"weight": wg.ones(2), "epoch": 3}, buffer)
>>> wg.load(io.BytesIO(buffer.getvalue()))
{'weight': tensor([1., 1.]), 'epoch': 3}
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO, UnsupportedOperation
from typing import Any

import wengert

from wengert_serialization import config
from wengert_serialization.archive_reader import ArchiveReader, is_archive
from wengert_serialization.archive_writer import ArchiveWriter
from wengert_serialization.builders import find_global
from wengert_serialization.locations import (
    default_restore_location,
    location_tag,
    register_package,
    validate_cuda_device,
    validate_hpu_device,
)
from wengert_serialization.messages import UNSAFE
from wengert_serialization.names import get_layout as _get_layout
from wengert_serialization.options import (
    LoadEndianness,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    is_skipping,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
)
from wengert_serialization.pickling import pickle_object
from wengert_serialization.reading import Request, load_archive
from wengert_serialization.safe_globals import (
    add_safe_globals,
    clear_safe_globals,
    get_safe_globals,
    safe_globals,
    user_globals,
)
from wengert_serialization.scanning import Scanner
from wengert_serialization.storages import SavedStorages, StorageType, bytes_of

__all__ = [
    "DEFAULT_PROTOCOL", "FILE_LIKE", "MAP_LOCATION", "LoadEndianness", "SourceChangeWarning", "StorageType",
    "_get_layout", "add_safe_globals", "check_module_version_greater_or_equal", "clear_safe_globals",
    "default_restore_location", "get_crc32_options", "get_default_load_endianness", "get_default_mmap_options",
    "get_safe_globals", "get_unsafe_globals_in_checkpoint", "load", "location_tag", "mkdtemp",
    "normalize_storage_type", "register_package", "safe_globals", "save", "set_crc32_options",
    "set_default_load_endianness", "set_default_mmap_options", "skip_data", "storage_to_tensor_type",
    "validate_cuda_device", "validate_hpu_device",
]  # fmt: skip

DEFAULT_PROTOCOL = 2
FILE_LIKE = Any
"""A path, or a binary file: what ``f`` is."""
MAP_LOCATION = Any
"""None, a device or its name, a dict of tags, or a function of storage and tag."""
TRUE_WORDS = ("1", "y", "yes", "true")


class SourceChangeWarning(Warning):
    """A class of modules has another source than when the file was saved. Nothing here issues it."""


# ---- save
def save(
    obj: Any, f: FILE_LIKE, pickle_module: Any = pickle, pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True, _disable_byteorder_record: bool = False,
) -> None:  # fmt: skip
    """Save an object to a file, from which ``load`` reads it, here or in PyTorch.

    obj: a tensor, or any object that can be pickled, with tensors in it. Tensors that share memory still do when they
    are loaded, and the whole storage of each is saved: save ``x[:2].clone()`` where only a part is wanted.
    f: a path, or an object with ``write``.
    pickle_protocol: PyTorch's ``load(weights_only=True)`` reads 2 alone.
    _use_new_zipfile_serialization: False writes the format before PyTorch 1.6.

    >>> import io
    >>> import wengert as wg
    >>> buffer = io.BytesIO()
    >>> wg.save(wg.arange(3), buffer)
    >>> wg.load(io.BytesIO(buffer.getvalue()))
    tensor([0, 1, 2])
    """
    if not isinstance(f, (str, os.PathLike)) and not hasattr(f, "write"):
        raise AttributeError(
            f"expected 'f' to be string, path, or a file-like object with a 'write' attribute, got {type(f).__name__}"
        )
    check_dill(pickle_module)
    if not _use_new_zipfile_serialization:
        from wengert_serialization.legacy import save_legacy

        save_legacy(obj, lambda: writable(f), pickle_module, pickle_protocol)
        return
    data, storages = pickle_object(obj, SavedStorages, pickle_module, pickle_protocol)
    with writable(f) as stream:
        archive = ArchiveWriter(stream, folder_of(f), config.save.storage_alignment, config.save.compute_crc32)
        write_records(archive, data, storages, not _disable_byteorder_record)
        archive.close()


def write_records(archive: ArchiveWriter, data: Any, storages: SavedStorages, with_byte_order: bool) -> None:
    """Write the records of an archive, but those that close() writes."""
    archive.write("data.pkl", data)
    archive.write(".format_version", b"1")
    archive.write(".storage_alignment", str(archive.alignment).encode())
    if with_byte_order:
        archive.write("byteorder", sys.byteorder.encode())
    for key, storage in storages.storages.items():
        size = storage.nbytes() // storages.kinds[key].itemsize * storages.kinds[key].itemsize
        if is_skipping():
            archive.write_zeros(f"data/{key}", size)
        else:
            archive.write(f"data/{key}", bytes_of(storage)[:size])


def folder_of(f: Any) -> str:
    """Return the name of the folder in an archive: the file's without its ending; PyTorch's own for a stream."""
    if not isinstance(f, (str, os.PathLike)):
        return "archive"
    name = os.path.basename(os.fsdecode(f))
    stem = name.rpartition(".")[0] or name.strip(".")
    return stem if stem and stem.isascii() else "archive"


@contextmanager
def writable(f: Any) -> Iterator[Any]:
    """Open a path for writing; an open file is flushed at the end."""
    if isinstance(f, (str, os.PathLike)):
        folder = os.path.dirname(os.fsdecode(f))
        if folder and not os.path.isdir(folder):
            raise RuntimeError(f"Parent directory {folder} does not exist.")
        with open(f, "wb") as stream:
            yield stream
        return
    yield f
    if hasattr(f, "flush"):
        f.flush()


# ---- load
def load(
    f: FILE_LIKE, map_location: MAP_LOCATION = None, pickle_module: Any = None, *, weights_only: bool | None = None,
    mmap: bool | None = None, **pickle_load_args: Any,
) -> Any:  # fmt: skip
    """Load an object that ``save`` wrote, here or in PyTorch.

    f: a path, or a binary file that can be sought.
    map_location: where storages go: a device or its name, a dict from tags in the file to names, or a function of the
    storage and its tag that returns a storage or None. By default they go where they were saved from.
    weights_only: True, the default without ``pickle_module``, loads tensors, numbers, texts and containers of them,
    and runs nothing that the file says. False loads any object: **pass it only for files that you trust**.
    mmap: map the file, whose pages are then read when they are used and copied when they are written; ``f`` is a path.
    pickle_load_args: arguments of the unpickler, such as ``encoding``.
    UnpicklingError for a file with other objects than weights, or a damaged one; RuntimeError for a damaged archive.

    >>> import io
    >>> import wengert as wg
    >>> buffer = io.BytesIO()
    >>> wg.save(range(3), buffer)
    >>> wg.load(io.BytesIO(buffer.getvalue()), weights_only=False)
    range(0, 3)
    """
    weights_only = only_weights(weights_only, pickle_module)
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if pickle_load_args and weights_only:
        from warnings import warn

        warn("pickle_load_args only works if `weights_only=False`.", stacklevel=2)
    check_dill(pickle_module)
    arguments = {"encoding": "utf-8", **pickle_load_args}
    request = Request(map_location, weights_only, pickle_module or pickle, arguments)
    if isinstance(f, (str, os.PathLike)):
        if os.fsdecode(f).endswith(".safetensors"):
            raise RuntimeError("Attempting to load a safetensors file, which wengert does not read: load it with "
                               "safetensors.numpy.load_file, and convert its arrays with wengert.from_numpy")
        with open(f, "rb") as file:
            return load_file(file, os.fspath(f), config.load.mmap if mmap is None else mmap, request)
    check_seekable(f)
    return load_file(f, None, config.load.mmap if mmap is None else mmap, request)


def load_file(file: Any, path: Any, mmap: bool, request: Request) -> Any:
    """Return the object at the position of an open file, in either format."""
    if not is_archive(file):
        if mmap:
            raise RuntimeError("mmap can only be used with files saved with `torch.save(_use_new_zipfile_serialization="
                               "True)`: save the checkpoint again in that format")
        from wengert_serialization.legacy import load_legacy

        return load_legacy(file, request)
    archive = ArchiveReader(file)
    if "constants.pkl" in archive.records:
        raise RuntimeError(f"Cannot use ``weights_only={request.weights_only}`` with TorchScript archives passed to "
                           "``torch.load``: they hold programs, which wengert does not run. Save the state_dict")
    if not mmap:
        return load_archive(archive, request)
    if path is None:
        raise ValueError("f must be a file path in order to use the mmap argument")
    return load_archive(archive, request, map_file(path))


def map_file(path: Any) -> Any:
    """Return the bytes of a file as an array, whose pages are read when they are used."""
    import numpy as np

    private = config.load.mmap_flags == config.MAP_PRIVATE
    return np.memmap(path, np.uint8, "c" if private else "r+").view(np.ndarray)


def only_weights(asked: bool | None, pickle_module: Any) -> bool:
    """Return whether only weights are loaded, which two environment variables may decide, as in PyTorch."""
    names = ("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    force, forbid = (os.getenv(name, "0").lower() in TRUE_WORDS for name in names)
    if force and forbid:
        raise RuntimeError("Only one of `{}` or `{}` should be set, but both were set.".format(*names))
    if force:
        return True
    if forbid and asked is None:
        from warnings import warn

        warn(f"Environment variable {names[1]} detected, since the `weights_only` argument was not explicitly passed "
             f"to `torch.load`, forcing weights_only=False. {UNSAFE}.", stacklevel=3)
        return False
    return pickle_module is None if asked is None else bool(asked)


def check_seekable(f: Any) -> None:
    """Raise for an object that is no file, or cannot be sought, its own error with advice."""
    try:
        f.seek(f.tell())
    except (UnsupportedOperation, AttributeError) as error:
        raise type(error)(f"{error}. You can only torch.load from a file that is seekable. Please pre-load the data "
                          "into a buffer like io.BytesIO and try to load from it instead.") from None


def check_dill(pickle_module: Any) -> None:
    """Raise ValueError for an old version of the module dill."""
    if getattr(pickle_module, "__name__", "") == "dill" and not check_module_version_greater_or_equal(
        pickle_module, (0, 3, 1), False
    ):
        raise ValueError(f"'torch' supports dill >= 0.3.1, but you have dill {pickle_module.__version__}. Please "
                         "upgrade dill or switch to 'pickle'")


# ---- looking into files
def get_unsafe_globals_in_checkpoint(f: FILE_LIKE) -> list[str]:
    """Return the full names in a file that ``load(weights_only=True)`` would refuse. Nothing is loaded.

    >>> import io
    >>> import wengert as wg
    >>> buffer = io.BytesIO()
    >>> wg.save({"weight": wg.ones(1), "part": slice(1)}, buffer)
    >>> wg.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(buffer.getvalue()))
    ['builtins.slice']
    """
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return get_unsafe_globals_in_checkpoint(file)
    check_seekable(f)
    if not is_archive(f):
        raise ValueError("Expected input to be a checkpoint returned by torch.save, in the format of a zip archive")
    archive = ArchiveReader(f)
    if "constants.pkl" in archive.records:
        raise ValueError("Expected input to be a checkpoint returned by torch.save but got a torchscript checkpoint")
    data, allowed = archive.read("data.pkl"), user_globals()
    scanner = Scanner(BytesIO(data), len(data))
    scanner.load()
    return sorted(name for name in scanner.names if name not in allowed and not is_safe(name))


def is_safe(name: str) -> bool:
    """Return whether a name is allowed by default."""
    try:
        return find_global(name) is not None
    except pickle.UnpicklingError:
        return True  # allowed, though wengert has no such object


# ---- other names of torch.serialization
def check_module_version_greater_or_equal(
    module: Any, req_version_tuple: tuple[Any, ...], error_if_malformed: bool = True
) -> bool:
    """Return whether a module's version is at least a tuple's; parts are converted to the types of the tuple's items.

    A version that cannot be compared: RuntimeError, or a warning and True.

    >>> import wengert as wg
    >>> wg.serialization.check_module_version_greater_or_equal(wg, (0, 1))
    True
    """
    try:
        parts = module.__version__.split(".")
        version = tuple(type(field)(parts[index]) for index, field in enumerate(req_version_tuple))
        return bool(version >= req_version_tuple)
    except Exception as error:
        problem = (f"'{module.__name__}' module version string is malformed '{module.__version__}' and cannot be "
                   f"compared with tuple {req_version_tuple}")
        if error_if_malformed:
            raise RuntimeError(problem) from error
        from warnings import warn

        warn(f"{problem}, but continuing assuming that requirement is met", stacklevel=2)
        return True


@contextmanager
def mkdtemp() -> Iterator[str]:
    """A context with a temporary directory, which is removed at its end."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as path:
        yield path


def normalize_storage_type(storage_type: Any) -> Any:
    """Return wengert's class of storages with the name of a class."""
    return getattr(wengert, storage_type.__name__)


def storage_to_tensor_type(storage: Any) -> Any:
    """Return the class of tensors that belongs to a storage: FloatTensor to one of float32."""
    return getattr(wengert, storage.pickle_storage_type().replace("Storage", "Tensor"))
