"""Arrays of the simulated device, and the namespace of functions on them: NumPy's, which they hide.

As with CuPy's, an array of the host among the arguments is an error, and so is taking one of the device for the host's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from wengert_testing.sim.capture import BY_VALUE, Node, refusal
from wengert_testing.sim.order import WORLD, Block, Stamp

WRITERS = {"copyto", "put", "put_along_axis", "place", "putmask", "fill_diagonal", "at"}
WRITING_METHODS = {"sort", "fill", "partition", "put", "itemset", "resize", "byteswap"}
UNARY = ("neg", "pos", "abs", "invert")
BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift")
COMPARISONS = ("lt", "le", "eq", "ne", "gt", "ge")


class SimArray:
    """An array in the memory of the simulated device."""

    __slots__ = ("__weakref__", "_block", "_data", "_owner", "_place")
    __array_ufunc__ = None  # NumPy's functions do not take it
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, data: Any, block: Block, device_state: Any, owner: Any = None) -> None:
        # owner: keeps the memory alive
        self._data, self._block, self._place, self._owner = data, block, device_state, owner

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed: the array is in the memory of the device "
                        f"{self._place.device}. Use .get()")  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._data, name)
        if callable(found):
            return Function(f"ndarray.{name}", getattr(np.ndarray, name), name in WRITING_METHODS, self)
        return self._place.wrap_result(found, [self]) if isinstance(found, np.ndarray) else found

    def __setattr__(self, name: str, value: Any) -> None:
        if name in SimArray.__slots__:
            object.__setattr__(self, name, value)
        elif name in ("real", "imag"):
            getattr(self, name)[...] = value
        else:
            raise AttributeError(f"'{name}' of a device's array cannot be set")

    def __getitem__(self, index: Any) -> Any:
        return run("getitem", lambda data, i: data[i], (self, index), {})

    def __setitem__(self, index: Any, value: Any) -> None:
        def write(data: Any, i: Any, v: Any) -> None:
            data[i] = v

        run("setitem", write, (self, index, value), {}, writes=True)

    def __len__(self) -> int:
        return len(self._data)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self._data)))

    def get(self) -> Any:
        """The elements, as an array of the host; waits for the stream."""
        self._place.plugin.require_no_capture([self._place.stream()], "to read elements")
        stamp = self._place.stream().launch("a copy to the host")
        data = read_contents(self, stamp).copy()
        stamp.stream.synchronize()
        return data

    def item(self, *args: Any) -> Any:
        """An element as a Python number; waits for the stream."""
        return self.get().item(*args)

    def tolist(self) -> Any:
        """Nested lists of Python numbers; waits for the stream."""
        return self.get().tolist()

    def __bool__(self) -> bool:
        return bool(self.get())

    def __int__(self) -> int:
        return int(self.get())

    def __index__(self) -> int:
        return int(self.get().__index__())

    def __float__(self) -> float:
        return float(self.get())

    def __complex__(self) -> complex:
        return complex(self.get())

    def __repr__(self) -> str:
        return f"<array of {self._place.device}: {self._data.dtype}{list(self._data.shape)}>"


def _operator(name: str) -> Callable[..., Any]:
    special = f"__{name}__"

    def operator(self: SimArray, *others: Any) -> Any:
        if any(isinstance(other, np.ndarray) for other in others):
            raise host_array(name)
        writes = name.startswith("i") and name != "invert"
        return run(special, getattr(np.ndarray, special), (self, *others), {}, writes)

    return operator


for _name in (*UNARY, *BINARY, *COMPARISONS, *(f"r{n}" for n in BINARY), *(f"i{n}" for n in BINARY)):
    setattr(SimArray, f"__{_name}__", _operator(_name))


def host_array(what: str) -> TypeError:
    """The error for an array of the host among the arguments."""
    return TypeError(f"{what}: Unsupported type <class 'numpy.ndarray'>: an array of the host where one of the "
                     "device is needed")  # fmt: skip


def read_contents(array: SimArray, stamp: Stamp) -> Any:
    """What a read finds: the contents, or what was there before."""
    if array._block.read_by(stamp) and array._block.before is not None:
        start = array._block.after
        offset = array._data.__array_interface__["data"][0] - start
        return np.ndarray(array._data.shape, array._data.dtype, array._block.before, offset, array._data.strides)
    return array._data


class Function:
    """A function of NumPy's on arrays of the device."""

    def __init__(self, name: str, function: Any, writes: bool = False, bound: SimArray | None = None) -> None:
        self.name, self.function, self.writes, self.bound = name, function, writes, bound

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.bound is not None:
            args = (self.bound, *args)
        return run(self.name, self.function, args, kwargs, self.writes)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.function, name)
        return Function(f"{self.name}.{name}", found, name in WRITERS) if callable(found) else found


def run(name: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], writes: bool = False) -> Any:
    """Queue a function on the current stream of its arrays' device. writes: into its first argument."""
    arrays: list[SimArray] = []
    collect(args, arrays, name)
    collect(list(kwargs.values()), arrays, name)
    if not arrays:
        return make_array(name, function, args, kwargs)
    device_state = arrays[0]._place
    if any(array._place is not device_state for array in arrays):
        raise ValueError(f"{name}: arrays of several devices: {sorted({str(array._place.device) for array in arrays})}")
    stamp = device_state.stream().launch(name)
    targets = [arrays[0]] if writes else []
    if isinstance(kwargs.get("out"), SimArray):
        targets.append(kwargs["out"])
    if stamp.stream.capture is not None:
        return note(device_state, name, Call(function, args, kwargs), arrays, targets)
    for target in targets:
        keep(target, stamp)
    unwrapped = {id(a): a._data if any(a is t for t in targets) else read_contents(a, stamp) for a in arrays}
    for target in targets:
        target._block.write_by(stamp)
    given = {key: strip(value, unwrapped) for key, value in kwargs.items()}
    result = quietly(function, strip(args, unwrapped), given)
    if targets and isinstance(result, np.ndarray) and any(result is t._data for t in targets):
        return targets[-1]
    return device_state.wrap_result(result, arrays, stamp)


