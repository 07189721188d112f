"""Layouts: what core does with a tensor that consists of others, seen with a plugin as a stranger would write it."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import wengert_core as wc
from wengert_core.extend import LayoutPlugin, components_of, is_strided, layout, layout_plugin
from wengert_registry import registry

DIAGONAL = layout("diagonal")


class Diagonals(LayoutPlugin):
    """Diagonal matrices, of which the diagonal is stored."""

    layouts = ("diagonal",)

    def make(self, values: Any) -> Any:
        n = len(values)
        return self.tensor(DIAGONAL, (n, n), values.dtype, values.detach(), like=values)

    def describe(self, tensor: Any, notes: Any) -> str:
        return f"diagonal({', '.join([str(components_of(tensor).tolist()), *notes])})"

    def clone(self, tensor: Any) -> Any:
        return self.make(components_of(tensor).clone())

    def zeros(self, kind: Any, shape: Any, dtype: Any, device: Any) -> Any:
        return self.make(wc.zeros(shape[0], dtype=dtype, device=device))

    def elements(self, tensor: Any) -> Any:
        return components_of(tensor)

    def reduce(self, tensor: Any) -> Any:
        return diagonal, (components_of(tensor),)


PLUGIN = Diagonals()


def diagonal(values: Any) -> Any:
    return PLUGIN.make(values if isinstance(values, wc.Tensor) else wc.tensor(values))


def on_values(function: Any) -> Any:
    return lambda *args: diagonal(function(*[value_of(x) for x in args]))


def value_of(x: Any) -> Any:
    return components_of(x) if isinstance(x, wc.Tensor) and not is_strided(x) else x


Diagonals.kernels = {
    "mul": on_values(wc.mul), "neg": on_values(wc.neg), "mv": lambda a, v: components_of(a) * v, "exp": lambda a: [3],
    "sin": lambda a: a, "cos": lambda a: NotImplemented, "sum": lambda a, *rest: components_of(a).sum(),
}  # fmt: skip


@pytest.fixture(autouse=True)
def plugin() -> Any:
    with registry.register("layouts", "diagonal", PLUGIN, owner="test_layouts"):
        yield


@pytest.fixture
def x() -> Any:
    return diagonal([1.0, 2.0])


def test_what_it_looks_like(x: Any) -> None:
    assert x.layout is DIAGONAL
    assert repr(x.layout) == "torch.diagonal"
    assert wc.ones(1).layout is wc.strided
    assert (tuple(x.shape), x.dtype, x.ndim, x.numel(), str(x.device)) == ((2, 2), wc.float32, 2, 4, "cpu")
    assert repr(x) == "diagonal([1.0, 2.0])"
    assert not x.is_contiguous()
    assert not x.is_sparse
    assert not x.is_cuda
    assert x.is_cpu
    assert x.get_device() == -1
    assert x.to("cpu") is x
    assert layout("diagonal") is DIAGONAL
    assert pickle.loads(pickle.dumps(DIAGONAL)) is DIAGONAL


def test_kernels_compute(x: Any) -> None:
    assert components_of(x * 3).tolist() == [3.0, 6.0]
    assert components_of(x * x).tolist() == [1.0, 4.0]
    assert wc.mv(x, wc.ones(2)).tolist() == [1.0, 2.0]
    assert x.sum().item() == 3.0


def test_writes_replace_the_components_and_raise_the_version(x: Any) -> None:
    alias, version = x.detach(), x._version
    assert x.mul_(2) is x
    assert components_of(x).tolist() == [2.0, 4.0]
    assert components_of(alias).tolist() == [1.0, 2.0]
    assert x._version == alias._version == version + 1


def test_what_has_no_kernel_is_refused(x: Any) -> None:
    with pytest.raises(NotImplementedError, match=r"'aten::tanh' with arguments of layout torch\.diagonal"):
        x.tanh()
    with pytest.raises(NotImplementedError, match="aten::cos"):
        x.cos()
    with pytest.raises(NotImplementedError, match=r"layout torch\.diagonal, torch\.strided"):
        x + wc.ones(2, 2)


def test_a_kernel_that_returns_something_else(x: Any) -> None:
    with pytest.raises(RuntimeError, match="layout plugin returned an object of type list, expected a Tensor"):
        x.exp()


def test_a_kernel_that_returns_its_argument(x: Any) -> None:
    assert x.sin() is not x


@pytest.mark.parametrize("read", [
    lambda x: x.data_ptr(), lambda x: x.untyped_storage().data_ptr(), lambda x: x.tolist(), lambda x: x.numpy(),
    lambda x: np.asarray(x), lambda x: np.from_dlpack(x), lambda x: wc.from_dlpack(x), lambda x: x.__array_interface__,
    lambda x: x.as_strided((2,), (1,)), lambda x: x.view(4), lambda x: x.reshape(4), lambda x: x.contiguous(),
    lambda x: x[0, 0], lambda x: x.set_(wc.ones(2)), lambda x: x.resize_(3), lambda x: x.copy_(wc.ones(2, 2)),
    lambda x: wc.ones(2, 2).copy_(x), lambda x: x.fill_(1), lambda x: x.zero_(), lambda x: wc.zeros_like(x),
    lambda x: x.clone(), lambda x: x.pin_memory(), lambda x: x.double(), lambda x: wc.cat([x, x]),
    lambda x: wc.stack([wc.ones(2, 2), x]), lambda x: x.unbind(0),
    lambda x: wc.mul(wc.ones(2, 2), wc.ones(2, 2), out=x), lambda x: wc.mul(x, x, out=wc.ones(2, 2)),
    lambda x: x.normal_(), lambda x: wc.where(x > 0, x, x), lambda x: x.nonzero(), lambda x: x.view(wc.int32),
    lambda x: wc.as_tensor(x, dtype=wc.float64), lambda x: x.new_tensor([1.0]), lambda x: wc.addmm(x, x, x),
])  # fmt: skip
def test_nothing_reads_memory_that_is_not_there(x: Any, read: Any) -> None:
    with pytest.raises((RuntimeError, TypeError, BufferError, NotImplementedError, AttributeError)):
        read(x)
    assert components_of(x).tolist() == [1.0, 2.0]


def test_sizes_that_overflow_are_refused() -> None:
    with pytest.raises(RuntimeError, match="numel: integer multiplication overflow"):
        PLUGIN.tensor(DIAGONAL, (1 << 40, 1 << 40), wc.float32, None, like=wc.ones(1))


def test_no_memory_of_the_dense_size_is_asked_for() -> None:
    big = PLUGIN.tensor(DIAGONAL, (1 << 30, 1 << 30), wc.float32, wc.ones(1), like=wc.ones(1))
    for read in (big.tolist, big.numpy, lambda: big[0, 0], lambda: big.float().tolist()):
        with pytest.raises((RuntimeError, TypeError, MemoryError, NotImplementedError)):
            read()


def test_copies_and_pickles(x: Any) -> None:
    for y in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert y.layout is DIAGONAL
        y.mul_(2)
        assert components_of(x).tolist() == [1.0, 2.0]
    shallow = copy.copy(x)
    assert components_of(shallow) is components_of(x)
    both = copy.deepcopy([x, x.detach()])
    both[0].mul_(5)
    assert components_of(both[1]).tolist() == [1.0, 2.0]


def test_components_are_of_tensors_of_other_layouts_only(x: Any) -> None:
    with pytest.raises(TypeError, match="got a strided one"):
        components_of(wc.ones(2))
    with pytest.raises(TypeError, match="expected a tensor of another layout"):
        PLUGIN.replace(wc.ones(2), wc.ones(1))


def test_factories_ask_the_plugin() -> None:
    with pytest.raises(NotImplementedError, match="aten::zeros"):
        wc.zeros(2, 2, layout=DIAGONAL)
    with pytest.raises(NotImplementedError, match=r"zeros: layout torch\.nowhere is not supported: no inst"):
        wc.zeros(2, 2, layout=layout("nowhere"))


class Lacking(LayoutPlugin):
    layouts = ("lacking",)


@pytest.mark.parametrize(("name", "value", "error", "words"), [
    ("diagonal2", Diagonals, ValueError, "its entry point is 'diagonal2'"),
    ("strided", Diagonals, ValueError, "is wengert's own"),
    ("diagonal", 3, TypeError, "expected a class derived from"),
    ("lacking", Lacking, TypeError, "Lacking lacks describe, clone, zeros, elements, reduce"),
])  # fmt: skip
def test_plugins_that_are_refused(name: str, value: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        registry.register("layouts", name, value, owner="refused")


def test_two_plugins_of_one_layout_keep_their_tensors_apart(x: Any) -> None:
    class Others(Diagonals):
        kernels = {"mul": lambda a, b: other.make(wc.zeros(2))}  # noqa: RUF012 - as the interface has it

    other = Others()
    y = other.make(wc.tensor([5.0, 6.0]))
    assert components_of(y * 3).tolist() == [0.0, 0.0]
    assert components_of(x * 3).tolist() == [3.0, 6.0]
    with registry.register("layouts", "second", type("Second", (Diagonals,), {"layouts": ("second",)}), owner="test"):
        assert layout_plugin("second") is layout_plugin("second")
    with pytest.raises(NotImplementedError, match=r"torch\.second is not supported"):
        layout_plugin("second")


def test_many_are_freed() -> None:
    import weakref

    alive = []
    for _ in range(50):
        t = diagonal(np_values := wc.ones(3))
        alive.append(weakref.ref(t))
        del t, np_values
    assert all(each() is None for each in alive)
