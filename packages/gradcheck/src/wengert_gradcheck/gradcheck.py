"""gradcheck: derivatives against finite differences.

>>> import wengert as wg
>>> x = wg.randn(2, 3, dtype=wg.float64, requires_grad=True)
>>> wg.autograd.gradcheck(lambda x: (x * x).sin(), (x,))
True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from wengert_core.extend import Tensor

from wengert_gradcheck.batched import check_batched, check_batched_forward
from wengert_gradcheck.comparing import Tolerance
from wengert_gradcheck.errors import GradcheckError
from wengert_gradcheck.fast import check_fast
from wengert_gradcheck.progress import nothing
from wengert_gradcheck.slow import check_forward, check_reverse, check_zero, numericals
from wengert_gradcheck.sparse_inputs import resolve_masked, strided_problem
from wengert_gradcheck.subject import Subject, as_tuple, subject_of
from wengert_gradcheck.undefined import check_multiplied, check_undefined, check_undefined_forward
from wengert_gradcheck.validation import check_inputs

STACKLEVEL = 4
"""Of warnings from what ``run_check`` calls: the line that calls gradcheck."""


@dataclass(frozen=True)
class Options:
    """The arguments of a check."""

    tolerance: Tolerance
    nondet_tol: float
    undefined: bool
    dtypes: bool
    batched: bool
    batched_forward: bool
    forward: bool
    backward: bool
    fast: bool


def gradcheck(
    func: Callable[..., Tensor | Sequence[Tensor]],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
    check_sparse_nnz: bool = False,
) -> bool:
    """Compare gradients with small finite differences, by all inputs that are floating or complex and require grad.

    Of complex functions the conjugate Wirtinger derivatives are compared: for a complex output those of its real and
    its imaginary part (``grad_output`` 1 and 1j). The defaults are for double precision. Inputs must not overlap in
    memory (as expand() makes them): RuntimeError.

    func: takes the inputs, returns a tensor or a tuple or list of tensors.   inputs: a tensor or a tuple; what is no
    tensor or requires no grad is passed on.   eps: the step of the differences.   atol, rtol: numbers agree when
    ``|analytical - numerical| <= atol + rtol * |numerical|``.   raise_exception: False returns False instead of raising
    GradcheckError.   nondet_tol: how far the gradients of two runs may differ.   check_undefined_grad: None as the
    gradient of outputs must work as zeros do, and no tangent as zeros.   check_grad_dtypes: gradients have the dtypes
    of the inputs.   check_batched_grad: ``grad(..., is_grads_batched=True)`` gives what a loop gives.
    check_batched_forward_grad: the same of forward mode, with tangents that are batched as vmap makes them.
    check_forward_ad, check_backward_ad: the modes that are checked.   fast_mode: compare ``v J u`` for random vectors,
    in a few calls; both jacobians are computed only to explain a difference.   masked: move sparse inputs at the
    elements that are specified only, and compare gradients there; without effect on dense inputs.   check_sparse_nnz:
    the older name of masked; ValueError where the two disagree. Sparse outputs are compared as dense ones.

    Returns True if all differences are small. A GradcheckError shows the jacobians, the worst entries, a map of what is
    wrong where and the usual cause of such a pattern; see its attributes and ``figure()``.

    >>> import wengert as wg
    >>> class Square(wg.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         return grad * ctx.saved_tensors[0]
    >>> x = wg.tensor([1.0, 2.0], dtype=wg.float64, requires_grad=True)
    >>> wg.autograd.gradcheck(Square.apply, x, raise_exception=False)
    False
    >>> try:
    ...     wg.autograd.gradcheck(Square.apply, x)
    ... except wg.autograd.gradcheck.GradcheckError as error:
    ...     print(error.causes[0])
    factor 0.5: the analytical gradient is 0.5 times the numerical one: a factor 2 is missing, ...
    """
    assert check_forward_ad or check_backward_ad, (
        "Expected at least one of check_forward_ad or check_backward_ad to be True")
    assert not (check_batched_grad and not check_backward_ad), (
        "Setting check_batched_grad=True requires check_backward_ad to be True")
    assert not (check_batched_forward_grad and not check_forward_ad), (
        "Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    masked = resolve_masked(masked, check_sparse_nnz)
    options = Options(Tolerance(eps, atol, rtol), nondet_tol, check_undefined_grad,
                      check_grad_dtypes, check_batched_grad, check_batched_forward_grad, check_forward_ad,
                      check_backward_ad, fast_mode)
    func, args = strided_problem(func, as_tuple(inputs), masked)
    return run_check(func, args, options, raise_exception)


def run_check(func: Callable[..., Any], args: tuple[Any, ...], options: Options, raise_exception: bool) -> bool:
    """Run a check; its errors are raised or make it False."""
    subject = subject_of(func, args)
    check_inputs(subject, STACKLEVEL)
    try:
        run(subject, options)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def run(subject: Subject, options: Options) -> None:
    """All that the options ask for; GradcheckError at the first failure."""
    outputs, positions = subject.checked_outputs()
    if not outputs:
        check_zero(subject, options.tolerance.eps, nothing)
        return
    if options.fast:
        check_fast(subject, outputs, positions, options.tolerance, backward=options.backward, forward=options.forward,
                   check_dtypes=options.dtypes, nondet_tol=options.nondet_tol)
    else:
        found = numericals(subject, outputs, positions, options.tolerance.eps)
        if options.backward:
            check_reverse(subject, found, outputs, options.tolerance, options.dtypes, options.nondet_tol)
        if options.forward:
            check_forward(subject, found, outputs, positions, options.tolerance)
    if options.batched_forward:
        check_batched_forward(subject, options.tolerance.atol, options.tolerance.rtol)
    if options.batched:
        check_batched(subject, options.tolerance.atol, options.tolerance.rtol)
    if options.backward:
        check_multiplied(subject, outputs)
    if options.undefined and options.backward:
        check_undefined(subject, STACKLEVEL + 1)
    if options.undefined and options.forward:
        check_undefined_forward(subject, positions)


# torch.autograd.gradcheck is a function, and a module to import names from: so is this one
gradcheck.__path__ = []  # type: ignore[attr-defined]
gradcheck.gradcheck = gradcheck  # type: ignore[attr-defined]
gradcheck.GradcheckError = GradcheckError  # type: ignore[attr-defined]
