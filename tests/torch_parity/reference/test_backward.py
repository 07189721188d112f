"""backward and grad: each argument of the reference, and what the reference says of it."""

import inspect

import pytest
import wengert as torch
from wengert import autograd


def leaf(*values):
    return torch.tensor(list(values), requires_grad=True)


def test_names_order_and_defaults_of_the_arguments():
    def signature(function):
        return {name: p.default for name, p in inspect.signature(function).parameters.items()}

    required = inspect.Parameter.empty
    assert list(signature(autograd.backward).items()) == [
        ("tensors", required), ("grad_tensors", None), ("retain_graph", None), ("create_graph", False),
        ("grad_variables", None), ("inputs", None)]
    assert list(signature(autograd.grad).items()) == [
        ("outputs", required), ("inputs", required), ("grad_outputs", None), ("retain_graph", None),
        ("create_graph", False), ("only_inputs", True), ("allow_unused", None), ("is_grads_batched", False),
        ("materialize_grads", False)]
    assert list(signature(torch.Tensor.backward).items()) == [
        ("self", required), ("gradient", None), ("retain_graph", None), ("create_graph", False), ("inputs", None)]


def test_backward_accumulates_into_the_leaves():
    x = leaf(1.0, 2.0)
    for expected in ([3.0, 3.0], [6.0, 6.0]):
        autograd.backward((x * 3).sum())
        assert x.grad.tolist() == expected


def test_backward_takes_sequences_and_none_for_scalars():
    x = leaf(1.0, 2.0)
    autograd.backward([(x * 2).sum(), x * 3], [None, torch.tensor([1.0, 10.0])])
    assert x.grad.tolist() == [5.0, 32.0]


def test_none_is_accepted_for_a_tensor_of_one_element():
    x = leaf(2.0)
    autograd.backward([x * x], [None])
    assert x.grad.tolist() == [4.0]


def test_the_same_root_twice_counts_twice():
    x = leaf(1.0)
    y = (x * 2).sum()
    assert autograd.grad([y, y], [x], retain_graph=True)[0].tolist() == [4.0]
    autograd.backward([y, y])
    assert x.grad.tolist() == [4.0]


def test_a_root_that_is_an_ancestor_of_another():
    x = leaf(1.0)
    y = x * 2
    z = y * 3
    autograd.backward([y.sum(), z.sum()])
    assert x.grad.tolist() == [8.0]


def test_too_few_gradients():
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match="got 2 tensors and 1 gradients"):
        autograd.backward([x * 2, x * 3], [torch.ones(1)])


def test_grad_variables_is_the_old_spelling():
    x = leaf(1.0, 2.0)
    with pytest.warns(FutureWarning, match="`grad_variables` is deprecated. Use `grad_tensors` instead."):
        autograd.backward(x * 2, grad_variables=torch.tensor([1.0, 10.0]))
    assert x.grad.tolist() == [2.0, 20.0]


def test_grad_variables_as_fifth_positional_argument():
    x = leaf(1.0, 2.0)
    with pytest.warns(FutureWarning, match="grad_variables"):
        autograd.backward([x * 2], None, None, False, [torch.tensor([1.0, 10.0])])
    assert x.grad.tolist() == [2.0, 20.0]


def test_grad_variables_and_grad_tensors_exclude_each_other():
    x = leaf(1.0)
    with (pytest.warns(FutureWarning, match="grad_variables"),
          pytest.raises(RuntimeError, match=r"arguments both passed to `backward\(\)`. Please only use "
                                            r"`grad_tensors`")):
        autograd.backward(x * 2, torch.ones(1), grad_variables=torch.ones(1))


def test_retain_graph_defaults_to_create_graph():
    x = leaf(2.0)
    y = (x * x).sum()
    (slope,) = autograd.grad(y, x, create_graph=True)
    assert autograd.grad(y, x)[0].tolist() == [4.0]
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        autograd.grad(y, x)
    assert slope.requires_grad


def test_retain_graph_false_with_create_graph_frees():
    x = leaf(2.0)
    y = (x * x).sum()
    autograd.grad(y, x, retain_graph=False, create_graph=True)
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        autograd.grad(y, x)


def test_second_backward_says_what_to_do():
    y = leaf(2.0).exp().sum()
    y.backward()
    phrase = (r"Trying to backward through the graph a second time \(or directly access saved tensors after they have "
              r"already been freed\). Saved intermediate values of the graph are freed when you call .backward\(\) or "
              r"autograd.grad\(\). Specify retain_graph=True if you need to backward through the graph a second time "
              r"or if you need to access saved tensors after calling backward.")
    with pytest.raises(RuntimeError, match=phrase):
        y.backward()


def test_inputs_restrict_where_gradients_go():
    a, b = leaf(1.0), leaf(2.0)
    (a * b).sum().backward(inputs=[a])
    assert (a.grad.tolist(), b.grad) == ([2.0], None)
    (a * b).sum().backward(inputs=b)
    assert b.grad.tolist() == [1.0]


def test_inputs_may_be_inner_tensors():
    x = leaf(1.0)
    y = x * 2
    (y * 3).sum().backward(inputs=(y,))
    assert y.grad.tolist() == [3.0]         # no warning: there is a gradient
    assert (x.grad, y.retains_grad) == (None, True)


def test_inputs_leaf_and_inner_together():
    x = leaf(1.0)
    y = x * 2
    y.retain_grad()
    (y * 3).sum().backward(inputs=[x, y])
    assert (x.grad.tolist(), y.grad.tolist()) == ([6.0], [3.0])


