"""PortableProgram: a program from a file, which is called as the function that was recorded.

Note [A call of a program from a file]
    Its first call runs the operations one by one, in a captured function: so it is recorded, and later calls are
    replayed. What the captured function was free to do for other arguments a file does not know: arguments of another
    signature, leaves with a gradient where there was none, and numbers that Python read and that differ now are errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import wengert_core
from wengert_core.extend import Tensor, default_device_number
from wengert_engine import no_grad

from wengert_replay.capturing import Capture, explain
from wengert_replay.entries import Explanation
from wengert_replay.exporting.document import FilePath, State, check_output, pack_program, write_file
from wengert_replay.exporting.listing import list_program
from wengert_replay.exporting.nodes import Node
from wengert_replay.exporting.rollback import Rollback
from wengert_replay.exporting.structures import build, describe_call, encode_structure, refuse_object, text_of
from wengert_replay.exporting.tensors import Geometry, Memory, describe_tensor
from wengert_replay.exporting.values import Unportable, decode_value
from wengert_replay.inspection.counting import count
from wengert_replay.inspection.reasons import CAST
from wengert_replay.recording.tracing import is_unusual, thread_modes
from wengert_replay.signature import Unhashable, flatten

OWN_TENSOR = "an argument is one of the program's tensors, or shares memory with one"
"""A reason why a call runs as usual."""


class PortableProgram:
    """A program from a file. Made by ``load``; called with arguments of the signature that it was recorded for.

    ``tensors`` has the tensors from outside by name: they are read and written in place, as the function's were.
    """

    def __init__(
        self, text: dict[str, Any], state: State, inputs: list[tuple[Geometry, bool]], root: Node, default_dtype: Any
    ) -> None:
        """Take over what ``load`` has checked."""
        self._text = text
        self._state = state
        self._inputs = inputs
        self._root = root
        self._default_dtype = default_dtype
        self._outside = list(state.tensors.values())
        self._dtypes = [t.dtype for t in self._outside]
        self._kinds = [describe_tensor(kind.dtype, kind.shape, requires_grad) for kind, requires_grad in inputs]
        self._names = [*(f"a{i}" for i in range(len(inputs))), *(f"tensors['{name}']" for name in state.tensors)]
        self._expected = text_of(text["arguments"])
        self._keywords = [decode_value(key, refuse_object) for key, _ in text["arguments"]["tuple"][1]["dict"]]
        self._memory = Memory(self._outside)
        self._may_write = any(node.may_write_before_guard() for node in root.with_branches())
        self._capture = Capture(self._run)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program.

        Raises TypeError for arguments of another signature, and ProgramGuardError where the function would go another
        way than when it was recorded.
        """
        found: list[Tensor] = []
        if len(kwargs) > 1:  # in the order of the recording, which numbers the tensors
            kwargs = {**{name: kwargs[name] for name in self._keywords if name in kwargs}, **kwargs}
        try:
            structure = encode_structure(flatten((args, kwargs), found))
        except (Unhashable, Unportable) as error:
            raise TypeError(f"{self._words}, and an argument is of type {error}") from None
        if text_of(structure) != self._expected:
            raise TypeError(f"{self._words}, and was called with {describe_call(structure)}")
        for i, (t, (kind, requires_grad)) in enumerate(zip(found, self._inputs, strict=True)):
            check_input(t, kind, requires_grad, f"a{i}")
        self._root.check_gradients([*found, *self._outside], self._names)
        with Rollback([*found, *self._outside], self._state.generators, self._may_write):
            if not is_unusual() and any(map(self._memory.meets, found)):  # a capture would take it for the argument
                return self._capture.run_eagerly(OWN_TENSOR, found, {})
            return self._capture(*found)

    @property
    def tensors(self) -> Mapping[str, Tensor]:
        """The tensors from outside, by name."""
        return NamedTensors(self._state.tensors)

    @property
    def generators(self) -> list[Any]:
        """The generators of random numbers that the program draws from, without the default generator."""
        return list(self._state.generators)

    @property
    def explanation(self) -> Explanation:
        """The programs recorded here, and counts of calls, as ``wengert.replay.explain`` gives them."""
        return explain(self._capture)

    def save(self, path: FilePath) -> None:
        """Write the program to a file, with its tensors as they are now."""
        check_output(path)
        write_file(path, pack_program(self._text, self._state))

    # ---- a call

    def _run(self, *inputs: Tensor) -> Any:
        """Run the operations one by one."""
        check_modes()
        for name, t, dtype in zip(self._state.tensors, self._outside, self._dtypes, strict=True):
            if t.dtype is not dtype:
                raise RuntimeError(f"tensors['{name}'] has other data than the file gave it: {t.dtype.name}, and not "
                                   f"{dtype.name}; write to it in place")  # fmt: skip
        values: list[Any] = [*inputs, *self._outside]
        before = wengert_core.get_default_dtype()
        differs = before is not self._default_dtype
        try:
            if differs:
                wengert_core.set_default_dtype(self._default_dtype)
            with no_grad():
                node = self._root.run(values)
        finally:
            if differs:
                wengert_core.set_default_dtype(before)
        if node is not self._root:
            node.check_gradients(values, self._names)
        node.set_gradients(values)
        return build(node.result, node.results_of(values))

    # ---- words

    @property
    def _words(self) -> str:
        return f"the program takes {describe_call(self._text['arguments'], self._kinds)}"

    def __repr__(self) -> str:
        operations, tensors = count(len(self._root.steps), "operation"), count(len(self._outside), "tensor")
        return (f"<wengert.replay.PortableProgram of {operations}: takes "
                f"{describe_call(self._text['arguments'], self._kinds)}; {tensors} from outside>")  # fmt: skip

    def __str__(self) -> str:
        return "\n".join([repr(self), *list_program(self._text)])


