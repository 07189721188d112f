"""Layout plugins by the names of their layouts, and what an entry point may give."""

from __future__ import annotations

from typing import Any

from wengert_registry import registry

from wengert_core.devices.device import PLUGIN_DEVICES
from wengert_core.devices.layout import layout
from wengert_core.layouts.components import connect_operations
from wengert_core.layouts.plugin import LayoutPlugin
from wengert_core.tensors.tensor import device_number_of

NEEDED = ("describe", "clone", "zeros", "elements", "reduce")
"""Methods of LayoutPlugin that every layout has to have of its own."""
_MADE: dict[type, LayoutPlugin] = {}
"""The instances of plugins that are given as classes."""


def accept(candidate: Any, obj: Any) -> Any:
    """Return what a ``wengert.layouts.v1`` entry point may give: a class derived from LayoutPlugin, or an instance.

    Raises TypeError or ValueError to refuse it.
    """
    cls = obj if isinstance(obj, type) else type(obj)
    if not issubclass(cls, LayoutPlugin):
        raise TypeError(
            "expected a class derived from wengert_core.extend.LayoutPlugin, or an instance of one, got "
            f"{'the class ' if cls is obj else ''}{cls.__name__}"
        )
    if candidate.name == "strided":
        raise ValueError("the layout 'strided' is wengert's own; a plugin's has another name")
    if candidate.name not in tuple(obj.layouts):
        raise ValueError(
            f"{cls.__name__} has the layouts {', '.join(obj.layouts) or 'none'}, its entry point is "
            f"'{candidate.name}': it must be one of them"
        )
    lacking = [name for name in NEEDED if getattr(cls, name) is getattr(LayoutPlugin, name)]
    if lacking:
        raise TypeError(
            f"{cls.__name__} lacks {', '.join(lacking)}: a layout has the methods {', '.join(NEEDED)} of its own"
        )
    return obj


def plugin_called(name: str) -> LayoutPlugin:
    """The plugin of a layout. NotImplementedError where no installed package provides it."""
    group = registry.group("layouts")
    offer: Any = group.find(name)
    if offer is None:
        raise NotImplementedError(". ".join([f"layout torch.{name} is not supported: no installed package provides it",
                                             *group.reasons(name)]))  # fmt: skip
    if isinstance(offer, type):
        offer = _MADE.get(offer) or _MADE.setdefault(offer, offer())
    plugin: LayoutPlugin = offer
    return plugin


def plugin_for(kind: layout) -> LayoutPlugin:
    """The plugin of a layout."""
    return plugin_called(kind._name)


def load_for(kind: layout, caller: str) -> None:
    """Load the plugin of a layout, and what lets it run operations; NotImplementedError where there is none."""
    connect_operations()
    try:
        plugin_for(kind)
    except NotImplementedError as error:
        raise NotImplementedError(f"{caller}: {error}") from None


def plugin_of(tensor: Any) -> LayoutPlugin:
    """The plugin of a tensor of another layout than strided."""
    plugin: LayoutPlugin = PLUGIN_DEVICES[device_number_of(tensor)][0].plugin
    return plugin
