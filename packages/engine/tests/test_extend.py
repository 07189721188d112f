"""The face for extenders: what its functions promise beside their examples."""

from typing import ClassVar

import pytest
import wengert as wg
import wengert_engine.extend as face
from wengert_engine import Function, grad, no_grad
from wengert_engine.extend import (
    Transform,
    add_batch_dim,
    batch_level,
    current_vmap_level,
    graph_task_id,
    lift_to_levels,
    node_gradients,
    pullback,
    remove_batch_dim,
    unwrap_batched,
    vmap_level,
)


def test_a_name_that_the_face_lacks_is_an_error_that_lists_those_it_has() -> None:
    with pytest.raises(AttributeError, match=r"has no attribute 'edge_of'; it has .*gradient_edge"):
        face.edge_of  # noqa: B018
    assert dir(face) == sorted(face.NAMES)


# ---- gradients

def test_pullback_keeps_the_graph_and_records_where_asked() -> None:
    x, unused = wg.tensor([1.0, 2.0], requires_grad=True), wg.ones(1, requires_grad=True)
    pull = pullback(x**3, [x, unused])
    first, none = pull(wg.ones(2))
    assert first is not None
    assert first.tolist() == [3.0, 12.0]
    assert none is None
    assert not first.requires_grad
    again, _ = pull(wg.ones(2), create_graph=True)
    assert grad(again.sum(), x)[0].tolist() == [6.0, 12.0]
    assert x.grad is None


def test_pullback_refuses_ends_without_a_graph() -> None:
    x = wg.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="does not require grad"):
        pullback(wg.ones(2), [x])
    with pytest.raises(RuntimeError, match="One of the differentiated Tensors does not require grad"):
        pullback(x * 2, [wg.ones(2)])


def test_node_gradients_fit_their_edges_and_leave_the_node_as_it_was() -> None:
    x = wg.ones(2, requires_grad=True)
    y = x.double() * wg.ones(3, 2, dtype=wg.float64)
    called = []
    y.grad_fn.register_hook(lambda *grads: called.append(grads))
    for _ in range(2):
        to_x, to_other = node_gradients(y.grad_fn, [wg.ones(3, 2, dtype=wg.float64)])
        assert (to_x.tolist(), to_x.dtype, to_other) == ([3.0, 3.0], wg.float64, None)
    assert not called
    assert node_gradients(y.grad_fn, [None]) == [None, None]
    with pytest.raises(TypeError, match="expected 1 arguments, got 2 instead"):
        node_gradients(y.grad_fn, [None, None])


def test_a_graph_task_has_a_number_of_its_own() -> None:
    seen = []
    x = wg.ones(1, requires_grad=True)
    x.register_hook(lambda gradient: seen.append(graph_task_id()))
    for _ in range(2):
        (x * 2).backward()
    assert graph_task_id() == 0
    assert 0 not in seen
    assert len(set(seen)) == 2


# ---- levels

def test_levels_are_numbered_and_closed_also_by_an_error() -> None:
    assert current_vmap_level() == 0
    with vmap_level(2) as outer, vmap_level(3) as inner:
        assert (outer, inner, current_vmap_level()) == (1, 2, 2)
    with pytest.raises(ValueError, match="of the function"), vmap_level(2):
        raise ValueError("of the function")
    assert current_vmap_level() == 0


def test_a_batch_dim_goes_to_the_front_and_comes_back() -> None:
    x = wg.arange(24.0).reshape(2, 3, 4)
    with vmap_level(4) as outer:
        one = add_batch_dim(x, 2, outer)
        with vmap_level(3) as inner:
            two = add_batch_dim(one, 1, inner)
            assert (two.shape, batch_level(two), batch_level(one), batch_level(x)) == ((2,), inner, outer, 0)
            assert unwrap_batched(two).shape == (4, 3, 2)
            total = two.sum()
            assert remove_batch_dim(one.sum(), inner, 3).shape == (3,)  # of the outer level alone: expanded
        sums = remove_batch_dim(total, inner, 3)
        assert (sums.shape, batch_level(sums)) == ((3,), outer)
    assert remove_batch_dim(sums, outer, 4).tolist() == x.sum(0).movedim(1, 0).tolist()
    assert unwrap_batched(x) is x


