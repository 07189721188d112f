"""What follows a tensor when its history is rebased, and what stays: hooks, retained gradients, .data, aliases, custom
Functions that write, indices that are written to.
"""

import pytest
import wengert as torch


def leaf(*values):
    return torch.tensor(list(values) or [1.0, 2.0, 3.0], requires_grad=True)


def inner(*values):
    x = leaf(*values)
    return x, x * 1


def test_retained_gradient_of_the_base_follows_each_write_to_a_view():
    x, y = inner()
    y.retain_grad()
    y[:1].mul_(10)
    y[1:].mul_(3)
    y.sum().backward()
    assert (y.grad.tolist(), x.grad.tolist()) == ([1.0, 1.0, 1.0], [10.0, 3.0, 3.0])


@pytest.mark.parametrize("write", [lambda y, v: y.mul_(10), lambda y, v: v.mul_(10), lambda y, v: y[:2].mul_(10)],
                         ids=["base", "itself", "another"])
@pytest.mark.parametrize("asked", ["not", "before", "again"])
def test_retained_gradient_of_a_view_follows(write, asked):
    x, y = inner()
    view = y[:1]
    view.retain_grad()
    write(y, view)
    if asked == "before":
        _ = view.grad_fn
    if asked == "again":
        view.retain_grad()
    (view * 3).sum().backward()
    assert (view.grad.tolist(), x.grad.tolist(), view.retains_grad) == ([3.0], [30.0, 0.0, 0.0], True)


def test_retained_gradient_of_a_view_that_is_not_used_after_its_write():
    _, y = inner()
    view = y[:1]
    view.retain_grad()
    view.mul_(10)
    y.sum().backward()
    assert view.grad is None


def test_hooks_stay_with_the_value_they_were_registered_for():
    seen = []
    _, y = inner()
    y.register_hook(lambda g: seen.append(("before", g.tolist())))
    y[:1].mul_(10)
    y.register_hook(lambda g: seen.append(("after", g.tolist())))
    y.sum().backward()
    assert seen == [("after", [1.0, 1.0, 1.0]), ("before", [10.0, 1.0, 1.0])]


@pytest.mark.parametrize("through", ["base", "view"])
def test_hooks_of_a_view_do_not_follow(through):
    seen = []
    _, y = inner()
    view = y[:1]
    view.register_hook(lambda g: seen.append(g.tolist()))
    (y if through == "base" else view).mul_(10)
    (y.sum() + view.sum() * 2).backward()
    assert seen == []


def test_hooks_that_change_gradients_around_a_write():
    x, y = inner()
    y.register_hook(lambda g: g * 100)
    y[:1].mul_(2)
    y.register_hook(lambda g: g + 1)
    y.sum().backward()
    assert x.grad.tolist() == [400.0, 200.0, 200.0]


# ---- regenerated grad_fn

@pytest.mark.parametrize("of_leaf", [True, False])
@pytest.mark.parametrize("target", ["base", "view"])
def test_a_write_under_no_grad_regenerates_too(of_leaf, target):
    x, y = inner()
    base = x if of_leaf else y
    view = base[:2]
    with torch.no_grad():
        (base if target == "base" else view).add_(1)
    assert view.grad_fn.name() == "AsStridedBackward0"
    view.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 0.0]


def test_old_and_new_history_of_a_view_in_one_graph():
    x, y = inner()
    view = y[:2]
    before = view * 2
    y.mul_(3)
    (before.sum() + (view * 5).sum()).backward()
    assert x.grad.tolist() == [17.0, 17.0, 0.0]


def test_overlapping_views_of_a_written_base():
    x, y = inner(1.0, 2.0, 3.0, 4.0)
    windows, square = y.unfold(0, 2, 1), y.as_strided((2, 2), (1, 1))
    y.mul_(2)
    (windows.sum() + square.sum()).backward()
    assert x.grad.tolist() == [4.0, 8.0, 6.0, 2.0]


def test_expanded_view_of_a_written_base():
    x, y = inner(1.0)
    wide = y.expand(3)
    y.mul_(5)
    wide.sum().backward()
    assert (x.grad.tolist(), wide.tolist()) == ([15.0], [5.0] * 3)


def test_a_view_made_before_its_leaf_was_asked_to_require_grad():
    base = torch.zeros(2)
    view = base[:1]
    base.requires_grad_()
    with pytest.raises(RuntimeError, match=r"a view of a leaf Variable that requires grad is being used"):
        view.add_(1)
    with torch.no_grad():
        base.add_(1)
    assert (view.requires_grad, view.grad_fn.name()) == (True, "AsStridedBackward0")


