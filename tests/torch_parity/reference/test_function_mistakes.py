"""Function: setup_context, vjp, jvp, once_differentiable, and each mistake with torch's words."""

import pytest
import wengert as torch
from wengert.autograd import Function
from wengert.autograd.function import InplaceFunction, once_differentiable


def leaf(*values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def function(**members):
    return type("F", (Function,), {name: staticmethod(member) for name, member in members.items()})


def run(f, *args):
    args = args or (leaf(),)
    out = f.apply(*args)
    (out[0] if isinstance(out, tuple) else out).sum().backward()
    return args[0].grad


def double(ctx, x):
    return x * 2


def test_setup_context():
    def setup_context(ctx, inputs, output):
        x, power = inputs
        ctx.power, ctx.result = power, output.shape
        ctx.save_for_backward(x)

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        assert ctx.result == (2,)
        return g * ctx.power * x ** (ctx.power - 1), None

    f = function(forward=lambda x, power: x**power, setup_context=setup_context, backward=backward)
    assert run(f, leaf(1.0, 2.0), 3).tolist() == [3.0, 12.0]


def test_setup_context_gets_defaults_and_keywords():
    seen = []
    f = function(forward=lambda x, power=3: x**power, backward=lambda ctx, g: (g, None),
                 setup_context=lambda ctx, inputs, output: seen.append(inputs[1]))
    f.apply(leaf())
    f.apply(leaf(), power=2)
    f.apply(x=leaf(), power=4)
    assert seen == [3, 2, 4]


def test_setup_context_without_backward():
    f = function(forward=lambda x: x * 2, setup_context=lambda ctx, inputs, output: None)
    with pytest.raises(NotImplementedError, match=r"You must implement either the backward or vjp method for your "
                                                  r"custom autograd.Function to use it with backward mode AD."):
        run(f)


def test_vjp_is_another_name_of_backward():
    assert run(function(forward=double, vjp=lambda ctx, g: g * 4)).tolist() == [4.0, 4.0]


def test_backward_and_vjp_together():
    f = function(forward=double, vjp=lambda ctx, g: g, backward=lambda ctx, g: g)
    with pytest.raises(RuntimeError, match=r"Implementing both 'backward' and 'vjp' for a custom Function is not "
                                           r"allowed. You should only implement one of them."):
        run(f)


def test_no_forward():
    with pytest.raises(NotImplementedError, match=r"You must implement the forward function for custom "
                                                  r"autograd.Function."):
        function(backward=lambda ctx, g: g).apply(leaf())


def test_jvp_and_vmap_of_function_itself():
    with pytest.raises(NotImplementedError, match=r"You must implement the jvp function for custom autograd.Function "
                                                  r"to use it with forward mode AD."):
        Function.jvp(None)
    with pytest.raises(NotImplementedError, match=r"To use autograd.Function with vmap, you must either override the "
                                                  r"vmap staticmethod or set generate_vmap_rule=True."):
        Function.vmap(None, None)
    with pytest.raises(NotImplementedError, match=r"setup_context is not implemented."):
        Function.setup_context(None, (), None)


def test_jvp_and_vmap_may_be_defined_and_do_not_disturb():
    f = function(forward=double, backward=lambda ctx, g: g * 2, jvp=lambda ctx, t: t, vmap=lambda info, dims, x: (x, 0))
    assert run(f).tolist() == [2.0, 2.0]


@pytest.mark.parametrize(("result", "counts"), [
    (lambda g: g, "expected 2, got 1"), (lambda g: (g, g, g), "expected 2, got 3")], ids=["few", "many"])
def test_wrong_number_of_gradients(result, counts):
    f = function(forward=lambda ctx, a, b: a * b, backward=lambda ctx, g: result(g))
    with pytest.raises(RuntimeError, match=r"function FBackward returned an incorrect number of gradients "
                                           rf"\({counts}\)"):
        run(f, leaf(), leaf())


def test_surplus_none_gradients_are_fine():
    assert run(function(forward=double, backward=lambda ctx, g: (g * 2, None, None))).tolist() == [2.0, 2.0]


def test_gradient_for_what_is_no_tensor():
    f = function(forward=lambda ctx, x, n: x * n, backward=lambda ctx, g: (g, g))
    with pytest.raises(RuntimeError, match="function FBackward returned a gradient different than None at position 2, "
                                           "but the corresponding forward input was not a Variable"):
        run(f, leaf(), 2)


def test_gradient_of_a_wrong_type():
    with pytest.raises(RuntimeError, match=r"expected Variable or None \(got float\)"):
        run(function(forward=double, backward=lambda ctx, g: 1.0))


def test_gradient_of_a_wrong_shape():
    f = function(forward=double, backward=lambda ctx, g: torch.ones(3))
    with pytest.raises(RuntimeError, match=r"Function FBackward returned an invalid gradient at index 0 - got \[3\] "
                                           r"but expected shape compatible with \[2\]"):
        run(f)


def test_saving_what_is_no_tensor():
    def forward(ctx, x):
        ctx.save_for_backward(x, 5)
        return x * 2

    with pytest.raises(TypeError, match="save_for_backward can only save variables, but argument 1 is of type int"):
        function(forward=forward, backward=lambda ctx, g: g).apply(leaf())


def test_save_for_forward_of_what_is_no_tensor():
    def forward(ctx, x):
        ctx.save_for_forward(x, "text")
        return x * 2

    with pytest.raises(AssertionError, match=r"save_for_forward expects all arguments to be tensors; you should save "
                                             r"non-tensors as attributes on ctx."):
        function(forward=forward, backward=lambda ctx, g: g).apply(leaf())


def test_dirty_leaf():
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    with pytest.raises(RuntimeError, match=r"a leaf Variable that requires grad has been used in an in-place "
                                           r"operation."):
        function(forward=forward, backward=lambda ctx, g: g).apply(leaf())


def test_dirty_view_with_several_outputs():
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2), x * 3

    with pytest.raises(RuntimeError, match=r"If your Function modifies inplace an input that is a view of another "
                                           r"Tensor, your Function cannot return more than one Tensor. This is not "
                                           r"supported"):
        function(forward=forward, backward=lambda ctx, g, h: g * 2).apply((leaf() * 1)[:1])


