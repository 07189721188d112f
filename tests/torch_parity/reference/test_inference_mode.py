"""inference_mode: what inference tensors may do and what they refuse."""

import threading

import pytest
import wengert as torch


def inference_tensor(*values):
    with torch.inference_mode():
        return torch.tensor(list(values) or [1.0, 2.0])


def test_context_manager_decorator_and_flag():
    with torch.inference_mode():
        assert torch.is_inference_mode_enabled()
        assert not torch.is_grad_enabled()
    assert not torch.is_inference_mode_enabled()
    assert torch.is_grad_enabled()

    @torch.inference_mode()
    def inner(x):
        return x * 2, torch.is_inference_mode_enabled()

    result, inside = inner(torch.ones(1, requires_grad=True))
    assert (inside, result.is_inference(), result.requires_grad) == (True, True, False)
    assert torch.inference_mode(inner.__wrapped__)(torch.ones(1))[1] is True


def test_mode_false():
    with torch.inference_mode(), torch.inference_mode(False):
        assert not torch.is_inference_mode_enabled()
        assert torch.is_grad_enabled()
        assert not torch.ones(1).is_inference()
    with torch.inference_mode(mode=False):
        assert (torch.ones(1, requires_grad=True) * 2).requires_grad


def test_enable_grad_inside_does_not_record():
    x = torch.ones(1, requires_grad=True)
    with torch.inference_mode(), torch.enable_grad():
        assert torch.is_grad_enabled()
        y = x * 2
    assert (y.requires_grad, y.is_inference()) == (False, True)


def test_what_is_an_inference_tensor():
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        assert not x.is_inference()
        assert (x * 2).is_inference()
        assert not x[0].is_inference()                  # a view of a normal tensor is normal
        assert torch.ones(2)[0].is_inference()
    assert not x.clone().is_inference()
    assert inference_tensor()[0].is_inference()              # a view of an inference tensor is one, outside too
    assert inference_tensor().detach().is_inference()
    assert not inference_tensor().clone().is_inference()
    assert not (inference_tensor() * 2).is_inference()


def test_a_leaf_made_inside_may_require_grad_and_records_nothing():
    with torch.inference_mode():
        x = torch.ones(1, requires_grad=True)
        assert x.requires_grad
        assert not (x * 2).requires_grad
    assert x.is_inference()


def test_inplace_inside_is_free():
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    with torch.inference_mode():
        y.mul_(2)
        z = torch.ones(2)
        z.add_(1)
    assert y.tolist() == [2.0, 2.0]
    assert y._version == 1
    assert z.tolist() == [2.0, 2.0]


def test_inplace_inside_on_a_leaf_that_requires_grad():
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        x.mul_(2)
    assert x.tolist() == [2.0, 2.0]


def test_inplace_outside_is_refused():
    x = inference_tensor()
    phrase = (r"Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
              r"normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more "
              r"details.")
    with pytest.raises(RuntimeError, match=phrase):
        x.add_(1)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        x[0] = 3.0
    with torch.no_grad(), pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        x.add_(1)


def test_inplace_on_a_normal_view_made_inside():
    base = torch.ones(2, requires_grad=True) * 1
    with torch.inference_mode():
        view = base[:1]
    phrase = ("A view was created in inference mode and is being modified inplace in normal mode. Given that this use "
              "case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view "
              "and the inplace either both inside the inference_mode block")
    with pytest.raises(RuntimeError, match=phrase):
        view.add_(1)


def test_saving_for_backward_is_refused():
    x, w = inference_tensor(), torch.ones(2, requires_grad=True)
    phrase = (r"Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
              r"computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and "
              r"use it in autograd, or use `torch.no_grad\(\)` instead of `torch.inference_mode\(\)`.")
    with pytest.raises(RuntimeError, match=phrase):
        w * x
    assert (w + x).requires_grad                # addition saves nothing


def test_saving_for_backward_by_a_function_is_refused():
    class Keep(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, kept):
            ctx.save_for_backward(kept)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad, None

    with torch.inference_mode():
        inside = torch.ones(2)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        Keep.apply(torch.ones(2, requires_grad=True), inside)
    with torch.no_grad():
        Keep.apply(torch.ones(2, requires_grad=True), inside)


def test_requires_grad_outside_is_refused():
    for change in (lambda x: x.requires_grad_(), lambda x: setattr(x, "requires_grad", True)):
        with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor outside InferenceMode"):
            change(inference_tensor())
    with torch.inference_mode():
        assert torch.ones(1).requires_grad_().requires_grad


def test_no_version_counter():
    with pytest.raises(RuntimeError, match=r"Inference tensors do not track version counter."):
        _ = inference_tensor()._version


def test_copying_into_a_normal_tensor():
    x = torch.zeros(2)
    x.copy_(inference_tensor(3.0, 4.0))
    assert x.tolist() == [3.0, 4.0]
    assert not x.is_inference()


def test_out_of_place_with_requires_grad_of_clone():
    x = inference_tensor(2.0).clone().requires_grad_()
    (x * x).sum().backward()
    assert x.grad.tolist() == [4.0]


def test_thread_local():
    seen = []
    with torch.inference_mode():
        thread = threading.Thread(target=lambda: seen.append(torch.is_inference_mode_enabled()))
        thread.start()
        thread.join()
    assert seen == [False]


def test_backward_inside_of_a_graph_made_outside():
    x = torch.ones(1, requires_grad=True)
    y = (x * 2).sum()
    with torch.inference_mode():
        y.backward()
    assert x.grad.tolist() == [2.0]
    assert x.grad.is_inference()


def test_an_inference_tensor_is_no_out_outside():
    with torch.inference_mode():
        inside = torch.ones(2)
        torch.add(inside, 1, out=inside)
    for write in (lambda: torch.add(torch.ones(2), 1, out=inside), lambda: torch.exp(torch.ones(2), out=inside),
                  lambda: torch.sum(torch.ones(2, 2), 0, out=inside),
                  lambda: torch.mv(torch.ones(2, 2), torch.ones(2), out=inside)):
        with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
            write()
    assert inside.tolist() == [2.0, 2.0]
