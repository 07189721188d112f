"""Random trees of modules for tests, and what to expect of them, computed in the plainest way."""

from __future__ import annotations

import wengert as wg
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from wengert import nn

no_clock = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""Examples may take their time: other tests run beside them."""

NAMES = ["a", "b", "c", "weight", "bias", "0"]


class Node(nn.Module):
    """A module whose result depends on all that is in its tree."""

    def forward(self, x):
        for value in (*self._parameters.values(), *self._buffers.values()):
            x = x if value is None else x * 0.5 + value.sum()
        for module in self._modules.values():
            x = x if module is None else module(x)
        return x


@st.composite
def trees(draw, depth=3, shared=True):
    """A tree of modules with parameters, buffers and None; with `shared`, some stand in several places."""
    seen: dict[str, list] = {"module": [], "parameter": [], "buffer": []}
    return grow(draw, depth, seen, shared)


def grow(draw, depth, seen, shared):
    node = Node()
    kinds = ["parameter", "buffer", "transient", "none", "no_module"] + (["module", "module"] if depth else [])
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=4)):
        kind = draw(st.sampled_from(kinds))
        pool = seen.get("buffer" if kind == "transient" else kind)
        if shared and pool and draw(st.booleans()):
            value = draw(st.sampled_from(pool))
        elif kind == "module":
            value = grow(draw, depth - 1, seen, shared)
        elif kind == "parameter":
            value = nn.Parameter(number(seen))
        else:
            value = number(seen)
        if kind == "module":
            node.add_module(name, value)
        elif kind == "no_module":
            node.add_module(name, None)
        elif kind == "parameter":
            node.register_parameter(name, value)
        elif kind == "none":
            node.register_parameter(name, None)
        else:
            node.register_buffer(name, value, persistent=kind == "buffer")
        if pool is not None and not any(one is value for one in pool):
            pool.append(value)
    return node


def number(seen):
    """A tensor that no other in the tree equals."""
    seen["numbers"] = seen.get("numbers", 0) + 1
    return wg.tensor([float(seen["numbers"])])


def positions(module, path=""):
    """All (name, module) of a tree, each place of a shared module for itself, in the order of the tree."""
    found = [(path, module)]
    for name, child in module._modules.items():
        if child is not None:
            found += positions(child, f"{path}.{name}" if path else name)
    return found


def first_positions(pairs):
    """The pairs (name, value) without those whose value has been there."""
    known: list = []
    result = []
    for name, value in pairs:
        if not any(value is one for one in known):
            known.append(value)
            result.append((name, value))
    return result


def members(module, table):
    """All (name, tensor) in the tables of a tree."""
    return [
        (f"{path}.{name}" if path else name, value)
        for path, one in positions(module)
        for name, value in getattr(one, table).items()
        if value is not None
    ]


def same(one, other):
    """Whether two lists of pairs have equal names and identical values."""
    return [n for n, _ in one] == [n for n, _ in other] and all(
        a is b for (_, a), (_, b) in zip(one, other, strict=True)
    )
