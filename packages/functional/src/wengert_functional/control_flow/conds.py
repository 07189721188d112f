"""cond: one of two functions, chosen by a predicate; under vmap both, where the elements of the batch choose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core import TABLE
from wengert_core.extend import Tensor, short_repr

from wengert_functional import trees
from wengert_functional.control_flow.constructs import dispatch
from wengert_functional.control_flow.flat import Layout, check_like, is_number, to_tensor
from wengert_functional.control_flow.scans import is_recorded
from wengert_functional.control_flow.while_loops import check_callables, is_batched

where = TABLE.ops["where"]


def cond(pred: Any, true_fun: Callable[..., Any], false_fun: Callable[..., Any], *operands: Any) -> Any:
    """Return ``true_fun(*operands)`` where ``pred`` is true, otherwise ``false_fun(*operands)``.

    The operands follow the functions, as in ``jax.lax.cond``; PyTorch's function, ``wengert.cond(pred, true_fn,
    false_fn, operands)``, takes them in one tuple. Only the chosen function is called. Under vmap a predicate may
    differ between the elements of the batch: then both are called, and their results, which must have the same
    structure, shapes and dtypes, are chosen by ``where``. A function that was not chosen for an element adds nothing to
    the gradients of its operands, even where its derivative is not finite; pass tensors as operands for that reason.

    pred: a bool, a number, or a tensor with one element.   operands: anything; tensors may be nested.
    RuntimeError for another predicate, and for results that do not fit; TypeError for functions that cannot be called.

    >>> import wengert as wg
    >>> wg.func.cond(wg.tensor(True), wg.sin, wg.cos, wg.tensor(0.0))
    tensor(0.)
    >>> wg.vmap(lambda x: wg.func.cond(x > 0, lambda x: x, lambda x: 0.1 * x, x))(wg.tensor([-1.0, 1.0]))
    tensor([-0.1000,  1.0000])
    """
    check_predicate("cond", pred)
    check_callables("cond", true_fun=true_fun, false_fun=false_fun)
    leaves, spec = trees.flatten(operands)
    branches = Branch(true_fun, spec), Branch(false_fun, spec)
    predicate = pred.reshape(()) if isinstance(pred, Tensor) else bool(pred)
    results = dispatch("cond", run_cond, predicate, *branches, leaves)
    return next(branch for branch in branches if branch.spec is not None).rebuild(results)


def check_predicate(op: str, pred: Any) -> None:
    """Raise RuntimeError for a predicate that is no bool, number or tensor with one element."""
    if isinstance(pred, Tensor):
        if pred.numel() != 1:
            raise RuntimeError(f"{op}: Expected pred to be bool or single-element tensor, but got a tensor of shape "
                               f"{list(pred.shape)}")
    elif not is_number(pred):
        raise RuntimeError(f"{op}: Expected pred to be bool or tensor, but got {short_repr(pred, str)}")


class Branch:
    """A function of cond in flat form: the leaves of its operands to those of its result.

    spec: the structure of the result, known after a call.
    """

    def __init__(self, function: Callable[..., Any], operands_spec: trees.Spec) -> None:
        self.function, self.operands_spec = function, operands_spec
        self.spec: trees.Spec | None = None

    def __call__(self, operands: list[Any]) -> list[Any]:
        leaves, self.spec = trees.flatten(self.function(*trees.unflatten(self.operands_spec, operands)))
        return leaves

    def rebuild(self, leaves: list[Any]) -> Any:
        """Return the result that has these leaves."""
        assert self.spec is not None
        return trees.unflatten(self.spec, leaves)


def run_cond(predicate: Any, true_branch: Branch, false_branch: Branch, operands: list[Any]) -> list[Any]:
    """Return the leaves of the chosen function's result."""
    if not is_batched(predicate):
        return (true_branch if predicate else false_branch)(operands)
    chosen = predicate != 0
    found, other = true_branch(cut(chosen, operands)), false_branch(cut(~chosen, operands))
    layouts = [Layout(branch.spec, [leaf is None for leaf in leaves])
               for branch, leaves in ((true_branch, found), (false_branch, other)) if branch.spec is not None]
    if not layouts[0].matches(layouts[1]):
        raise RuntimeError("cond: expected both functions to return the same structure where the predicate differs in "
                           f"a batch, got {layouts[0]} and {layouts[1]}")
    return [None if one is None else select(chosen, one, two) for one, two in zip(found, other, strict=True)]


def cut(chosen: Any, operands: list[Any]) -> list[Any]:
    """Return operands whose gradients are 0 for elements of the batch that have not chosen a function: on the way back
    through its formulas 0 * inf would be NaN.
    """
    return [where(chosen, leaf, leaf.detach()) if isinstance(leaf, Tensor) and is_recorded(leaf) else leaf
            for leaf in operands]


def select(predicate: Any, one: Any, two: Any) -> Any:
    """Return a leaf of the result, chosen for each element of the batch."""
    one, two = (to_tensor("cond", "the result", leaf) for leaf in (one, two))
    check_like("cond: When merging two branches' output, expected same shape, dtype and device, but got {} and {}",
               one, two)
    return where(predicate, one, two)
