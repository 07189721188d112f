"""Forward mode by dual tensors. The expected values and words are PyTorch 2.13's."""

import pytest
import wengert as wg
import wengert.autograd.forward_ad as fwAD
from wengert.autograd import Function


@pytest.fixture
def x():
    return wg.tensor([1.0, 2.0, 3.0])


@pytest.fixture
def t():
    return wg.tensor([0.5, -1.0, 2.0])


@pytest.fixture
def level():
    with fwAD.dual_level():
        yield


def tangent(tensor):
    found = fwAD.unpack_dual(tensor).tangent
    return None if found is None else found.tolist()


# ---- levels, making and unpacking


def test_outside_a_level(x, t):
    with pytest.raises(RuntimeError, match="no level exists, make sure to enter_dual_level"):
        fwAD.make_dual(x, t)
    assert fwAD.unpack_dual(x) == (x, None)
    with pytest.raises(RuntimeError, match=r"Dual level must be a positive number"):
        fwAD.exit_dual_level()


def test_levels_do_not_nest(level, x, t):
    with pytest.raises(RuntimeError, match="Nested forward mode AD is not supported at the moment"):
        fwAD.enter_dual_level()
    with pytest.raises(RuntimeError, match="not the last one that was created"):
        fwAD.exit_dual_level(level=5)
    with pytest.raises(RuntimeError, match="Invalid level given to _fw_primal"):
        fwAD.unpack_dual(fwAD.make_dual(x, t), level=3)
    assert fwAD.unpack_dual(x, level=3).tangent is None


def test_enter_and_exit_give_and_take_a_number(x, t):
    number = fwAD.enter_dual_level()
    assert number == 0
    dual = fwAD.make_dual(x, t, level=number)
    assert tangent(dual) == [0.5, -1.0, 2.0]
    fwAD.exit_dual_level(level=number)
    assert fwAD.unpack_dual(dual).tangent is None
    with fwAD.dual_level():
        assert fwAD.unpack_dual(dual).tangent is None  # it belongs to the level that is over


def test_a_dual_tensor_is_a_view_and_keeps_the_tangent_itself(level, x, t):
    dual = fwAD.make_dual(x, t)
    assert dual._is_view()
    assert not dual.requires_grad
    unpacked = fwAD.unpack_dual(dual)
    assert isinstance(unpacked, fwAD.UnpackedDualTensor)
    assert unpacked.tangent is t
    assert unpacked.primal is not dual
    assert unpacked.primal.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("primal", "given", "kind", "words"),
    [
        (wg.ones(3), wg.ones(4), RuntimeError, r"has a different size than that of the original Tensor.*\[3\].*\[4\]"),
        (wg.ones(3).long(), wg.ones(3), ValueError, "Expected primal to be floating point or complex"),
        (wg.ones(3), wg.ones(3).long(), ValueError, "Expected tangent to be floating point or complex"),
    ],
)
def test_bad_tangents(level, primal, given, kind, words):
    with pytest.raises(kind, match=words):
        fwAD.make_dual(primal, given)


def test_a_dual_tensor_of_a_dual_tensor_is_refused(level, x, t):
    with pytest.raises(RuntimeError, match="already has a forward gradient at the same level 0"):
        fwAD.make_dual(fwAD.make_dual(x, t), t)


def test_the_tangent_has_the_layout_of_the_primal(level):
    transposed, given = wg.arange(6.0).reshape(2, 3).t(), wg.ones(3, 2)
    assert fwAD.unpack_dual(fwAD.make_dual(transposed, given)).tangent.stride() == (1, 3)


# ---- operations


def test_operations(level, x, t):
    d = fwAD.make_dual(x, t)
    assert tangent(d * 2 + 1) == [1.0, -2.0, 4.0]
    assert tangent(d.sum()) == 1.5
    assert tangent(d @ x) == 4.5
    assert tangent(wg.cat([d, x])) == [0.5, -1.0, 2.0, 0.0, 0.0, 0.0]
    assert tangent(wg.einsum("i,j->ij", d, x))[1] == [-1.0, -2.0, -3.0]
    assert tangent(d.max(0).values) == 2.0
    assert tangent(d.unfold(0, 2, 1)) == [[0.5, -1.0], [-1.0, 2.0]]
    assert [tangent(part) for part in d.split([1, 2])] == [[0.5], [-1.0, 2.0]]
    assert [tangent(d[1]), tangent(d[1:]), tangent(d[None]), tangent(d.reshape(3, 1)[2])] == [
        -1.0, [-1.0, 2.0], [[0.5, -1.0, 2.0]], [2.0],
    ]  # fmt: skip
    assert tangent(d.clone()) == [0.5, -1.0, 2.0]
    assert tangent(d > 0) is tangent(d.detach()) is tangent(d.data) is None