def test_dirty_view():
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    base = leaf() * 1
    y = function(forward=forward, backward=lambda ctx, g: g * 2).apply(base[:1])
    y.sum().backward()
    assert base.grad_fn.name() == "torch::autograd::CopySlices"


def test_dirty_but_not_returned():
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x * 2

    with pytest.raises(RuntimeError, match=r"Some elements marked as dirty during the forward method were not returned "
                                           r"as output. The inputs that are modified inplace must all be outputs of "
                                           r"the Function."):
        function(forward=forward, backward=lambda ctx, g: g).apply(leaf() * 1)


def test_mark_dirty_of_what_is_no_tensor():
    def forward(ctx, x):
        ctx.mark_dirty(3)
        return x

    with pytest.raises(RuntimeError, match="mark_dirty can only accept variables, but argument"):
        function(forward=forward, backward=lambda ctx, g: g).apply(leaf())


def test_mark_non_differentiable_of_what_is_no_tensor():
    def forward(ctx, x):
        ctx.mark_non_differentiable(3)
        return x * 1

    with pytest.raises(RuntimeError, match="mark_non_differentiable only accepts variable arguments, but got"):
        function(forward=forward, backward=lambda ctx, g: g).apply(leaf())


def test_mark_shared_storage_is_deprecated():
    def forward(ctx, x):
        ctx.mark_shared_storage((x, x))
        return x * 1

    with pytest.warns(FutureWarning, match="`mark_shared_storage` is deprecated. Tensors with shared storages are "
                                           "automatically tracked. Note that calls to `set_\\(\\)` are not tracked"):
        function(forward=forward, backward=lambda ctx, g: g).apply(leaf())


def test_legacy_function():
    class Legacy(Function):
        def forward(self, x):
            return x

        def backward(self, g):
            return g

    assert Legacy.apply(leaf()).grad_fn.name() == "LegacyBackward"         # apply passes ctx as self
    phrase = (r"Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
              r"function with static forward method. \(Example: "
              r"https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function\)")
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        legacy = Legacy()
    with pytest.raises(RuntimeError, match=phrase):
        legacy(leaf())


def test_once_differentiable():
    f = function(forward=lambda ctx, x: x * x, backward=once_differentiable(lambda ctx, g: g * 2))
    x = leaf()
    (slope,) = torch.autograd.grad((f.apply(x) * x).sum(), x, create_graph=True)
    assert slope.requires_grad
    with pytest.raises(RuntimeError, match="trying to differentiate twice a function that was marked with "
                                           "@once_differentiable"):
        slope.sum().backward()


def test_once_differentiable_runs_without_grad_and_is_silent_without_create_graph():
    seen = []

    @once_differentiable
    def backward(ctx, g):
        seen.append(torch.is_grad_enabled())
        return g * 2

    x = leaf()
    (slope,) = torch.autograd.grad(function(forward=double, backward=backward).apply(x).sum(), x)
    assert (seen, slope.requires_grad) == ([False], False)


def test_inplace_function():
    class Add(InplaceFunction):
        @staticmethod
        def forward(ctx, x):
            return x + 1

        @staticmethod
        def backward(ctx, g):
            return g

    assert issubclass(InplaceFunction, Function)
    assert run(Add).tolist() == [1.0, 1.0]


def test_exception_in_backward_passes_unchanged():
    class OwnError(Exception):
        pass

    def backward(ctx, g):
        raise OwnError("text")

    x = leaf()
    with pytest.raises(OwnError) as raised:
        run(function(forward=double, backward=backward), x)
    assert raised.value.args == ("text",)
    assert x.grad is None
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_gradients_in_a_list_are_no_tuple():
    x, y = leaf(), leaf()
    with pytest.raises(RuntimeError, match=r"returned an incorrect number of gradients \(expected 2, got 1\)"):
        run(function(forward=lambda ctx, x, y: x * y, backward=lambda ctx, g: [g, g]), x, y)
    with pytest.raises(RuntimeError, match=r"expected Variable or None \(got list\)"):
        run(function(forward=double, backward=lambda ctx, g: [g]), x)


def test_complex_gradient_of_a_real_input():
    x = leaf()
    with pytest.raises(RuntimeError, match="input_is_complex == grad_is_complex"):
        run(function(forward=double, backward=lambda ctx, g: g * 1j), x)
    assert x.grad is None


def test_set_materialize_grads_wants_a_bool():
    def forward(ctx, x):
        ctx.set_materialize_grads(1)
        return x * 2

    with pytest.raises(TypeError, match="set_materialize_grads received an invalid combination of arguments"):
        run(function(forward=forward, backward=lambda ctx, g: g))


def test_inplace_function_keeps_its_flag():
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        assert InplaceFunction(True).inplace is True
