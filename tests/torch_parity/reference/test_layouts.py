"""Default and manual gradient layouts: rules 1 to 4 of the reference, with strides."""

import pytest
import wengert as torch


def transposed_param(grad=True):
    return torch.ones(3, 2).t().requires_grad_(grad)


def test_rule_1_dense_memory_gives_the_strides_of_the_parameter():
    param = transposed_param()
    (param * 2).sum().backward()
    assert param.grad.stride() == param.stride() == (1, 2)


def test_rule_1_for_a_permuted_parameter():
    param = torch.ones(2, 3, 4).permute(2, 0, 1).requires_grad_()
    (param * param).sum().backward()
    assert param.grad.stride() == param.stride()


def test_rule_2_overlapping_memory_gives_rowmajor_contiguous_strides():
    param = torch.ones(1, 2).expand(3, 2).requires_grad_()
    (param * 2).sum().backward()
    assert param.grad.stride() == (2, 1)


def test_rule_2_memory_with_gaps():
    param = torch.ones(3, 4)[:, ::2].requires_grad_()
    (param * 2).sum().backward()
    assert (param.stride(), param.grad.stride()) == ((4, 2), (2, 1))


def test_rule_3_accumulates_in_place_and_keeps_strides():
    param = transposed_param()
    (param * 2).sum().backward()
    before, pointer = param.grad, param.grad.data_ptr()
    (param * 2).sum().backward()
    assert param.grad is before
    assert (before.data_ptr(), before.stride()) == (pointer, (1, 2))
    assert before[0, 0].item() == 4


def test_rule_4_create_graph_replaces_the_gradient():
    param = transposed_param()
    (param * 2).sum().backward()
    before = param.grad
    with pytest.warns(UserWarning, match="create_graph=True"):
        (param * param).sum().backward(create_graph=True)
    assert param.grad is not before
    assert (before[0, 0].item(), param.grad[0, 0].item(), param.grad.stride()) == (2, 4, (1, 2))
    param.grad = None


def test_setting_grad_to_none_recreates_it_by_rule_1():
    param = transposed_param()
    for _ in range(2):
        param.grad = None
        (param * 2).sum().backward()
        assert (param.grad[0, 0].item(), param.grad.stride()) == (2, (1, 2))


def test_zeroing_the_gradient_does_not_affect_its_layout():
    param = transposed_param()
    (param * 2).sum().backward()
    param.grad.zero_()
    (param * 2).sum().backward()
    assert (param.grad[0, 0].item(), param.grad.stride()) == (2, (1, 2))


@pytest.mark.filterwarnings("ignore:.*layout contract")
def test_manual_layout_is_preserved():
    param = torch.ones(2, 3, requires_grad=True)
    param.grad = wanted = torch.zeros(3, 2).t()
    for _ in range(2):
        (param * 2).sum().backward()
    assert param.grad is wanted
    assert (wanted.stride(), wanted.tolist()) == ((1, 2), [[4.0] * 3] * 2)


def test_accumulation_into_an_expanded_manual_gradient_is_refused():
    param = torch.ones(2, 3, requires_grad=True)
    param.grad = torch.zeros(1).expand(2, 3)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers to a single memory"):
        (param * 2).sum().backward()


def test_a_gradient_that_the_user_holds_is_not_stolen():
    param = torch.ones(2, requires_grad=True)
    gradient = torch.tensor([1.0, 2.0])
    param.backward(gradient)
    assert param.grad.data_ptr() != gradient.data_ptr()
    (param * 1).backward(gradient)
    assert gradient.tolist() == [1.0, 2.0]


def test_two_leaves_do_not_share_one_gradient():
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    (a + b).backward(torch.tensor([1.0, 2.0]))
    assert a.grad.data_ptr() != b.grad.data_ptr()
    a.grad.zero_()
    assert b.grad.tolist() == [1.0, 2.0]


def test_a_gradient_seen_by_a_hook_is_not_written_later():
    seen = []
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    y.register_hook(seen.append)
    for _ in range(2):
        (y * 2).sum().backward(retain_graph=True)
    assert [g.tolist() for g in seen] == [[2.0, 2.0], [2.0, 2.0]]
    assert x.grad.tolist() == [4.0, 4.0]
