"""increment_version, unsafe_preserve_version_counter, allow_mutation_on_saved_tensors."""

import pytest
import wengert as torch
from wengert import autograd
from wengert.autograd import graph


def leaf(*values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def test_increment_version():
    x, y = torch.ones(1), torch.ones(1)
    graph.increment_version(x)
    graph.increment_version([x, y])
    graph.increment_version(iter((y,)))
    assert (x._version, y._version) == (2, 2)


def test_increment_version_is_seen_by_the_check():
    y = leaf().exp()
    graph.increment_version(y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_unsafe_preserve_version_counter():
    x = leaf()
    y = x.exp()
    z = y * 1
    with autograd._unsafe_preserve_version_counter(y):
        y.mul_(1)
    assert y._version == 0
    torch.autograd.grad(z.sum(), x)


def test_unsafe_preserve_version_counter_of_several():
    x, y = torch.ones(1), torch.ones(1)
    y.add_(1)
    with autograd._unsafe_preserve_version_counter((x, y)):
        x.add_(1)
        y.add_(1)
    assert (x._version, y._version) == (0, 1)


def test_mutation_is_allowed():
    with graph.allow_mutation_on_saved_tensors():
        a = torch.ones(2, 3, requires_grad=True)
        b = a.clone()
        out = (b**2).sum()
        b.sin_()
        out.sum().backward()
    assert a.grad.tolist() == [[2.0] * 3] * 2


def test_mutation_of_a_result_that_was_saved():
    x = leaf()
    with graph.allow_mutation_on_saved_tensors():
        y = x.exp()
        z = y * 1
        y.zero_()
        z.sum().backward()
    assert torch.allclose(x.grad, x.detach().exp())


def test_mutation_through_a_view():
    x = leaf()
    with graph.allow_mutation_on_saved_tensors():
        b = x.clone()
        y = (b * b).sum()
        b[:1].zero_()
        y.backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_several_mutations_are_cloned_once():
    x = leaf()
    with graph.allow_mutation_on_saved_tensors() as context:
        b = x.clone()
        y = (b * b).sum()
        b.add_(1)
        b.add_(1)
        assert len(context.cloned) == 1
        y.backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_backward_outside_of_the_context_is_refused():
    with graph.allow_mutation_on_saved_tensors():
        b = leaf().clone()
        y = (b * b).sum()
        b.zero_()
    with pytest.raises(AssertionError, match=r"Trying to backward outside of the 'allow_mutation_on_saved_tensors' "
                                             r"contextin which the graph was originally recorded."):
        y.backward()


def test_context_may_not_be_nested():
    with (graph.allow_mutation_on_saved_tensors(),
          pytest.raises(RuntimeError, match="allow_mutation_on_saved_tensors contexts cannot be nested"),
          graph.allow_mutation_on_saved_tensors()):
        pass
