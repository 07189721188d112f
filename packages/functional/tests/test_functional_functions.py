"""Functions of users whose forward returns a view or an input, in transforms of forward mode."""

import pytest
import wengert as wg
from wengert.autograd import Function, forward_ad
from wengert.func import grad, hessian, jacfwd, jvp, vmap


def triple(forward, tangent=lambda t: t * 3):
    class Triple(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return forward(x)

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

        @staticmethod
        def jvp(ctx, t):
            return tangent(t)

    return Triple.apply


FORWARDS = [lambda x: x, lambda x: x.view_as(x), lambda x: x.clone()]
TANGENTS = [lambda t: t * 3, lambda t: (t * 3).view_as(t)]
x = wg.tensor([0.5, -1.0, 2.0])
ones = wg.ones(3)


@pytest.mark.parametrize("tangent", TANGENTS, ids=["fresh", "view"])
@pytest.mark.parametrize("forward", FORWARDS, ids=["input", "view", "copy"])
def test_a_transform_takes_any_tangent_of_a_view(forward, tangent):
    f = triple(forward, tangent)
    assert jvp(f, (x,), (ones,))[1].tolist() == [3.0] * 3
    assert vmap(lambda a: jvp(f, (a,), (wg.tensor(1.0),))[1])(x).tolist() == [3.0] * 3
    assert jvp(vmap(f), (x,), (ones,))[1].tolist() == [3.0] * 3
    assert wg.equal(jacfwd(f)(x), 3 * wg.eye(3))
    assert wg.allclose(jacfwd(lambda a: f(a)[1:] * a[:2])(x), jacfwd(lambda a: 3 * a[1:] * a[:2].detach())(x)
                       + jacfwd(lambda a: a[1:].detach() * a[:2])(x))  # fmt: skip
    assert wg.allclose(jvp(grad(lambda a: f(a).sin().sum()), (x,), (ones,))[1], -9 * x.sin())
    assert wg.allclose(hessian(lambda a: f(a).sin().sum())(x), wg.diag(-9 * x.sin()))


def test_a_write_to_a_result_that_is_a_view_changes_its_tangent():
    f = triple(lambda a: a)
    assert jvp(lambda a: f(a).mul_(2), (x.clone(),), (ones,))[1].tolist() == [6.0] * 3


@pytest.mark.parametrize("forward", FORWARDS[:2], ids=["input", "view"])
def test_a_level_of_the_user_wants_a_view_of_the_tangent(forward):
    f = triple(forward)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, ones)
        for call in (f, vmap(f)):
            with pytest.raises(RuntimeError, match="the jvp is not returning a view"):
                call(dual)
    assert jvp(f, (x,), (ones,))[1].tolist() == [3.0] * 3
