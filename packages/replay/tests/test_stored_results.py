"""Functions that store what they return, or an argument, as the state of the next call: replays do not run that."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import wengert as wg

from .differential.scenarios import check_reason, compare_runs


class Cell:
    """A state, and a leaf that it is multiplied by."""

    def __init__(self, differentiates, of_array=False):
        self.h = wg.from_numpy(np.zeros(3, np.float32)) if of_array else wg.zeros(3)
        self.w = wg.full((3,), 0.9, requires_grad=differentiates)


def keep(cell, x):
    cell.h = (cell.h * cell.w + x).tanh()
    return cell.h


def keep_detached(cell, x):
    h = (cell.h * cell.w + x).tanh()
    cell.h = h.detach()
    return h


def keep_data(cell, x):
    h = (cell.h * cell.w + x).tanh()
    cell.h = h.data
    return {"h": [h]}["h"][0]


def keep_view(cell, x):
    h = (cell.h * cell.w + x).exp()
    cell.h = h.detach()[:]
    return h


def keep_one_of_two(cell, x):
    before = cell.h * x
    h = (cell.h * cell.w + x).tanh()
    cell.h = h.detach()
    return before, h


def keep_argument(cell, x):
    result = cell.h * cell.w + x
    cell.h = x
    return result


def keep_part_of_argument(cell, x):
    result = cell.h * cell.w + x
    cell.h = x.detach()[:]
    return result


def keep_another(cell, x):
    """A tensor that is no result, and that the graph of the result does not need."""
    result = cell.h * cell.w + x
    cell.h = (result.detach() + cell.h).tanh()
    return result


def keep_array(cell, x):
    result = cell.h * cell.w + x
    cell.h = wg.from_numpy(np.full(3, 0.25, np.float32))
    return result


STEPS = [keep, keep_detached, keep_data, keep_view, keep_one_of_two, keep_argument, keep_part_of_argument,
         keep_another, keep_array]  # fmt: skip


@pytest.mark.filterwarnings("ignore:wengert.capture")
@pytest.mark.parametrize("of_array", [False, True], ids=["own", "array"])
@pytest.mark.parametrize("keeps", [False, True], ids=["dropped", "kept"])
@pytest.mark.parametrize("differentiates", [False, True], ids=["plain", "graph"])
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_a_state_goes_on_from_call_to_call(step, differentiates, keeps, of_array):
    def generate(capture):
        cell = Cell(differentiates, of_array)
        kept = [cell.h] if keeps else []
        function = capture(lambda x: step(cell, x))
        for k in range(12):
            x = wg.full((3,), 0.1 * k)
            result = function(x)
            if keeps:
                kept += [result, x]
            last = result[-1] if isinstance(result, tuple) else result
            if differentiates and step is not keep:
                last.sum().backward()
            yield last.detach() * 1, cell.h.detach() * 1, cell.w.grad
            del result, last

    check_reason(compare_runs(generate), "the function has stored")


@pytest.mark.parametrize("differentiates", [False, True], ids=["plain", "graph"])
def test_results_that_nobody_else_has_are_replayed(differentiates):
    """A result that a graph, a tangent, a gradient or another result refers to is stored by nobody."""
    w = wg.full((3,), 0.9, requires_grad=differentiates)

    def step(x):
        first = (w * x).exp()
        second = first * first.tanh()
        leaf = x.detach().requires_grad_()
        with wg.enable_grad():
            (leaf * 2).sum().backward()
        with wg.autograd.forward_ad.dual_level():
            dual = wg.autograd.forward_ad.make_dual(x, x * 2)
            parts = wg.autograd.forward_ad.unpack_dual(dual.sin())
        return first, [second, {"first": first}], parts.primal * 1, parts.tangent

    def generate(capture):
        function = capture(step)
        for k in range(6):
            yield function(wg.full((3,), 0.1 * k))

    assert compare_runs(generate).replays >= 4


@pytest.mark.filterwarnings("ignore:wengert.capture")
def test_a_function_that_stores_an_argument_runs_as_usual():
    seen, function = [], wg.capture(lambda x: (seen.append(x), x * 2)[1])
    arguments = [wg.full((3,), float(k)) for k in range(6)]
    assert [function(x)[0].item() for x in arguments] == [0, 2, 4, 6, 8, 10]
    assert all(one is x for one, x in zip(seen, arguments, strict=True))
    assert "stored an argument" in wg.replay.explain(function).reasons[0]


def test_a_function_that_stores_its_first_argument_is_replayed_from_then_on():
    kept = []

    def step(x):
        if not kept:
            kept.append(x)
        return x + kept[0]

    function = wg.capture(step)
    assert [function(wg.full((3,), float(k)))[0].item() for k in range(1, 6)] == [2, 3, 4, 5, 6]
    assert wg.replay.explain(function).replays == 3


@pytest.mark.parametrize("value", ["argument", "view", "structure", "saved"])
def test_arguments_that_results_and_their_graph_have_are_stored_by_nobody(value):
    def step(x, w):
        product = x * w
        return {"argument": (x, product.detach()), "view": (w, product[1:]), "structure": [{"x": x}, x],
                "saved": (w[1:] * x[1:]).exp()}[value]  # fmt: skip

    function, w = wg.capture(step), wg.ones(3, requires_grad=True)
    for k in range(5):
        function(wg.full((3,), float(k)), w)
    assert wg.replay.explain(function).replays == 4


class Scale:
    """A hook that is an object."""

    def __init__(self, scale):
        self.scale = scale

    def __call__(self, grad):
        return grad * self.scale


def gather(seen, grad):
    seen.append(grad)
    return grad * 2


def local_object(scale):
    class Here:
        def __call__(self, grad):
            return grad * scale

    return Here()


def scaled_parts(grads, scale):
    return [None if grad is None else grad * scale for grad in grads]


HOOKS = {
    "variable": lambda y, scale: y.register_hook(lambda grad: grad * scale),
    "default": lambda y, scale: y.register_hook(lambda grad, scale=scale: grad * scale),
    "partial": lambda y, scale: y.register_hook(functools.partial(lambda scale, grad: grad * scale, scale)),
    "object": lambda y, scale: y.register_hook(Scale(scale)),
    "method": lambda y, scale: y.register_hook(Scale(scale).__call__),
    "object of a local class": lambda y, scale: y.register_hook(local_object(scale)),
    "list": lambda y, scale: y.register_hook(functools.partial(gather, [scale])),
    "node": lambda y, scale: y.grad_fn.register_hook(lambda grads, _: tuple(scaled_parts(grads, scale))),
    "node, before": lambda y, scale: y.grad_fn.register_prehook(lambda grads: (grads[0] * scale,)),
    "several": lambda y, scale: wg.autograd.graph.register_multi_grad_hook((y,), lambda grads: scale + 1),
    "itself": lambda y, scale: y.register_hook(lambda grad: grad * y.detach()),
}  # fmt: skip
"""Functions that give a tensor a hook which refers to tensors that the captured function makes."""


@pytest.mark.filterwarnings("ignore:wengert.capture", "ignore:.*Python code runs when a program is recorded")
@pytest.mark.parametrize("use", ["graph", "two results", "gradient", "backward"])
@pytest.mark.parametrize("register", HOOKS.values(), ids=HOOKS)
def test_tensors_that_hooks_refer_to_are_stored_by_nobody(register, use):
    def generate(capture):
        w = wg.ones(3, requires_grad=True)

        def step(x):
            y, scale = x * w, x.exp()
            register(y, scale)
            if use == "gradient":
                return wg.autograd.grad(y.sin().sum(), w)[0]
            if use == "backward":
                w.grad = None
                y.sin().sum().backward()
                return y.detach() * 2
            return (y.sin(), y) if use == "two results" else y.sin()

        function = capture(step)
        for k in range(7):
            result = function(wg.full((3,), 0.1 * k + 0.5))
            if use in ("graph", "two results"):
                w.grad = None
                (result if use == "graph" else result[0]).sum().backward()
            yield result, w.grad

    assert compare_runs(generate).replays >= 5


@pytest.mark.parametrize("use", ["graph", "gradient", "backward", "forward"])
def test_tensors_that_a_local_custom_function_refers_to_are_stored_by_nobody(use):
    def generate(capture):
        w = wg.ones(3, requires_grad=True)

        def step(x):
            scale = x.exp()

            class Local(wg.autograd.Function):
                @staticmethod
                def forward(ctx, a):
                    ctx.scale = scale
                    return a * scale

                @staticmethod
                def backward(ctx, grad):
                    return grad * scale * ctx.scale

            y = Local.apply(x * w)
            if use == "gradient":
                return wg.autograd.grad(y.sin().sum(), w)[0]
            if use == "backward":
                w.grad = None
                y.sin().sum().backward()
            return y.sin() if use == "graph" else y.detach() * 2

        function = capture(step)
        for k in range(7):
            result = function(wg.full((3,), 0.1 * k + 0.5))
            if use == "graph":
                w.grad = None
                result.sum().backward()
            yield result, w.grad

    assert compare_runs(generate).replays >= 5


@pytest.mark.filterwarnings("ignore:wengert.capture")
def test_a_tensor_that_is_stored_beside_a_hook_is_stored():
    def generate(capture):
        w, kept = wg.ones(3, requires_grad=True), []

        def step(x):
            y, scale = x * w, x.exp()
            y.register_hook(lambda grad: grad * scale)
            kept.append(x.cos())
            return y.sin()

        function = capture(step)
        for k in range(7):
            function(wg.full((3,), 0.1 * k)).sum().backward()
            yield w.grad, kept[-1]

    assert "stored 1 tensor" in compare_runs(generate).reasons[0]
