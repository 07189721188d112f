"""In-place operations: version counters, what is refused, detached aliases, geometry changed in place."""

import pytest
import wengert as torch


def leaf(*values):
    return torch.tensor(list(values), requires_grad=True)


def test_correctness_check_says_versions_and_the_saving_node():
    y = leaf(1.0, 2.0).exp()
    y.mul_(2)
    phrase = (r"one of the variables needed for gradient computation has been modified by an inplace operation: "
              r"\[torch.FloatTensor \[2\]\], which is output 0 of Exp, is at version 1; expected version 0 instead. "
              r"Hint: ")
    with pytest.raises(RuntimeError, match=phrase):
        y.sum().backward()


def test_hint_without_anomaly_mode():
    y = leaf(1.0, 2.0).exp()
    y.mul_(2)
    hint = (r"Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
            r"torch.autograd.set_detect_anomaly\(True, check_nan=False\).")
    with pytest.raises(RuntimeError, match=hint):
        y.sum().backward()


def test_no_error_when_the_saved_value_is_not_needed():
    x = leaf(1.0)
    w = torch.ones(1)
    y = x * w                   # saves w for x, not x for w
    z = x * 1
    z.add_(1)
    y.sum().backward()
    assert x.grad.tolist() == [1.0]


def test_error_only_when_backward_is_started():
    x = leaf(1.0)
    y = x.exp()
    y.add_(1)
    assert y.requires_grad                      # nothing is raised in the forward pass
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.autograd.grad(y, x)


def test_version_counter_is_shared_by_views_and_detach_but_not_by_data():
    x = torch.ones(2)
    view, detached, data, alias = x[:1], x.detach(), x.data, x.view(2)
    x.add_(1)
    assert (x._version, view._version, detached._version, alias._version, data._version) == (1, 1, 1, 1, 0)
    data.add_(1)
    assert (x._version, data._version) == (1, 1)
    detached.add_(1)
    assert x._version == view._version == 2


@pytest.mark.parametrize("write", [
    lambda x: x.add_(1), lambda x: x.zero_(), lambda x: x.__setitem__(0, 1.0), lambda x: x.copy_(torch.ones(2)),
    lambda x: x.fill_(3), lambda x: torch.add(x, 1, out=x), lambda x: x.clamp_(0, 1), lambda x: x.uniform_()],
    ids=["add_", "zero_", "setitem", "copy_", "fill_", "out", "clamp_", "uniform_"])
def test_each_write_counts_once(write):
    x = torch.ones(2)
    write(x)
    assert x._version == 1


def test_version_is_read_only():
    with pytest.raises(AttributeError):
        torch.ones(1)._version = 3


def test_leaf_and_view_of_leaf_are_refused():
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match=r"a leaf Variable that requires grad is being used in an in-place "
                                           r"operation."):
        x.add_(1)
    with pytest.raises(RuntimeError,
                       match=r"a view of a leaf Variable that requires grad is being used in an in-place operation."):
        x[:1].add_(1)
    with torch.no_grad():
        x.add_(1)
        x[:1].add_(1)
    assert x.tolist() == [3.0, 3.0]


def test_out_does_not_differentiate():
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match=r"functions with out=... arguments don't support automatic differentiation, "
                                           r"but one of the arguments requires grad."):
        torch.add(x, 1, out=torch.empty(1))


def test_data_writes_are_not_seen_by_the_check():
    x = leaf(1.0)
    y = x.exp()
    y.data.mul_(10)
    y.sum().backward()
    assert x.grad.item() == pytest.approx(27.1828, rel=1e-4)


def test_assigning_data():
    x = leaf(1.0, 2.0)
    x.data = torch.tensor([5.0, 6.0, 7.0])
    assert (x.tolist(), x.requires_grad, x.is_leaf, x._version) == ([5.0, 6.0, 7.0], True, True, 0)
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0] * 3


def test_assigning_data_of_an_integer_dtype_is_refused_for_a_leaf_that_requires_grad():
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match="data set to a tensor that requires gradients must be floating point or "
                                           "complex"):
        x.data = torch.ones(1, dtype=torch.int64)


def test_detach_shares_storage_and_never_requires_grad():
    x = leaf(1.0, 2.0) * 1
    y = x.detach()
    assert (y.requires_grad, y.grad_fn, y.is_leaf, y.data_ptr()) == (False, None, True, x.data_ptr())
    y.zero_()
    assert x.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("change", [
    lambda x: x.resize_(2, 1), lambda x: x.resize_as_(torch.ones(1)), lambda x: x.set_(torch.ones(3)),
    lambda x: x.transpose_(0, 1), lambda x: x.t_(), lambda x: x.squeeze_(), lambda x: x.unsqueeze_(0)],
    ids=["resize_", "resize_as_", "set_", "transpose_", "t_", "squeeze_", "unsqueeze_"])
