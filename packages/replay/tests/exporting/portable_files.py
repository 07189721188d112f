"""Files of programs that are written by hand, part by part, for tests of what reads them."""

from __future__ import annotations

import copy
import io
import json
from typing import Any

import wengert as wg
from wengert_core.extend import find_op
from wengert_replay.exporting import load
from wengert_replay.exporting.container import Array, pack_arrays, unpack_arrays
from wengert_replay.exporting.document import State, pack_program


class File:
    """A program ``step(x)``: ``y = x * w + c``, its sum is the result, ``y`` becomes the gradient of ``w``."""

    def __init__(self) -> None:
        self.ops: list[dict[str, Any]] = []
        self.state = State({"w": wg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)}, [wg.tensor([0.5, 1.5])], [])
        constant = self.op("constant", "", ("number", "offset"))
        self.text: dict[str, Any] = {
            "arguments": {"tuple": [{"tuple": [{"tensor": 0}]}, {"dict": []}]},
            "inputs": [{"dtype": "float32", "shape": [2, 2], "strides": [2, 1], "requires_grad": False}],
            "default_dtype": "float32",
            "nodes": [self.node(constant)],
            "ops": self.ops,
            "types": [["float32", [2, 2], [2, 1]], ["float32", [], []], ["float32", [2], [1]]],
            "lines": ["step.py:7"],
            "tensors": [{"requires_grad": True, "gradient": None}],
            "constants": [{}],
            "generators": 0,
        }

    def node(self, constant: int) -> dict[str, Any]:
        """The only way of the program."""
        steps = [
            [constant, [0, 0], [2], 0],
            [self.op("mul"), ["a0", "w0", None], [0], 0],
            [self.op("add"), ["%1", "%0", 1, None], [0], 0],
            [self.op("sum"), ["%2", None, False, None, None], [1], 0],
        ]
        rule = {"leaf": "w0", "before": False, "uses": None, "changes": True, "after": "%2"}
        return {"trunk": None, "at": 0, "steps": steps, "result": {"tensor": 0}, "results": ["%3"], "gradients": [rule]}

    def op(self, name: str, table: str = "core", parameters: tuple[str, ...] | None = None) -> int:
        """Add an operation, and return its number."""
        found = find_op(name).params if parameters is None else parameters
        self.ops.append({"table": table, "name": name, "parameters": list(found)})
        return len(self.ops) - 1

    def data(self) -> bytes:
        """The file."""
        return b"".join(pack_program(self.text, self.state))


def replace_text(change: Any) -> bytes:
    """Return the file of ``File`` with another text: ``change`` gets the text as JSON has it, with all entries."""
    arrays, metadata = unpack_arrays(File().data())
    text = json.loads(bytes(arrays["program"].data))
    replaced = change(copy.deepcopy(text))
    return with_text(arrays, metadata, text if replaced is None else replaced)


def with_text(arrays: dict[str, Array], metadata: dict[str, str], text: Any) -> bytes:
    """Return a file with that text."""
    data = text if isinstance(text, bytes) else json.dumps(text).encode()
    return b"".join(pack_arrays({**arrays, "program": Array("U8", (len(data),), data)}, metadata))


def edit_text(change: Any) -> bytes:
    """Return the file of ``File`` whose text ``change`` has changed in place."""

    def run(text: Any) -> Any:
        change(text)
        return text

    return replace_text(run)


def load_bytes(data: bytes) -> Any:
    return load(io.BytesIO(data))
