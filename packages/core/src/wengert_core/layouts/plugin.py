"""The interface of layouts, which a plugin of the group ``wengert.layouts.v1`` implements.

An entry point names a class derived from ``LayoutPlugin`` (or an instance); its name is that of a layout. It is loaded
when the name is used for the first time. Note [Layouts have device numbers] in devices/layout.py is the idea;
docs/plugin-reference.md shows a complete plugin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wengert_registry import fork_lock

from wengert_core.devices.device import DEVICES, device
from wengert_core.devices.layout import layout, layout_number
from wengert_core.devices.plugin import DevicePlugin
from wengert_core.layouts.components import known_number, make, set_components
from wengert_core.tensors.tensor import Tensor, home_of


class NoMemory(DevicePlugin):
    """The entry of the device table in place of a device's plugin, as tensors of this layout have no memory."""

    accelerator = False

    def __init__(self, plugin: LayoutPlugin, kind: layout, home: device) -> None:
        super().__init__()
        self.plugin, self.kind, self.home, self.type = plugin, kind, home, f"layout {kind!r}"

    def device_count(self) -> int:
        """Return 0: this is no device."""
        return 0

    def allocate(self, nbytes: int, index: int) -> Any:
        """Raise: who wants memory here has not asked for the layout."""
        raise self.refusal("make")

    def array(self, memory: Any, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any) -> Any:
        """Raise PyTorch's error."""
        raise self.refusal("read")

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A tensor of zeros of this layout, on the device of the components."""
        return self.plugin.zeros(self.kind, shape, dtype, self.home)

    def refusal(self, verb: str) -> RuntimeError:
        """The error for an access to memory."""
        return RuntimeError(
            f"Cannot access data pointer of Tensor that doesn't have storage: cannot {verb} the memory of a tensor of "
            f"layout {self.kind!r}, whose elements are in its components; use .to_dense()"
        )


class LayoutPlugin:
    """The tensors of one or several layouts, and how operations compute on them.

    ``kernels`` and ``functions`` have the operations by the names of their rows, those of in-place variants without the
    ``_``. Both get the arguments of the schema but ``out``, in its order. A kernel computes, with recording off, and
    the operation is recorded as it always is, with its own formula; it returns new tensors, and never an argument. A
    function is made of other operations, which record themselves; where there is a kernel as well, it is called only
    where something may be recorded. Either may return NotImplemented, which leaves the call to the plugin of another
    argument, and then to the error. An in-place variant takes what the kernel returns; with an entry of its own name
    in ``kernels`` it is that which writes to the first argument.
    """

    layouts: Sequence[str] = ()  # the names of its entry points
    kernels: Mapping[str, Callable[..., Any]] = {}
    functions: Mapping[str, Callable[..., Any]] = {}

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._making = fork_lock()

    # ---- for the plugin

    def tensor(self, kind: layout, shape: Sequence[int], dtype: Any, components: Any, like: Any) -> Tensor:
        """A new tensor of a layout, without history.

        components: any object, of which nobody else changes anything; ``components_of(tensor)`` returns it.
        like: a tensor on the device that the components are on.
        """
        number = known_number(self._numbers, kind, like)
        return make(self._new_number(kind, like) if number is None else number, tuple(shape), dtype, components)

    def _new_number(self, kind: layout, like: Any) -> int:
        """The device number of a layout's first tensor on a device."""
        self.first_use()
        home = home_of(like)
        key = (kind, home) if home else kind
        with self._making:
            if key not in self._numbers:
                self._numbers[key] = layout_number(kind, home, NoMemory(self, kind, DEVICES[home]))
            return self._numbers[key]

    def replace(
        self, tensor: Tensor, components: Any, shape: Sequence[int] | None = None, raise_version: bool = False
    ) -> None:
        """Let a tensor have other components, and perhaps another shape.

        raise_version: outside of a kernel; the operation that a kernel belongs to raises the version itself.
        """
        set_components(tensor, components, tuple(tensor.shape if shape is None else shape), raise_version)

    def first_use(self) -> None:
        """Called before the first tensor of a layout on a device is made."""

    # ---- what every layout has to say

    def describe(self, tensor: Any, notes: Sequence[str]) -> str:
        """The text of a tensor, with ``notes`` ("requires_grad=True") at its end."""
        raise NotImplementedError

    def clone(self, tensor: Any) -> Any:
        """A tensor with copies of the components, without history."""
        raise NotImplementedError

    def zeros(self, kind: layout, shape: Sequence[int], dtype: Any, device: Any) -> Any:
        """A tensor of zeros."""
        raise NotImplementedError

    def sparse_gradient(self, indices: Any, values: Any, size: Sequence[int]) -> Any:
        """A gradient of a size with values (N, ...) at indices (S, N) of its first S dims, those of one index added.

        Differentiable by the values. Asked of the plugin of the layout ``sparse_coo``.
        """
        raise NotImplementedError(f"{type(self).__name__} makes no sparse gradients")

    def reduce(self, tensor: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """A function, and arguments that pickle knows, with which it makes the tensor anew, without its gradient."""
        raise NotImplementedError

    def elements(self, tensor: Any) -> Any:
        """A strided tensor, without history, that has each element that the components have, in any order."""
        raise NotImplementedError

    def missing(self, op: Any, kinds: Sequence[layout]) -> Exception:
        """The error for an operation that is in neither table; kinds: the layouts of the tensors among its
        arguments.
        """
        names = ", ".join(dict.fromkeys(repr(kind) for kind in kinds))
        return NotImplementedError(
            f"Could not run '{op.qualified_name}' with arguments of layout {names}: {type(self).__name__} has no "
            "kernel for it. Use .to_dense() where the dense tensor fits into memory"
        )
