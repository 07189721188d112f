"""Arguments whose repr fails, as that of a list nested 5,000 deep does: they are refused as every other is."""

import pytest
import wengert as torch


def deep_list(depth=5000):
    found = 1.0
    for _ in range(depth):
        found = [found]
    return found


X = torch.ones(2, 3)
CALLS = {
    "affine_grid": (
        NotImplementedError, lambda deep: torch.nn.functional.affine_grid(torch.ones(1, 2, 3), [deep], True)),
    "interpolate": (ValueError, lambda deep: torch.nn.functional.interpolate(torch.ones(1, 1, 2, 2), deep)),
    "scale_factor": (ValueError, lambda deep: torch.nn.functional.interpolate(torch.ones(1, 1, 2, 2), None, [deep])),
    "matrix_norm": (RuntimeError, lambda deep: torch.linalg.matrix_norm(X, "nuc", [deep])),
    "norm": (RuntimeError, lambda deep: torch.linalg.norm(X, deep)),
    "rot90": (RuntimeError, lambda deep: torch.rot90(X, 1, [deep])),
    "type": (TypeError, X.type),
    "__dlpack__": (BufferError, lambda deep: X.__dlpack__(dl_device=deep)),
    "__array__": (TypeError, X.__array__),
    "register_multi_grad_hook": (
        ValueError, lambda deep: torch.autograd.graph.register_multi_grad_hook((X,), print, mode=deep)),
    "vmap": (RuntimeError, lambda deep: torch.vmap(torch.sin, randomness=deep)),
    "ignore": (RuntimeError, lambda deep: torch.jit.ignore(deep)),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_has_no_repr_is_refused(name):
    expected, call = CALLS[name]
    with pytest.raises(expected) as found:
        call(deep_list())
    assert str(found.value)


def test_resize():
    with pytest.warns(UserWarning, match="deprecated"), pytest.raises(RuntimeError, match="requested resize to"):
        X.resize(deep_list())


def test_device_of_a_profile():
    with pytest.warns(UserWarning, match="is not a valid device option"):
        torch.autograd.profiler.profile(use_device=deep_list())


def test_an_uninitialized_listener_does_not_listen():
    kind = torch.profiler.saved_tensors
    with pytest.raises(AttributeError):
        kind.__enter__(object.__new__(kind))
    x = torch.ones(2, requires_grad=True)
    x.exp().sum().backward()
    assert x.grad.tolist() == x.exp().tolist()


def test_tangent_of_a_product_of_no_elements():
    with torch.autograd.forward_ad.dual_level():
        x = torch.autograd.forward_ad.make_dual(torch.zeros(0, 3), torch.zeros(0, 3))
        found = x.unsqueeze(-1).expand(0, 3, 2**40).cumprod(-1)
        assert torch.autograd.forward_ad.unpack_dual(found).tangent.shape == (0, 3, 2**40)
