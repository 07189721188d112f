"""backward and grad: where a run through the graph starts, and the checks of what it is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert_core import TABLE
from wengert_core.caution import warn_user
from wengert_core.tensor import Tensor

from wengert_engine import errors
from wengert_engine.attributes import edge_of
from wengert_engine.edges import GradientEdge, first_gradient, given_edge, shape_and_dtype
from wengert_engine.starting import run_backward

ones_like, zeros_like = TABLE.ops["ones_like"], TABLE.ops["zeros_like"]
Edges = list[tuple[Any, int]]
is_inside: Any = None
"""Whether a vmap is running; set when the module of batched tensors is imported."""


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
    if grad_variables is not None:
        warn_user("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                               "`backward()`. Please only use `grad_tensors`.")
        grad_tensors = grad_variables
    if is_inside is not None and is_inside():
        raise RuntimeError("backward() called inside a functorch transform. This is not supported, please use "
                           "functorch.grad or functorch.vjp instead or call backward() outside of functorch "
                           "transforms: a vmap is running")
    targets = None if inputs is None else as_tuple(inputs)
    if targets == ():
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    roots = as_tuple(tensors)
    edges = root_edges(roots)
    grads = root_gradients(roots, grad_tensors, create_graph)
    if create_graph:
        warn_user("Using backward() with create_graph=True will create a reference cycle between the parameter "
                  "and its gradient which can cause a memory leak. We recommend using autograd.grad when creating "
                  "the graph to avoid this. If you have to use this function, make sure to reset the .grad fields "
                  "of your parameters to None after use to break the cycle and avoid the leak.")
    keep = create_graph if retain_graph is None else retain_graph
    if targets is None:
        run_backward(edges, grads, keep, create_graph, None, True)
        return
    for target in targets:
        if isinstance(target, Tensor):
            target.retain_grad()
    run_backward(edges, grads, keep, create_graph, input_edges(targets), True)


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
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                         "allow_unused=False.")
    if not only_inputs:
        warn_user("only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate "
                  "gradient for other parts of the graph, please use torch.autograd.backward.",
                  FutureWarning)
    roots, targets = as_tuple(outputs), as_tuple(inputs)
    if not targets:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    edges = root_edges(roots)
    keep = create_graph if retain_graph is None else retain_graph
    rows: tuple[int, ...] = ()
    if is_grads_batched:
        results = batched_gradients(roots, grad_outputs, keep, create_graph, targets)
        rows = (len(as_tuple(grad_outputs)[0]),)
    else:
        grads = root_gradients(roots, grad_outputs, create_graph)
        results = gradients(roots, edges, grads, targets, keep, create_graph)
    if not (allow_unused or materialize_grads):
        for i, result in enumerate(results):
            if result is None:
                raise errors.unused_input(i)
    if materialize_grads:
        if any(result is None and not isinstance(target, Tensor)
               for result, target in zip(results, targets, strict=True)):
            raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
        results = [zeros(rows, target, create_graph) if result is None else result
                   for result, target in zip(results, targets, strict=True)]
    return tuple(results)


def gradients(roots: tuple[Any, ...], edges: Edges, grads: list[Any], targets: tuple[Any, ...], keep: bool,
              create_graph: bool) -> list[Any]:
    """One pass through the graph; inside of vmap through that of the tensors that have the batch."""
    inputs = input_edges(targets)
    if is_inside is not None and is_inside():
        from wengert_engine import batched_grad

        return batched_grad.gradients(roots, grads, targets, keep, create_graph)
    found: list[Any] = run_backward(edges, grads, keep, create_graph, inputs, False)
    return found


def zeros(rows: tuple[int, ...], target: Any, create_graph: bool) -> Any:
    """The gradient of an input that was not used."""
    result = zeros_like(target.detach().expand(*rows, *target.shape) if rows else target)
    return result.requires_grad_() if create_graph else result


def batched_gradients(roots: tuple[Any, ...], given: Any, keep: bool, create_graph: bool,
                      targets: tuple[Any, ...]) -> list[Any]:
    """One pass through the graph for all rows of the gradients; what they gave for each input, in rows."""
    if given is None:
        raise errors.no_batched_gradients(root_gradients(roots, given, create_graph))
    given = as_tuple(given)
    if len(given) != len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(given)} gradients")
    for i, (root, gradient) in enumerate(zip(roots, given, strict=True)):
        if not isinstance(gradient, Tensor):
            raise RuntimeError("with is_grads_batched=True each output needs a tensor of gradients in grad_outputs, "
                               f"got {type(gradient).__name__} for output {i}")
        if gradient.ndim == 0:
            raise errors.batched_gradient_without_rows(i)
        if tuple(gradient.shape[1:]) != tuple(root.shape):
            raise errors.batched_gradient_shape(i, tuple(gradient.shape[1:]), tuple(root.shape))
    counts = [len(gradient) for gradient in given]
    if len(set(counts)) > 1:
        raise ValueError("vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                         f"{counts} for the mapped dimension")
    input_edges(targets)
    if counts[0] == 0:
        raise IndexError("is_grads_batched=True needs at least one row of gradients, got 0")
    root_gradients(roots, tuple(gradient[0] for gradient in given), create_graph)
    from wengert_engine.batched_grad import rows_of

    return rows_of(roots, given, targets, counts[0], keep, create_graph)


def as_tuple(tensors: Any) -> tuple[Any, ...]:
    """One tensor, a gradient edge or a sequence, as a tuple."""
    if isinstance(tensors, (Tensor, GradientEdge)):
        return (tensors,)
    return tuple(tensors)


def root_edges(roots: Sequence[Any]) -> Edges:
    """(node, output_nr) of every root."""
    edges = []
    for i, root in enumerate(roots):
        if not isinstance(root, (Tensor, GradientEdge)):
            raise AssertionError(f"Expected output to be a torch.Tensor or GradientEdge, got {type(root).__name__}")
        edge = edge_of(root) if isinstance(root, Tensor) else given_edge(root)
        if edge is None:
            raise errors.no_grad_fn(i)
        edges.append(edge)
    return edges


def input_edges(inputs: Sequence[Any]) -> Edges:
    """(node, output_nr) of every input that gradients are asked for."""
    edges = []
    for i, target in enumerate(inputs):
        edge = edge_of(target) if isinstance(target, Tensor) else given_edge(target)
        if edge is None:
            raise errors.input_without_grad(i)
        edges.append(edge)
    return edges


def root_gradients(roots: Sequence[Any], given: Any, create_graph: bool) -> list[Any]:
    """The gradient each root starts with: given, or 1 for a scalar."""
    if given is None:
        given = (None,) * len(roots)
    elif isinstance(given, Tensor):
        given = (given,)
    given = tuple(given)
    if len(given) != len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(given)} gradients")
    return [implicit(root) if g is None else checked(i, root, g)
            for i, (root, g) in enumerate(zip(roots, given, strict=True))]


def implicit(root: Any) -> Any:
    """The gradient 1 of a scalar."""
    if isinstance(root, GradientEdge):
        return first_gradient(root)
    if root.numel() != 1:
        raise errors.implicit_gradient(tuple(root.shape))
    if not root.dtype.is_floating_point:
        raise errors.implicit_real(root.dtype)
    return ones_like(root)


def checked(index: int, root: Any, gradient: Any) -> Any:
    """A gradient that was given for a root, when it fits."""
    if not isinstance(gradient, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
    shape, dtype = shape_and_dtype(root)
    if shape != tuple(gradient.shape):
        raise errors.gradient_shape(index, tuple(gradient.shape), shape)
    if dtype.is_complex != gradient.dtype.is_complex:
        raise RuntimeError("For complex Tensors, both grad_output and output are required to have the same dtype. "
                           f"Mismatch in dtype: grad_output[{index}] has a dtype of {gradient.dtype} and "
                           f"output[{index}] has a dtype of {dtype}.")
    return gradient


def tensor_backward(self: Any, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
                    inputs: Any = None) -> None:
    """Compute the gradient of this tensor with respect to graph leaves: see wengert.autograd.backward."""
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)
