"""vjp, jvp and linearize of ``wengert.func``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol, overload

from wengert_core import TABLE
from wengert_core.extend import Tensor
from wengert_engine import enable_grad, grad, is_grad_enabled
from wengert_engine.extend import TransformDualLevel, primal_of, tangent_of
from wengert_engine.namespaces.forward_ad import make_dual, set_fwd_grad_enabled

from wengert_functional import trees
from wengert_functional.arguments import check_differentiable, output_leaves, with_aux
from wengert_functional.levels import (
    STATE,
    Level,
    by_either,
    check_tensor,
    is_nested,
    leave_level,
    own_leaf,
    reaches_out,
    track_input,
    without_graph,
)
from wengert_functional.signatures import Primals, R, X

zeros_like = TABLE.ops["zeros_like"]
VJP = "vjp(f, *primals)"
JVP = "jvp(f, primals, tangents)"


class Pull(Protocol[*Primals]):
    """The function from cotangents to a vector-Jacobian product for each primal."""

    def __call__(
        self, cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None
    ) -> tuple[*Primals]: ...


@overload
def vjp(
    func: Callable[[*Primals], R], *primals: *Primals, has_aux: Literal[False] = False
) -> tuple[R, Pull[*Primals]]: ...
@overload
def vjp(
    func: Callable[[*Primals], tuple[R, X]], *primals: *Primals, has_aux: Literal[True]
) -> tuple[R, Pull[*Primals], X]: ...
@overload
def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any: ...
def vjp(  # type: ignore[misc]  # to mypy, *Any is less than any *Primals
    func: Callable[..., Any], *primals: Any, has_aux: bool = False
) -> Any:
    """What ``func(*primals)`` returns, and a function from cotangents to vector-Jacobian products.

    Arguments and output may be nested in tuples, lists and dicts. has_aux: func returns (output, aux); aux is returned
    as the third value. The function that is returned takes one nest built as the output and gives a tuple, a product
    for each primal; it can be called more than once.

    >>> import wengert as wg
    >>> output, pull = wg.func.vjp(wg.sin, wg.zeros(2))
    >>> pull(wg.ones(2))
    (tensor([1., 1.]),)
    """
    shows_graph = is_grad_enabled()
    with Level(inputs=primals), enable_grad():
        leaves, spec = trees.flatten(primals)
        inputs = [track_input(leaf) for leaf in leaves]
        result, aux = with_aux(func(*trees.unflatten(spec, inputs)), has_aux, VJP)
        outputs, out_spec = output_leaves(result, VJP)
        check_differentiable(outputs)
        recorded = is_nested() or reaches_out(outputs)
        shown = leave_level(result), leave_level(aux)
        if not shows_graph:
            shown = trees.tree_map(lambda leaf: leaf if leaf is None else without_graph(leaf, without_graph), shown)
        own = set(STATE.leaves)

    def pull(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> tuple[Any, ...]:
        weights = trees.leaves_like(out_spec, cotangents)
        if weights is None:
            raise RuntimeError("Expected pytree structure of cotangents to be the same as pytree structure of outputs "
                               f"to the function. cotangents: {trees.flatten(cotangents)[1]}, primal output: "
                               f"{out_spec}")
        with Level(own):
            again = is_grad_enabled() if create_graph is None else create_graph
            again = again and (recorded or is_nested() or reaches_out(weights))
            found = pull_back(outputs, inputs, weights, again, retain_graph)
            parts: tuple[Any, ...] = leave_level(trees.unflatten(spec, found))
        return parts

    return (shown[0], pull, shown[1]) if has_aux else (shown[0], pull)


def pull_back(outputs: list[Any], inputs: list[Any], weights: list[Any], again: bool, keep: bool = True) -> list[Any]:
    """Vector-Jacobian products; zeros for inputs that no output depends on."""
    pairs = [(output, weight) for output, weight in zip(outputs, weights, strict=True) if output.requires_grad]
    found: tuple[Any, ...] = (None,) * len(inputs)
    if pairs and inputs:
        found = grad([output for output, _ in pairs], inputs, [weight for _, weight in pairs], retain_graph=keep,
                     create_graph=again, allow_unused=True)
    return [zeros_like(value.detach()) if gradient is None else gradient
            for gradient, value in zip(found, inputs, strict=True)]


@overload
def jvp(
    func: Callable[..., R], primals: Any, tangents: Any, *, strict: bool = False, has_aux: Literal[False] = False
) -> tuple[R, R]: ...
@overload
def jvp(
    func: Callable[..., tuple[R, X]], primals: Any, tangents: Any, *, strict: bool = False, has_aux: Literal[True]
) -> tuple[R, R, X]: ...
@overload
def jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> Any: ...
def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """What ``func(*primals)`` returns, and its Jacobian-vector product with ``tangents``.

    primals, tangents: tuples of the same structure.   strict: RuntimeError for an output that does not depend on the
    primals.   has_aux: func returns (output, aux); aux is returned as the third value.
    In forward mode; inside another forward-mode transform by two backward passes.

    >>> import wengert as wg
    >>> wg.func.jvp(wg.sin, (wg.zeros(2),), (wg.ones(2),))
    (tensor([0., 0.]), tensor([1., 1.]))
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    values, spec = trees.flatten(primals)
    directions = trees.leaves_like(spec, tangents)
    if directions is None:
        raise RuntimeError(f"{JVP}: Expected primals and tangents to have the same python structure. For example, if "
                           "primals is a tuple of 3 tensors, tangents also must be. Got primals with structure "
                           f"{spec} and tangents with structure {trees.flatten(tangents)[1]}")
    if not values:
        raise RuntimeError(f"{JVP}: Expected primals to contain at least one Tensor.")
    for name, tensors in (("primals", values), ("tangents", directions)):
        for tensor in tensors:
            if not isinstance(tensor, Tensor):
                raise RuntimeError(f"{JVP}: Expected {name} to only contain Tensors, got {type(tensor)}")

    def results(is_taken: bool) -> tuple[Any, Any, Any]:
        with Level(computes_gradients=is_taken, inputs=(primals, tangents)):
            push = push_by_double_backward if is_taken else push_forward
            output, found, aux = push(func, values, spec, directions, has_aux)
            leaves, out_spec = output_leaves(output, JVP)
            if strict and any(tangent is None for tangent in found):
                raise RuntimeError("jvp(f, primals, tangents, strict=True): The output of f is independent of the "
                                   "inputs. This is not allowed with strict=True.")
            filled = [zeros_like(leaf.detach()) if tangent is None else tangent
                      for tangent, leaf in zip(found, leaves, strict=True)]
            return leave_level(output), leave_level(trees.unflatten(out_spec, filled)), leave_level(aux)

    output, tangent, aux = by_either(results)
    return (output, tangent, aux) if has_aux else (output, tangent)