def test_lifted_tensors_are_batched_in_all_levels_but_those_that_are_skipped() -> None:
    x = wg.ones(2)
    assert lift_to_levels(x) is x
    with vmap_level(4) as outer, vmap_level(3) as inner:
        assert unwrap_batched(lift_to_levels(x)).shape == (4, 3, 2)
        assert unwrap_batched(lift_to_levels(x, {inner})).shape == (4, 2)
        whole = lift_to_levels(add_batch_dim(wg.ones(3, 2), 0, inner))
        assert (batch_level(whole), unwrap_batched(whole).shape) == (inner, (4, 3, 2))
        assert lift_to_levels(whole) is whole
        assert lift_to_levels(x, {outer, inner}) is x


def test_gradients_go_through_a_batch_dim() -> None:
    x = wg.ones(2, 3, requires_grad=True)
    with vmap_level(3) as level:
        y = (add_batch_dim(x, 1, level) * 2).sum()
    remove_batch_dim(y, level, 3).sum().backward()
    assert x.grad.tolist() == [[2.0] * 3] * 2


class Double(Function):
    """Notes the in_dims that its vmap gets."""

    in_dims: ClassVar[list[object]] = []

    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def vmap(info, in_dims, x):
        Double.in_dims.append((in_dims, tuple(x.shape)))
        return x * 2, in_dims[0]


def test_a_function_with_a_vmap_of_its_own_gets_the_dim_of_the_batch() -> None:
    Double.in_dims.clear()
    with vmap_level(3) as level:
        x = add_batch_dim(wg.ones(2, 3), 1, level)
        found = Double.apply(x)
        Double.apply(x + 0)
    assert Double.in_dims == [((1,), (2, 3)), ((0,), (3, 2))]
    assert remove_batch_dim(found, level, 3).shape == (3, 2)


def test_the_dim_of_the_batch_is_one_of_the_tensor_after_its_geometry_was_changed_in_place() -> None:
    Double.in_dims.clear()
    with vmap_level(3) as level:
        x = add_batch_dim(wg.ones(2, 1, 3), 2, level)
        x.squeeze_()
        Double.apply(x)
    assert Double.in_dims == [((1,), (2, 3))]  # as in PyTorch


# ---- transforms

def test_writes_inside_of_nested_transforms_ask_each_of_them() -> None:
    x, y = wg.ones(2), wg.ones(2)
    with Transform(writable=[x, "no tensor"]):
        made = wg.zeros(2)
        made.add_(1)
        with Transform(writable=[y]):
            with pytest.raises(RuntimeError, match=r"attempted to call in-place operation \(aten::add_.Tensor\)"):
                made.add_(1)  # made outside of the inner one
            with pytest.raises(RuntimeError, match="would mutate a captured Tensor"):
                y.mul_(2)  # the outer one does not know it
        x.add_(1)
    y.add_(1)
    assert (x.tolist(), y.tolist(), made.tolist()) == ([2.0, 2.0], [2.0, 2.0], [1.0, 1.0])


def test_a_transform_without_a_list_of_writable_tensors_allows_every_write() -> None:
    x = wg.ones(2)
    with Transform(), no_grad():
        x.add_(1)
    assert x.tolist() == [2.0, 2.0]


def test_batched_tensors_show_requires_grad_while_a_transform_computes_gradients() -> None:
    x = wg.ones(3, requires_grad=True)
    with vmap_level(3) as level:
        one = add_batch_dim(x, 0, level)
        assert not one.requires_grad
        with Transform(computes_gradients=False):
            assert not one.requires_grad
        with Transform():
            assert one.requires_grad
        assert not one.requires_grad
