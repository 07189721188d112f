"""The names that the text of a call may use: tensors of every kind, instances of the other classes."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import wengert
import wengert_core
import wengert_engine
import wengert_functional
import wengert_profiler
import wengert_replay
from wengert import Tensor
from wengert_core.dispatch.op import find
from wengert_core.tensors.tensor import Storage  # noqa: F401 - texts name it
from wengert_registry import registry
from wengert_testing.calls import map_arrays
from wengert_testing.samples import CASES
from wengert_testing.sim import SimDevice

from tools.hostile import objects
from tools.hostile.objects import (
    Acts,
    Attributes,
    Float,
    Hinting,
    Index,
    LongList,
    LongTuple,
    LyingList,
    LyingTuple,
    Number,
    OddError,
    Raises,
    Sequence,
    Sub,
    Text,
    Truth,
    itself,
    nested_lists,
)

registry.group("devices").register("sim", SimDevice)
nan, inf = float("nan"), float("inf")


def T(*shape: int, dtype: str = "float32", grad: bool = False) -> Tensor:
    """A tensor of small numbers, none of them 0."""
    n = int(np.prod(shape, dtype=np.int64))
    found = wengert.tensor((np.arange(n) % 7 + 1).astype(np.float64)).reshape(shape).to(getattr(wengert, dtype))
    return found.requires_grad_() if grad else found


def strided_tensor(*shape: int, dtype: str = "float32") -> Tensor:
    """Dims in reverse order in memory, with gaps."""
    return T(*(2 * n for n in reversed(shape)), dtype=dtype)[tuple([slice(None, None, 2)] * len(shape))].permute(
        tuple(reversed(range(len(shape))))
    )


def leaf(*shape: int) -> Tensor:
    """A tensor that requires a gradient."""
    return T(*shape, grad=True)


def grad(*shape: int) -> Tensor:
    """A recorded tensor that is no leaf."""
    return T(*shape, grad=True) * 1.5


def view_of_leaf(*shape: int) -> Tensor:
    """A view of a tensor that requires a gradient."""
    return T(3, *shape, grad=True)[1]


def deep(n: int = 64) -> Tensor:
    """As many dims as there may be."""
    return T(*([1] * n))


def overlapping(*shape: int) -> Tensor:
    """Elements that share memory."""
    return T(64).as_strided(shape, [1] * len(shape))


def of(*numbers: Any, dtype: str = "int64") -> Tensor:
    """A tensor of the numbers."""
    return wengert.tensor(list(numbers), dtype=getattr(wengert, dtype))


def inference(*shape: int) -> Tensor:
    """An inference tensor."""
    with wengert.inference_mode():
        return T(*shape)


def dual(*shape: int) -> Tensor:
    """A tensor with a tangent; the level ends when the call has ended."""
    forward = wengert.autograd.forward_ad
    if objects_state["levels"] == 0:
        forward.enter_dual_level()
        objects_state["levels"] = 1
    return forward.make_dual(T(*shape), T(*shape))


objects_state = {"levels": 0}


def leaked_batch(*shape: int) -> Tensor:
    """A batched tensor whose vmap has ended."""
    kept: list[Tensor] = []

    def keep(x: Tensor) -> Tensor:
        kept.append(x)
        return x

    wengert.vmap(keep)(T(2, *shape))
    return kept[0]


def sim(*shape: int, dtype: str = "float32") -> Tensor:
    """A tensor of the simulated device."""
    return T(*shape, dtype=dtype).to("sim")


def readonly(*shape: int) -> Tensor:
    """Memory that NumPy says may not be written to."""
    array = np.ones(shape, np.float32)
    array.flags.writeable = False
    with np.errstate(all="ignore"):
        return wengert.from_numpy(array)


def emptied_view(*shape: int) -> Tensor:
    """A view whose base has given its memory away."""
    base = T(*shape)
    view = base[...]
    base.resize_(0)
    base.set_()
    return view


def half(kind: Any) -> Any:
    """An object that nobody has initialized."""
    return kind.__new__(kind)


def freed_graph_tensor(*shape: int) -> Tensor:
    """A recorded tensor whose graph has been used."""
    x = grad(*shape)
    y = (x * x).sum()
    y.backward()
    return y


def arg(op: str, i: int, j: Any, row: int = 0) -> Any:
    """An argument of a row of the sample table: number or name ``j`` of its i-th sample."""
    case = [case for case in CASES if case.op == op][row]
    sample = list(case.samples("float32"))[i]
    return map_arrays(sample.kwargs[j] if isinstance(j, str) else sample.args[j], wengert.tensor)


def node() -> Any:
    """A node of a graph."""
    with wengert.inference_mode(False), wengert.enable_grad():
        return (grad(2, 3) * T(2, 3)).grad_fn


def saved_tensor() -> Any:
    """A saved tensor of a node."""
    with wengert.inference_mode(False), wengert.enable_grad():
        return (grad(2, 3) * grad(2, 3)).grad_fn._raw_saved_self


def array_of(items: list[Any]) -> Any:
    """An array of the objects themselves: NumPy would read sequences of any length."""
    found = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        found[i] = item
    return found


def transposed_view(value: Any) -> Any:
    """A transposed view of a tensor; anything else as it is."""
    return value.T if isinstance(value, Tensor) else value


def instance(name: str) -> Any:
    """An object of a class that is not made by calling it."""
    return MADE[name]()


MADE: dict[str, Callable[[], Any]] = {
    "Tensor": lambda: T(2, 3),
    "Storage": lambda: T(2, 3).numpy().base,
    "UntypedStorage": lambda: T(2, 3).untyped_storage(),
    "TypedStorage": lambda: wengert.FloatStorage(3),
    "Node": node,
    "FunctionNode": lambda: Square.apply(leaf(2, 3)).grad_fn,
    "SavedTensor": saved_tensor,
    "Generator": lambda: wengert.Generator(),
    "dtype": lambda: wengert.float32,
    "device": lambda: wengert.device("cpu"),
    "layout": lambda: wengert.strided,
    "memory_format": lambda: wengert.channels_last,
    "Size": lambda: wengert.Size([2, 3]),
    "Op": lambda: find("add"),
    "Composite": lambda: wengert_core.TABLE.ops["tile"],
    "finfo": lambda: wengert.finfo(wengert.float32),
    "iinfo": lambda: wengert.iinfo(wengert.int32),
    "GradientEdge": lambda: wengert.autograd.graph.get_gradient_edge(grad(2)),
    "Drawing": lambda: wengert.autograd.graph.draw(grad(2)),
    "RemovableHandle": lambda: grad(2).register_hook(lambda g: g),
    "EventList": lambda: finished_profile().function_events,
    "FunctionEvent": lambda: finished_profile().function_events[0],
    "profile": lambda: finished_profile(),
    "FunctionCtx": lambda: wengert.autograd.function.FunctionCtx(),
}


def finished_profile() -> Any:
    """A profile that has ended."""
    with wengert.autograd.profiler.profile() as found:
        grad(2).sum().backward()
    return found


class Square(wengert.autograd.Function):
    """A Function."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        """Square."""
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """Twice x."""
        return grad * 2 * ctx.saved_tensors[0]


def after(result: Any) -> Any:
    """Use a result: print it, and run a backward where it is recorded."""
    for found in result if isinstance(result, (tuple, list)) else (result,):
        repr(found)
        if isinstance(found, Tensor) and found.requires_grad:
            found.sum().backward()
    return result


def items(value: Any) -> list[Any]:
    """Return the items that iterating gives; list() believes a length that is a lie."""
    found = []
    for item in value:
        found.append(item)
    return found


def pickle_round_trip(value: object) -> object:
    """A value after a pickle: where that finds no memory, Python says so without a message."""
    return pickle.loads(pickle.dumps(value))


def inside(context: Any, call: Any) -> Any:
    """Return the result of a call inside of a context."""
    with context:
        return call()


def namespace() -> dict[str, Any]:
    """A fresh copy of the names, with all packages that are there; those that arguments may take are tensors."""
    packages = {name: module for name, module in sys.modules.items() if name.startswith("wengert") and "." not in name}
    return {**packages, **globals(), **{name: T(2, 3) for name in "abcdefgh"}}


__all__ = [
    "Acts",
    "Attributes",
    "Float",
    "Hinting",
    "Index",
    "LongList",
    "LongTuple",
    "LyingList",
    "LyingTuple",
    "Number",
    "OddError",
    "Raises",
    "Sequence",
    "Sub",
    "Text",
    "Truth",
    "copy",
    "gc",
    "itself",
    "namespace",
    "nested_lists",
    "np",
    "objects",
    "pickle",
    "wengert_engine",
    "wengert_functional",
    "wengert_profiler",
    "wengert_replay",
]  # fmt: skip
