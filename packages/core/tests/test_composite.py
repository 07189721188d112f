"""Functions of other ops, as the table has them: a call, a method, what they say of an argument of the wrong type."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest
import wengert_core as wc
from wengert_core.dispatch.composite import Composite
from wengert_core.optable.core_table import TABLE

X = wc.tensor([1.0, 4.0, 9.0])


def test_it_is_a_function_and_a_method():
    diff = TABLE.ops["diff"]
    assert isinstance(diff, Composite)
    assert diff(X).tolist() == X.diff().tolist() == [3.0, 5.0]
    assert diff.__name__ == "diff"
    assert "differences" in diff.__doc__
    assert list(inspect.signature(diff).parameters)[:3] == ["input", "n", "dim"]


def test_it_can_be_pickled():
    restored = pickle.loads(pickle.dumps(TABLE.ops["diff"]))
    assert restored(X).tolist() == [3.0, 5.0]


def test_out_that_the_function_does_not_take():
    shrink, out = TABLE.ops["nn.functional.hardshrink"], wc.zeros(3)
    assert shrink(X, 3.0, out=out) is out
    assert out.tolist() == [0.0, 4.0, 9.0]
    assert shrink(X, lambd=3.0, out=None).tolist() == [0.0, 4.0, 9.0]
    assert "out" in inspect.signature(shrink).parameters


WRONG = [
    (lambda: TABLE.ops["diff"](None), r"diff\(\): argument 'input' \(position 1\) must be Tensor, not NoneType"),
    (lambda: TABLE.ops["diff"](X, "a"), r"diff\(\): argument 'n' \(position 2\) must be int, not str"),
    (lambda: TABLE.ops["diff"](X, np.ones(2)), "must be int, not numpy.ndarray"),
    (lambda: TABLE.ops["isclose"](1.5, X), r"must be Tensor, not float"),
    (lambda: TABLE.ops["layer_norm"](np.ones(2), (3,)), "must be Tensor, not numpy.ndarray"),
    (lambda: TABLE.ops["block_diag"](None), "expected Tensor as element 0 in argument 0, but got NoneType"),
    (lambda: TABLE.ops["dstack"]("a"), "must be tuple of Tensors, not str"),
    (lambda: TABLE.ops["diff"](X, nosuch=1), "unexpected keyword argument 'nosuch'"),
    (lambda: TABLE.ops["diff"](), "argument"),
]


@pytest.mark.parametrize(("call", "words"), WRONG)
def test_an_argument_of_the_wrong_type_is_named(call, words):
    with pytest.raises(TypeError, match=words):
        call()


def test_what_a_function_itself_raises_stays():
    with pytest.raises(IndexError, match="Dimension out of range"):
        TABLE.ops["diff"](X, dim=3)
    with pytest.raises(RuntimeError, match=r"at least 2 dimensions"):
        TABLE.ops["linalg.det"](X)


def test_integers_beyond_64_bits():
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        TABLE.ops["sum"](X, 2**70)


def test_names_that_torch_looks_for():
    eye = wc.eye(2)
    assert TABLE.ops["linalg.cholesky"](input=eye).tolist() == eye.tolist()
    assert [part.tolist() for part in TABLE.ops["hsplit"](X, sections=3)] == [[1.0], [4.0], [9.0]]


def test_the_gradient_of_a_class_loss_is_not_written_as_another_dtype():
    target = wc.tensor([0, 1])
    with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
        TABLE.ops["nll_loss_backward"](wc.tensor(True), (2, 3), target, None, 1, -100)