def test_inputs_that_do_not_require_grad():
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad=False"):
        (leaf(1.0) * 2).backward(inputs=[torch.ones(1)])


@pytest.mark.parametrize("kind", [list, tuple])
def test_empty_inputs_are_refused(kind):
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match=r"`inputs` argument to `backward\(\)` cannot be empty"):
        (x * 1).sum().backward(inputs=kind())


def test_only_inputs_false_is_deprecated():
    x = leaf(1.0)
    with pytest.warns(FutureWarning, match=r"only_inputs argument is deprecated and is ignored now \(defaults to "
                                           r"True\)"):
        (slope,) = autograd.grad((x * 2).sum(), x, only_inputs=False)
    assert (slope.tolist(), x.grad) == ([2.0], None)


def test_allow_unused():
    x, y = leaf(1.0), leaf(2.0)
    assert autograd.grad((x * 2).sum(), [x, y], allow_unused=True)[1] is None
    with pytest.raises(RuntimeError, match="The differentiated Tensor at index 1 appears to not have been used in the "
                                           "graph"):
        autograd.grad((x * 2).sum(), [x, y], allow_unused=False)


def test_materialize_grads_gives_zeros():
    x, y = leaf(1.0), leaf(2.0, 3.0)
    slope = autograd.grad((x * 2).sum(), [x, y], materialize_grads=True)[1]
    assert (slope.tolist(), slope.requires_grad) == ([0.0, 0.0], False)


@pytest.mark.parametrize("shape", [(1,), (3, 2), ()])
def test_gradient_must_have_the_shape_of_its_tensor(shape):
    y = leaf(1.0, 2.0) * 2
    with pytest.raises(RuntimeError, match=r"Mismatch in shape: grad_output\[0\] has a shape of torch.Size"):
        y.backward(torch.ones(shape))


def test_gradient_of_another_real_dtype_is_cast():
    x = leaf(1.0)
    (x * 2).backward(torch.ones(1, dtype=torch.float64))
    assert x.grad.dtype == torch.float32


def test_create_graph_of_backward_warns_of_the_cycle():
    x = leaf(2.0)
    with pytest.warns(UserWarning, match="will create a reference cycle between the parameter and its gradient which "
                                         "can cause a memory leak. We recommend using autograd.grad"):
        (x * x).sum().backward(create_graph=True)
    assert x.grad.requires_grad
    x.grad = None


def test_only_floating_and_complex_tensors():
    with pytest.raises(RuntimeError, match="Only Tensors of floating point and complex dtype can require gradients"):
        torch.tensor([1], requires_grad=True)
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128):
        x = torch.ones(1, dtype=dtype, requires_grad=True)
        (x * 2).backward(torch.ones(1, dtype=dtype))
        assert x.grad.dtype == dtype


def test_is_grads_batched():
    x = leaf(1.0, 2.0)
    (rows,) = autograd.grad(x * x, x, torch.eye(2), is_grads_batched=True)
    assert rows.tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_no_gradient_in_no_grad_mode_is_needed_for_backward():
    x = leaf(2.0)
    y = (x * x).sum()
    with torch.no_grad():
        y.backward()
    assert (x.grad.tolist(), x.grad.requires_grad) == ([4.0], False)


def test_create_graph_records_also_in_no_grad_mode():
    x = leaf(2.0)
    y = (x * x * x).sum()
    with torch.no_grad():
        (slope,) = autograd.grad(y, x, create_graph=True)
    assert slope.requires_grad
    assert autograd.grad(slope.sum(), x)[0].tolist() == [12.0]


@pytest.mark.parametrize("compute", [
    lambda x: x * 2, lambda x: 2 * x, lambda x: x / 2, lambda x: x.clone().mul_(2), lambda x: x.clone().div_(3.0)])
def test_a_number_that_a_derivative_needs_is_freed_like_a_tensor(compute):
    y = compute(torch.ones(2, requires_grad=True)).sum()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()


@pytest.mark.parametrize("compute", [
    lambda x: x + 2, lambda x: 2 - x, lambda x: -x, lambda x: x.sum(0), lambda x: x.clone(), lambda x: x.view(2, 1),
    lambda x: x.mean(), lambda x: x % 2, lambda x: x.expand(3, 2), lambda x: x.add(x, alpha=2),
    lambda x: torch.lerp(x, x, 0.5)])
def test_a_graph_that_saves_nothing_may_be_run_again(compute):
    y = compute(torch.ones(2, requires_grad=True)).sum()
    y.backward()
    y.backward()


def test_inputs_that_are_no_sequence():
    with pytest.raises(TypeError, match="'int' object is not iterable"):
        torch.ones(2, requires_grad=True).sum().backward(inputs=3)


def test_is_grads_batched_wants_rows():
    x = torch.ones(3, requires_grad=True)
    with pytest.raises(IndexError, match="invalid index of a 0-dim tensor"):
        autograd.grad(x.sum(), x, torch.tensor(1.0), is_grads_batched=True)
    with pytest.raises(ValueError, match="Got in_dim=0 for some input, but that input is a Tensor of dimensionality 0"):
        autograd.grad(x.sum(), x, is_grads_batched=True)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        autograd.grad(x * 2, x, is_grads_batched=True)


def test_materialize_grads_with_a_gradient_edge():
    x, unused = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    edge, other = autograd.graph.get_gradient_edge(x), autograd.graph.get_gradient_edge(unused)
    assert autograd.grad((x * x).sum(), [edge], materialize_grads=True)[0].tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(RuntimeError, match="materialize_grads cannot be used when the given input is a GradientEdge"):
        autograd.grad((x * x).sum(), [edge, other], materialize_grads=True)
