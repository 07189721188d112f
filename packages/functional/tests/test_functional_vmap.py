"""vmap and the other transforms, inside of each other: what loops over the batch give."""

from __future__ import annotations

import itertools
import threading
import weakref

import numpy as np
import pytest
import wengert as wg
from wengert.func import grad, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap
from wengert_engine.vmap import level_stack

X = wg.arange(6.0, dtype=wg.float64).mul(0.7).sin().reshape(2, 3)
W = wg.arange(12.0, dtype=wg.float64).mul(1.3).cos().reshape(3, 4)


def layer(x):
    """A vector of a vector, with a view, a write, a reduction and an index in it."""
    y = (x @ W).tanh()
    y = y * x.sum() + y.roll(1, 0)
    out = wg.zeros_like(y)
    out[1:] = y[:-1] ** 2
    return out.cumsum(0) + y


def loss(x):
    return (layer(x) * x[0]).sum()


TRANSFORMS = {
    "grad": lambda f: grad(lambda x: f(x).sum()),
    "jacrev": lambda f: jacrev(f),
    "jacfwd": lambda f: jacfwd(f),
    "hessian": lambda f: hessian(lambda x: f(x).sum()),
    "vjp": lambda f: lambda x: vjp(f, x)[1](wg.ones_like(f(x)))[0],
    "jvp": lambda f: lambda x: jvp(f, (x,), (x * 2,))[1],
    "linearize": lambda f: lambda x: linearize(f, x)[1](x),
}


