"""wengert.utils._pytree: nested containers taken apart into leaves and put together again, by PyTorch's names.

Containers are lists, tuples, named tuples, dicts, OrderedDicts, defaultdicts, deques, and classes that were registered.
``vmap`` and ``func`` take the same apart. None is a leaf.

>>> import wengert as wg
>>> leaves, spec = wg.utils._pytree.tree_flatten({"a": 1, "b": (2, [3])})
>>> leaves, spec.num_leaves
([1, 2, 3], 3)
>>> wg.utils._pytree.tree_unflatten([10, 20, 30], spec)
{'a': 10, 'b': (20, [30])}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from wengert_functional.trees import DICTS, REGISTERED, Spec, count_leaves, flatten, parts_of, unflatten

__all__ = [
    "PyTree", "TreeSpec", "register_pytree_node", "tree_all", "tree_all_only", "tree_any", "tree_any_only",
    "tree_flatten", "tree_iter", "tree_leaves", "tree_map", "tree_map_", "tree_map_only", "tree_map_only_",
    "tree_structure", "tree_unflatten",
]  # fmt: skip

PyTree = Any
IsLeaf = Callable[[Any], bool] | None


class TreeSpec:
    """The way a nest is built. Two are equal where the containers, their keys and their sizes are."""

    __slots__ = ("_spec",)

    def __init__(self, spec: Spec) -> None:
        self._spec = spec

    @property
    def type(self) -> Any:
        """The type of the outermost container; None of a leaf."""
        return self._spec.kind

    @property
    def context(self) -> Any:
        """The rest that makes the container: the keys of a dict, a named tuple's type; None of most."""
        spec = self._spec
        if spec.keys is not None:
            return [spec.rest, list(spec.keys)] if spec.kind.__name__ == "defaultdict" else list(spec.keys)  # type: ignore[union-attr]
        return spec.kind if hasattr(spec.kind, "_make") else spec.rest

    @property
    def num_leaves(self) -> int:
        """The number of leaves in the nest."""
        return count_leaves(self._spec)

    @property
    def num_children(self) -> int:
        """The number of the outermost container's parts."""
        return len(self._spec.parts)

    @property
    def num_nodes(self) -> int:
        """The number of containers and leaves in the nest."""
        return 1 + sum(child.num_nodes for child in self.children())

    def is_leaf(self) -> bool:
        """Return whether the nest is one leaf."""
        return self._spec.kind is None

    def children(self) -> list[TreeSpec]:
        """Return the specs of the parts."""
        return [TreeSpec(part) for part in self._spec.parts]

    def child(self, index: int) -> TreeSpec:
        """Return the spec of one part."""
        return self.children()[index]

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """Return the nest with these leaves. ValueError for another number of them."""
        given = list(leaves)
        if len(given) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(given)} but the spec refers to a pytree that "
                f"holds {self.num_leaves} items ({self})."
            )
        return unflatten(self._spec, given)

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """Return what a nest has where this one has leaves. ValueError for one that is built in another way."""
        found: list[Any] = []
        take_up_to(self._spec, tree, found)
        return found

    def _identity(self) -> Any:
        if self.is_leaf():
            return None
        keys = None if self._spec.keys is None else frozenset(self._spec.keys)
        return self.type, keys, tuple(child._identity() for child in self.children())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSpec):
            return NotImplemented
        same = self.type is other.type and self.context == other.context
        return same and self.children() == other.children()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return self._text(0)

    def _text(self, indent: int) -> str:
        if self.is_leaf():
            return "*"
        separator = ",\n" + " " * (indent + 2)
        parts = separator.join(child._text(indent + 2) for child in self.children())
        return f"TreeSpec({self.type.__name__}, {self.context}, [{parts}])"


def take_up_to(spec: Spec, tree: Any, found: list[Any]) -> None:
    """Append what a nest has at the leaves of a spec."""
    if spec.kind is None:
        found.append(tree)
        return
    kind: Any = type(tree)
    if kind is not spec.kind and not (kind in DICTS and spec.kind in DICTS):
        raise ValueError(f"Node type mismatch; expected {spec.kind}, but got {kind}.")
    values = parts_of(tree)
    if spec.keys is not None and {*tree} != {*spec.keys}:
        missing, extra = {*spec.keys} - {*tree}, {*tree} - {*spec.keys}
        problems = [f" missing key(s): {missing};" if missing else "", f" extra key(s): {extra};" if extra else ""]
        raise ValueError(f"Node keys mismatch;{''.join(problems)[:-1]}.")
    if len(values) != len(spec.parts):
        raise ValueError(f"Node arity mismatch; expected {len(spec.parts)}, but got {len(values)}.")
    for part, value in zip(spec.parts, values if spec.keys is None else [tree[key] for key in spec.keys], strict=True):
        take_up_to(part, value, found)


