"""Selective checkpoints, beyond the recorded answers of PyTorch: what runs again, what is held, every operation."""

import copy
import functools
import gc
import pickle
import weakref

import numpy as np
import pytest
import wengert as wg
from wengert.utils import checkpoint as module
from wengert.utils.checkpoint import (
    CheckpointPolicy,
    SelectiveCheckpointContext,
    checkpoint,
    create_selective_checkpoint_contexts,
)
from wengert_testing.calls import as_tensors, function_of
from wengert_testing.case import Fixed
from wengert_testing.samples import CASES

aten = wg.ops.aten
SAVE, RECOMPUTE = CheckpointPolicy.MUST_SAVE, CheckpointPolicy.MUST_RECOMPUTE


def selective(function, *args, policy, allow=False, **kwargs):
    contexts = functools.partial(create_selective_checkpoint_contexts, policy, allow_cache_entry_mutation=allow)
    return checkpoint(function, *args, use_reentrant=False, context_fn=contexts, **kwargs)


def save_all(ctx, op, *args, **kwargs):
    return SAVE


def leaf(*shape):
    return wg.linspace(0.1, 0.9, int(np.prod(shape))).reshape(shape).detach().requires_grad_()


def events_of(function):
    with wg.autograd.profiler.profile() as prof:
        function()
    return [event.name for event in prof.function_events]


def test_a_kept_operation_does_not_run_again():
    x = leaf(2, 2)
    y = selective(lambda x: (x @ x).sin().exp(), x, policy=[aten.mm.default]).sum()
    events = events_of(y.backward)
    assert events.count("aten::sin") == 1
    products = events.count("aten::mm")  # of the derivative
    everything = checkpoint(lambda x: (x @ x).sin().exp(), x, use_reentrant=False).sum()
    assert events_of(everything.backward).count("aten::mm") == products + 1


def test_gradients_are_those_without_a_checkpoint():
    def f(x, w):
        y = wg.nn.functional.linear(x, w, w[0]).relu()
        y = wg.nn.functional.layer_norm(y @ w, (3,)) + y.max(1).values
        return (y.softmax(1) * wg.stack([y, y]).sum(0)).logsumexp(0)

    x, w = leaf(3, 3), leaf(3, 3)
    wanted = wg.autograd.grad(f(x, w).sum(), (x, w))
    for policy in (save_all, [aten.mm.default, aten.addmm.default], [aten.max.dim, aten.native_layer_norm.default]):
        found = wg.autograd.grad(selective(f, x, w, policy=policy).sum(), (x, w))
        assert all(wg.equal(one, other) for one, other in zip(found, wanted, strict=True))


def test_kept_outputs_are_freed_one_by_one():
    alive = []

    def f(x):
        for _ in range(3):
            x = x.exp()
            alive.append(weakref.ref(x.untyped_storage()))
        return x.sin().sum()

    x = leaf(4)
    y = selective(f, x, policy=[aten.exp.default])
    assert wg.autograd.graph.saved_memory(y).nbytes == 4 * 4 * 4  # the argument and three results
    y.backward()
    del y
    gc.collect()
    assert wg.allclose(x.grad, wg.autograd.grad(f(x), x)[0])


def test_nothing_is_held_without_a_policy_that_keeps():
    y = selective(lambda x: x.exp().sin().exp(), leaf(4), policy=[])
    assert wg.autograd.graph.saved_memory(y).nbytes == 16


def test_a_graph_that_dies_frees_what_was_kept():
    class Function:
        def __call__(self, x):
            return x.exp().sin()

    function = Function()
    alive = weakref.ref(function)
    y = selective(function, leaf(4), policy=save_all)
    del function
    gc.collect()
    gc.disable()
    try:
        assert alive() is not None
        del y
        assert alive() is None
    finally:
        gc.enable()


def test_kept_random_numbers_leave_the_others_as_they_were():
    """PyTorch's generator does not move on for a kept operation, so that later ones draw other numbers than before."""
    seen = []

    def f(x):
        first, second = wg.rand(4), wg.rand(4)
        seen.append((first, second))
        return (x * first).exp() * second

    numbers = []

    def first_of_two(ctx, op, *args, **kwargs):
        if op is not aten.rand.default:
            return RECOMPUTE
        numbers.append(op)
        return SAVE if len(numbers) == 1 else RECOMPUTE

    for policy in ([aten.rand.default], first_of_two):
        seen.clear()
        selective(f, leaf(4), policy=policy, early_stop=False).sum().backward()
        assert wg.equal(seen[0][0], seen[1][0])
        assert wg.equal(seen[0][1], seen[1][1])


