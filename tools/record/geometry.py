"""Ask PyTorch again what the calls in packages/core/tests/recorded_views.json and recorded_indexing.json give.

Run it with a Python that has torch 2.13: ``python -m tools.record geometry``. To add a case, add ``["code", null]`` to
a file's facts first. An expression records its value, a statement what became of the tensor ``b``.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[2] / "packages" / "core" / "tests"


def fact(value: Any, tensor_type: type) -> Any:
    """What is compared of a value."""
    if isinstance(value, tensor_type):
        numbers = value.reshape(-1).tolist()  # type: ignore[attr-defined]
        return {
            "shape": list(value.shape),  # type: ignore[attr-defined]
            "strides": list(value.stride()),  # type: ignore[attr-defined]
            "offset": value.storage_offset(),  # type: ignore[attr-defined]
            "dtype": str(value.dtype),  # type: ignore[attr-defined]
            "view": value._is_view(),  # type: ignore[attr-defined]
            "values": [str(n) for n in numbers] if value.is_complex() else numbers,  # type: ignore[attr-defined]
        }
    if isinstance(value, (tuple, list)):
        return {"parts": [fact(part, tensor_type) for part in value]}
    return {"text": str(value)}


def outcome(code: str, setup: list[str], torch: Any) -> Any:
    """The fact of one case; its error, if it has one."""
    import numpy as np

    names = {"torch": torch, "np": np}
    exec("\n".join(setup), names)
    try:
        compiled = compile(code, "case", "eval")
    except SyntaxError:
        compiled = None
    try:
        if compiled is None:
            exec(code, names)
            return {"b": fact(names["b"], torch.Tensor)}
        return fact(eval(compiled, names), torch.Tensor)
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error).splitlines()[0]}


def main() -> None:
    """Rewrite both files."""
    import torch

    warnings.simplefilter("ignore")
    for name in ("views", "indexing"):
        path = TESTS / f"recorded_{name}.json"
        record = json.loads(path.read_text())
        record["torch"] = torch.__version__
        record["facts"] = [[code, outcome(code, record["setup"], torch)] for code, _ in record["facts"]]
        lines = ",\n".join(json.dumps(case) for case in record["facts"])
        head = json.dumps({key: record[key] for key in ("torch", "setup")})[:-1]
        path.write_text(f'{head}, "facts": [\n{lines}\n]}}\n')
        print(path.name, len(record["facts"]))


if __name__ == "__main__":
    main()
