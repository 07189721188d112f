"""scipy.special on tensors, by its ufuncs and by the namespace's extension special."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import wengert as wg
from wengert_numpy.ufuncs import rows as ufuncs
from wengert_numpy.ufuncs import scipy_ufuncs

from .numpy_calls import Call, Varying, assert_derivatives, assert_same_values, leaves, replace

sp = pytest.importorskip("scipy.special")
from .scipy_special_calls import ARGUMENTS, CALLS  # noqa: E402

WITH_SECOND = """gamma rgamma betainc stdtr fdtr gammainc gammaincinv boxcox exprel spence expn ellipkinc elliprf jv ive
    airy hyp2f1 eval_jacobi owens_t pseudo_huber kl_div bdtr""".split()


def test_every_ufunc_of_the_table_has_a_call() -> None:
    assert set(ARGUMENTS) == set(scipy_ufuncs.NAMES)


@pytest.mark.parametrize("call", CALLS, ids=repr)
def test_ufuncs_give_the_values_dtypes_and_shapes_of_arrays(call: Call) -> None:
    assert_same_values(call, rtol=1e-9)


@pytest.mark.parametrize("call", CALLS, ids=repr)
def test_ufuncs_of_single_precision_give_scipys_dtypes(call: Call) -> None:
    single = Call(call.name, *replace(call.args, as_single), function=call.function)
    assert_same_values(single, rtol=2e-5, atol=1e-6)


def as_single(one: Varying) -> Varying:
    """Return what varies in single precision."""
    return Varying(one.array.astype(np.complex64 if one.array.dtype.kind == "c" else np.float32))


@pytest.mark.parametrize("call", [one for one in CALLS if one.name not in ("gammasgn", "round")], ids=repr)
def test_derivatives_agree_with_differences(call: Call) -> None:
    assert_derivatives(call, atol=2e-5, rtol=2e-3)


@pytest.mark.parametrize("call", [one for one in CALLS if one.name in WITH_SECOND], ids=repr)
def test_second_derivatives_agree_with_differences(call: Call) -> None:
    def function(*values: Any) -> Any:
        return leaves(call.run(list(values)))[0]

    assert wg.autograd.gradgradcheck(function, tuple(call.tensors()), atol=1e-4, rtol=2e-3)


@pytest.mark.parametrize("name", ["gammasgn", "round"])
def test_functions_made_of_steps_have_the_derivative_zero(name: str) -> None:
    x = wg.tensor([0.3, 1.6], dtype=wg.float64, requires_grad=True)
    getattr(sp, name)(x).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]


def test_a_number_may_stand_for_any_argument() -> None:
    x = wg.tensor([0.2, 0.7], dtype=wg.float64)
    for place in range(3):
        arguments: list[Any] = [2.0, 3, 0.4]
        expected = sp.betainc(*arguments[:place], x.numpy(), *arguments[place + 1 :])
        arguments[place] = x
        np.testing.assert_allclose(sp.betainc(*arguments).numpy(), expected, rtol=1e-12)


def test_integers_are_computed_in_double_precision() -> None:
    assert sp.gamma(wg.tensor([3, 4])).dtype is wg.float64
    assert sp.gamma(wg.tensor([3, 4])).tolist() == [2.0, 6.0]


def test_a_ufunc_that_tensors_do_not_have_is_named() -> None:
    with pytest.raises(TypeError, match=r"mathieu_a\(\) does not take wengert's tensors"):
        sp.mathieu_a(wg.ones(2), 1.0)


def test_complex_numbers_without_an_operation_are_refused_by_name() -> None:
    with pytest.raises(TypeError, match=r"scipy\.special\.gamma\(\) does not take wengert's tensors: complex ones"):
        sp.gamma(wg.ones(2, dtype=wg.complex128))


@pytest.mark.parametrize(("function", "what"), [
    (lambda x: sp.jv(x, 1.0), "jv: v"), (lambda x: sp.hyp2f1(x, 1.0, 2.0, 0.3), "hyp2f1: a"),
    (lambda x: sp.eval_legendre(x, 0.3), "eval_legendre: n"),
])
def test_a_derivative_that_is_missing_is_an_error_in_both_modes(function: Any, what: str) -> None:
    x = wg.tensor([1.5], dtype=wg.float64, requires_grad=True)
    with pytest.raises(NotImplementedError, match=f"the derivative for '{what}' is not implemented"):
        function(x).backward()
    with wg.autograd.forward_ad.dual_level(), pytest.raises(NotImplementedError, match=f"the derivative for '{what}'"):
        function(wg.autograd.forward_ad.make_dual(x.detach(), wg.ones_like(x)))


def test_out_is_a_recorded_write() -> None:
    x = wg.tensor([0.3, 0.6], dtype=wg.float64, requires_grad=True)
    out = wg.zeros(2, dtype=wg.float64)
    assert sp.expit(x, out=out) is out
    out.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), sp.expit(x.detach().numpy()) * (1 - sp.expit(x.detach().numpy())))


# ---- the extension of the namespace


def names_that_scipy_looks_for() -> list[str]:
    """Return the functions that SciPy dispatches to a namespace's special."""
    from scipy.special import _support_alternative_backends as backends

    return list(backends.__all__)


