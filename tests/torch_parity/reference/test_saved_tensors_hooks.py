"""saved_tensors_hooks, save_on_cpu, disable_saved_tensors_hooks."""

import gc
import tempfile
import weakref
from pathlib import Path

import numpy as np
import pytest
import wengert as torch
from wengert.autograd import Function, graph


def leaf(*values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def same(x):
    return x


@pytest.mark.host("its text names the device")
def test_the_example_of_the_reference(capsys):
    def pack_hook(x):
        print("Packing", x)
        return x

    def unpack_hook(x):
        print("Unpacking", x)
        return x

    a = torch.ones(5, requires_grad=True)
    b = torch.ones(5, requires_grad=True) * 2
    with torch.autograd.graph.saved_tensors_hooks(pack_hook, unpack_hook):
        y = a * b
    packed = ["Packing tensor([2., 2., 2., 2., 2.], grad_fn=<MulBackward0>)",     # PyTorch 2.13's order, too;
              "Packing tensor([1., 1., 1., 1., 1.], requires_grad=True)"]         # the reference shows the other one
    assert capsys.readouterr().out.splitlines() == packed
    y.sum().backward()
    assert capsys.readouterr().out.splitlines() == [line.replace("Packing", "Unpacking") for line in packed]


def test_a_saved_result_is_packed_with_its_history():
    seen = []
    with graph.saved_tensors_hooks(lambda t: (seen.append(t.grad_fn), t.detach())[1], same):
        y = leaf().exp()
    assert seen.pop() is y.grad_fn
    assert y.grad_fn._saved_result.grad_fn is y.grad_fn         # reconnected when it is read


@pytest.mark.host("NumPy and files of it on memory of the host")
def test_packed_value_may_be_anything():
    x = leaf()
    with graph.saved_tensors_hooks(lambda t: t.detach().numpy().copy(), torch.from_numpy):
        y = (x * x).sum()
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_double_backward_keeps_the_history_of_saved_inputs():
    x = leaf(2.0)
    with graph.saved_tensors_hooks(same, same):
        y = x**3
    (slope,) = torch.autograd.grad(y, x, create_graph=True)
    assert torch.autograd.grad(slope, x)[0].item() == 12.0


def test_history_is_put_back_when_the_hook_loses_it():
    x = leaf(2.0)
    with graph.saved_tensors_hooks(lambda t: t.detach().clone(), same):
        y = x**2
    (slope,) = torch.autograd.grad(y, x, create_graph=True)
    assert torch.autograd.grad(slope, x)[0].item() == 2.0


def test_unpack_runs_each_time_and_after_the_context():
    count = []
    x = leaf()
    with graph.saved_tensors_hooks(same, lambda t: (count.append(1), t)[1]):
        y = x.exp()
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert len(count) == 2
    assert x.exp().grad_fn._saved_result is not None
    assert len(count) == 2


def test_only_the_inner_pair_is_applied():
    seen = []

    def pair(name):
        return graph.saved_tensors_hooks(lambda t: (seen.append("pack " + name), t)[1],
                                         lambda t: (seen.append("unpack " + name), t)[1])

    x = leaf()
    with pair("outer"):
        with pair("inner"):
            y = x.exp()
        z = y.exp()
    z.sum().backward()
    assert seen == ["pack inner", "pack outer", "unpack outer", "unpack inner"]


def test_save_for_backward_is_packed_too():
    seen = []

    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            assert ctx.saved_tensors[0].tolist() == [10.0, 20.0]
            return g * 2

    x = leaf()
    with graph.saved_tensors_hooks(lambda t: (seen.append("pack"), t.detach() * 10)[1], same):
        y = Double.apply(x)
    y.sum().backward()
    assert seen == ["pack"]


def test_packing_runs_without_hooks_and_without_grad():
    x = leaf()
    with graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t / 2):
        y = x * x
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_hooks_that_raise():
    def fail(value):
        raise KeyError("own")

    x = leaf()
    with graph.saved_tensors_hooks(fail, same), pytest.raises(KeyError, match="own"):
        x.exp()
    with graph.saved_tensors_hooks(same, fail):
        y = x.exp().sum()
    with pytest.raises(KeyError, match="own"):
        y.backward()
    assert x.grad is None
    x.exp().sum().backward()
    assert x.grad is not None