def test_modes(level, x, t):
    d = fwAD.make_dual(x, t)
    with wg.no_grad():
        assert tangent(d * 2) == [1.0, -2.0, 4.0]
    with wg.inference_mode():
        assert tangent(d * 2) is None
    with fwAD._set_fwd_grad_enabled(False):
        assert tangent(d) is tangent(d * 2) is None
    assert tangent(d) == [0.5, -1.0, 2.0]


def test_out_is_refused(level, x, t):
    with pytest.raises(NotImplementedError, match="does not support it because it is an out= function"):
        wg.add(fwAD.make_dual(x, t), 1, out=wg.empty(3))


# ---- writes and views


def test_writes(level, x, t):
    d = fwAD.make_dual(x, t)
    z = d * 2
    z.add_(1).mul_(d)
    assert tangent(z) == [2.5, -9.0, 26.0]
    y = x.clone()
    y.copy_(d)
    assert tangent(y) == [0.5, -1.0, 2.0]
    y.zero_()
    assert tangent(y) == [0.0, 0.0, 0.0]


def test_a_write_to_a_view_reaches_the_base_and_the_tangent_given(level, x, t):
    d = fwAD.make_dual(x.clone(), t)
    d[0].mul_(5)
    assert tangent(d) == [2.5, -1.0, 2.0]
    base = wg.zeros(3)
    view = base[1]
    view.copy_(d[2])
    assert tangent(base) == [0.0, 2.0, 0.0]
    assert tangent(view) == 2.0


def test_tangents_of_different_tensors_are_not_the_same_memory(level, x, t):
    d = fwAD.make_dual(x, t)
    y = d + 1
    y.mul_(2)
    z = x.clone()
    z.copy_(d)
    z.zero_()
    assert tangent(d) == [0.5, -1.0, 2.0]


def test_a_view_follows_a_write_to_its_base(level, x, t):
    base = x.clone()
    view = base[0]
    base.mul_(fwAD.make_dual(x, t))
    assert tangent(view) == 0.5


@pytest.mark.parametrize("key", [0, slice(None), slice(0, 1), (..., 0), [0]], ids=str)
def test_a_number_that_is_assigned_has_no_tangent(level, x, t, key):
    d = fwAD.make_dual(x, t).clone()
    d[key] = 7.0
    expected = t.clone()
    expected[key] = 0.0
    assert tangent(d) == expected.tolist()


@pytest.mark.parametrize("write", [lambda y: y.mul_(y), lambda y: y.mul_(y.view(3)), lambda y: y[:].mul_(y),
                                   lambda y: y.addcmul_(y, y - 1)])
def test_a_tensor_that_is_multiplied_by_itself(level, x, t, write):
    d = fwAD.make_dual(x, t).clone()
    write(d)
    assert tangent(d) == (2 * x * t).tolist()  # PyTorch takes the other factor after the write


# ---- with reverse mode

WRITES = [lambda y: y.exp_(), lambda y: y[1:].exp_(), lambda y: y.sigmoid_(), lambda y: y.pow_(3),
          lambda y: y.mul_(y * 2), lambda y: y.view(3, 1).t().tanh_(), lambda y: y.div_(y + 2)]