def test_a_leaf_that_is_a_view_of_a_base_that_gets_a_history():
    base = torch.zeros(2)
    view = base[:1].requires_grad_()
    base.add_(1)                                     # not recorded
    assert (view.is_leaf, view.tolist()) == (True, [1.0])
    base.add_(leaf(1.0, 2.0))
    assert (view.is_leaf, view.grad_fn.name()) == (False, "AsStridedBackward0")


# ---- custom Functions that write

def doubling(factor=20):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx, g):
            return g * factor

    return Double


def test_function_that_writes_to_a_view():
    x, y = inner()
    view = y[:2]
    assert doubling().apply(view) is view
    assert (y.tolist(), y.grad_fn.name()) == ([2.0, 4.0, 3.0], "torch::autograd::CopySlices")
    (y.sum() + view.sum()).backward()
    assert x.grad.tolist() == [40.0, 40.0, 1.0]


def test_function_that_writes_to_a_view_of_a_constant():
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            ctx.mark_dirty(x)
            return x.mul_(w)

        @staticmethod
        def backward(ctx, g):
            return g * 3, g.sum().reshape(1)

    base, w = torch.ones(3), leaf(3.0)
    Scale.apply(base[:2], w)
    base.sum().backward()
    assert w.grad.tolist() == [2.0]