def test_unpack_must_return_a_tensor():
    x = leaf()
    with graph.saved_tensors_hooks(same, lambda t: 3):
        y = x.exp().sum()
    with pytest.raises(TypeError, match="Output of saved tensor unpack_hook expected to be a Tensor but got result of "
                                        "type int"):
        y.backward()


def test_pack_hook_may_not_change_its_input():
    x = leaf() * 1
    with graph.saved_tensors_hooks(lambda t: t.add_(1), same), pytest.raises(
            RuntimeError, match=r"A saved tensor pack hook is modifying its input in place. Tensors provided as input "
                                r"to pack hook cannot be modified by in-place operations as this can lead to "
                                r"unexpected side-effects. Please open an issue if you need to perform in-place "
                                r"operations on the input to a pack hook."):
        x.pow(2)


def test_change_after_packing_is_not_checked():
    x = leaf() * 1
    with graph.saved_tensors_hooks(lambda t: t.detach().clone(), same):
        y = (x * x).sum()
    x.add_(1)
    y.backward()


@pytest.mark.host("NumPy and files of it on memory of the host")
def test_files_are_removed_in_time(tmp_path):
    class File:
        def __init__(self, tensor):
            self.name = Path(tempfile.mkstemp(dir=tmp_path, suffix=".npy")[1])
            np.save(self.name, tensor.detach().numpy())

        def __del__(self):
            self.name.unlink()

    x = leaf()
    with graph.saved_tensors_hooks(File, lambda f: torch.from_numpy(np.load(f.name))):
        y = (x * x).exp().sum()
    assert len([*tmp_path.iterdir()]) == 3
    y.backward()
    assert [*tmp_path.iterdir()] == []
    assert torch.allclose(x.grad, (x * x).exp() * 2 * x)


def test_packed_values_die_with_the_graph():
    class Pack:
        def __init__(self, tensor):
            self.tensor = tensor.detach()

    seen = []
    with graph.saved_tensors_hooks(lambda t: (p := Pack(t), seen.append(weakref.ref(p)))[0], lambda p: p.tensor):
        y = leaf().exp()
    assert seen[0]() is not None
    del y
    gc.collect()
    assert seen[0]() is None


def test_exit_after_an_exception():
    seen = []

    def fail():
        with graph.saved_tensors_hooks(lambda t: (seen.append(2), t)[1], same):
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    leaf().exp()
    assert seen == []


# ---- save_on_cpu

@pytest.mark.parametrize("options", [{}, {"pin_memory": False}], ids=str)
def test_save_on_cpu(options):
    a, b, c = (torch.randn(5, requires_grad=True) for _ in range(3))

    def f(a, b, c):
        prod_1 = a * b
        with torch.autograd.graph.save_on_cpu(**options):
            prod_2 = prod_1 * c
        return prod_2 * a

    wanted = torch.autograd.grad(f(a, b, c).sum(), [a, b, c])
    y = f(a, b, c)
    y.sum().backward()
    assert torch.allclose(a.grad, 2 * a * b * c)
    for tensor, gradient in zip((a, b, c), wanted, strict=True):
        assert torch.equal(tensor.grad, gradient)


def test_save_on_cpu_is_a_pair_of_hooks():
    assert issubclass(graph.save_on_cpu, graph.saved_tensors_hooks)


# ---- disable_saved_tensors_hooks

def test_the_example_of_disabled_hooks():
    message = "saved tensors default hooks are disabled"
    with (torch.autograd.graph.disable_saved_tensors_hooks(message), pytest.raises(RuntimeError, match=message),
          torch.autograd.graph.save_on_cpu()):
        pass


def test_disabled_is_nested_and_restored():
    with graph.disable_saved_tensors_hooks("outer"):
        with (graph.disable_saved_tensors_hooks("inner"), pytest.raises(RuntimeError, match="inner"),
              graph.saved_tensors_hooks(same, same)):
            pass
        with pytest.raises(RuntimeError, match="outer"), graph.saved_tensors_hooks(same, same):
            pass
    with graph.saved_tensors_hooks(same, same):
        leaf().exp()


def test_disabling_inside_hooks_is_refused():
    with (graph.saved_tensors_hooks(same, same), pytest.raises(RuntimeError, match="message"),
          graph.disable_saved_tensors_hooks("message")):
        pass


def test_disabled_as_decorator():
    @graph.disable_saved_tensors_hooks("message")
    def run():
        with graph.save_on_cpu():
            pass

    with pytest.raises(RuntimeError, match="message"):
        run()
