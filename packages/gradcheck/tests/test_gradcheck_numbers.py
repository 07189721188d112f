"""The two jacobians themselves, the progress bar, and that nothing is left behind."""

import sys
import types
from typing import ClassVar

import numpy as np
import pytest
import wengert as wg
from gradcheck_helpers import complexes, op, real
from wengert.autograd import gradcheck
from wengert_gradcheck import GradcheckError, analytical, numerical
from wengert_gradcheck.progress import FEW, nothing, progress
from wengert_gradcheck.slow import numericals
from wengert_gradcheck.subject import subject_of


def jacobians(func, *inputs):
    """(numerical, analytical) of output 0 by input 0, for the real part."""
    subject = subject_of(func, inputs)
    outputs, positions = subject.checked_outputs()
    found = numericals(subject, outputs, positions, 1e-6)[0].gradient(0, "real")
    return found, analytical.reverse(analytical.Gradients(subject, True), outputs[0], 1, nothing)[0]


def test_a_jacobian_has_a_row_for_each_element_of_the_input():
    matrix = real(4, 3).detach()
    for found in jacobians(lambda x: matrix @ x, real(3)):
        np.testing.assert_allclose(found, matrix.cpu().numpy().T, atol=1e-8)


def test_jacobians_of_complex_functions():
    z = complexes(3)
    for found in jacobians(lambda z: z * z, z):
        np.testing.assert_allclose(found, np.diag(2 * z.detach().cpu().numpy().conj()), atol=1e-8)
    for found in jacobians(lambda z: z.abs(), z):
        np.testing.assert_allclose(found, np.diag((z / z.abs()).detach().cpu().numpy()), atol=1e-8)


@pytest.mark.parametrize("options", [{}, {"fast_mode": True}, {"check_forward_ad": True}])
@pytest.mark.parametrize("make", [real, complexes])
def test_the_inputs_are_as_before(make, options):
    x, y = make(3, 2).t().detach().requires_grad_(), make(2)
    before, versions = (x.tolist(), y.tolist()), (x._version, y._version)
    assert gradcheck(lambda x, y: y @ x, (x, y), **options)
    assert (x.tolist(), y.tolist()) == before
    assert (x._version, y._version) == versions
    assert x.grad is y.grad is None


def test_the_inputs_are_as_before_when_the_function_fails():
    x, calls = real(4), []

    def fails(x):
        calls.append(1)
        if len(calls) == 5:
            raise OSError("gone")
        return x * 2

    before = x.tolist()
    with pytest.raises(OSError, match="gone"):
        gradcheck(fails, x)
    assert x.tolist() == before


def test_the_number_of_calls():
    calls = []

    def count_call(x):
        calls.append(1)
        return x * x

    gradcheck(count_call, real(10), check_undefined_grad=False)
    assert len(calls) == 1 + 2 * 10
    calls.clear()
    gradcheck(count_call, real(10), check_undefined_grad=False, fast_mode=True)
    assert len(calls) == 1 + 2


def test_a_backward_that_changes_its_gradient_is_no_trouble():
    assert gradcheck(op(lambda a: a * 3, lambda g, a: g.mul_(3)), real(4))


def test_bfloat16():
    x = wg.ones(3, dtype=wg.bfloat16, requires_grad=True)
    with pytest.warns(UserWarning, match="not a double"):
        assert gradcheck(lambda x: x * 2, x, eps=0.5)
    with pytest.warns(UserWarning, match="not a double"):
        assert gradcheck(lambda x: x * 2, x, eps=0.5, fast_mode=True, atol=0.1)
    assert x.tolist() == [1, 1, 1]


def test_several_outputs_of_which_some_have_no_gradient():
    assert gradcheck(lambda x: (x.argmax(), x.exp(), x.detach(), x @ x.T), real(2, 2), check_forward_ad=True,
                     fast_mode=True)


def test_errors_of_single_entries_are_found_in_fast_mode():
    def wrong(grad, a):
        grad = grad * 2 * a
        grad[17] = grad[17] * 1.5
        return grad

    with pytest.raises(GradcheckError, match="The max per-element difference"):
        gradcheck(op(lambda a: a * a, wrong), wg.ones(50).double().requires_grad_(), fast_mode=True)


class Bar:
    made: ClassVar[list["Bar"]] = []

    def __init__(self, **options):
        self.options, self.steps = options, 0
        Bar.made.append(self)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass

    def update(self):
        self.steps += 1


@pytest.mark.parametrize(("tty", "total", "bars"), [(True, FEW, 1), (True, FEW - 1, 0), (False, FEW, 0)])
def test_a_bar_for_long_checks_on_terminals(monkeypatch, tty, total, bars):
    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(tqdm=Bar))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: tty, raising=False)
    Bar.made.clear()
    with progress(total, "test") as done:
        done()
    assert [(bar.steps, bar.options["total"]) for bar in Bar.made] == [(1, total)] * bars


def test_all_steps_are_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(tqdm=Bar))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    Bar.made.clear()
    assert gradcheck(wg.exp, complexes(FEW // 2), check_forward_ad=True)
    assert len(Bar.made) == 3
    assert all(bar.steps == bar.options["total"] for bar in Bar.made)


def test_no_bar_without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress(FEW, "test") as done:
        assert done is nothing


def test_elements_of_a_view():
    x = wg.arange(6).double().view(2, 3).t()
    elements = numerical.Elements(x)
    elements.write(1, 9.0)
    assert x.tolist() == [[0, 9], [1, 4], [2, 5]]
    assert elements.read(5) == 5
