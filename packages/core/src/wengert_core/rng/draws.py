"""Samples for a tensor: drawn now, or, while the tensor's device captures a graph, by each replay."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from wengert_core.devices.device import PLUGIN_DEVICES
from wengert_core.exchange import device_memory
from wengert_core.rng.generator import Generator, generator_of, numpy_generator

Array = Any
"""An array of the host or of the device at hand."""


def draw(generator: Any, caller: str, sampler: Callable[..., Array], *arguments: Any) -> Array:
    """Return what ``sampler(rng, *arguments)`` draws from a ``generator=`` argument, as an array of the host.

    While the device that is computed on captures a graph, nothing is drawn: the array is the device's, and each replay
    of the graph fills it with what the sampler draws then.
    """
    rng = numpy_generator(generator, caller)
    number = device_memory.current_device_number()
    if device_memory.is_capturing(number):
        plugin, index = PLUGIN_DEVICES[number]
        source: Generator = generator_of(number) if generator is None else generator
        first = np.asarray(sampler(copy.deepcopy(rng), *arguments))
        return plugin.replayed_upload(index, first, lambda: np.asarray(sampler(source.numpy(), *arguments)))
    return sampler(rng, *arguments)
