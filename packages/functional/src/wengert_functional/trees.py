"""Nested containers of tensors: taken apart into a list of leaves, and put together again.

Tuples, lists, named tuples (those of results too, ``torch.return_types``), deques and dicts are containers; anything
else, None too, is a leaf.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from wengert_core import Size
from wengert_core.extend import Result

DICTS = (dict, OrderedDict, defaultdict)


class Spec:
    """The plan of a nest: its container's type, the keys of a dict, the specs of its parts, what else makes it."""

    __slots__ = ("keys", "kind", "make", "parts", "rest")

    def __init__(self, kind: type | None, keys: tuple[Any, ...] | None, parts: list[Spec],
                 make: Callable[[list[Any]], Any], rest: Any = None) -> None:
        self.kind, self.keys, self.parts, self.make, self.rest = kind, keys, parts, make, rest

    def __str__(self) -> str:
        inner = [str(part) for part in self.parts]
        if self.kind is None:
            return "*"
        if self.keys is not None:
            pairs = ", ".join(f"{key!r}: {part}" for key, part in zip(self.keys, inner, strict=True))
            return f"{{{pairs}}}" if self.kind is dict else f"{self.kind.__name__}({{{pairs}}})"
        if self.kind is tuple:
            return f"({inner[0]},)" if len(inner) == 1 else f"({', '.join(inner)})"
        listed = f"[{', '.join(inner)}]"
        return listed if self.kind is list else f"{self.kind.__name__}({listed})"


LEAF = Spec(None, None, [], lambda parts: parts[0])

REGISTERED: dict[type, tuple[Callable[[Any], tuple[Iterable[Any], Any]], Callable[[list[Any], Any], Any]]] = {}
"""Classes that are containers too: what takes one apart into (parts, the rest), and what makes it of both."""


def flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], Spec]:
    """The leaves of a nest from left to right, and its spec. is_leaf: what says of a container that it is a leaf here.

    >>> leaves, spec = flatten({"a": 1, "b": (2, [3])})
    >>> leaves, str(spec)
    ([1, 2, 3], "{'a': *, 'b': (*, [*])}")
    """
    leaves: list[Any] = []
    try:
        return leaves, take_apart(tree, leaves, is_leaf)
    except RecursionError:
        raise ValueError(
            f"expected nested containers of tensors, got a {type(tree).__name__} that contains itself, or that is "
            "nested too deep: give a nest that ends"
        ) from None


def take_apart(tree: Any, leaves: list[Any], is_leaf: Callable[[Any], bool] | None = None) -> Spec:
    """The spec of a nest, whose leaves are appended."""
    kind = type(tree)
    if is_leaf is not None and is_leaf(tree):
        leaves.append(tree)
        return LEAF
    if kind in DICTS:
        keys = tuple(tree)
        parts = [take_apart(tree[key], leaves, is_leaf) for key in keys]
        return Spec(kind, keys, parts, dict_maker(tree, keys), getattr(tree, "default_factory", None))
    if kind in REGISTERED:
        apart, build = REGISTERED[kind]
        inside, rest = apart(tree)
        parts = [take_apart(part, leaves, is_leaf) for part in inside]
        return Spec(kind, None, parts, lambda made: build(made, rest), rest)
    make = maker(tree)
    if make is None:
        leaves.append(tree)
        return LEAF
    parts = [take_apart(part, leaves, is_leaf) for part in tree]
    return Spec(kind, None, parts, make, tree.maxlen if kind is deque else None)


def dict_maker(tree: Any, keys: tuple[Any, ...]) -> Callable[[list[Any]], Any]:
    """What builds a dict of this type."""
    if isinstance(tree, defaultdict):
        factory = tree.default_factory
        return lambda parts: defaultdict(factory, zip(keys, parts, strict=True))
    kind = type(tree)
    return lambda parts: kind(zip(keys, parts, strict=True))


def maker(tree: Any) -> Callable[[list[Any]], Any] | None:
    """What builds a sequence of this type, or None for a leaf."""
    kind = type(tree)
    if kind is tuple or kind is list:
        return kind
    if kind is Size:
        return tuple
    if kind is deque:
        return lambda parts: deque(parts, tree.maxlen)
    if isinstance(tree, Result):
        return kind
    if isinstance(tree, tuple) and hasattr(kind, "_make"):
        make: Callable[[list[Any]], Any] = kind._make
        return make
    return None


def unflatten(spec: Spec, leaves: Iterable[Any]) -> Any:
    """The nest that has these leaves.

    >>> leaves, spec = flatten((1, {"a": 2}))
    >>> unflatten(spec, [10, 20])
    (10, {'a': 20})
    """
    return put_together(spec, iter(leaves))


def put_together(spec: Spec, leaves: Iterator[Any]) -> Any:
    if spec.kind is None:
        return next(leaves)
    return spec.make([put_together(part, leaves) for part in spec.parts])


def leaves_like(spec: Spec, tree: Any) -> list[Any] | None:
    """The leaves of a nest in the order of a spec, or None when it is built in another way (a dict: in another order).

    >>> leaves_like(flatten({"a": 1, "b": 2})[1], {"a": 10, "b": 20})
    [10, 20]
    >>> leaves_like(flatten((1, 2))[1], [1, 2]) is None
    True
    """
    if spec.kind is None:
        leaves, other = flatten(tree)
        return leaves if other is LEAF else None
    kind: Any = type(tree)
    if kind is not spec.kind:
        return None
    values = parts_of(tree)
    if len(values) != len(spec.parts) or (spec.keys is not None and tuple(tree) != spec.keys):
        return None
    found: list[Any] = []
    for part, value in zip(spec.parts, values, strict=True):
        inner = leaves_like(part, value)
        if inner is None:
            return None
        found += inner
    return found


def parts_of(tree: Any) -> list[Any]:
    """The parts of a container."""
    if type(tree) in DICTS:
        return list(tree.values())
    return list(REGISTERED[type(tree)][0](tree)[0] if type(tree) in REGISTERED else tree)


def broadcast_leaves(spec: Spec, tree: Any) -> list[Any] | None:
    """For each leaf of a spec what a nest has there: one value may stand for all of a part, and a dict for a dict of
    another type. None when it does not fit.

    >>> broadcast_leaves(flatten(((1, 2), 3))[1], (0, None))
    [0, 0, None]
    """
    kind: Any = type(tree)
    if maker(tree) is None and kind not in DICTS and kind not in REGISTERED:
        return [tree] * count_leaves(spec)
    if spec.kind is None or len(parts_of(tree)) != len(spec.parts):
        return None
    if kind is not spec.kind and not (kind in DICTS and spec.keys is not None):
        return None
    if spec.keys is not None:
        if any(key not in tree for key in spec.keys):
            return None
        tree = [tree[key] for key in spec.keys]
    else:
        tree = parts_of(tree)
    found: list[Any] = []
    for part, value in zip(spec.parts, tree, strict=True):
        inner = broadcast_leaves(part, value)
        if inner is None:
            return None
        found += inner
    return found


def count_leaves(spec: Spec) -> int:
    return 1 if spec.kind is None else sum(count_leaves(part) for part in spec.parts)


def tree_map(function: Callable[[Any], Any], tree: Any) -> Any:
    """The nest of what a function gives for each leaf.

    >>> tree_map(lambda leaf: leaf + 1, [1, (2,)])
    [2, (3,)]
    """
    leaves, spec = flatten(tree)
    return unflatten(spec, [function(leaf) for leaf in leaves])
