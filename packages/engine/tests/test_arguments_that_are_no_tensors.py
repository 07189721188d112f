"""A function that takes tensors says so in a TypeError that names the argument."""

import pytest
import wengert_core as wc
from wengert_engine.graph import gradient_edge
from wengert_engine.hooks import multi_grad
from wengert_engine.namespaces import forward_ad


@pytest.mark.parametrize("wrong", [None, 2, "x", [wc.ones(1)]], ids=["None", "int", "str", "list"])
def test_what_is_no_tensor_is_named(wrong):
    kind = type(wrong).__name__
    with pytest.raises(TypeError, match=f"argument 'tensor' .* must be Tensor, not {kind}"):
        gradient_edge.get_gradient_edge(wrong)
    with pytest.raises(TypeError, match=f"must be tuple of Tensors, expected Tensor as element 1, but got {kind}"):
        multi_grad.register_multi_grad_hook([wc.ones(1, requires_grad=True), wrong], print)
    with forward_ad.dual_level():
        with pytest.raises(TypeError, match=f"argument 'tangent' .* must be Tensor, not {kind}"):
            forward_ad.make_dual(wc.ones(1), wrong)
        with pytest.raises(TypeError, match=f"argument 'primal' .* must be Tensor, not {kind}"):
            forward_ad.make_dual(wrong, wc.ones(1))