Pushed = tuple[Any, list[Any], Any]
"""An output, the tangents of its leaves (None where there are none), and the auxiliary output."""


def push_forward(func: Callable[..., Any], values: list[Any], spec: trees.Spec, directions: list[Any],
           has_aux: bool) -> Pushed:
    """By dual tensors."""
    with set_fwd_grad_enabled(True), TransformDualLevel():
        duals = [make_dual(value, tangent) for value, tangent in zip(values, directions, strict=True)]
        result, aux = with_aux(func(*trees.unflatten(spec, duals)), has_aux, JVP)
        leaves, out_spec = output_leaves(result, JVP)
        output = trees.unflatten(out_spec, [primal_of(leaf, True) for leaf in leaves])
        return output, [tangent_of(leaf) for leaf in leaves], trees.tree_map(
            lambda leaf: primal_of(leaf, True) if isinstance(leaf, Tensor) else leaf, aux) if has_aux else None


def push_by_double_backward(func: Callable[..., Any], values: list[Any], spec: trees.Spec, directions: list[Any],
                      has_aux: bool) -> Pushed:
    """By the backward of the backward, for forward mode does not nest: tangents of the outer level go along."""
    for value, direction in zip(values, directions, strict=True):
        if value.shape != direction.shape:
            raise RuntimeError("Trying to set a forward gradient that has a different size than that of the original "
                               f"Tensor, this is not supported. Tensor is of size {list(value.shape)} while the given "
                               f"forward gradient is of size {list(direction.shape)}.")
    with enable_grad():
        output, aux, _, push = linear(func, values, spec, has_aux, JVP)
        return output, push(directions), aux


