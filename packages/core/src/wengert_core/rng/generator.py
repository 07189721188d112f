"""Random numbers: generators on NumPy's bit generators, and the state that all functions without ``generator=`` share.

NumPy's random module is loaded when the first number is drawn. A seed gives the same numbers on every machine (normal
ones but for their rounding), but not those of another library.

>>> from wengert_core import manual_seed, rand
>>> g = manual_seed(0)
>>> a = rand(3).tolist()
>>> g = manual_seed(0)
>>> a == rand(3).tolist()
True
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from wengert_registry import fork_lock

from wengert_core.binding.checked_methods import checked
from wengert_core.devices.device import DEVICES, device, device_number
from wengert_core.dtypes.dtypes import ALL
from wengert_core.exchange import device_memory
from wengert_core.exchange import from_data as _from_data
from wengert_core.rng import pcg64
from wengert_core.runtime.launches import note_effect
from wengert_core.tensors.tensor import Tensor

__all__ = [
    "Generator",
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]

FIRST_SEED = 67280421310721
"""The seed of a new generator, as in torch."""
MASK = (1 << 64) - 1
STATE_BYTES = 56
_MAKING = fork_lock()


@checked
class Generator:
    """A source of random numbers, for ``generator=`` arguments.

    device: whose numbers they are; None: the CPU's. A new one has a fixed seed; see ``seed`` for a random one. The
    numbers of every device are drawn on the host.

    >>> g = Generator().manual_seed(1)
    >>> g.initial_seed()
    1
    """

    _device_number: int
    _seed: int
    _numpy: np.random.Generator | None

    def __new__(cls, device: str | device | None = "cpu") -> Self:
        made = object.__new__(cls)
        device = "cpu" if device is None else device
        made._device_number, made._seed, made._numpy = device_number(device, "Generator"), FIRST_SEED, None
        return made

    @property
    def device(self) -> device:
        """Where the numbers are made."""
        return DEVICES[self._device_number]

    def numpy(self) -> np.random.Generator:
        """The NumPy generator behind this one; drawing from it advances this one."""
        made = self._numpy
        if made is None:
            with _MAKING:  # two threads' first numbers come from one generator
                made = self._numpy
                if made is None:
                    made = np.random.Generator(np.random.PCG64(0))
                    pcg64.seed(made, self._seed)
                    self._numpy = made
        return made

    def manual_seed(self, seed: Any) -> Generator:
        """Start again from a seed, an int of 64 bits; negative ones count from 2**64 down. Returns the generator."""
        if isinstance(seed, bool) or not hasattr(type(seed), "__index__"):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}: give an int of 64 bits")
        value = int(seed)
        if not -(1 << 63) <= value < 1 << 64:
            raise ValueError(f"Overflow when unpacking long long: the seed {value} does not fit into 64 bits")
        note_effect()
        with _MAKING:
            self._seed = value & MASK
            if self._numpy is not None:
                pcg64.seed(self._numpy, self._seed)
        return self

    def seed(self) -> int:
        """Start again from a seed that the system draws; returns it."""
        value = int.from_bytes(os.urandom(8), "little") >> 11  # 53 bits, as torch
        self.manual_seed(value)
        return value

    def initial_seed(self) -> int:
        """The seed that was started from."""
        note_effect()  # a number that is read, and no tensor's: nothing compares it
        return self._seed

    def get_state(self) -> Tensor:
        """What determines the numbers to come, as a tensor of bytes."""
        note_effect()
        state: Any = self.numpy().bit_generator.state
        parts = [(state["state"]["state"], 16), (state["state"]["inc"], 16), (state["has_uint32"], 8)]
        parts += [(state["uinteger"], 8), (self._seed, 8)]
        raw = b"".join(int(value).to_bytes(size, "little") for value, size in parts)
        return _from_data.of_array(np.frombuffer(raw, np.uint8).copy(), None)

    def set_state(self, new_state: Tensor) -> Generator:
        """Go on from a state that get_state gave; returns the generator."""
        raw = _checked_state(new_state)
        note_effect()
        numbers = [
            int.from_bytes(raw[low:high], "little") for low, high in ((0, 16), (16, 32), (32, 40), (40, 48), (48, 56))
        ]
        self._seed = numbers[4]
        # In place: whoever recorded draws has the address of this state, Note [Launches that draw] in pcg64.pyx.
        self.numpy().bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": numbers[0], "inc": numbers[1]},
            "has_uint32": numbers[2],
            "uinteger": numbers[3],
        }
        return self

    def clone_state(self) -> Generator:
        """A generator of its own that goes on from the same state."""
        return Generator(self.device).set_state(self.get_state())

    def __reduce__(self) -> tuple[Any, ...]:
        return _generator_of, (
            (self.get_state(),) if self._device_number == 0 else (self.get_state(), str(self.device))
        )


def _generator_of(state: Tensor, device: str = "cpu") -> Generator:
    return Generator(device).set_state(state)


def _checked_state(state: Any) -> bytes:
    if not isinstance(state, Tensor):
        raise TypeError(f"expected a torch.ByteTensor, but got {type(state).__name__}")
    if state.dtype is not ALL["uint8"]:
        raise TypeError(f"RNG state must be a torch.ByteTensor, not a tensor of {state.dtype}")
    if state.numel() != STATE_BYTES:
        raise RuntimeError(
            f"Expected a state of size {STATE_BYTES} but found the input RNG state size to be {state.numel()}"
        )
    return bytes(state.tolist())


default_generator: Generator = Generator()
"""What functions without ``generator=`` draw from."""
default_generator.seed()


_OF_DEVICES: dict[int, Generator] = {}


def generator_of(device_number: int) -> Generator:
    """The default generator of the device with that number; seeded, as the host's, by the system or ``manual_seed``."""
    if device_number == 0:
        return default_generator
    found = _OF_DEVICES.get(device_number)
    if found is None:
        fresh = Generator(DEVICES[device_number]).manual_seed(default_generator._seed)
        found = _OF_DEVICES.setdefault(device_number, fresh)  # of two threads one adds its own, and both use it
    return found