class Call(NamedTuple):
    """A call of a function of NumPy's."""

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def make_array(name: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a function without arrays among its arguments."""
    state = current_device_state()
    if state.stream().capture is not None:
        return note(state, name, Call(function, args, kwargs), [], [])
    return state.wrap_result(quietly(function, args, kwargs), [])


def note(state: Any, name: str, call: Call, arrays: list[SimArray], targets: list[SimArray]) -> Any:
    """Note a call for a graph; gives its result."""
    capture, function = state.stream().capture, call.function
    by_mask = name == "getitem" and any(one._data.dtype == bool for one in arrays[1:])
    if by_mask or name in BY_VALUE:
        raise refusal(f"{name}, whose result depends on elements")
    unwrapped = {id(one): one._data for one in arrays}
    args = strip(call.args, unwrapped)
    kwargs = {key: strip(value, unwrapped) for key, value in call.kwargs.items()}
    for target in targets:
        capture.keep(target._data, target._block)
    found = quietly(function, args, kwargs)
    if targets and isinstance(found, np.ndarray) and any(found is one._data for one in targets):
        result: Any = targets[-1]
    else:
        result = state.wrap_result(found, arrays)
    own = [one for one in results_of(result) if all(one._block is not other._block for other in arrays)]
    if not own and not targets:
        return result  # a view, which needs no work
    kept = [one._data for one in results_of(result)]

    def work() -> None:
        again = quietly(function, args, kwargs)  # not of call, which keeps arguments alive
        for data, value in zip(kept, flat_results(again), strict=True):
            if data is not value and not np.may_share_memory(data, value):
                data[...] = value

    writes = [*targets, *own]
    capture.nodes.append(Node(name, [one._block for one in arrays], [one._block for one in writes], work))
    return result


def results_of(value: Any) -> list[SimArray]:
    """The device's arrays in a result."""
    if isinstance(value, SimArray):
        return [value]
    return [array for part in value for array in results_of(part)] if isinstance(value, (tuple, list)) else []


def flat_results(value: Any) -> list[Any]:
    """NumPy's arrays and numbers in a result."""
    if isinstance(value, (np.ndarray, np.generic)):
        return [value]
    return [array for part in value for array in flat_results(part)] if isinstance(value, (tuple, list)) else []


def quietly(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of NumPy's function without its warnings of overflows and the like: a device gives none."""
    with np.errstate(all="ignore"):
        return function(*args, **kwargs)


def keep(target: SimArray, stamp: Stamp) -> None:
    """With races("stale"): remember what a write overwrites."""
    if WORLD.mode == "stale":
        root = target._data
        while isinstance(root.base, np.ndarray):
            root = root.base
        target._block.before, target._block.after = root.tobytes(), root.__array_interface__["data"][0]


def collect(value: Any, found: list[SimArray], name: str) -> None:
    """The device's arrays in an argument; TypeError for one of the host."""
    if isinstance(value, SimArray):
        found.append(value)
    elif isinstance(value, np.ndarray):
        raise host_array(name)
    elif isinstance(value, (tuple, list)):
        for item in value:
            collect(item, found, name)


def strip(value: Any, unwrapped: dict[int, Any]) -> Any:
    """An argument with the hidden arrays in place of the device's."""
    if isinstance(value, SimArray):
        return unwrapped[id(value)]
    if type(value) in (tuple, list):
        return type(value)(strip(item, unwrapped) for item in value)
    return value


CURRENT: Callable[[], Any]


def current_device_state() -> Any:
    """The device that functions without arrays among their arguments make theirs on."""
    return CURRENT()


def set_current(function: Callable[[], Any]) -> None:
    """Say which device is the current one."""
    global CURRENT
    CURRENT = function


class SimNamespace:
    """NumPy's functions, for arrays of the device."""

    def __init__(self, module: Any = np) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._module, name)
        if type(found) is type(np):
            return SimNamespace(found)
        if name in ("asarray", "array", "ascontiguousarray"):
            return copy_array if name == "array" else from_host
        if isinstance(found, type) or not callable(found):
            return found
        return Function(name, found, name in WRITERS)


def copy_array(value: Any, dtype: Any = None, copy: Any = True, order: Any = None, ndmin: int = 0) -> Any:
    """array: asarray that copies."""
    return from_host(value, dtype, copy, order, ndmin)


def from_host(value: Any, dtype: Any = None, copy: Any = None, order: Any = None, ndmin: int = 0) -> Any:
    """asarray: an array of the device as it is; what is the host's is copied there, on purpose."""
    if isinstance(value, SimArray):
        changed = value if dtype is None else value.astype(dtype, copy=False)
        return changed.copy() if copy else changed
    arrays: list[SimArray] = []
    if isinstance(value, (list, tuple)):
        for item in value:
            if isinstance(item, SimArray):
                arrays.append(item)
    if arrays:
        return run("array", np.array, (list(value),), {} if dtype is None else {"dtype": dtype})
    return make_array("array", np.array, (np.array(value, dtype, ndmin=ndmin),), {})