@pytest.mark.parametrize("write", WRITES)
def test_derivatives_of_the_derivatives_of_writes(level, write):
    """Forward over reverse and reverse over forward, each as by two backward passes."""
    w = wg.tensor([0.3, -0.5, 0.7], dtype=wg.float64, requires_grad=True)
    v = wg.tensor([1.0, 2.0, -1.0], dtype=wg.float64)

    def loss_after_write(x):
        y = x.clone()
        write(y)
        return (y * y).sum()

    with fwAD._set_fwd_grad_enabled(False):
        (gradient,) = wg.autograd.grad(loss_after_write(w), w, create_graph=True)
        (expected,) = wg.autograd.grad((gradient * v).sum(), w)
    (gradient,) = wg.autograd.grad(loss_after_write(fwAD.make_dual(w, v)), w)
    assert tangent(gradient) == pytest.approx(expected.tolist())
    (found,) = wg.autograd.grad(fwAD.unpack_dual(loss_after_write(fwAD.make_dual(w, v))).tangent, w)
    assert found.tolist() == pytest.approx(expected.tolist())


def test_forward_over_reverse(level, x, t):
    w = x.clone().requires_grad_()
    for create_graph in (False, True):
        d = fwAD.make_dual(w, t)
        (gradient,) = wg.autograd.grad((d**3).sum(), w, create_graph=create_graph)
        assert tangent(gradient) == pytest.approx([3.0, -12.0, 36.0])
    d = fwAD.make_dual(w, t)
    (gradient,) = wg.autograd.grad((d.exp() * d.tanh()).sum(), w)  # rules that save results
    assert tangent(gradient) == pytest.approx([1.3073, -7.1608, 39.9763], rel=1e-4)


def test_reverse_over_forward(level, x, t):
    w, direction = x.clone().requires_grad_(), t.clone().requires_grad_()
    result = fwAD.unpack_dual((fwAD.make_dual(w, direction) ** 2).sum()).tangent
    assert result.item() == 9.0
    result.backward()
    assert w.grad.tolist() == [1.0, -2.0, 4.0]
    assert direction.grad.tolist() == [2.0, 4.0, 6.0]


# ---- Functions


class Product(Function):
    @staticmethod
    def forward(ctx, a, b, times):
        ctx.save_for_forward(a, b)
        ctx.times = times
        return a * b * times

    @staticmethod
    def jvp(ctx, a_t, b_t, times_t):
        a, b = ctx.saved_tensors
        assert times_t is None
        return (a_t * b + a * b_t) * ctx.times


def test_jvp_of_a_function_gets_zeros_for_tensors_without_tangent(level, x, t):
    assert tangent(Product.apply(fwAD.make_dual(x, t), x, 2)) == [1.0, -4.0, 12.0]
    assert tangent(Product.apply(x, x, 2)) is None


def function(forward, jvp=None):
    members = {"forward": staticmethod(forward)} | ({"jvp": staticmethod(jvp)} if jvp else {})
    return type("CustomFunction", (Function,), members)


def dirty(ctx, a):
    a.mul_(2)
    ctx.mark_dirty(a)
    return a


@pytest.mark.parametrize(
    ("forward", "jvp", "kind", "words"),
    [
        (lambda ctx, a: a * 2, None, NotImplementedError, "You must implement the jvp function"),
        (lambda ctx, a: a * 2, lambda ctx, a_t: (a_t, a_t), RuntimeError, r"expected 1 but got 2"),
        (lambda ctx, a: a * 2, lambda ctx, a_t: a_t[0], RuntimeError, "different size than that of the original"),
        (lambda ctx, a: a * 2, lambda ctx, a_t: 3, RuntimeError, r"expected Variable or None \(got int\)"),
        (lambda ctx, a: a.view_as(a), lambda ctx, a_t: a_t, RuntimeError, "returning a view .* jvp is not returning"),
        (dirty, lambda ctx, a_t: a_t * 2, RuntimeError, "not modifying the forward mode gradients inplace"),
    ],
)
def test_a_wrong_jvp_of_a_function(level, x, t, forward, jvp, kind, words):
    with pytest.raises(kind, match=words):
        function(forward, jvp).apply(fwAD.make_dual(x, t))


class Exponential(Function):
    @staticmethod
    def forward(x):
        return wg.exp(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)
        ctx.save_for_forward(output)

    @staticmethod
    def backward(ctx, grad):
        (out,) = ctx.saved_tensors
        return grad * out

    @staticmethod
    def jvp(ctx, x_t):
        (out,) = ctx.saved_tensors
        return x_t * out


def test_an_output_that_a_function_saves_has_its_tangent_in_backward(level, x, t):
    dual = fwAD.make_dual(x.requires_grad_(), t)
    (grad,) = wg.autograd.grad(Exponential.apply(dual).sum(), dual, create_graph=True)
    assert tangent(grad) == pytest.approx((t * x.exp()).tolist())