def test_kept_random_numbers_are_used_where_the_state_is_not_kept():
    seen = []

    def f(x):
        noise = wg.rand(4)
        seen.append(noise)
        return (x * noise).exp()

    selective(f, leaf(4), policy=[aten.rand.default], preserve_rng_state=False).sum().backward()
    assert wg.equal(seen[0], seen[1])


def test_dropout_draws_once():
    """As in PyTorch: the mask is written in place, so what is kept of it has been mutated."""
    x = leaf(100)
    f = lambda x: wg.nn.functional.dropout(x * 2).exp()  # noqa: E731
    y = selective(f, x, policy=[aten.mul.Tensor])
    y.sum().backward()
    assert wg.allclose(x.grad, wg.where(y == 1, 0, 4 * y).detach())
    names = []
    selective(f, x, policy=lambda ctx, op, *args, **kwargs: names.append(str(op)))
    assert "aten.bernoulli_.float" in names
    with pytest.raises(RuntimeError, match="has been mutated"):
        selective(f, x, policy=[aten.empty_like.default]).sum().backward()


@pytest.mark.parametrize("policy", [save_all, [aten.relu_.default, aten.mul_.Tensor]])
def test_a_kept_write_is_refused_or_runs_again(policy):
    def f(x):
        y = x * 1
        y.mul_(x).relu_()
        return (y * x).exp()

    x = leaf(3)
    with pytest.raises(RuntimeError, match="has been mutated: an in-place operation"):
        selective(f, x, policy=policy).sum().backward()
    (wanted,) = wg.autograd.grad(f(x).sum(), x)
    if policy is not save_all:
        selective(f, x, policy=policy, allow=True).sum().backward()
        assert wg.equal(x.grad, wanted)


def test_views_run_again():
    x = leaf(4, 4)
    f = lambda x: (x @ x).view(16).reshape(4, 4).t()[1:].exp()  # noqa: E731
    (wanted,) = wg.autograd.grad(f(x).sum(), x)
    for policy in (save_all, [aten.view.default], [aten.t.default, aten.slice.Tensor]):
        assert wg.equal(wg.autograd.grad(selective(f, x, policy=policy).sum(), x)[0], wanted)


def test_nested_selective_checkpoints():
    outer, inner = [], []

    def policy(asked, ctx, op, *args, **kwargs):
        asked.append(str(op))
        return SAVE

    def f(x):
        return selective(lambda x: x.sin().exp(), x.cos(), policy=functools.partial(policy, inner)) * x

    x = leaf(3)
    (wanted,) = wg.autograd.grad((x.cos().sin().exp() * x).sum(), x)
    selective(f, x, policy=functools.partial(policy, outer)).sum().backward()
    assert wg.equal(x.grad, wanted)
    assert inner[:2] == ["aten.sin.default", "aten.exp.default"]
    assert [name for name in outer if name in ("aten.sin.default", "aten.cos.default")] == ["aten.cos.default",
                                                                                         "aten.sin.default"]


def test_the_policy_sees_arguments_and_results_and_is_not_asked_about_its_own_operations():
    seen = []

    def policy(ctx, op, *args, **kwargs):
        assert type(ctx) is SelectiveCheckpointContext
        assert not wg.is_grad_enabled()
        seen.append((str(op), len(args), kwargs, (ctx.op_output * 2).sum().item()))

    selective(lambda x: x.add(x, alpha=3).sum(0, keepdim=True), wg.ones(2, requires_grad=True), policy=policy)
    assert seen == [("aten.add.Tensor", 2, {"alpha": 3}, 16.0), ("aten.sum.dim_IntList", 3, {}, 16.0)]


def test_an_error_of_the_policy_comes_through_and_the_context_is_left():
    def policy(ctx, op, *args, **kwargs):
        raise KeyError("of the policy")

    with pytest.raises(KeyError, match="of the policy"):
        selective(wg.sin, leaf(2), policy=policy)
    assert wg.sin(wg.zeros(1)).item() == 0
    assert not wg.ones(1, requires_grad=True).exp()._is_view()


