"""vjp, jvp, vhp and hvp: products with the Jacobian and the Hessian of a function, which are never built."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, overload

from wengert_core.extend import Tensor
from wengert_engine import enable_grad, is_grad_enabled

from wengert_functional.checks import (
    OUTPUTS,
    as_tuple,
    check_first,
    check_outputs,
    check_single,
    check_vector,
    detach_vector,
    fill_missing,
    input_vector,
    products,
    return_tensors,
    track_inputs,
    zeros_like,
)
from wengert_functional.signatures import R

Result = tuple[Any, Any]


def recording_for(create_graph: bool) -> AbstractContextManager[Any]:
    """A block in which operations are recorded for ``create_graph``; else as they were."""
    return enable_grad() if create_graph and not is_grad_enabled() else nullcontext()


@overload
def vjp(
    func: Callable[..., R], inputs: Tensor, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[R, Tensor]: ...
@overload
def vjp(
    func: Callable[..., R], inputs: tuple[Tensor, ...], v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[R, tuple[Tensor, ...]]: ...
def vjp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
        strict: bool = False) -> Result:
    """The product of a vector ``v`` and the Jacobian of ``func`` at ``inputs``.

    func: takes tensors and returns a tensor or a tuple of tensors.   inputs: a tensor or a tuple of tensors.
    v: of the size of the outputs; may be left out when there is one output of one element.
    create_graph: outputs and result can be differentiated again.   strict: RuntimeError instead of zeros for an input
    that no output depends on.

    Returns (what func returned, a product of the shape of each input).

    >>> import wengert as wg
    >>> from wengert.autograd.functional import vjp
    >>> vjp(lambda x: x.exp().sum(dim=1), wg.zeros(2, 2), wg.ones(2))
    (tensor([2., 2.]), tensor([[1., 1.],
            [1., 1.]]))
    """
    with enable_grad():
        several_in, inputs = as_tuple(inputs, "inputs", "vjp")
        inputs = track_inputs(inputs, create_graph)
        several_out, outputs = as_tuple(func(*inputs), OUTPUTS, "vjp")
        check_outputs(outputs, strict)
        if v is not None:
            v = detach_vector(v, "vjp", create_graph)
            check_vector(v, outputs, several_out)
        elif len(outputs) != 1 or outputs[0].numel() != 1:
            raise RuntimeError("The vector v can only be None if the user-provided function returns a single Tensor "
                               "with a single element.")
    with recording_for(create_graph):
        found = fill_missing(products(outputs, inputs, v, create_graph), inputs, strict, create_graph, "vjp")
    return return_tensors(outputs, several_out, create_graph), return_tensors(found, several_in, create_graph)


def jvp(func: Callable[..., R], inputs: Any, v: Any = None, create_graph: bool = False,
        strict: bool = False) -> tuple[R, R]:
    """The product of the Jacobian of ``func`` at ``inputs`` and a vector ``v``.

    Arguments as for vjp, with v of the size of the inputs; it may be left out for one input of one element.
    Computed by the backward of the backward; ``autograd.forward_ad`` and ``func.jvp`` do it in one pass.

    Returns (what func returned, a product of the shape of each output).

    >>> import wengert as wg
    >>> from wengert.autograd.functional import jvp
    >>> jvp(lambda x, y: 2 * x + 3 * y, (wg.ones(2), wg.ones(2)), (wg.ones(2), wg.ones(2)))
    (tensor([5., 5.]), tensor([5., 5.]))
    """
    with enable_grad():
        several_in, inputs = as_tuple(inputs, "inputs", "jvp")
        inputs = track_inputs(inputs, create_graph)
        v = input_vector(v, inputs, several_in, "jvp", create_graph)
        several_out, outputs = as_tuple(func(*inputs), OUTPUTS, "jvp")
        check_outputs(outputs, strict)
        if not all(output.is_floating_point() or output.is_complex() for output in outputs):
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients: an output of "
                               "the user-provided function has another one")
        weights = [zeros_like(output.detach()).requires_grad_() if output.requires_grad else zeros_like(output)
                   for output in outputs]
        backward = products(outputs, inputs, weights, create_graph=True)
        if strict:
            fill_missing(backward, inputs, strict, False, "vjp")
    with recording_for(create_graph):
        found = [None] * len(outputs)
        wanted = [index for index, weight in enumerate(weights) if weight.requires_grad]
        if wanted:
            found_here = second(backward, [weights[index] for index in wanted], v, create_graph)
            for index, value in zip(wanted, found_here, strict=True):
                found[index] = value
        result = fill_missing(found, outputs, strict, create_graph, "jvp")
    return return_tensors(outputs, several_out, create_graph), return_tensors(result, several_out, create_graph)


def second(first: Any, weights: Any, v: Any, create_graph: bool) -> Any:
    """The derivative of a backward pass with respect to the weights it started with, times ``v``."""
    return products(first, weights, v, create_graph)


@overload
def vhp(
    func: Callable[..., R], inputs: Tensor, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[R, Tensor]: ...
@overload
def vhp(
    func: Callable[..., R], inputs: tuple[Tensor, ...], v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[R, tuple[Tensor, ...]]: ...
def vhp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
        strict: bool = False) -> Result:
    """The product of a vector ``v`` and the Hessian of ``func`` at ``inputs``.

    func: takes tensors and returns a tensor of one element; the other arguments as for jvp.

    Returns (what func returned, a product of the shape of each input).

    >>> import wengert as wg
    >>> from wengert.autograd.functional import vhp
    >>> vhp(lambda x: x.pow(3).sum(), wg.ones(2), wg.ones(2))
    (tensor(2.), tensor([6., 6.]))
    """
    with enable_grad():
        several_in, inputs, v, outputs, first = first_derivatives(func, inputs, v, create_graph, strict, "vhp")
    with recording_for(create_graph):
        found = fill_missing(products(first, inputs, v, create_graph), inputs, strict, create_graph, "vhp")
    return return_tensors(outputs, False, create_graph), return_tensors(found, several_in, create_graph)


@overload
def hvp(
    func: Callable[..., R], inputs: Tensor, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[R, Tensor]: ...
@overload
def hvp(
    func: Callable[..., R], inputs: tuple[Tensor, ...], v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[R, tuple[Tensor, ...]]: ...
def hvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
        strict: bool = False) -> Result:
    """The product of the Hessian of ``func`` at ``inputs`` and a vector ``v``.

    As vhp, which does the same in one pass less for functions that are twice continuously differentiable: their
    Hessian is symmetric.

    >>> import wengert as wg
    >>> from wengert.autograd.functional import hvp
    >>> hvp(lambda x: x.pow(3).sum(), wg.ones(2), wg.ones(2))
    (tensor(2.), tensor([6., 6.]))
    """
    with enable_grad():
        several_in, inputs, v, outputs, first = first_derivatives(func, inputs, v, create_graph, strict, "hvp")
        weights = [zeros_like(value.detach()).requires_grad_() for value in inputs]
        twice = products(first, inputs, weights, create_graph=True)
    with recording_for(create_graph):
        found = fill_missing(second(twice, weights, v, create_graph), inputs, strict, create_graph, "hvp")
    return return_tensors(outputs, False, create_graph), return_tensors(found, several_in, create_graph)


def first_derivatives(func: Callable[..., Any], inputs: Any, v: Any, create_graph: bool, strict: bool,
                      where: str) -> Any:
    """The inputs and the vector, checked and prepared, the output, and its derivatives, to be differentiated again."""
    several_in, inputs = as_tuple(inputs, "inputs", where)
    inputs = track_inputs(inputs, create_graph)
    v = input_vector(v, inputs, several_in, where, create_graph)
    several_out, outputs = as_tuple(func(*inputs), OUTPUTS, where)
    check_outputs(outputs, strict)
    check_single(several_out, outputs, where)
    first = products(outputs, inputs, None, create_graph=True)
    check_first(first, strict)
    return several_in, inputs, v, outputs, first