def test_second_order_through_a_function_that_writes_to_a_view():
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x.clone())
            ctx.mark_dirty(x)
            return x.mul_(x.clone())

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * x * 2

    x, y = inner()
    Square.apply(y[:2])
    (g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
    assert g.tolist() == [4.0, 32.0, 6.0]
    (h,) = torch.autograd.grad(g.sum(), x)           # the saved clone is a constant
    assert h.tolist() == [8.0, 32.0, 2.0]


def test_function_that_writes_regenerates_views_and_keeps_the_retained_gradient():
    x, y = inner()
    view = y[:2]
    y.retain_grad()
    assert doubling().apply(y) is y
    (y.sum() + view.sum()).backward()
    assert (y.grad.tolist(), x.grad.tolist()) == ([2.0, 2.0, 1.0], [40.0, 40.0, 20.0])


@pytest.mark.parametrize(("make", "phrase"), [
    (lambda x: x, "a leaf Variable that requires grad has been used in an in-place operation."),
    (lambda x: (x * 1).unbind(0)[0], "Output 0 of Unbind is a view and is being modified inplace.")],
    ids=["leaf", "one of several"])
def test_function_that_writes_to_what_it_must_not(make, phrase):
    target = make(leaf())
    with torch.no_grad():
        detached = target.detach()

    class Write(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g

    with pytest.raises(RuntimeError, match=phrase):
        Write.apply(target)
    assert detached.tolist() == target.tolist()


# ---- detached aliases and .data

def test_a_recorded_write_to_a_detached_alias_is_not_the_originals():
    x, y = inner()
    alias = y.detach()
    alias.mul_(leaf())
    assert (alias.requires_grad, y.grad_fn.name(), y.tolist()) == (True, "MulBackward0", [1.0, 4.0, 9.0])
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 1.0]


def test_a_write_to_a_view_of_a_detached_alias_is_noticed():
    x = leaf()
    y = x.exp()
    y.detach()[1:].fill_(7)
    with pytest.raises(RuntimeError, match=r"\[torch.FloatTensor \[3\]\], which is output 0 of Exp, is at version 1; "
                                           r"expected version 0 instead"):
        y.sum().backward()


def test_detached_leaf_that_requires_grad_is_a_leaf():
    alias = leaf().detach().requires_grad_()
    with pytest.raises(RuntimeError, match=r"a leaf Variable that requires grad is being used in an in-place "
                                           r"operation."):
        alias.add_(1)


def test_assigned_data_keeps_the_version_counter():
    x, other = leaf(), torch.ones(3)
    with torch.no_grad():
        x.add_(1)
    x.data = other
    other.add_(1)
    assert (x.tolist(), x._version, other._version) == ([2.0] * 3, 1, 1)


def test_assigned_data_of_another_dtype():
    x = leaf()
    old = x * 2
    x.data = torch.ones(3, dtype=torch.float64)
    (x * 3).sum().backward()
    assert (x.grad.dtype, x.grad.tolist()) == (torch.float64, [3.0] * 3)
    assert old.dtype == torch.float32


def test_assigned_data_is_what_is_saved():
    x = leaf()
    y = x * x
    x.data = torch.ones(3) * 9
    y.sum().backward()
    assert x.grad.tolist() == [18.0] * 3


@pytest.mark.parametrize("make", [leaf, lambda: leaf() * 1], ids=["leaf", "inner"])
def test_integer_data_is_refused_where_a_gradient_is_required(make):
    with pytest.raises(RuntimeError, match=r"data set to a tensor that requires gradients must be floating point or "
                                           "complex dtype"):
        make().data = torch.ones(3, dtype=torch.int64)


def test_what_data_may_be():
    x = torch.ones(2)
    x.data = torch.ones(3, dtype=torch.int64)
    assert x.dtype == torch.int64
    with pytest.raises(TypeError, match=r"Variable data has to be a tensor, but got NoneType"):
        x.data = None
    with pytest.raises(RuntimeError, match=r"Deleting tensor data is not allowed. Delete tensor instead!"):
        del x.data


def test_data_assigned_many_times_leaves_no_chain():
    x = torch.ones(3)
    for _ in range(200_000):
        x.data = x.data
    assert x.tolist() == [1.0] * 3


# ---- what is saved

@pytest.mark.parametrize(("dtype", "name"), [
    (torch.float32, "torch.FloatTensor"), (torch.float64, "torch.DoubleTensor"), (torch.float16, "torch.HalfTensor"),
    (torch.bfloat16, "CPUBFloat16Type"), (torch.complex64, "CPUComplexFloatType"), (torch.int64, "torch.LongTensor"),
    (torch.complex128, "CPUComplexDoubleType"), (torch.bool, "CPUBoolType"), (torch.uint8, "torch.ByteTensor"),
    (torch.int8, "torch.CharTensor"), (torch.int16, "torch.ShortTensor"), (torch.int32, "torch.IntTensor")])
def test_dtypes_in_the_message(dtype, name):
    class Saving(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            ctx.save_for_backward(w)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return ctx.saved_tensors[0], None

    w = torch.ones(2, 3, dtype=dtype)
    y = Saving.apply(leaf(1.0), w)
    w.fill_(0)
    with pytest.raises(RuntimeError, match=rf"\[{name} \[2, 3\]\] is at version 1; expected version 0 instead"):
        y.backward()


@pytest.mark.parametrize(("saving", "node"), [
    (lambda x: (x, x * x), ""), (lambda x: (x * 1)[:2], "AsStrided"), (lambda x: x.sin(), "Add")],
    ids=["leaf", "view", "inner"])
def test_the_message_names_the_node_the_tensor_has_now(saving, node):
    made = saving(leaf())
    target, out = made if isinstance(made, tuple) else (made, made * made)
    if target.is_leaf:
        with torch.no_grad():
            target.add_(1)
    else:
        target.add_(1)
    which = f", which is output 0 of {node}, is" if node else " is"
    with pytest.raises(RuntimeError, match=rf"\]{which} at version 1; expected version 0 instead"):
        out.sum().backward()


@pytest.mark.parametrize("use", [
    lambda x, m: x[m], lambda x, m: x.index_select(0, m), lambda x, m: x.gather(0, m), lambda x, m: x[m, None][:, 0],
    lambda x, m: (x * 1).index_put_((m,), torch.ones(2)), lambda x, m: (x * 1).index_add_(0, m, x[:2])],
    ids=["index", "index_select", "gather", "index of two", "index_put_", "index_add_"])
def test_indices_that_were_written_to(use):
    x, m = leaf(), torch.tensor([0, 1])
    y = use(x, m)
    m.add_(1)
    with pytest.raises(RuntimeError, match=r"\[torch.LongTensor \[2\]\] is at version 1; expected version 0 instead"):
        y.sum().backward()


def test_a_write_through_an_index_that_was_written_to():
    x, w, m = leaf(), leaf(5.0, 6.0), torch.tensor([0, 1])
    y = x * 1
    y[m] = w
    m.add_(1)
    with pytest.raises(RuntimeError, match=r"\[torch.LongTensor \[2\]\] is at version 1; expected version 0 instead"):
        y.sum().backward()


def test_operands_in_a_sequence_that_were_written_to():
    a, b = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2)
    y = torch.einsum("ij,jk->ik", a, b)
    b.add_(1)
    with pytest.raises(RuntimeError, match=r"has been modified by an inplace operation"):
        y.sum().backward()