def register_pytree_node(
    cls: Any,
    flatten_fn: Callable[[Any], tuple[Iterable[Any], Any]],
    unflatten_fn: Callable[[Any, Any], Any],
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Any = None,
    from_dumpable_context: Any = None,
    flatten_with_keys_fn: Any = None,
) -> None:
    """Let a class be a container: ``flatten_fn`` gives (its parts, the rest), ``unflatten_fn`` makes it of both.

    The settings for serialized specs are taken and not used. ValueError for a class that is a container already,
    TypeError for what is no class or cannot be called.

    >>> import wengert as wg
    >>> class Pair:
    ...     def __init__(self, a, b):
    ...         self.a, self.b = a, b
    >>> wg.utils._pytree.register_pytree_node(Pair, lambda p: ([p.a, p.b], None), lambda parts, rest: Pair(*parts))
    >>> wg.utils._pytree.tree_map(lambda x: x + 1, Pair(1, 2)).b
    3
    >>> wg.vmap(lambda pair: pair.a + pair.b)(Pair(wg.ones(2), wg.ones(2)))
    tensor([2., 2.])
    """
    if not isinstance(cls, type):
        raise TypeError(f"register_pytree_node(): argument 'cls' must be a class, not {cls!r}")
    functions: dict[str, Any] = {"flatten_fn": flatten_fn, "unflatten_fn": unflatten_fn}
    for name, function in functions.items():
        if not callable(function):
            got = type(function).__name__
            raise TypeError(f"register_pytree_node(): argument '{name}' must be a function, not {got}")
    if cls in REGISTERED or cls in DICTS or cls in (list, tuple):
        raise ValueError(f"{cls} is already registered as pytree node.")
    REGISTERED[cls] = (flatten_fn, unflatten_fn)


def tree_flatten(tree: PyTree, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """Return the leaves of a nest from left to right, and the way it is built.

    is_leaf: says of each container whether it counts as a leaf. ValueError for a nest that contains itself.
    """
    leaves, spec = flatten(tree, is_leaf)
    return leaves, TreeSpec(spec)


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> PyTree:
    """Return the nest that is built so and has these leaves. TypeError for what is no TreeSpec."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    return treespec.unflatten(leaves)


def tree_iter(tree: PyTree, is_leaf: IsLeaf = None) -> Iterator[Any]:
    """Return an iterator over the leaves."""
    yield from flatten(tree, is_leaf)[0]


def tree_leaves(tree: PyTree, is_leaf: IsLeaf = None) -> list[Any]:
    """Return the leaves of a nest from left to right."""
    return flatten(tree, is_leaf)[0]


def tree_structure(tree: PyTree, is_leaf: IsLeaf = None) -> TreeSpec:
    """Return the way a nest is built."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None) -> PyTree:
    """Return the nest of what a function gives for each leaf, and for what the other nests have there.

    ValueError for another nest that is built in another way.

    >>> import wengert as wg
    >>> wg.utils._pytree.tree_map(lambda x, y: x * y, [1, (2,)], [3, (4,)])
    [3, (8,)]
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    columns = [leaves, *(spec.flatten_up_to(rest) for rest in rests)]
    return unflatten(spec._spec, [func(*row) for row in zip(*columns, strict=True)])


def tree_map_(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None) -> PyTree:
    """Call a function for each leaf, and for what the other nests have there. Return the nest itself."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def leaf_predicate(kinds: Any) -> Callable[[Any], bool]:
    """Return what says whether a leaf is of some types, or is chosen by a function."""
    if isinstance(kinds, type | tuple):
        return lambda leaf: isinstance(leaf, kinds)
    if not callable(kinds):
        raise TypeError("Argument must be a type, a tuple of types, or a callable.")
    return lambda leaf: bool(kinds(leaf))


def tree_map_only(
    type_or_types_or_pred: Any, func: Callable[[Any], Any], tree: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """Return the nest with what a function gives for the leaves of some types, or those that a function chooses."""
    is_chosen = leaf_predicate(type_or_types_or_pred)
    return tree_map(lambda leaf: func(leaf) if is_chosen(leaf) else leaf, tree, is_leaf=is_leaf)


def tree_map_only_(
    type_or_types_or_pred: Any, func: Callable[[Any], Any], tree: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """Call a function for the leaves of some types, or those that a function chooses. Return the nest itself."""
    tree_map_only(type_or_types_or_pred, func, tree, is_leaf)
    return tree


def tree_all(pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    """Return whether something holds for all leaves."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    """Return whether something holds for a leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def tree_all_only(type_or_types: Any, pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    """Return whether something holds for all leaves of some types."""
    return all(pred(leaf) for leaf in tree_leaves(tree, is_leaf) if isinstance(leaf, type_or_types))


def tree_any_only(type_or_types: Any, pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    """Return whether something holds for a leaf of some types."""
    return any(pred(leaf) for leaf in tree_leaves(tree, is_leaf) if isinstance(leaf, type_or_types))
