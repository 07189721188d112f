"""check_formula and the strategies: checks of operations, in one line."""

import pytest
import wengert as wg
from gradcheck_helpers import op, real
from hypothesis import HealthCheck, given, settings
from wengert_gradcheck import GradcheckError, check_formula, strategies

FEW = settings(max_examples=25, deadline=None)


@pytest.mark.parametrize("name", ["mul", "matmul", "exp", "sum", "cat", "angle", "cumsum"])
def test_samples(name):
    check_formula(name)


def test_given_inputs():
    check_formula("mul", wg.randn(3).double(), 2.0)
    check_formula("cat", [wg.randn(2).double(), wg.randn(3).double()], dim=0)
    check_formula(wg.nn.functional.softplus, wg.randn(3).double(), beta=2.0)
    check_formula("clone", wg.randn(3, dtype=wg.complex128))
    check_formula("unbind", real(2, 3))


def test_a_wrong_formula_is_found():
    wrong = op(lambda a: a * a, lambda g, a: g * a)
    with pytest.raises(GradcheckError, match="Jacobian mismatch") as caught:
        check_formula(wrong, wg.randn(3).double(), forward=False)
    assert caught.value.__notes__ == ["check_formula: apply of (torch.float64[3])"]
    second = op(lambda a: a**3, lambda g, a: 3 * g * a * a.detach())
    check_formula(second, real(3), forward=False, second=False)
    with pytest.raises(GradcheckError, match="Jacobian mismatch"):
        check_formula(second, real(3), forward=False)


def test_what_cannot_be_checked():
    with pytest.raises(LookupError, match="no op 'no_such_op'"):
        check_formula("no_such_op")
    with pytest.raises(LookupError, match="no samples of 'argmax' that are differentiable"):
        check_formula("argmax")
    with pytest.raises(TypeError, match="a function is checked for inputs"):
        check_formula(wg.exp)
    with pytest.raises(ValueError, match="no floating or complex tensor"):
        check_formula("mul", wg.arange(3), 2)


def test_without_samples(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "wengert_testing.samples", None)
    with pytest.raises(ImportError, match=r"pip install 'wengert-gradcheck\[formulas\]'"):
        check_formula("mul")


@FEW
@given(strategies.tensors(low=0.5, high=3.0))
def test_tensors(x):
    assert x.requires_grad
    assert x.is_leaf
    assert x.dtype is wg.float64
    assert x.dim() <= 3
    assert 0.5 <= x.min() <= x.max() <= 3
    assert wg.autograd.gradcheck(wg.log, x)


@FEW
@given(strategies.tensors((4, 5), away_from=(0.0, 1.0)))
def test_numbers_keep_away_from_kinks(x):
    assert tuple(x.shape) == (4, 5)
    for kink in (0.0, 1.0):
        assert (x - kink).abs().min() >= 0.03
    assert len(set(x.flatten().tolist())) == 20
    assert wg.autograd.gradcheck(lambda x: x.abs() + wg.nn.functional.relu(x - 1), x)


@FEW
@given(strategies.broadcastable(2, dtype=[wg.float64, wg.complex128]))
def test_broadcastable(pair):
    x, y = pair
    assert wg.autograd.gradcheck(lambda x, y: x * y, (x, y), fast_mode=True)


@FEW
@given(strategies.matrices(rows=2, batch_dims=1, requires_grad=False, noncontiguous=False))
def test_matrices(a):
    assert a.shape[-2] == 2
    assert 2 <= a.dim() <= 3
    assert a.is_contiguous()
    assert not a.requires_grad


def test_layouts_are_drawn():
    seen = set()

    @settings(max_examples=100, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
    @given(strategies.tensors(min_dims=2))
    def look(x):
        seen.add(x.is_contiguous())

    look()
    assert seen == {True, False}
