"""Layouts by name, and the device numbers of tensors that are not strided.

Note [Layouts have device numbers]
    The elements of a tensor of another layout than ``strided`` are in other tensors, its components, not in memory of
    its own. Whatever reads memory asks for the tensor's device number first, so a tensor of another layout has a device
    number of its own, one for each layout of a plugin on each device: the device table has the device of the components
    there, and in place of its plugin ``NoMemory``, which refuses with PyTorch's errors. The components are what the
    tensor's Storage keeps alive; a tensor and what detach() makes of it have a Storage each, with one version counter.
    Code that asks which device a tensor is on, and not what its memory is, compares ``home_device`` of the numbers.
    backends/run_on_layout.pyx runs the operations.

>>> strided
torch.strided
"""

from __future__ import annotations

from typing import Any, Self

from wengert_core.binding.checked_methods import checked
from wengert_core.devices import device as _device
from wengert_core.tensors.tensor import device_number_of, is_strided_tensor, set_home


@checked
class layout:
    """The arrangement of a tensor's elements: ``strided``, or one that a package brings, such as ``sparse_coo``."""

    __slots__ = ("_name", "_words")
    _name: str
    _words: str  # as PyTorch's messages write it: "SparseCsr"

    def __new__(cls, name: str, words: str = "") -> Self:
        made = object.__new__(cls)
        made._name, made._words = name, words or name
        return made

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> tuple[Any, ...] | str:
        return self._name if self is strided else (layout_called, (self._name,))


strided: layout = layout("strided", "Strided")
"""The layout of a tensor whose elements are in one block of memory."""
LAYOUTS: dict[int, layout] = {}
"""The layouts of those device numbers that are not of ``strided`` tensors."""
_BY_NAME: dict[str, layout] = {"strided": strided}


def layout_called(name: str, words: str = "") -> layout:
    """The layout of that name; there is one object for each name. words: the name in messages.

    >>> layout_called("strided") is strided
    True
    """
    return _BY_NAME.setdefault(name, layout(name, words))


def layout_of(tensor: Any) -> layout:
    """A tensor's layout."""
    return strided if is_strided_tensor(tensor) else LAYOUTS[device_number_of(tensor)]


def layout_number(kind: layout, home: int, memory: Any) -> int:
    """A new device number, of tensors of a layout whose components are on the device with the number ``home``.

    memory: the NoMemory that stands for their memory; it leads to the plugin, which keeps the number.
    """
    with _device._LOADING:
        number = len(_device.DEVICES)
        set_home(number, home)
        LAYOUTS[number] = kind
        _device.DEVICES.append(_device.DEVICES[home])
        _device.PLUGIN_DEVICES.append((memory, 0))
        return number