def test_the_extension_has_every_name_that_scipy_looks_for() -> None:
    from wengert_numpy.array_api import special

    assert [name for name in names_that_scipy_looks_for() if not hasattr(special, name)] == []


@pytest.mark.parametrize("call", [one for one in CALLS if not one.name.startswith("_")], ids=repr)
def test_functions_of_the_extension_give_scipys_values(call: Call) -> None:
    from wengert_numpy.array_api import special

    function = getattr(special, call.name)
    got = leaves(Call(call.name, *call.args, function=function).on_tensors())
    for one, expected in zip(got, leaves(call.on_arrays()), strict=True):
        np.testing.assert_allclose(one.detach().numpy(), expected, rtol=1e-9)


@pytest.mark.parametrize("call", [
    Call("polygamma", 2, Varying([0.5, 1.5]), function=sp.polygamma),
    Call("polygamma", np.array([0, 1, 3]), Varying([0.5, 1.5, 2.0]), function=sp.polygamma),
    Call("multigammaln", Varying([3.0, 4.5]), 3, function=sp.multigammaln),
    Call("zeta", 2.5, Varying([3.0, 4.5]), function=sp.zeta), Call("zeta", Varying([3.0, 4.5]), function=sp.zeta),
    Call("sinc", Varying([0.0, 0.3]), function=sp.sinc), Call("sinc", 1, function=sp.sinc),
], ids=repr)
def test_functions_that_are_no_ufuncs_have_values_and_derivatives(call: Call) -> None:
    from wengert_numpy.array_api import special

    ours = Call(call.name, *call.args, function=getattr(special, call.name))
    rest = 1e-16 if call.name == "sinc" else 0  # sinc of whole numbers is 0 here, and what is left of sin(pi) in SciPy
    np.testing.assert_allclose(ours.on_tensors().detach().numpy(), call.on_arrays(), rtol=1e-12, atol=rest)
    if call.inputs():
        assert_derivatives(ours)


def test_multigammaln_wants_an_integer() -> None:
    from wengert_numpy.array_api import special

    with pytest.raises(ValueError, match="d should be a positive integer"):
        special.multigammaln(wg.ones(2), 1.5)


def test_a_function_of_the_extension_counts_its_arguments() -> None:
    from wengert_numpy.array_api import special

    with pytest.raises(TypeError, match=r"betainc\(\) takes 3 positional arguments but 2 were given"):
        special.betainc(wg.ones(2), 1.0)


PROGRAM = """
import numpy as np, scipy.special as sp, wengert as wg
from scipy import stats
x = wg.tensor([0.2, 0.5, 0.9, 1.4], dtype=wg.float64, requires_grad=True)
y = np.array([0.3, 0.7, 1.9])
print(type(sp.betainc(2.0, 3, x / 2)).__name__, sp.j0(x).requires_grad, sp.multigammaln(x + 3, 2).requires_grad)
stats.ttest_ind(x, wg.tensor(y), equal_var=False).pvalue.backward()
p = lambda a: stats.ttest_ind(a, y, equal_var=False).pvalue
a, steps = x.detach().numpy(), 1e-6 * np.eye(4)
print(np.allclose(x.grad.numpy(), [(p(a + s) - p(a - s)) / 2e-6 for s in steps], rtol=1e-6))
"""


def test_tests_of_scipy_differentiate_by_the_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["Tensor True True", "True"]


def test_the_rows_are_entered_when_a_ufunc_is_first_used() -> None:
    sp.erf(wg.ones(2))
    assert scipy_ufuncs.scipy_ufunc("erf") in ufuncs.ROWS
