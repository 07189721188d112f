"""Two sentences of the reference: functions take tensors only; what strict mode refuses, in PyTorch's words."""

from collections.abc import Callable
from typing import Any

import pytest
import wengert as torch
from wengert.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp

X, Y = torch.ones(2), torch.ones(2)
LINEAR = ("While computing the hessian, found that the jacobian of the user-provided function with respect to input 0 "
          "is independent of the input. This is not allowed in strict mode.")
INDEPENDENT = "The output of the user-provided function is independent of input 1. This is not allowed in strict mode."


def total(a: Any, b: Any = None) -> Any:
    return a.sum()


@pytest.mark.parametrize(("call", "message", "without"), [
    (lambda strict: jacobian(lambda a, b: a * 2, (X, Y), strict=strict),
     "Output 0 of the user-provided function is independent of input 1. This is not allowed in strict mode.",
     [[0.0, 0.0], [0.0, 0.0]]),
    (lambda strict: jacobian(lambda a: (a * 2, torch.ones(2)), X, strict=strict),
     "Output 1 of the user-provided function does not require gradients.", [[0.0, 0.0], [0.0, 0.0]]),
    (lambda strict: vjp(total, (X, Y), strict=strict), INDEPENDENT, [0.0, 0.0]),
    (lambda strict: jvp(lambda a, b: a * 2, (X, Y), (X, Y), strict=strict), INDEPENDENT, [2.0, 2.0]),
    (lambda strict: hessian(total, X, strict=strict), LINEAR, [[0.0, 0.0], [0.0, 0.0]]),
    (lambda strict: vhp(total, X, X, strict=strict), LINEAR, [0.0, 0.0]),
    (lambda strict: hvp(total, X, X, strict=strict), LINEAR, [0.0, 0.0]),
])  # fmt: skip
def test_strict_refuses_what_is_zeros_without_it(call: Callable[[bool], Any], message: str, without: Any) -> None:
    with pytest.raises(RuntimeError) as caught:
        call(True)
    assert message in str(caught.value)
    found = call(False)
    while isinstance(found, tuple):
        found = found[-1]
    assert found.tolist() == without


def test_functions_of_tensors_only() -> None:
    with pytest.raises(TypeError, match=r"inputs given to jacobian must be either a Tensor or a tuple of Tensors"):
        jacobian(lambda a, k: a * k, (X, 2.0))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"outputs of the user-provided function given to jacobian must be either a"):
        jacobian(lambda a: 2.0, X)
    assert jacobian(lambda a: (lambda a, k: a * k)(a, 2.0), X).tolist() == [[2.0, 0.0], [0.0, 2.0]]
