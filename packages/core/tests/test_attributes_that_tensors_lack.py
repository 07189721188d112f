"""Whoever asks for an attribute that this tensor does not have gets an answer: hasattr, getattr, runtime protocols."""

from typing import Any, Protocol, runtime_checkable

import pytest
import wengert_core as wc

TENSORS = {
    "vector": lambda: wc.ones(3),
    "matrix": lambda: wc.ones(2, 2),
    "batch": lambda: wc.ones(2, 2, 2),
    "number": lambda: wc.tensor(1.0),
    "bool": lambda: wc.ones(2, dtype=wc.bool),
    "complex": lambda: wc.ones(2, dtype=wc.complex64),
}


@pytest.mark.filterwarnings("ignore")  # of attributes that are deprecated: T of other than matrices, volatile
@pytest.mark.parametrize("name", sorted({*dir(wc.Tensor), "no_such_attribute"}))
@pytest.mark.parametrize("kind", TENSORS)
def test_hasattr_answers(kind, name):
    assert hasattr(TENSORS[kind](), name) in (True, False)


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [("vector", "imag", "imag is not implemented for tensors with non-complex dtypes"),
     ("vector", "mT", "only supported on matrices or batches of matrices"),
     ("vector", "mH", "only supported on matrices or batches of matrices"),
     ("batch", "H", "only supported on matrices")],
)  # fmt: skip
@pytest.mark.parametrize("error", [RuntimeError, AttributeError])
def test_the_error_is_that_of_torch_and_that_of_python(kind, name, words, error):
    with pytest.raises(error, match=words):
        getattr(TENSORS[kind](), name)
    assert getattr(TENSORS[kind](), name, None) is None


def test_runtime_protocols():
    @runtime_checkable
    class HasParts(Protocol):
        @property
        def real(self) -> Any: ...
        @property
        def imag(self) -> Any: ...

    assert isinstance(wc.ones(2, dtype=wc.complex64), HasParts)
    assert isinstance(wc.ones(2), HasParts) in (True, False)  # from Python 3.12 on only the class is asked
