"""gradgradcheck: derivatives of derivatives against finite differences of the first ones.

>>> import wengert as wg
>>> x = wg.randn(3, dtype=wg.float64, requires_grad=True)
>>> wg.autograd.gradgradcheck(lambda x: (x * x).sin(), (x,))
True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import wengert_engine as we
from wengert_core.extend import Tensor, is_strided

from wengert_gradcheck.comparing import Tolerance
from wengert_gradcheck.gradcheck import Options, gradcheck, run_check
from wengert_gradcheck.sparse_inputs import resolve_masked, strided_problem
from wengert_gradcheck.subject import as_tuple, is_differentiable, subject_of


def gradgradcheck(
    func: Callable[..., Tensor | Sequence[Tensor]],
    inputs: Tensor | Sequence[Any],
    grad_outputs: Tensor | Sequence[Tensor] | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
    check_sparse_nnz: bool = False,
) -> bool:
    """Compare gradients of gradients with finite differences: gradcheck of the function that takes the inputs and
    ``grad_outputs`` and returns the gradients of the inputs.

    grad_outputs: the gradients of the outputs; None: random ones that require grad.   gen_non_contig_grad_outputs: make
    them noncontiguous.   check_fwd_over_rev: forward mode over reverse.   check_rev_over_rev: reverse over reverse.
    The other arguments are those of gradcheck. A little non-determinism of the gradient makes large errors here:
    nondet_tol.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, 2.0], dtype=wg.float64, requires_grad=True)
    >>> wg.autograd.gradgradcheck(lambda x: x**3, x, check_fwd_over_rev=True)
    True
    """
    assert check_fwd_over_rev or check_rev_over_rev, (
        "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    assert not (check_undefined_grad and not check_rev_over_rev), (
        "Setting check_undefined_grad=True requires check_rev_over_rev to be True")
    assert not (check_batched_grad and not check_rev_over_rev), (
        "Setting check_batched_grad=True requires check_rev_over_rev to be True")
    func, args = strided_problem(func, as_tuple(inputs), resolve_masked(masked or None, check_sparse_nnz))
    outputs = subject_of(func, args).outputs()
    positions = [i for i, y in enumerate(outputs) if is_differentiable(y) and y.requires_grad]
    if grad_outputs is None:
        grads = tuple(random_like(outputs[i], gen_non_contig_grad_outputs) for i in positions)
    else:
        grads = as_tuple(grad_outputs)

    def gradients(*both: Any) -> tuple[Tensor, ...]:
        inside, seeds = both[:len(args)], both[len(args):]
        results = as_tuple(func(*inside))
        by = [x for x in inside if is_differentiable(x) and x.requires_grad]
        found = we.grad([results[i] for i in positions], by, list(seeds[:len(positions)]), create_graph=True,
                        allow_unused=True)
        return tuple(g if is_strided(g) else g.to_dense() for g in found if g is not None)

    options = Options(Tolerance(eps, atol, rtol), nondet_tol, check_undefined_grad, check_grad_dtypes,
                      check_batched_grad, False, check_fwd_over_rev, check_rev_over_rev, fast_mode)
    return run_check(gradients, (*args, *grads), options, raise_exception)


def random_like(y: Tensor, noncontiguous: bool) -> Tensor:
    """A random gradient of an output, which requires grad."""
    import wengert_core as wc

    shape = tuple(y.shape)
    if not noncontiguous:
        return wc.randn(shape, dtype=y.dtype, device=y.device).requires_grad_()
    return wc.randn((*shape, 2), dtype=y.dtype, device=y.device).select(-1, 0).requires_grad_()


gradcheck.gradgradcheck = gradgradcheck  # type: ignore[attr-defined]  # see there
