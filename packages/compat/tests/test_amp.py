"""autocast where PyTorch's answers say nothing, or where it does better; recorded answers are in
tests/torch_parity/recorded.
"""

import threading

import pytest
import wengert as wg
from wengert.utils.checkpoint import checkpoint

F = wg.nn.functional


def test_a_block_that_is_entered_twice_leaves_nothing_on():
    x, block = wg.ones(2, 2), wg.autocast("cpu")
    with block:
        with block:
            inner = x @ x
        outer = x @ x
    assert [inner.dtype, outer.dtype, (x @ x).dtype] == [wg.bfloat16, wg.bfloat16, wg.float32]
    assert not wg.is_autocast_enabled("cpu")


def test_the_end_of_a_block_that_has_not_begun():
    with pytest.raises(AttributeError, match="has not begun"):
        wg.autocast("cpu").__exit__(None, None, None)
    assert wg.autocast_increment_nesting() == 1
    assert wg.autocast_decrement_nesting() == 0


def test_a_leaf_that_was_written_to_is_cast_again():
    w = wg.ones(2, 2, requires_grad=True)
    with wg.autocast("cpu"):
        before = wg.ones(2, 2) @ w
        with wg.no_grad():
            w.fill_(3.0)
        after = wg.ones(2, 2) @ w
    assert before.tolist() == [[2.0, 2.0]] * 2
    assert after.tolist() == [[6.0, 6.0]] * 2


def test_a_leaf_cast_without_gradients_does_not_stand_for_it_later():
    w = wg.ones(2, 2, requires_grad=True)
    with wg.autocast("cpu"):
        with wg.no_grad():
            wg.ones(2, 2) @ w
        y = wg.ones(2, 2) @ w
    y.sum().backward()
    assert w.grad.tolist() == [[2.0, 2.0]] * 2


def test_the_cache_is_of_one_dtype():
    w = wg.ones(2, 2, requires_grad=True)
    with wg.autocast("cpu"):
        first = w @ w
        with wg.autocast("cpu", dtype=wg.float16):
            second = w @ w
    assert (first.dtype, second.dtype) == (wg.bfloat16, wg.float16)


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_the_second_run_of_a_checkpoint_is_cast_as_the_first(use_reentrant):
    seen = []

    def f(x):
        y = x @ x
        seen.append((y.dtype, wg.is_autocast_enabled("cpu"), wg.get_autocast_dtype("cpu")))
        return y.float().exp()

    x = wg.full((2, 2), 0.5, requires_grad=True)
    with wg.autocast("cpu", dtype=wg.float16):
        y = checkpoint(f, x, use_reentrant=use_reentrant)
    y.sum().backward()
    assert seen == [(wg.float16, True, wg.float16)] * 2
    assert not wg.is_autocast_enabled("cpu")
    assert wg.get_autocast_dtype("cpu") is wg.bfloat16
    assert (x @ x).dtype is wg.float32


def test_the_second_run_of_a_checkpoint_without_autocast_is_not_cast():
    seen = []

    def f(x):
        seen.append((x @ x).dtype)
        return x @ x

    x = wg.ones(2, 2, requires_grad=True)
    y = checkpoint(f, x, use_reentrant=False)
    with wg.autocast("cpu"):
        y.sum().backward()
    assert seen == [wg.float32] * 2


def test_a_backward_computes_in_the_dtypes_of_its_operations():
    a, v = wg.full((2, 2), 1 / 3, requires_grad=True), wg.full((2,), 1 / 3, requires_grad=True)
    y = wg.outer(v, v) @ a
    expected = wg.autograd.grad(y.sum(), (a, v), retain_graph=True)
    with wg.autocast("cpu"):
        got = wg.autograd.grad(y.sum(), (a, v))
    assert all(one.equal(other) for one, other in zip(expected, got, strict=True))


