"""The plugin registry of wengert: what is installed is listed in a millisecond, and loaded on first use.

`registry` is the one of this process; it composes itself on first use. Others can be made, for example in tests:

>>> from wengert_registry import Registry
>>> mine = Registry(paths=[], environ={})
>>> devices = mine.group("devices")
>>> with devices.register("sim", "a simulated device", owner="the example"):
...     devices.get("sim"), devices.names()
('a simulated device', ('sim',))
>>> "sim" in devices
False
"""

from wengert_registry.candidate import Candidate, Distribution
from wengert_registry.composition import Registry
from wengert_registry.errors import DuplicatePluginError, MissingPluginError, PluginError, PluginWarning
from wengert_registry.forks import fork_lock
from wengert_registry.group import Group, Registration

__version__ = "0.1.0"

__all__ = [
    "Candidate",
    "Distribution",
    "DuplicatePluginError",
    "Group",
    "MissingPluginError",
    "PluginError",
    "PluginWarning",
    "Registration",
    "Registry",
    "fork_lock",
    "registry",
]

registry = Registry()  # the process-wide one: reads sys.path and os.environ when it is first used
