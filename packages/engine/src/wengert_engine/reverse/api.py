"""backward and grad: where a run through the graph starts, and the checks of what it is given."""

from __future__ import annotations

from typing import Any

from wengert_core.binding.function_modes import active_mode
from wengert_core.dispatch.op import find
from wengert_core.dispatch.overrides import call_first_override, call_overrides, check_result, overloaded_args
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

from wengert_engine.graph.gradient_edge import shape_and_dtype
from wengert_engine.messages import errors
from wengert_engine.modes.transforms import in_transform, is_inside
from wengert_engine.reverse.launch import run_backward
from wengert_engine.reverse.roots import any_overrides, as_tuple, input_edges, root_edges, root_gradients


def backward(tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
             grad_variables: Any = None, inputs: Any = None) -> None:
    """Compute the sum of gradients of ``tensors`` with respect to graph leaves, added into the leaves' ``grad``.

    tensors: a tensor or a sequence.   grad_tensors: the vector of the vector-Jacobian product for each (None for
    scalars).
    retain_graph: keep the saved values for another pass; default: create_graph.   create_graph: record the derivative.
    inputs: only these take part (leaves, or other tensors whose ``grad`` is then set).
    Raises RuntimeError when a tensor does not require grad, a gradient is missing or of a wrong shape, or the graph was
    freed.

    >>> import wengert_core as wc
    >>> from wengert_engine import backward
    >>> x = wc.ones(2, requires_grad=True)
    >>> backward((x * x).sum())
    >>> x.grad.tolist()
    [2.0, 2.0]
    """
    roots = as_tuple(tensors)
    if any_overrides(roots) and (askers := overloaded_args(roots, {})):
        answer: None = call_overrides(backward, (roots,), {"grad_tensors": grad_tensors, "retain_graph": retain_graph,
                                                   "create_graph": create_graph, "inputs": inputs}, askers)
        return answer
    if grad_variables is not None:
        warn_user("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                               "`backward()`. Please only use `grad_tensors`.")
        grad_tensors = grad_variables
    if in_transform():
        raise RuntimeError("backward() called inside a functorch transform. This is not supported, please use "
                           "functorch.grad or functorch.vjp instead or call backward() outside of functorch "
                           "transforms: a vmap or a transform of wengert.func is running")
    targets = None if inputs is None else as_tuple(inputs)
    if targets == ():
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    edges = root_edges(roots)
    grads = root_gradients(roots, grad_tensors)
    if create_graph:
        warn_user("Using backward() with create_graph=True will create a reference cycle between the parameter "
                  "and its gradient which can cause a memory leak. We recommend using autograd.grad when creating "
                  "the graph to avoid this. If you have to use this function, make sure to reset the .grad fields "
                  "of your parameters to None after use to break the cycle and avoid the leak.")
    keep = create_graph if retain_graph is None else retain_graph
    if targets is None:
        run_backward(edges, grads, keep, create_graph, None, True)
        return None
    for target in targets:
        if isinstance(target, Tensor):
            target.retain_grad()
    run_backward(edges, grads, keep, create_graph, input_edges(targets), True)
    return None


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None,
         create_graph: bool = False, only_inputs: bool = True, allow_unused: bool | None = None,
         is_grads_batched: bool = False, materialize_grads: bool = False) -> tuple[Any, ...]:
    """Compute and return the sum of gradients of ``outputs`` with respect to ``inputs``; no ``grad`` is touched.

    Arguments as for backward; allow_unused: an input that was not used gives None instead of an error;
    materialize_grads: zeros in place of those None. is_grads_batched: the first dimension of each of grad_outputs
    numbers gradients that are passed through the graph together, as ``vmap`` does; that of the results what they gave.
    Returns a tuple with one gradient for each input.

    >>> import wengert_core as wc
    >>> from wengert_engine import grad
    >>> x = wc.ones(2, requires_grad=True)
    >>> grad((x * 3).sum(), x)[0].tolist()
    [3.0, 3.0]
    """
    roots, targets = as_tuple(outputs), as_tuple(inputs)
    if any_overrides(roots + targets):
        askers, mode = overloaded_args(roots + targets, {}), active_mode()
        if askers or mode is not None:
            keywords = {"grad_outputs": grad_outputs, "retain_graph": retain_graph, "create_graph": create_graph,
                        "only_inputs": only_inputs, "allow_unused": allow_unused, "is_grads_batched": is_grads_batched,
                        "materialize_grads": materialize_grads}
            answer: tuple[Any, ...] = check_result(
                grad, call_first_override(grad, (roots, targets), keywords, mode, askers), mode, askers)
            return answer
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                         "allow_unused=False.")
    if not only_inputs:
        warn_user("only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate "
                  "gradient for other parts of the graph, please use torch.autograd.backward.",
                  FutureWarning)
    if not targets:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    edges = root_edges(roots)
    keep = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        results = batched_gradients(roots, grad_outputs, keep, create_graph, targets)
    else:
        grads = root_gradients(roots, grad_outputs)
        ends = input_edges(targets)
        results = (gradients_inside(roots, grads, targets, keep, create_graph) if is_inside()
                   else run_backward(edges, grads, keep, create_graph, ends, False))
    if not (allow_unused or materialize_grads):
        check_used(results)
    if materialize_grads:
        if any(result is None and not isinstance(target, Tensor)
               for result, target in zip(results, targets, strict=True)):
            raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
        results = [zeros(target, create_graph) if result is None else result
                   for result, target in zip(results, targets, strict=True)]
    return tuple(results)