def test_inside_of_a_profile_and_autocast():
    x = leaf(4, 4)
    with wg.autocast("cpu", dtype=wg.bfloat16):
        y = selective(lambda x: (x @ x).float().exp(), x, policy=[aten.mm.default])
    with wg.autograd.profiler.profile():
        y.sum().backward()
    with wg.autocast("cpu", dtype=wg.bfloat16):
        (wanted,) = wg.autograd.grad((x @ x).float().exp().sum(), x)
    assert wg.equal(x.grad, wanted)


def test_forward_mode_and_vmap_inside():
    x = leaf(3, 3)

    def f(x):
        return wg.func.vmap(lambda row: (row * row.exp()).sum())(x @ x).sin()

    (wanted,) = wg.autograd.grad(f(x).sum(), x)
    assert wg.allclose(wg.autograd.grad(selective(f, x, policy=save_all).sum(), x)[0], wanted)


def test_a_custom_function_inside():
    class Cube(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x * x

    x = leaf(3)
    selective(lambda x: Cube.apply(x.sin()).exp(), x, policy=save_all).sum().backward()
    assert wg.allclose(x.grad, wg.autograd.grad((x.sin() ** 3).exp().sum(), x)[0])


def test_offloaded_outputs_come_back():
    x = leaf(3)
    for policy in (CheckpointPolicy.MUST_CPU_OFFLOAD, CheckpointPolicy.PREFER_CPU_OFFLOAD):
        y = selective(lambda x: x.sin().exp(), x, policy=lambda ctx, op, *args, policy=policy, **kwargs: policy)
        assert wg.equal(wg.autograd.grad(y.sum(), x)[0], (x.cos() * x.sin().exp()).detach())


def test_overloads_are_copied_and_pickled_as_themselves():
    for op in (aten.mm, aten.mm.default, aten.sum.dim_IntList):
        assert copy.deepcopy(op) is op
        assert pickle.loads(pickle.dumps(op)) is op
    with pytest.raises(NotImplementedError, match="aten::native_batch_norm is a name for policies"):
        aten.native_batch_norm.default(wg.ones(1))
    assert "dim_IntList" in dir(aten.sum)
    assert {aten.detach.default} == module.SAC_IGNORED_OPS


# ---- each operation, kept

STEP = 5
"""Every so many rows are run here; STEP = 1 runs all."""
WITHOUT_VALUES = ("empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided", "resize_")


def gradients(case, sample, through):
    """Return the gradients of a sample's floating arrays, or the error."""
    leaves = []

    def change(array):
        tensor = wg.tensor(np.asarray(array))
        if array.dtype == np.float64 and not isinstance(array, Fixed) and case.grad:
            leaves.append(tensor.requires_grad_())
        return tensor

    args, kwargs = as_tensors(sample, change)
    function = function_of(case.op)
    wg.manual_seed(3)
    try:
        results = through(lambda: function(*case.arguments(args), **kwargs))
        results = results if isinstance(results, (tuple, list)) else [results]
        total = sum((one * one).sum() for one in results if isinstance(one, wg.Tensor) and one.requires_grad)
        return list(wg.autograd.grad(total, leaves, allow_unused=True)) if isinstance(total, wg.Tensor) else []
    except Exception as error:
        return type(error), str(error)


def keep_all(function):
    return selective(lambda: function(), policy=save_all, early_stop=False)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", [case for case in CASES[::STEP] if case.op not in WITHOUT_VALUES], ids=str)
def test_gradients_of_kept_operations(case):
    for sample in case.samples("float64"):
        wanted, found = gradients(case, sample, lambda function: function()), gradients(case, sample, keep_all)
        if isinstance(found, tuple) and "has been mutated" in found[1]:
            continue  # the operation writes in place
        assert isinstance(found, tuple) == isinstance(wanted, tuple), (found, wanted)
        if isinstance(wanted, tuple):
            assert found == wanted
            continue
        for one, other in zip(found, wanted, strict=True):
            assert (one is None) == (other is None)
            assert one is None or np.array_equal(one.cpu().numpy(), other.cpu().numpy(), equal_nan=True)
