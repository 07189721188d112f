"""wengert._higher_order_ops: PyTorch's spellings of structured control flow; ``cond`` is ``wengert.cond``, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core import TABLE
from wengert_core.extend import Tensor, short_repr

from wengert_functional import trees
from wengert_functional.control_flow import associative, conds, scans, while_loops
from wengert_functional.control_flow.flat import flatten_tensors

__all__ = ["associative_scan", "cond", "scan", "while_loop"]
flip = TABLE.ops["flip"]


def cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any],
         operands: tuple[Any, ...] | list[Any] = ()) -> Any:
    """Return ``true_fn(*operands)`` where ``pred`` is true, otherwise ``false_fn(*operands)``.

    This is ``torch.cond``; ``wengert.func.cond`` explains what happens under vmap. All derivatives go through it.

    pred: a bool, a number, or a tensor with one element.   operands: a tuple or list; with a tensor as predicate, of
    nested tensors only.   RuntimeError for other arguments.

    >>> import wengert as wg
    >>> wg.cond(wg.tensor(False), lambda x: x.sin(), lambda x: x.cos(), (wg.tensor(0.0),))
    tensor(1.)
    """
    conds.check_predicate("cond", pred)
    if not are_callable(true_fn, false_fn):
        raise RuntimeError("cond: Expect both branches to be callable.")
    if not is_sequence(operands) or (isinstance(pred, Tensor) and not are_tensors(operands)):
        raise RuntimeError("cond: Expect operands to be a tuple of possibly nested dict/list/tuple that only consists "
                           f"of tensor leaves, but got {short_repr(operands)}")
    return conds.cond(pred, true_fn, false_fn, *operands)


def are_callable(*functions: Any) -> bool:
    """Return whether all arguments are functions."""
    return all(callable(function) for function in functions)


def is_sequence(value: Any) -> bool:
    """Return whether a value is a tuple or a list."""
    return isinstance(value, (tuple, list))


def are_tensors(tree: Any) -> bool:
    """Return whether all leaves of a nest are tensors."""
    return all(isinstance(leaf, Tensor) for leaf in trees.flatten(tree)[0])


def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any],
               carried_inputs: tuple[Any, ...] | list[Any]) -> Any:
    """Return the carry after ``body_fn(*carry)`` as often as ``cond_fn(*carry)`` is True.

    carried_inputs: a tuple or list of tensors and ints, possibly nested, which ``body_fn`` returns anew with the same
    shapes and dtypes. The functions get an int as an int64 tensor; it is returned as an int.
    RuntimeError for other arguments, and for a carry that changes.

    >>> import wengert as wg
    >>> from wengert._higher_order_ops import while_loop
    >>> while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (0, wg.tensor(1.0)))
    (3, tensor(8.))
    """
    if not are_callable(cond_fn, body_fn):
        raise RuntimeError("while_loop: Expect cond_fn and body_fn to be callable.")
    if not is_sequence(carried_inputs):
        raise RuntimeError("while_loop: Expect carried_inputs to be a tuple of possibly nested dict/list/tuple that "
                           f"only consists of tensor or int leaves, but got {short_repr(carried_inputs)}")
    kind = type(carried_inputs)

    def body(carry: Any) -> Any:
        result = body_fn(*carry)
        return kind(result) if is_sequence(result) else result

    result = while_loops.while_loop(lambda carry: cond_fn(*carry), body, carried_inputs)
    leaves, spec = trees.flatten(result)
    was_int = [type(leaf) is int for leaf in trees.flatten(carried_inputs)[0]]
    return trees.unflatten(spec, [int(leaf) if whole and not while_loops.is_batched(leaf) else leaf
                                  for leaf, whole in zip(leaves, was_int, strict=True)])


def scan(combine_fn: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any, *, dim: int = 0,
         reverse: bool = False) -> tuple[Any, Any]:
    """Return ``(carry, ys)`` of ``carry, y = combine_fn(carry, x)`` for the slices x of ``xs`` along ``dim``.

    This is PyTorch's ``scan``; ``wengert.func.scan`` has JAX's arguments as well. Tensors without slices give ``ys``
    without rows; PyTorch refuses them.

    init, xs: tensors, or nests of them. Without tensors in ``xs`` the result is ``(init, [])``.
    RuntimeError for other arguments, and for a carry that changes.

    >>> import wengert as wg
    >>> from wengert._higher_order_ops import scan
    >>> scan(lambda total, x: (total + x, total * x), wg.tensor(1.0), wg.ones(3), reverse=True)
    (tensor(4.), tensor([3., 2., 1.]))
    """
    rows, carry = trees.flatten(xs)[0], trees.flatten(init)[0]
    if not rows:
        return init, []
    if not callable(combine_fn):
        raise RuntimeError(f"scan: Combine_fn must be a callable, but got {short_repr(combine_fn)}")
    if not isinstance(reverse, bool):
        raise RuntimeError(f"scan: Reverse must be a bool, but got {type(reverse)}")
    if not carry:
        raise RuntimeError("scan: scan() operator requires init leaves.")
    check_leaves("scan", "init", carry)
    check_leaves("scan", "xs", rows)
    if any(x.ndim <= dim for x in rows):
        raise RuntimeError("scan: All xs leaves must at least have 'dim' number of dimensions, got "
                           f"dim={dim} for shapes {[list(x.shape) for x in rows]}")
    return scans.scan(combine_fn, init, xs, reverse=reverse, dim=dim)


def check_leaves(op: str, name: str, leaves: list[Any]) -> None:
    """Raise RuntimeError for a leaf that is no tensor."""
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"{op}: All {name} leaves must be a Tensor but got {short_repr(leaf)}")


def associative_scan(combine_fn: Callable[[Any, Any], Any], xs: Any, dim: int, reverse: bool = False,
                     combine_mode: str = "pointwise") -> Any:
    """Return all partial results of an associative function along a dim: x0, f(x0, x1), f(f(x0, x1), x2), ...

    It calls the function about 2 log2(N) times, each time for many pairs at once, as by vmap.

    combine_fn: a function of two slices of ``xs``, or of two nests of them, that keeps structure, shapes and dtypes.
    xs: a tensor, or a nest of tensors with the same size in ``dim``.   reverse: from the last slice to the first.
    combine_mode: "pointwise" or "generic"; both compute the same here, on all devices.
    RuntimeError for other functions and results; ValueError for other arguments.

    >>> import wengert as wg
    >>> from wengert._higher_order_ops import associative_scan
    >>> associative_scan(lambda a, b: a * b, wg.arange(1.0, 5.0), 0)
    tensor([ 1.,  2.,  6., 24.])
    """
    if not callable(combine_fn):
        raise ValueError(f"associative_scan: Combine_fn must be a callable, but got {short_repr(combine_fn)}")
    if combine_mode not in ("pointwise", "generic"):
        raise ValueError("associative_scan: Combine_mode must either 'pointwise' or 'generic', but got "
                         f"{combine_mode!s:.80}")
    leaves, layout = flatten_tensors("associative_scan", "xs", xs)
    place, length = scans.row_count(leaves, dim, None)
    if not length:
        raise ValueError("associative_scan: All xs leaves must at least have 'dim' number of dimensions and scan "
                         f"dimension > 0, got shapes {[list(x.shape) for x in leaves]}")
    rows = [x.movedim(place, 0) for x in leaves]
    rows = [flip(x, [0]) for x in rows] if reverse else rows
    results = associative.run_associative(associative.combine_rows(combine_fn, layout), rows)
    results = [flip(x, [0]) for x in results] if reverse else results
    return layout.rebuild([x.movedim(0, place) for x in results])