def close(got, expected):
    assert tuple(got.shape) == tuple(expected.shape)
    assert not got.requires_grad
    np.testing.assert_allclose(got.cpu().numpy(), expected.cpu().numpy(), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_transform_inside_of_vmap_is_that_of_each_element(name):
    f = TRANSFORMS[name](layer)
    close(vmap(f)(X), wg.stack([f(x) for x in X]))
    close(vmap(f, in_dims=1, out_dims=-1)(X.t()), wg.stack([f(x) for x in X], -1))


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_transform_of_vmap_is_that_of_the_loop(name):
    f = TRANSFORMS[name]
    close(f(vmap(layer))(X), f(lambda x: wg.stack([layer(row) for row in x]))(X))


@pytest.mark.parametrize(("outer", "inner"), list(itertools.product(TRANSFORMS, TRANSFORMS)))
def test_two_transforms_with_vmap_outside_between_and_inside(outer, inner):
    first, second = TRANSFORMS[outer], TRANSFORMS[inner]
    both = first(second(layer))
    close(vmap(both)(X), wg.stack([both(x) for x in X]))
    between = first(vmap(second(layer)))
    close(between(X), first(lambda x: wg.stack([second(layer)(row) for row in x]))(X))


@pytest.mark.parametrize("name", TRANSFORMS)
def test_two_levels_of_vmap_around_a_transform(name):
    f = TRANSFORMS[name](lambda x: layer(x)[:2])
    x = wg.stack([X, X * 2, X.flip(0)])
    close(vmap(vmap(f))(x), wg.stack([wg.stack([f(row) for row in rows]) for rows in x]))
    close(vmap(vmap(f, in_dims=1), in_dims=2)(x.permute(2, 1, 0)),
          wg.stack([wg.stack([f(x.permute(2, 1, 0)[:, i, j]) for i in range(2)]) for j in range(3)]))


@pytest.mark.parametrize("name", ["grad", "jacrev", "jacfwd", "hessian"])
def test_gradients_by_what_is_not_mapped_are_those_of_each_element(name):
    f = TRANSFORMS[name]

    def by_weight(w, x):
        return f(lambda v: (v * x).sin() * v.sum())(w)

    w = W[:, 0]
    close(vmap(by_weight, in_dims=(None, 0))(w, X), wg.stack([by_weight(w, x) for x in X]))


def test_gradients_of_a_network_for_each_sample():
    shapes = {"w": (4, 3), "b": (4,), "v": (2, 4)}
    params = {name: wg.arange(float(np.prod(shape)), dtype=wg.float64).mul(0.37).sin().reshape(shape)
              for name, shape in shapes.items()}
    inputs, targets = wg.stack([X[0], X[1], X[0] * X[1]]), wg.tensor([0, 1, 1])

    def network(params, x, y):
        hidden = wg.nn.functional.linear(x, params["w"], params["b"]).relu()
        return wg.nn.functional.cross_entropy((params["v"] @ hidden).unsqueeze(0), y.unsqueeze(0))

    found = vmap(grad(network), in_dims=(None, 0, 0))(params, inputs, targets)
    for name in shapes:
        expected = wg.stack([grad(network)(params, x, y)[name] for x, y in zip(inputs, targets, strict=True)])
        close(found[name], expected)


def test_gradients_leave_a_vmap_with_their_graph():
    w = W[:, 0].clone().requires_grad_()
    values = vmap(grad(lambda x: (x * w).sum() ** 3))(X)
    found = wg.autograd.grad(values.sum(), w)[0]
    expected = wg.autograd.grad(sum(3 * (x * w).sum() ** 2 * w.sum() for x in X), w)[0]
    np.testing.assert_allclose(found.cpu().numpy(), expected.cpu().numpy(), rtol=1e-12)


def test_the_gradient_of_a_function_of_outer_leaves_can_be_differentiated_by_them():
    w = W[:, 0].clone().requires_grad_()
    found = wg.autograd.grad(grad(lambda x: (x * w).sum() ** 3)(X[0]).sum(), w)[0]
    value = (X[0] * w).sum()
    expected = wg.autograd.grad(3 * value ** 2 * w.sum(), w)[0]
    np.testing.assert_allclose(found.cpu().numpy(), expected.cpu().numpy(), rtol=1e-12)


def test_tangents_inside_and_outside_of_vmap():
    fw = wg.autograd.forward_ad
    with fw.dual_level():
        dual = fw.make_dual(X, X.cos())
        outside = fw.unpack_dual(vmap(layer)(dual)).tangent
        expected = wg.stack([fw.unpack_dual(layer(fw.make_dual(x, x.cos()))).tangent for x in X])
    np.testing.assert_allclose(outside.cpu().numpy(), expected.cpu().numpy(), rtol=1e-12)

    def inside(x, v):
        with fw.dual_level():
            return fw.unpack_dual(layer(fw.make_dual(x, v))).tangent

    close(vmap(inside)(X, X.cos()), expected)
    close(vmap(inside, in_dims=(None, 0))(X[0], X.cos()), wg.stack([inside(X[0], v) for v in X.cos()]))
    close(vmap(inside, in_dims=(0, None))(X, X[1]), wg.stack([inside(x, X[1]) for x in X]))


def test_a_tangent_that_is_batched_meets_a_primal_that_is():
    def f(x):
        other = jvp(wg.sin, (x,), (x * x,))[1]     # batched where the tangent of x is
        return other * x + other.sum()

    close(jacfwd(f)(X[0]), jacrev(f)(X[0]))
    close(vmap(jacfwd(f))(X), wg.stack([jacrev(f)(x) for x in X]))
    close(jacfwd(lambda x: jacfwd(lambda y: (y * x).sin() * y.sum())(x) @ x)(X[0]),
          jacrev(lambda x: jacrev(lambda y: (y * x).sin() * y.sum())(x) @ x)(X[0]))


def test_an_error_leaves_no_level_open():
    def fail(x):
        raise KeyError("inside")

    with pytest.raises(KeyError, match="inside"):
        vmap(vmap(fail))(X)
    with pytest.raises(KeyError, match="inside"):
        jacfwd(lambda x: vmap(fail)(x))(X)
    with pytest.raises(RuntimeError, match="item"):
        vmap(lambda x: x[0].item())(X)
    with pytest.raises(RuntimeError, match="must match the size"):
        vmap(lambda x: x + wg.ones(5))(X)
    assert level_stack.depth() == 0
    assert wg.randn(3).shape == (3,)


def test_a_batched_tensor_does_not_outlive_its_vmap():
    kept = []
    vmap(lambda x: kept.append(x) or x)(X)
    with pytest.raises(RuntimeError, match="escaped"):
        kept[0] + 1
    with pytest.raises(RuntimeError, match="escaped"):
        vmap(lambda x: x + kept[0])(X)
    assert "BatchedTensor(lvl=1, bdim=0" in repr(kept[0])


def test_raw_gradients_inside_of_vmap():
    def f(x):
        return wg.func.grad(lambda y: (y ** 3).sum())(x)

    close(vmap(f)(X), 3 * X ** 2)
    w = W[:, 0].clone().requires_grad_()
    with pytest.raises(RuntimeError, match="is not batched while"):
        vmap(lambda x: wg.autograd.grad((x * w).sum(), w)[0])(X)
    y = (w * w).sin()
    expected = wg.stack([wg.autograd.grad(y, w, row, retain_graph=True)[0] for row in wg.eye(3, dtype=wg.float64)])
    found = vmap(lambda v: wg.autograd.grad(y, w, v, retain_graph=True)[0])(wg.eye(3, dtype=wg.float64))
    close(found, expected)


def test_chunks_draw_the_same_numbers_in_mode_same():
    x = wg.zeros(5, 3)
    found = vmap(lambda row: row + wg.randn(3), randomness="same", chunk_size=2)(x)
    assert bool((found == found[0]).all())
    found = vmap(lambda row: row + wg.randn(3), randomness="different", chunk_size=2)(x)
    assert len({tuple(row.tolist()) for row in found}) == 5


@pytest.mark.parametrize("chunk_size", [None, 1, 2, 100])
def test_chunks_of_rows_of_a_jacobian(chunk_size):
    close(jacrev(layer, chunk_size=chunk_size)(X[0]), jacfwd(layer)(X[0]))
    close(vmap(jacrev(layer, chunk_size=chunk_size))(X), wg.stack([jacfwd(layer)(x) for x in X]))


def test_memory_of_an_outer_batch_is_written_in_place():
    x = X.clone()
    vmap(lambda row: row[0].mul_(2))(x)
    np.testing.assert_array_equal(x[:, 0].cpu().numpy(), 2 * X[:, 0].cpu().numpy())
    assert x._version == 1


@pytest.mark.parametrize("mode", ["same", "different"])
@pytest.mark.parametrize("make", [
    lambda x: wg.randn(3), lambda x: wg.rand(3), lambda x: wg.randint(0, 1 << 40, (3,)),
    lambda x: wg.randint(1 << 40, (3,)), lambda x: wg.randn_like(x), lambda x: wg.rand_like(x),
    lambda x: wg.randint_like(x, 1 << 24), lambda x: wg.randperm(50),
    lambda x: x.clone().uniform_(), lambda x: x.clone().normal_(), lambda x: x.clone().exponential_(),
    lambda x: wg.nn.functional.dropout(x.new_ones(100)), lambda x: wg.bernoulli(wg.full((100,), 0.5)),
    lambda x: wg.poisson(wg.full((100,), 50.0)),
])
def test_random_operations_by_mode(make, mode):
    found = vmap(make, randomness=mode)(wg.zeros(3, 4))
    assert len(found) == 3
    same = bool((found[0] == found[1]).all() and (found[1] == found[2]).all())
    assert same == (mode == "same")
    with pytest.raises(RuntimeError, match="randomness error mode"):
        vmap(make)(wg.zeros(3, 4))


def test_a_batched_tensor_is_freed_with_its_last_reference():
    kept = []
    vmap(lambda x: kept.append(weakref.ref(x)) or x * 1)(X)
    assert kept[0]() is None


def test_writes_of_vmap_are_seen_by_who_watches_writes():
    with wg.autograd.graph.allow_mutation_on_saved_tensors():
        x = X.clone().requires_grad_()

        def f(row):
            y = row * 2
            z = y * y
            y.mul_(3)
            return z.sum()

        found = wg.autograd.grad(vmap(f)(x).sum(), x)[0]
    np.testing.assert_allclose(found.cpu().numpy(), (8 * X).cpu().numpy())


def test_threads_have_levels_of_their_own():
    found = []

    def work():
        for _ in range(50):
            found.append(vmap(grad(lambda x: (x ** 2).sum()))(wg.ones(4, 3)).sum().item())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [24.0] * 200


def test_hooks_of_saved_tensors_get_those_that_have_the_batch():
    packed = []

    def pack(t):
        packed.append(tuple(t.shape))
        return t.detach().cpu().numpy().copy()

    x = X.clone().requires_grad_()
    with wg.autograd.graph.saved_tensors_hooks(pack, wg.tensor):
        y = vmap(lambda row: (row * row.sin()).sum())(x)
    found = wg.autograd.grad(y.sum(), x)[0]
    np.testing.assert_allclose(found.cpu().numpy(), (X.sin() + X * X.cos()).cpu().numpy())
    assert (2, 3) in packed
