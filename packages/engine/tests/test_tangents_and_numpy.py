"""A tangent is not lost in silence where a tensor leaves wengert."""

import numpy as np
import pytest
import wengert as wg
from wengert.autograd import forward_ad as fw

pytestmark = pytest.mark.host("arrays are of the host's memory")
LOST = "tangent of forward mode, which would be lost"


@pytest.fixture
def dual():
    with fw.dual_level():
        yield fw.make_dual(wg.tensor([1.0, 2.0]), wg.tensor([1.0, 1.0]))


WAYS = {
    "numpy": lambda d: d.numpy(),
    "asarray": np.asarray,
    "array": np.array,
    "array_as_float64": lambda d: np.asarray(d, np.float64),
    "a_view": lambda d: d[:1].numpy(),
    "a_result": lambda d: (d * 2).numpy(),
}


@pytest.mark.parametrize("way", WAYS)
def test_leaving_is_refused(dual, way):
    with pytest.raises((RuntimeError, TypeError), match=LOST):
        WAYS[way](dual)


def test_an_array_is_a_constant(dual):
    assert fw.unpack_dual(dual * np.array([2.0, 3.0])).tangent.tolist() == [2.0, 3.0]


def test_dlpack_is_refused(dual):
    with pytest.raises(BufferError, match=LOST):
        np.from_dlpack(dual)


def test_what_has_no_tangent_leaves(dual):
    assert dual.tolist() == [1.0, 2.0]  # numbers for people, as item() gives them, also of what requires grad
    assert dual.detach().numpy().tolist() == [1.0, 2.0]
    assert dual.numpy(force=True).tolist() == [1.0, 2.0]
    assert fw.unpack_dual(dual).primal.tolist() == [1.0, 2.0]
    assert fw.unpack_dual(dual).tangent.tolist() == [1.0, 1.0]
    with fw._set_fwd_grad_enabled(False):
        assert dual.numpy().tolist() == [1.0, 2.0]


def test_after_the_level_the_values_leave():
    with fw.dual_level():
        dual = fw.make_dual(wg.ones(2), wg.ones(2))
    assert dual.numpy().tolist() == [1.0, 1.0]


def test_inside_of_a_jvp():
    with pytest.raises(RuntimeError, match=LOST):
        wg.func.jvp(lambda x: wg.from_numpy(np.sin(x.numpy())), (wg.ones(2),), (wg.ones(2),))


def test_a_function_of_the_user_may_use_numpy():
    class Sin(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.cos = wg.from_numpy(np.cos(x.numpy()))
            return wg.from_numpy(np.sin(x.numpy()))

        @staticmethod
        def jvp(ctx, x_t):
            return x_t * ctx.cos

    with fw.dual_level():
        out = Sin.apply(fw.make_dual(wg.ones(2), wg.ones(2)))
        assert np.allclose(fw.unpack_dual(out).tangent.numpy(), np.cos(1.0))