def get_states() -> list[tuple[Generator, Any]]:
    """The default generators, of the host and of the devices in use, with their states."""
    generators = [generator_of(device_number) for device_number in range(len(DEVICES))]
    return [(generator, generator.get_state()) for generator in generators]


def set_states(states: list[tuple[Generator, Any]]) -> None:
    """Let the generators go on from states that get_states gave."""
    for generator, state in states:
        generator.set_state(state)


def check_device(generator: Any, device_number: int, caller: str) -> None:
    """RuntimeError for a generator of another device than the one that numbers are drawn for, by its number."""
    if device_number and isinstance(generator, Generator) and generator._device_number != device_number:
        raise RuntimeError(f"Expected a '{DEVICES[device_number].type}' device type for generator but found "
                           f"'{generator.device.type}': {caller}() draws for {DEVICES[device_number]}")


def numpy_generator(generator: Any, caller: str) -> np.random.Generator:
    """The NumPy generator of a ``generator=`` argument; None: the default one's."""
    if generator is None:
        return generator_of(device_memory.current_device_number()).numpy()
    if isinstance(generator, Generator):
        check_device(generator, device_memory.current_device_number(), caller)
        return generator.numpy()
    raise TypeError(f"{caller}(): argument 'generator' must be torch.Generator, not {type(generator).__name__}; "
                    f"{caller}() received an invalid combination of arguments")


def manual_seed(seed: Any) -> Generator:
    """Start the default generators of all devices again from a seed; returns the host's.

    seed: an int of 64 bits (or what int() takes). ValueError for one that does not fit.

    >>> from wengert_core import initial_seed, manual_seed
    >>> g = manual_seed(7)
    >>> initial_seed()
    7
    """
    try:
        value = int(seed)
    except (TypeError, ValueError, OverflowError) as error:
        raise type(error)(f"manual_seed(): argument 'seed' must be int, not {type(seed).__name__}: {error}") from None
    for generator in list(_OF_DEVICES.values()):
        generator.manual_seed(value)
    return default_generator.manual_seed(value)


def seed() -> int:
    """Start the default generator again from a seed that the system draws; returns it.

    >>> from wengert_core import initial_seed
    >>> from wengert_core.rng import generator as random
    >>> random.seed() == initial_seed()
    True
    """
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the default generator was started from.

    >>> from wengert_core import initial_seed, manual_seed
    >>> g = manual_seed(3)
    >>> initial_seed()
    3
    """
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The default generator's state, as a tensor of bytes.

    >>> from wengert_core import get_rng_state, rand, set_rng_state
    >>> state = get_rng_state()
    >>> a = rand(2).tolist()
    >>> set_rng_state(state)
    >>> a == rand(2).tolist()
    True
    """
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Let the default generator go on from a state that get_rng_state gave.

    >>> from wengert_core import get_rng_state, set_rng_state
    >>> set_rng_state(get_rng_state())
    """
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(
    devices: Any = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str | None = None,
) -> Iterator[None]:
    """Inside, numbers are drawn from the state that there is; behind it, drawing goes on as if none had been.

    devices: others whose states are kept as well; there are none here.   enabled: False does nothing.

    >>> from wengert_core import rand
    >>> from wengert_core.random import fork_rng
    >>> with fork_rng():
    ...     a = rand(2).tolist()
    >>> a == rand(2).tolist()
    True
    """
    if devices:
        raise RuntimeError(f"{_caller}: {_devices_kw}={list(devices)}: core has random numbers on the CPU only")
    if not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)
