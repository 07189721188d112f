"""Random numbers in ``wengert.cuda``: seeds and states of the devices' default generators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, overload

from wengert_core.backends.accelerator_access import DeviceAccess
from wengert_core.devices import device as devices
from wengert_core.rng import generator

NAMES = ("default_generators", "get_rng_state", "get_rng_state_all", "initial_seed", "manual_seed", "manual_seed_all",
         "seed", "seed_all", "set_rng_state", "set_rng_state_all")  # fmt: skip


class RandomFunctions(DeviceAccess):
    """Functions about random numbers. Those that set a state or a seed do nothing without a device, as in torch."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.default_generators = DefaultGenerators(self)

    def generator(self, index: int) -> generator.Generator:
        """The default generator of a device."""
        number = devices.device_number(devices.device(self.kind, index), self.kind)
        return generator.generator_of(number)

    def manual_seed(self, seed: int) -> None:
        """Start the current device's random numbers again from a seed; nothing happens without a device."""
        plugin = self.plugin()
        if plugin is not None:
            self.generator(plugin.current_device()).manual_seed(seed)

    def manual_seed_all(self, seed: int) -> None:
        """Start the random numbers of all devices again from a seed."""
        for one in self.default_generators:
            one.manual_seed(seed)

    def seed(self) -> None:
        """Start the current device's random numbers again from a seed that the system draws."""
        plugin = self.plugin()
        if plugin is not None:
            self.generator(plugin.current_device()).seed()

    def seed_all(self) -> None:
        """Start the random numbers of all devices again from one seed that the system draws."""
        value = None
        for one in self.default_generators:
            value = one.seed() if value is None else one.manual_seed(value).initial_seed()

    def initial_seed(self) -> int:
        """The seed that the current device's random numbers were started from."""
        return self.generator(self.require_plugin().current_device()).initial_seed()

    def get_rng_state(self, device: Any = None) -> Any:
        """Return the state of a device's random numbers, as a tensor of bytes on the host."""
        plugin = self.require_plugin()
        return self.generator(self.index(device, plugin)).get_state()

    def set_rng_state(self, new_state: Any, device: Any = None) -> None:
        """Let a device's random numbers go on from a state that get_rng_state returned."""
        plugin = self.plugin()
        if plugin is not None:
            self.generator(self.index(device, plugin)).set_state(new_state)

    def get_rng_state_all(self) -> list[Any]:
        """Return the states of all devices' random numbers."""
        return [one.get_state() for one in self.default_generators]

    def set_rng_state_all(self, new_states: Iterable[Any]) -> None:
        """Let the random numbers of the devices, from the first on, go on from these states."""
        for index, state in enumerate(new_states):
            self.set_rng_state(state, index)


class DefaultGenerators(Sequence[generator.Generator]):
    """The default generators of a type's devices, by their numbers; none without a device."""

    def __init__(self, functions: RandomFunctions) -> None:
        self._functions = functions

    def __len__(self) -> int:
        plugin = self._functions.plugin()
        return 0 if plugin is None else int(plugin.device_count())

    @overload
    def __getitem__(self, at: int) -> generator.Generator: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[generator.Generator, ...]: ...
    def __getitem__(self, at: int | slice) -> generator.Generator | tuple[generator.Generator, ...]:
        numbers = range(len(self))[at]
        if isinstance(numbers, int):
            return self._functions.generator(numbers)
        return tuple(self._functions.generator(k) for k in numbers)

    def __repr__(self) -> str:
        return repr(tuple(self))
