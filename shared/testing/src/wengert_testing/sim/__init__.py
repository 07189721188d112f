"""A device that is not there: for tests of what runs on devices, on any machine.

The type is "sim". Its memory has addresses of its own, which are no addresses of the host: what reads them crashes,
and an
array of it that is taken for an array of the host is an error. Work is queued on streams: it takes a random (seeded)
time on a clock of the device, and nothing is ordered but by streams, events and waiting. What is computed without that
order is
a ``RaceError`` at once, whether or not it would have gone well; ``races("stale")`` gives what a device would give
instead.

>>> from wengert_registry import registry
>>> from wengert_testing.sim import SimDevice
>>> from wengert_core import arange
>>> with registry.group("devices").register("sim", SimDevice):
...     x = arange(3.0).to("sim")
...     x.device, (x * 2).cpu().tolist()
(device(type='sim', index=0), [0.0, 2.0, 4.0])
"""

from wengert_testing.sim.arrays import SimArray, SimNamespace
from wengert_testing.sim.device import SimDevice
from wengert_testing.sim.order import RaceError, SimEvent, SimStream, races, reset
from wengert_testing.sim.storage import PinnedBlock, SimMemory

__all__ = [
    "PinnedBlock", "RaceError", "SimArray", "SimDevice", "SimEvent", "SimMemory", "SimNamespace", "SimStream", "races",
    "reset",
]  # fmt: skip