def test_forward_over_reverse_through_an_output_that_a_function_saves(x, t):
    hessian = wg.func.jacfwd(wg.func.jacrev(lambda x: Exponential.apply(x).sum()))(x)
    assert hessian.diagonal().tolist() == pytest.approx(x.exp().tolist())


def test_a_function_that_writes(level, x, t):
    assert tangent(function(dirty, lambda ctx, a_t: a_t.mul_(2)).apply(fwAD.make_dual(x, t))) == [1.0, -2.0, 4.0]


def test_an_exception_leaves_the_level_usable(level, x, t):
    d = fwAD.make_dual(x, t)

    def fail(ctx, a_t):
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        function(lambda ctx, a: a * 2, fail).apply(d)
    assert tangent(d * 2) == [1.0, -2.0, 4.0]


# ---- geometry changed in place
@pytest.mark.parametrize(
    ("change", "shape"),
    [
        (lambda y: y.transpose_(0, 1), (3, 2)),
        (lambda y: y.t_(), (3, 2)),
        (lambda y: y.unsqueeze_(0), (1, 2, 3)),
        (lambda y: y.unsqueeze_(0).squeeze_(0), (2, 3)),
    ],
)
@pytest.mark.parametrize("requires_grad", [False, True])
def test_geometry_in_place_changes_that_of_the_tangent_but_not_of_the_given_one(level, change, shape, requires_grad):
    x = wg.arange(6.0).reshape(2, 3).requires_grad_(requires_grad)
    t = wg.arange(6.0).reshape(2, 3) + 10
    result = fwAD.unpack_dual(change(fwAD.make_dual(x, t) * 2)).tangent
    assert result.shape == shape
    assert result.tolist() == change(t * 2).tolist()
    change(fwAD.make_dual(x.detach().clone(), t))
    assert t.shape == (2, 3)


@pytest.mark.parametrize("change", [
    lambda y: y.transpose_(0, 1), lambda y: y.t_(), lambda y: y.unsqueeze_(0), lambda y: y.unsqueeze_(0).squeeze_(0),
])  # fmt: skip
def test_geometry_in_place_keeps_the_gradient_of_the_tangent(level, change):
    x = wg.arange(6.0).reshape(2, 3).requires_grad_()
    t = wg.arange(6.0).reshape(2, 3) + 10
    dual = fwAD.make_dual(x, t)
    result = fwAD.unpack_dual(change(dual * dual)).tangent
    assert wg.autograd.grad(result.sum(), x)[0].tolist() == (2 * t).tolist()


@pytest.mark.parametrize("write", [
    lambda x, w: (x * w).mul_(w), lambda x, w: x.clone().mul_(w) * w, lambda x, w: (x * 1)[:].mul_(w) * w,
])  # fmt: skip
def test_the_tangent_of_a_written_value_has_a_gradient_by_what_it_was(level, write):
    x, w = wg.tensor([0.25, 0.5], requires_grad=True), wg.tensor([1.0, 2.0])
    result = fwAD.unpack_dual(write(x, fwAD.make_dual(w, wg.ones(2)))).tangent  # of x w w by w: 2 x w
    assert wg.autograd.grad(result.sum(), x)[0].tolist() == [2, 4]


def test_saved_outputs_have_tangents_where_the_first_output_is_not_differentiable(level):
    a, t = wg.tensor([[4.0, 1.0], [2.0, 3.0]]), wg.tensor([[1.0, -1.0], [0.5, 2.0]])
    by_u, h = wg.tensor([[1.0, 2.0], [0.0, 3.0]]), 1e-3

    def gradient(matrix):
        return wg.autograd.grad((wg.linalg.lu(matrix)[2] * by_u).sum(), matrix, create_graph=True)[0]

    found = fwAD.unpack_dual(gradient(fwAD.make_dual(a.requires_grad_(), t))).tangent.detach()
    a, t = a.detach().double(), t.double()
    by_u = by_u.double()
    above, below = (gradient((a + s * t).requires_grad_()).detach() for s in (h, -h))
    assert wg.allclose(found.double(), (above - below) / (2 * h), atol=1e-5)
