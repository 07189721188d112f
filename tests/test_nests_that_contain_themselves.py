"""Lists and dicts that contain themselves, or are nested deeper than Python calls: refused in words, no RecursionError.

torch 2.13 raises a RecursionError for transforms, and a RuntimeError for assert_close.
"""

from __future__ import annotations

import pytest
import wengert as wg


def list_in_itself():
    nest = [wg.ones(2, requires_grad=True)]
    nest.append(nest)
    return nest


def dict_in_itself():
    nest = {"a": wg.ones(2)}
    nest["b"] = nest
    return nest


def tuple_in_its_list():
    inner = []
    nest = (wg.ones(2), inner)
    inner.append(nest)
    return nest


def deep_list():
    nest = [wg.ones(2)]
    for _ in range(20_000):
        nest = [nest]
    return nest


NESTS = [list_in_itself, dict_in_itself, tuple_in_its_list, deep_list]


@pytest.mark.parametrize("make", NESTS)
def test_transforms_refuse_them(make):
    nest, x = make(), wg.ones(2)
    for call in (
        lambda: wg.func.vjp(lambda x: x, nest), lambda: wg.func.jvp(lambda x: x, (nest,), (nest,)),
        lambda: wg.func.linearize(lambda x: x, nest), lambda: wg.vmap(lambda x: nest)(x),
        lambda: wg.vmap(lambda x: x)(nest), lambda: wg.func.grad(lambda x: x)(nest),
        lambda: wg.func.jacrev(lambda x: nest)(x), lambda: wg.func.jacfwd(lambda x: nest)(x),
    ):  # fmt: skip
        with pytest.raises((ValueError, RuntimeError, TypeError)) as caught:
            call()
        assert not isinstance(caught.value, RecursionError)


def test_what_is_said_of_a_nest():
    with pytest.raises(ValueError, match="contains itself, or that is nested too deep"):
        wg.vmap(lambda x: list_in_itself())(wg.ones(2))
    with pytest.raises(ValueError, match="expected `in_dims` to be int or"):
        wg.vmap(lambda x: x, in_dims=deep_list())(wg.ones(2))


@pytest.mark.parametrize("make", NESTS)
def test_comparisons_refuse_them(make):
    with pytest.raises(RuntimeError, match="contain themselves, or are nested too deep"):
        wg.testing.assert_close(make(), make())


@pytest.mark.parametrize("make", [list_in_itself, tuple_in_its_list, deep_list])
def test_roots_of_graphs_refuse_them(make):
    graph = wg.autograd.graph
    roots = make()
    for call in (lambda: list(graph.walk(roots)), lambda: graph.draw(roots), lambda: graph.saved_memory(roots)):
        with pytest.raises((ValueError, RuntimeError)) as caught:  # a tensor without history comes first in some
            call()
        assert not isinstance(caught.value, RecursionError)


@pytest.mark.parametrize("make", NESTS)
def test_indices_and_sequences_of_tensors_refuse_them(make):
    nest, x = make(), wg.ones(3)
    for call in (lambda: wg.cat(nest), lambda: wg.meshgrid(nest, indexing="ij"), lambda: wg.block_diag(nest),
                 lambda: wg.autograd.grad(nest, nest), lambda: wg.autograd.backward(nest)):  # fmt: skip
        with pytest.raises((TypeError, AssertionError, RuntimeError)) as caught:
            call()
        assert not isinstance(caught.value, RecursionError)
    if isinstance(nest, list):
        with pytest.raises((IndexError, ValueError, RuntimeError)) as caught:
            x[(nest,)]
        assert not isinstance(caught.value, RecursionError)


def test_a_nest_that_ends_may_be_shared():
    inner = [wg.ones(2)]
    outputs, _ = wg.func.vjp(lambda x: [y[0] * 2 for y in x], [inner, inner])
    assert [y.tolist() for y in outputs] == [[2.0, 2.0], [2.0, 2.0]]