@pytest.mark.parametrize("alias", ["detach", "data"])
def test_geometry_of_a_detached_alias_is_its_own(change, alias):
    x = torch.ones(1, 2, requires_grad=True)
    y = x.detach() if alias == "detach" else x.data
    change(y)
    assert (x.shape, x.tolist()) == ((1, 2), [[1.0, 1.0]])      # the original does not follow


@pytest.mark.skipif(torch.__name__ == "torch", reason="the reference says it; PyTorch 2.13 lets both tensors follow")
@pytest.mark.parametrize("alias", ["detach", "data"])
def test_memory_that_another_tensor_looks_into_does_not_grow(alias):
    """An error, as the reference says of detach(); torch 2.13 lets both tensors follow."""
    x = torch.ones(1, 2, requires_grad=True)
    y = x.detach() if alias == "detach" else x.data
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        y.resize_(3)
    assert (x.tolist(), y.tolist()) == ([[1.0, 1.0]], [[1.0, 1.0]])


def test_detach_in_place():
    x = leaf(1.0)
    y = x * 2
    assert y.detach_() is y
    assert (y.requires_grad, y.is_leaf, y.grad_fn) == (False, True, None)
    y.add_(1)
    assert y.tolist() == [3.0]


def test_views_cannot_be_detached_in_place():
    with pytest.raises(RuntimeError, match=r"Can't detach views in-place. Use detach\(\) instead. If you are using "
                                           r"DistributedDataParallel"):
        (leaf(1.0, 2.0) * 1)[:1].detach_()


def test_detach_of_a_leaf_in_place_stops_requiring_grad():
    x = leaf(1.0)
    x.detach_()
    assert not x.requires_grad


def test_expanded_tensor_is_refused():
    x = torch.ones(1).expand(3)
    with pytest.raises(RuntimeError, match=r"unsupported operation: more than one element of the written-to tensor "
                                           r"refers to a single memory location. Please clone\(\) the tensor before "
                                           r"performing the operation."):
        x.add_(1)


def test_broadcasting_may_not_grow_the_target():
    with pytest.raises(RuntimeError, match=r"output with shape \[2\] doesn't match the broadcast shape \[3, 2\]"):
        torch.ones(2).add_(torch.ones(3, 2))


def test_result_dtype_must_be_castable():
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        torch.ones(2, dtype=torch.int64).add_(1.5)


@pytest.mark.parametrize("index", [Ellipsis, (), slice(None), (slice(None), slice(None)), (Ellipsis, slice(0, 2))])
def test_assignment_to_all_of_a_tensor_is_a_write_to_itself(index):
    source = torch.ones(2, 2, requires_grad=True) * 3
    x = torch.zeros(2, 2)
    x[index] = source
    assert (x.grad_fn.name(), x._version, x.tolist()) == ("torch::autograd::CopyBackwards", 1, [[3.0, 3.0], [3.0, 3.0]])
    y = source.clone()
    y[index] = 5.0
    assert (y.grad_fn.name(), y.tolist()) == ("FillBackward3", [[5.0, 5.0], [5.0, 5.0]])
    leaf = torch.ones(2, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        leaf[index] = 1.0


@pytest.mark.parametrize("index", [None, 0, (slice(None), 0), slice(0, 1), True])
def test_assignment_to_a_part_is_a_write_to_a_view(index):
    x = torch.ones(2, 2, requires_grad=True) * 3
    x[index] = 5.0
    assert x.grad_fn.name() == "torch::autograd::CopySlices"
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being used in an in-place"):
        torch.ones(2, 2, requires_grad=True)[index] = 1.0


@pytest.mark.parametrize("reduce", [
    lambda x: x.logsumexp(0), lambda x: x.logsumexp((0, 1)), lambda x: x.std(0), lambda x: x.var(1),
    lambda x: x.norm(dim=0),
    lambda x: x.mean(0), lambda x: x.amax(1), lambda x: x.prod(0), lambda x: x.max(0)[0]])
def test_results_of_reductions_are_no_views(reduce):
    x = torch.tensor([[0.1, 0.2, 0.4], [0.8, 0.5, 0.6]], requires_grad=True)
    y = reduce(x)
    assert not y._is_view()
    expected = torch.autograd.grad(reduce(x).sum() * 2, x)[0]
    assert torch.allclose(torch.autograd.grad(y.clone().mul_(2).sum(), x, retain_graph=True)[0], expected)
    assert y.add_(1).requires_grad
