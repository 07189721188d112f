"""jacobian and hessian: all derivatives of a function, in full."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from wengert_core.extend import Tensor
from wengert_engine import enable_grad
from wengert_engine.extend import implicit_grad_error

from wengert_functional.checks import (
    CONSTANT,
    OUTPUTS,
    STRICT,
    as_tuple,
    check_first,
    check_outputs,
    check_single,
    fill_missing,
    products,
    track_inputs,
)
from wengert_functional.rows import forward_columns, reverse_jacobian, reverse_rows, stack_rows

STRATEGIES = ("forward-mode", "reverse-mode")
NAME = "torch.autograd.functional.jacobian"


@overload
def jacobian(
    func: Callable[..., Tensor], inputs: Tensor, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, strategy: str = "reverse-mode",
) -> Tensor: ...
@overload
def jacobian(
    func: Callable[..., Tensor], inputs: tuple[Tensor, ...], create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, strategy: str = "reverse-mode",
) -> tuple[Tensor, ...]: ...
@overload
def jacobian(
    func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, strategy: str = "reverse-mode",
) -> Any: ...
def jacobian(func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False,
             vectorize: bool = False, strategy: str = "reverse-mode") -> Any:
    """The Jacobian of ``func`` at ``inputs``.

    func: takes tensors and returns a tensor or a tuple of tensors.   inputs: a tensor or a tuple of tensors.
    create_graph: the Jacobian can be differentiated.   strict: RuntimeError instead of zeros for an output that does
    not depend on an input; not with vectorize.
    strategy: "reverse-mode" makes a backward pass for each element of the outputs; "forward-mode", which needs
    vectorize=True, calls func once for each input, with dual tensors that have tangents for all of its elements.
    vectorize: make the passes for many elements together, as vmap does.

    Returns a tensor of shape (output's shape, input's shape); for tuples ``jacobian[i][j]`` is that of output i and
    input j, with the dimension of what is not a tuple left out.

    >>> import wengert as wg
    >>> from wengert.autograd.functional import jacobian
    >>> jacobian(lambda x, y: 2 * x.exp() + 3 * y, (wg.zeros(2), wg.zeros(2)))
    (tensor([[2., 0.],
            [0., 2.]]), tensor([[3., 0.],
            [0., 3.]]))
    """
    if strategy not in STRATEGIES:
        from wengert_core.extend import short_repr
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function '
                             'has more outputs than inputs, "forward-mode" tends to be more performant. Otherwise, '
                             f'prefer to use "reverse-mode". Got: {short_repr(strategy)}')
    if strategy == "forward-mode":
        check_forward(create_graph, strict)
        several_in, inputs = as_tuple(inputs, "inputs", "jacobian")
        if not vectorize:
            raise NotImplementedError("Computing Jacobian using forward-AD or forward-over-reverse Hessian is"
                                      "only implemented for `vectorize=True`.")
        several_out, found = forward_jacobian(func, inputs)
        return nest_jacobians(found, several_out, several_in, False)
    with enable_grad():
        several_in, inputs = as_tuple(inputs, "inputs", "jacobian")
        inputs = track_inputs(inputs, create_graph)
        several_out, outputs = as_tuple(func(*inputs), OUTPUTS, "jacobian")
        check_outputs(outputs, strict)
        if strict and vectorize:
            raise RuntimeError(f"{NAME}: `strict=True` and `vectorized=True` are not supported together. Please either "
                               "set `strict=False` or `vectorize=False`.")
        found = []
        for index, output in enumerate(outputs):
            if not vectorize and output.dtype.is_complex and output.requires_grad and output.numel():
                raise implicit_grad_error(output.dtype)
            if vectorize:
                found.append(reverse_jacobian(output, inputs, create_graph))
                continue
            rows = reverse_rows(output, inputs, create_graph)
            if strict:
                check_rows(rows, index, create_graph)
            found.append(
                [stack_rows([row[place] for row in rows], output, value) for place, value in enumerate(inputs)]
            )
    return nest_jacobians(found, several_out, several_in, create_graph)


def check_forward(create_graph: bool, strict: bool) -> None:
    """What forward mode cannot do."""
    if create_graph:
        raise NotImplementedError(f'{NAME}: `create_graph=True` and `strategy="forward-mode"` are not supported '
                                  'together (yet). Please either set `create_graph=False` or '
                                  '`strategy="reverse-mode"`.')
    if strict:
        raise RuntimeError(f'{NAME}: `strict=True` and `strategy="forward-mode"` are not supported together (yet). '
                           'Please either set `strict=False` or `strategy="reverse-mode"`.')


def forward_jacobian(func: Callable[..., Any], inputs: tuple[Any, ...]) -> tuple[bool, list[list[Any]]]:
    """Whether func returns a tuple, and the Jacobian of each output for each input, by dual tensors."""
    several = False

    def call(*values: Any) -> tuple[Any, ...]:
        nonlocal several
        several, outputs = as_tuple(func(*values), OUTPUTS, "jacobian")
        return outputs

    _, found = forward_columns(call, [value.detach() for value in inputs])
    return several, found


def check_rows(rows: list[list[Any]], output: int, create_graph: bool) -> None:
    """In strict mode every gradient is there, and depends on the inputs where it is to be differentiated."""
    for row in rows:
        for index, gradient in enumerate(row):
            if gradient is None:
                raise RuntimeError(f"Output {output} of the user-provided function is independent of input {index}. "
                                   f"{STRICT}.")
            if create_graph and not gradient.requires_grad:
                raise RuntimeError(CONSTANT.format("jacobian", index))


def nest_jacobians(found: list[list[Any]], several_out: bool, several_in: bool, create_graph: bool) -> Any:
    """The Jacobians, nested as outputs and inputs were given."""
    rows = []
    for row in found:
        values = tuple(row) if create_graph else tuple(value.detach() for value in row)
        rows.append(values if several_in else values[0])
    return tuple(rows) if several_out else rows[0]


@overload
def hessian(
    func: Callable[..., Tensor], inputs: Tensor, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, outer_jacobian_strategy: str = "reverse-mode",
) -> Tensor: ...
@overload
def hessian(
    func: Callable[..., Tensor], inputs: tuple[Tensor, ...], create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, outer_jacobian_strategy: str = "reverse-mode",
) -> tuple[tuple[Tensor, ...], ...]: ...
@overload
def hessian(
    func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, outer_jacobian_strategy: str = "reverse-mode",
) -> Any: ...
def hessian(func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False,
            vectorize: bool = False, outer_jacobian_strategy: str = "reverse-mode") -> Any:
    """The Hessian of ``func`` at ``inputs``: the Jacobian of its gradient.

    func: takes tensors and returns a tensor of one element; the other arguments as for jacobian.
    outer_jacobian_strategy: how the gradient is differentiated; "forward-mode" needs vectorize=True.

    Returns a tensor of shape (input's shape, input's shape); for a tuple of inputs a tuple of tuples of them.

    >>> import wengert as wg
    >>> from wengert.autograd.functional import hessian
    >>> hessian(lambda x: x.pow(3).sum(), wg.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    several_in, inputs = as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in STRATEGIES:
        from wengert_core.extend import short_repr
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode". Got: '
                             f"{short_repr(outer_jacobian_strategy)}")

    def gradient(*values: Any) -> tuple[Any, ...]:
        if outer_jacobian_strategy == "forward-mode":
            values = track_inputs(values, create_graph=True)
        with enable_grad():
            several_out, outputs = as_tuple(func(*values), OUTPUTS, "hessian")
            check_outputs(outputs, strict)
            check_single(several_out, outputs, "hessian")
            first = products(outputs, values, None, create_graph=True)
        first = tuple(fill_missing(first, values, False, False, "vhp"))
        check_first(first, strict)
        return first

    found = jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return found if several_in else found[0][0]