def test_a_hook_may_use_autocast():
    seen = []

    def hook(grad):
        with wg.autocast("cpu"):
            seen.append((grad @ grad).dtype)
        return grad

    x = wg.ones(2, 2, requires_grad=True)
    x.register_hook(hook)
    with wg.autocast("cpu"):
        (x * 2).sum().backward()
        assert (x @ x).dtype is wg.bfloat16
    assert seen == [wg.bfloat16]
    assert x.grad.dtype is wg.float32


def test_inside_of_vmap():
    x = wg.ones(3, 2, 2)
    with wg.autocast("cpu"):
        inside = wg.vmap(lambda a: a @ a)(x)
        loss = wg.vmap(lambda a: F.mse_loss(a, a))(x.bfloat16())
    assert (inside.dtype, inside.shape, loss.dtype) == (wg.bfloat16, (3, 2, 2), wg.float32)


def test_inside_of_transforms():
    x = wg.ones(2, 2)
    with wg.autocast("cpu"):
        grad = wg.func.grad(lambda a: (a @ a).float().sum())(x)
        value, tangent = wg.func.jvp(lambda a: a @ a, (x,), (x,))
    assert (grad.dtype, grad.tolist()) == (wg.float32, [[4.0, 4.0], [4.0, 4.0]])
    assert (value.dtype, tangent.dtype) == (wg.bfloat16, wg.bfloat16)


def test_a_profile_shows_the_cast_beside_the_operation():
    x = wg.ones(2, 2)
    with wg.autocast("cpu"), wg.autograd.profiler.profile() as profile:
        x @ x
    names = [event.name for event in profile.function_events]
    assert "aten::matmul" in names or "aten::mm" in names
    assert any("to" in name for name in names)


def test_each_thread_has_its_own_settings():
    found, inside, leave = [], threading.Event(), threading.Event()

    def work():
        with wg.autocast("cpu", dtype=wg.float16):
            inside.set()
            leave.wait(10)
            found.append((wg.ones(1, 1) @ wg.ones(1, 1)).dtype)

    thread = threading.Thread(target=work)
    thread.start()
    inside.wait(10)
    assert (wg.ones(1, 1) @ wg.ones(1, 1)).dtype is wg.float32
    assert F.mse_loss(wg.ones(1).half(), wg.ones(1).half()).dtype is wg.float16
    leave.set()
    thread.join()
    assert found == [wg.float16]


def test_a_thread_that_ends_inside_of_autocast():
    def work():
        wg.autocast("cpu").__enter__()
        wg.ones(1, 1) @ wg.ones(1, 1)

    for _ in range(3):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert (wg.ones(1, 1) @ wg.ones(1, 1)).dtype is wg.float32
    assert F.mse_loss(wg.ones(1).half(), wg.ones(1).half()).dtype is wg.float16


def test_an_op_of_a_plugin_is_left_alone():
    from wengert_core.optable.op_table import OpTable

    op = OpTable("acme").array("amp_probe(Tensor self) -> Tensor", reference=lambda xp, x: x * 2)
    with wg.autocast("cpu"):
        assert op(wg.ones(2)).dtype is wg.float32


def test_a_device_type_without_devices_may_be_named():
    with wg.autocast("xla"):
        assert wg.is_autocast_enabled("xla")
        assert (wg.ones(1, 1) @ wg.ones(1, 1)).dtype is wg.float32
    assert not wg.is_autocast_enabled("xla")


def test_a_scaler_refuses_what_is_neither_number_nor_tensor():
    scaler = wg.amp.GradScaler("cpu")
    scaler.scale(wg.ones(1))
    with pytest.raises(TypeError, match="'new_scale' must be a float or a Tensor, not str"):
        scaler.update("x")


def test_cuda_is_disabled_where_there_is_none():
    if wg.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.warns(UserWarning, match="CUDA is not available"), wg.autocast("cuda"):
        assert not wg.is_autocast_enabled("cuda")
    with pytest.warns(UserWarning, match="CUDA is not available"):
        assert not wg.amp.GradScaler().is_enabled()
