"""The examples of the references, with what holds for any random inputs."""

from typing import Any

import pytest
import wengert as torch
from wengert.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


def exp_reducer(x: Any) -> Any:
    return x.exp().sum(dim=1)


def exp_adder(x: Any, y: Any) -> Any:
    return 2 * x.exp() + 3 * y


def adder(x: Any, y: Any) -> Any:
    return 2 * x + 3 * y


def pow_reducer(x: Any) -> Any:
    return x.pow(3).sum()


def pow_adder_reducer(x: Any, y: Any) -> Any:
    return (2 * x.pow(2) + 3 * y.pow(2)).sum()


def close(got: Any, expected: Any) -> bool:
    return got.shape == expected.shape and torch.allclose(got.detach(), expected)


def test_jacobian() -> None:
    inputs = torch.rand(2, 2)
    expected = torch.zeros(2, 2, 2)
    expected[0, 0], expected[1, 1] = inputs[0].exp(), inputs[1].exp()
    assert close(jacobian(exp_reducer, inputs), expected)
    graphed = jacobian(exp_reducer, inputs, create_graph=True)
    assert close(graphed, expected)
    assert type(graphed.grad_fn).__name__ == "ViewBackward0"
    inputs = (torch.rand(2), torch.rand(2))
    by_x, by_y = jacobian(exp_adder, inputs)
    assert close(by_x, (2 * inputs[0].exp()).diag())
    assert by_y.tolist() == [[3, 0], [0, 3]]


def test_functional_jacobian_of_a_lambda_that_captures() -> None:
    constant, flag = torch.rand(2), True

    def f(input: Any, constant: Any, flag: bool) -> Any:
        return input * constant if flag else input

    assert close(jacobian(lambda x: f(x, constant, flag=flag), torch.rand(2)), constant.diag())


def test_hessian() -> None:
    inputs = torch.rand(2, 2)
    expected = (6 * inputs.reshape(-1)).diag().reshape(2, 2, 2, 2)
    assert close(hessian(pow_reducer, inputs), expected)
    graphed = hessian(pow_reducer, inputs, create_graph=True)
    assert close(graphed, expected)
    assert type(graphed.grad_fn).__name__ == "ViewBackward0"
    blocks = hessian(pow_adder_reducer, (torch.rand(2), torch.rand(2)))
    assert [[block.tolist() for block in row] for row in blocks] == [
        [[[4, 0], [0, 4]], [[0, 0], [0, 0]]], [[[0, 0], [0, 0]], [[6, 0], [0, 6]]]]


def test_vjp() -> None:
    inputs, v = torch.rand(4, 4), torch.ones(4)
    output, product = vjp(exp_reducer, inputs, v)
    assert close(output, exp_reducer(inputs))
    assert close(product, inputs.exp())
    output, product = vjp(exp_reducer, inputs, v, create_graph=True)
    assert type(output.grad_fn).__name__ == "SumBackward1"
    assert type(product.grad_fn).__name__ == "MulBackward0"
    inputs = (torch.rand(2), torch.rand(2))
    output, (by_x, by_y) = vjp(adder, inputs, torch.ones(2))
    assert close(output, adder(*inputs))
    assert (by_x.tolist(), by_y.tolist()) == ([2, 2], [3, 3])


def test_jvp() -> None:
    inputs, v = torch.rand(4, 4), torch.ones(4, 4)
    for value in jvp(exp_reducer, inputs, v):
        assert close(value, exp_reducer(inputs))
    output, product = jvp(exp_reducer, inputs, v, create_graph=True)
    assert type(output.grad_fn).__name__ == "SumBackward1"
    assert close(product, exp_reducer(inputs))
    assert product.requires_grad
    inputs, v = (torch.rand(2), torch.rand(2)), (torch.ones(2), torch.ones(2))
    output, product = jvp(adder, inputs, v)
    assert close(output, adder(*inputs))
    assert product.tolist() == [5, 5]


@pytest.mark.parametrize("function", [vhp, hvp])
def test_hessian_products(function: Any) -> None:
    inputs, v = torch.rand(2, 2), torch.ones(2, 2)
    output, product = function(pow_reducer, inputs, v)
    assert close(output, pow_reducer(inputs))
    assert close(product, 6 * inputs)
    output, product = function(pow_reducer, inputs, v, create_graph=True)
    assert type(output.grad_fn).__name__ == "SumBackward0"
    assert type(product.grad_fn).__name__ == "MulBackward0"
    assert close(product, 6 * inputs)
    inputs, v = (torch.rand(2), torch.rand(2)), (torch.zeros(2), torch.ones(2))
    output, (by_x, by_y) = function(pow_adder_reducer, inputs, v)
    assert close(output, pow_adder_reducer(*inputs))
    assert (by_x.tolist(), by_y.tolist()) == ([0, 0], [6, 6])