def autocast_is_on_cpu() -> bool:
    """Return whether arguments on the CPU are cast: autocast may be on for another device alone."""
    x = wengert_core.zeros(1, 1, dtype=wengert_core.float32, device="cpu")
    return wengert_core.mm(x, x).dtype is not x.dtype


def check_modes() -> None:
    """Raise RuntimeError in a mode that would let operations give something else than when they were recorded."""
    if thread_modes() & CAST and autocast_is_on_cpu():
        raise RuntimeError("a program from a file computes with the dtypes of its recording, and not as autocast "
                           "would: turn autocast off around the call (autocast('cpu', enabled=False))")  # fmt: skip
    if default_device_number():
        raise RuntimeError("a program from a file makes its tensors on the CPU, which is not the default device now: "
                           "call it with the default device 'cpu'")  # fmt: skip


class NamedTensors(Mapping[str, Tensor]):
    """Tensors by name, which are written in place."""

    def __init__(self, tensors: Mapping[str, Tensor]) -> None:
        self._tensors = tensors

    def __getitem__(self, name: str) -> Tensor:
        try:
            return self._tensors[name]
        except KeyError:
            raise KeyError(f"{name!r}: the program's tensors are {', '.join(self._tensors) or 'none'}") from None

    def __setitem__(self, name: str, t: Any) -> None:
        raise TypeError(f"tensors of a program cannot be replaced: write them in place, tensors[{name!r}].copy_(...)")

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    def __repr__(self) -> str:
        return repr(dict(self._tensors))


def check_input(t: Tensor, kind: Geometry, requires_grad: bool, name: str) -> None:
    """Raise TypeError for an argument of another signature than the recorded one."""
    expected = describe_tensor(kind.dtype, kind.shape, requires_grad)
    found = describe_tensor(t.dtype, tuple(t.shape), t.requires_grad)
    if found != expected:
        raise TypeError(f"{name} must be {expected}, and is {found}")
    if t.device.type != "cpu" or t.layout is not wengert_core.strided:
        raise TypeError(f"{name} must be on the CPU, and is on {t.device} in layout {t.layout}")
    if t.requires_grad and not t.is_leaf:
        raise TypeError(f"{name} has a history, and gradients do not flow through a program from a file: call detach()")
    if any(step != other for step, other, n in zip(t.stride(), kind.strides, kind.shape, strict=True) if n > 1):
        raise TypeError(f"{name} must have strides {kind.strides}, and has {t.stride()}: copy it into such a tensor")
