"""What a GradcheckError holds and shows."""

import numpy as np
import pytest
import wengert as wg
from gradcheck_helpers import complexes, error, op, real
from wengert.autograd import gradcheck, gradgradcheck
from wengert_gradcheck import GradcheckError
from wengert_gradcheck.errors import Jacobians
from wengert_gradcheck.report import MAP_COLUMNS, MAP_ROWS, error_map, worst_of


def test_the_worst_entries():
    factors = wg.tensor([[2.0, 2, 3], [2, 2, 2.5]], dtype=wg.float64)
    found = error(op(lambda a: a * 2, lambda g, a: g * factors), real(2, 3))
    assert [one[:2] for one in found.worst] == [((0, 2), (0, 2)), ((1, 2), (1, 2))]
    first = found.worst[0]
    assert first.numerical == pytest.approx(2, abs=1e-8)
    assert (first.analytical, first.difference) == (3, pytest.approx(1, abs=1e-8))
    text = str(found)
    assert "2 of 36 entries differ. The worst:" in text
    head, line = next(
        (a, b) for a, b in zip(text.splitlines(), text.splitlines()[1:], strict=False) if "output index" in a)
    assert head.split("  ")[1:2] == ["output index"]
    assert line.split() == ["(0,", "2)", "(0,", "2)", "2", "3", "1"]


def test_the_map():
    found = error(op(lambda a: a * 2, lambda g, a: g * wg.tensor([2.0, 3, 0]).double()), real(3))
    assert "x wrong, 0 missing, . right, blank zero\n  .\n   x\n    0" in str(found)


def test_a_large_map_is_cut_into_blocks():
    wrong = np.zeros((100, 200), bool)
    wrong[99, 199] = True
    both = np.eye(100, 200)
    lines = error_map(Jacobians(both, both + wrong, (200,), (100,)), wrong).splitlines()
    assert "a character for a block of the (100, 200)" in lines[0]
    assert len(lines) - 1 <= MAP_ROWS
    assert max(map(len, lines[1:])) <= MAP_COLUMNS + 2
    assert lines[-1].endswith("x")
    assert "x" not in "".join(lines[1:-1])


def test_nan_is_the_worst():
    numbers = np.array([[1.0, np.nan], [5.0, 1.0]])
    wrong = np.array([[False, True], [True, False]])
    worst = worst_of(Jacobians(numbers, np.ones((2, 2)), (2,), (2,)), wrong)
    assert [one[:2] for one in worst] == [(1, 0), (0, 1)]


def test_attributes():
    x, a = real(2, 3).detach(), real(2, 3)
    found = error(op(lambda x, a: x * a, lambda g, x, a: (None, g * x * 2)), x, a)
    assert isinstance(found, RuntimeError)
    assert (found.output, found.input) == (0, 0)
    assert "(input 0 is argument 1 of func)" in str(found)
    np.testing.assert_allclose(found.jacobians.numerical, np.diag(x.cpu().numpy().ravel()), atol=1e-8)
    np.testing.assert_allclose(found.jacobians.analytical, 2 * np.diag(x.cpu().numpy().ravel()))
    assert found.jacobians.input_shape == (2, 3)


def test_figure():
    pytest.importorskip("matplotlib", reason="matplotlib, which figure() draws with, is an extra that is not installed")
    for inputs in (real(3), complexes(3)):
        figure = error(op(lambda a: a * a, lambda g, a: g * a), inputs).figure()
        assert [axes.get_title() for axes in figure.axes[:3]] == ["numerical", "analytical", "|difference|"]
        shown = figure.axes[2].images[0].get_array()
        assert shown.shape == (3, 3)
        assert shown.max() > 0
        figure.draw_without_rendering()
        ticks = [tick for axes in figure.axes[:3] for tick in (*axes.get_xticks(), *axes.get_yticks())]
        assert all(tick == int(tick) for tick in ticks)


def test_figure_without_matplotlib(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'wengert-gradcheck\[figure\]'"):
        error(op(lambda a: a * a, lambda g, a: g * a), real(3)).figure()


def test_figure_without_jacobians():
    with pytest.raises(ValueError, match="there are no jacobians to draw: Numerical gradient for function expected"):
        error(lambda a: a.detach() * 2, real(2)).figure()


def test_sparse():
    for check in (gradcheck, gradgradcheck):
        assert check(wg.exp, real(2), check_sparse_nnz=False)
        assert check(wg.exp, real(2), check_sparse_nnz=True)
    with pytest.raises(ValueError, match="to be equal to masked"):
        gradcheck(wg.exp, real(2), check_sparse_nnz=True, masked=False)


def test_memory_that_overlaps_is_named():
    x = real(5).detach().as_strided((2, 3), (1, 1)).requires_grad_()
    text = r"0th input has overlapping memory: its elements \(0, 1\) and \(1, 0\) share their memory.*strides \[1, 1\]"
    with pytest.raises(RuntimeError, match=text):
        gradcheck(wg.exp, x)
    apart = real(8).detach().as_strided((2, 3), (1, 2)).requires_grad_()  # interleaved, but apart
    assert gradcheck(wg.exp, apart)


def test_spellings_as_attributes():
    assert wg.autograd.gradcheck.gradcheck is gradcheck
    assert wg.autograd.gradcheck.gradgradcheck is gradgradcheck
    assert wg.autograd.gradcheck.GradcheckError is GradcheckError


def test_warnings_name_the_callers_line():
    with pytest.warns(UserWarning, match="not a double") as caught:
        gradcheck(wg.exp, wg.ones(1, requires_grad=True), atol=9)
    files = {one.filename for one in caught}
    with pytest.warns(UserWarning, match="not a double") as caught:
        gradgradcheck(wg.exp, wg.ones(1, requires_grad=True), atol=9)
    assert files | {one.filename for one in caught} == {__file__}
