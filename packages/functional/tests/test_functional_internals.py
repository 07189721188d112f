"""PyTorch's private functions of wengert.autograd.functional, which other libraries call."""

import pytest
import wengert as wg


def test_parts_of_a_text_are_no_tensors():
    with pytest.raises(TypeError, match=r"_grad_postprocess: expected tensors .* got 'mean'"):
        wg.autograd.functional._grad_postprocess("mean", False)