def linear(func: Callable[..., Any], values: list[Any], spec: trees.Spec, has_aux: bool,
           where: str) -> tuple[Any, Any, list[Any], Callable[[list[Any]], list[Any]]]:
    """Call func once: its output, the auxiliary one, the output's leaves, and the function from tangents of the values
    to tangents of the leaves.
    """
    inputs = [track_input(value) for value in values]
    output, aux = with_aux(func(*trees.unflatten(spec, inputs)), has_aux, where)
    leaves, _ = output_leaves(output, where)
    live = [index for index, leaf in enumerate(leaves) if leaf.requires_grad]
    weights = [own_leaf(zeros_like(leaves[index].detach())) for index in live]
    back: tuple[Any, ...] = ()
    if live:
        back = grad([leaves[index] for index in live], inputs, weights, create_graph=True, allow_unused=True)

    def push(tangents: list[Any]) -> list[Any]:
        found: list[Any] = [None] * len(leaves)
        pairs = [(value, tangent) for value, tangent in zip(back, tangents, strict=False)
                 if value is not None and value.requires_grad]
        if pairs:
            again = grad([value for value, _ in pairs], weights, [tangent for _, tangent in pairs], retain_graph=True,
                         create_graph=is_grad_enabled(), allow_unused=True)
            for index, tangent in zip(live, again, strict=True):
                found[index] = tangent
        return found

    return output, aux, leaves, push


class FunctionOutput:
    """A function's output, of which only the tensors are differentiated: what else is in it stays."""

    def __init__(self, func: Callable[..., Any]) -> None:
        self.func = func
        self.leaves: list[Any] = []
        self.spec = trees.LEAF

    def tensors(self, *args: Any) -> list[Any]:
        self.leaves, self.spec = trees.flatten(self.func(*args))
        return [leaf for leaf in self.leaves if isinstance(leaf, Tensor)]

    def around(self, tensors: list[Any]) -> Any:
        """The output with these tensors in it."""
        rest = iter(tensors)
        return trees.unflatten(self.spec, [next(rest) if isinstance(leaf, Tensor) else leaf for leaf in self.leaves])


def linearize(func: Callable[..., R], *primals: Any) -> tuple[R, Callable[..., R]]:
    """What ``func(*primals)`` returns, and the function from tangents to Jacobian-vector products at ``primals``.

    func is called once; each call of the function that is returned costs a backward pass through what it recorded.
    It takes tangents built as the primals. What is no tensor in the output is in the tangents as well, as it is.

    >>> import wengert as wg
    >>> output, push = wg.func.linearize(wg.sin, wg.zeros(2))
    >>> push(wg.ones(2))
    tensor([1., 1.])
    """
    values, spec = trees.flatten(primals)
    for value in values:
        check_tensor(value)
        if not (value.is_floating_point() or value.is_complex()):
            raise ValueError(f"Expected primal to be floating point or complex, but got: {value.dtype}")
    called = FunctionOutput(func)
    with Level(), enable_grad():
        output, _, leaves, push = linear(called.tensors, values, spec, False, "linearize(f, *primals)")
        recorded = is_nested() or reaches_out(leaves)
        shown = called.around(leave_level(output))
        own = set(STATE.leaves)

    def pushing(*tangents: Any) -> Any:
        directions = trees.leaves_like(spec, tangents)
        if directions is None:
            raise RuntimeError(f"Expected the tangents {trees.flatten(tangents)[1]} to have the same argspec as the "
                               f"primals {spec}")
        for index, (tangent, value) in enumerate(zip(directions, values, strict=True)):
            check_tensor(tangent)
            for name in ("shape", "dtype"):
                if getattr(tangent, name) != getattr(value, name):
                    raise RuntimeError(f"tangent:{index} with {name} {getattr(tangent, name)} in flattened pytree "
                                       f"doesn't match the {name} {getattr(value, name)} of the corresponding primal.")
        with Level(own):
            found = [zeros_like(leaf.detach()) if tangent is None else tangent
                     for tangent, leaf in zip(push(directions), leaves, strict=True)]
            if not (recorded or is_nested() or reaches_out(directions)):
                found = [without_graph(tangent) for tangent in found]
        return called.around(found)

    return shown, pushing