def check_used(results: Any) -> None:
    """RuntimeError for the first input that has no gradient."""
    for i, result in enumerate(results):
        if result is None:
            raise errors.unused_input(i)


def gradients_inside(*arguments: Any) -> list[Any]:
    """One pass inside of vmap: through the graph of the tensors that have the batch."""
    from wengert_engine.vmap import batched_grad

    return batched_grad.gradients(*arguments)


def zeros(target: Any, create_graph: bool) -> Any:
    """The gradient of an input that was not used; also where gradients are batched it has no rows, as in torch."""
    result = find("zeros_like")(target)
    return result.requires_grad_() if create_graph else result


def batched_gradients(roots: tuple[Any, ...], given: Any, keep: bool, create_graph: bool,
                      targets: tuple[Any, ...]) -> list[Any]:
    """One pass through the graph for all rows of the gradients; what they gave for each input, in rows."""
    if given is None:
        raise errors.no_batched_gradients(root_gradients(roots, given))
    given = as_tuple(given)
    if len(given) != len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(given)} gradients")
    for i, (root, gradient) in enumerate(zip(roots, given, strict=True)):
        if not isinstance(gradient, Tensor):
            raise RuntimeError("with is_grads_batched=True each output needs a tensor of gradients in grad_outputs, "
                               f"got {type(gradient).__name__} for output {i}")
        if gradient.ndim == 0:
            raise errors.batched_gradient_without_rows(i)
        shape, _ = shape_and_dtype(root)
        if tuple(gradient.shape[1:]) != shape:
            raise errors.batched_gradient_shape(i, tuple(gradient.shape[1:]), shape)
    counts = [len(gradient) for gradient in given]
    if len(set(counts)) > 1:
        raise ValueError("vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                         f"{counts} for the mapped dimension")
    input_edges(targets)
    if counts[0] == 0:
        raise IndexError("is_grads_batched=True needs at least one row of gradients, got 0")
    root_gradients(roots, tuple(gradient[0] for gradient in given))
    from wengert_engine.vmap.batched_grad import rows_of

    return rows_of(roots, given, targets, counts[0], keep, create_graph)


def tensor_backward(self: Any, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
                    inputs: Any = None) -> None:
    """Compute the gradient of this tensor with respect to graph leaves: see wengert.autograd.backward."""
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)
