"""The bytes of a storage: as a sequence of ints, as numbers of another dtype, as text."""

from __future__ import annotations

from collections.abc import Iterator
from operator import index
from typing import Any, Self

from wengert_core.api.storage_arguments import bounds, byte, check_dtype, is_position
from wengert_core.api.storage_files import write_bytes
from wengert_core.drivers.resize import memory_part
from wengert_core.dtypes.dtypes import ALL
from wengert_core.tensors.tensor import Tensor

NAMES: dict[str, str] = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "complex_float": "complex64",
    "complex_double": "complex128", "long": "int64", "int": "int32", "short": "int16", "char": "int8", "byte": "uint8",
    "bool": "bool",
}  # fmt: skip
"""Methods that convert the elements, and the dtypes they give."""


class StorageBytes:
    """A sequence of bytes in memory: reading and writing them."""

    __slots__ = ()

    _memory: Tensor

    @classmethod
    def _of(cls, memory: Tensor, looker: Tensor | None = None) -> Self:
        raise NotImplementedError

    def nbytes(self) -> int:
        """Return the number of bytes."""
        return self._memory.numel()

    def tolist(self) -> list[int]:
        """Return the bytes as a list of ints."""
        return self._memory.tolist()  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            start, stop = bounds(key, self.nbytes())
            return self._of(memory_part(self._memory, start, stop - start))
        if not is_position(key):
            raise TypeError(f"can't index a torch.UntypedStorage with {type(key).__name__}")
        return self._memory[self._position(index(key), IndexError)].item()

    def __setitem__(self, key: Any, value: Any) -> None:
        if not is_position(key) and not isinstance(key, slice):
            raise RuntimeError(f"can't index a torch.UntypedStorage with {type(key).__name__}")
        number = byte("can only set storage content with a int types, but got {} instead", value)
        if isinstance(key, slice):
            start, stop = bounds(key, self.nbytes())
            self._memory[start:stop].fill_(number)
        else:
            self._memory[self._position(index(key), RuntimeError)] = number

    def _position(self, key: int, error: Any) -> int:
        size, found = self.nbytes(), key + self.nbytes() if key < 0 else key
        if not 0 <= found < size:
            problem = "out of bounds: " if error is RuntimeError else ""
            raise error(f"{problem}index {found} out of range for storage of size {size}")
        return found

    def fill_(self, value: int) -> Self:
        """Set all bytes to an int, modulo 256. RuntimeError for another type."""
        self._memory.fill_(byte("fill_ expects int, but got {}", value))
        return self

    def byteswap(self, dtype: Any) -> None:
        """Reverse the bytes of each element of a dtype, in place; of complex numbers those of each part.

        RuntimeError for what is no dtype, and where the bytes are no whole number of elements.
        """
        check_dtype(dtype)
        self._byteswap(dtype.itemsize // 2 if dtype.is_complex else dtype.itemsize)

    def _byteswap(self, elem_size: int) -> None:
        """Reverse the bytes of each group of so many. RuntimeError where the bytes are no whole number of groups."""
        if elem_size not in (1, 2, 4, 8):
            raise RuntimeError(f"elem_size must be 1, 2, 4, or 8, not {elem_size}")
        if self.nbytes() % elem_size:
            raise RuntimeError(f"the length of data is not a multiple of {elem_size}")
        if elem_size > 1:
            self._memory.copy_(self._memory.reshape(-1, elem_size).flip(1).reshape(-1))

    def _write_file(self, file: Any, is_real_file: bool, save_size: bool, element_size: int) -> None:
        """Write the bytes to a file; save_size: after the number of elements. is_real_file: not looked at."""
        write_bytes(self._memory, file, save_size, element_size)

    # ---- as numbers
    def _to(self, dtype: Any) -> Any:
        """Return a TypedStorage of a dtype with the bytes as numbers. TypeError for what is no dtype."""
        from wengert_core.api.typed_storage import TypedStorage

        untyped: Any = self
        return TypedStorage._of(untyped, ALL["uint8"])._to(dtype)

    def _as_tensor(self, dtype: Any) -> Tensor:
        """Return a tensor of as many whole elements of a dtype as there are, on the memory."""
        return self._memory[: self.nbytes() // dtype.itemsize * dtype.itemsize].view(dtype)

    def __repr__(self) -> str:
        lines = "\n ".join(map(str, self.tolist()))
        return f" {lines}\n[torch.storage.UntypedStorage(device={self._memory.device}) of size {self.nbytes()}]"


def add_conversions(cls: type, owner: str, words: str) -> None:
    """Give a class of storages the methods ``float``, ``int``, ...; words describe a result, ``{}`` is its dtype."""
    for name, target in NAMES.items():
        setattr(cls, name, conversion(f"{owner}.{name}", target, words.format(target)))


def conversion(qualified: str, target: str, words: str) -> Any:
    """Return the method that gives a storage of another dtype."""

    def convert(self: Any) -> Any:
        return self._to(ALL[target])

    convert.__name__, convert.__qualname__ = qualified.rpartition(".")[2], qualified
    convert.__doc__ = f"Return {words}."
    return convert


add_conversions(StorageBytes, "UntypedStorage", "a TypedStorage of {} with the bytes as numbers")
