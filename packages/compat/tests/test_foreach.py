"""Operations on each tensor of a list: what the recorded answers do not show."""

from __future__ import annotations

import pytest
import wengert as wg


def test_nothing_is_written_where_one_tensor_is_a_leaf() -> None:
    first, leaf = wg.ones(2), wg.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        wg._foreach_add_([first, leaf], 1)
    assert first.tolist() == [1.0, 1.0]
    assert first._version == 0


def test_a_leaf_is_written_under_no_grad() -> None:
    leaf = wg.ones(2, requires_grad=True)
    with wg.no_grad():
        wg._foreach_addcdiv_([leaf], [wg.ones(2)], [wg.full((2,), 2.0)], -0.5)
    assert leaf.tolist() == [0.75, 0.75]


def test_a_step_of_adam_over_lists() -> None:
    params, grads = [wg.ones(2), wg.zeros(1)], [wg.full((2,), 0.5), wg.ones(1)]
    means, squares = [wg.zeros(2), wg.zeros(1)], [wg.zeros(2), wg.zeros(1)]
    wg._foreach_lerp_(means, grads, 0.1)
    wg._foreach_mul_(squares, 0.999)
    wg._foreach_addcmul_(squares, grads, grads, 1 - 0.999)
    roots = wg._foreach_sqrt(squares)
    wg._foreach_div_(roots, [0.001**0.5, 0.001**0.5])
    wg._foreach_add_(roots, 1e-8)
    wg._foreach_addcdiv_(params, means, roots, [-1.0, -1.0])
    assert params[0].allclose(wg.tensor([0.9, 0.9]))
    assert params[1].allclose(wg.tensor([-0.1]))


def test_an_absent_name_is_an_attribute_error() -> None:
    import wengert_compat.foreach

    assert not hasattr(wengert_compat.foreach, "_foreach_nothing")
    assert not hasattr(wg, "_foreach_nothing")


def test_the_signatures_are_in_the_documentation() -> None:
    assert "_foreach_lerp(Tensor[] self, Tensor[] tensors1, Scalar weight)" in str(wg._foreach_lerp.__doc__)
    assert repr(wg._foreach_abs_) == "<function _foreach_abs_>"
