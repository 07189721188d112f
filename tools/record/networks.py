"""Ask PyTorch again what the calls in packages/core/tests/recorded_{matmul,joining,einsum,networks}.json give.

Run it with a Python that has torch 2.13: ``python -m tools.record networks``. To add a case, add ``["code", null]`` to
a file's facts first.
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
        return {
            "shape": list(value.shape),  # type: ignore[attr-defined]
            "strides": list(value.stride()),  # type: ignore[attr-defined]
            "dtype": str(value.dtype),  # type: ignore[attr-defined]
            "values": value.reshape(-1).tolist(),  # type: ignore[attr-defined]
        }
    if isinstance(value, (tuple, list)) and any(isinstance(part, tensor_type) for part in value):
        return {"parts": [fact(part, tensor_type) for part in value]}
    return {"text": str(value)}


def outcome(code: str, setup: list[str], torch: Any) -> Any:
    """The fact of one case, with its warning; its error, if it has one."""
    names = {"torch": torch, "F": torch.nn.functional}
    exec("\n".join(setup), names)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = fact(eval(code, names), torch.Tensor)
        except Exception as error:
            return {"error": type(error).__name__, "message": str(error).splitlines()[0]}
    if caught:
        found["warns"] = str(caught[0].message).splitlines()[0]
    return found


def main() -> None:
    """Rewrite the files."""
    import torch

    torch.set_warn_always(True)

    for name in ("matmul", "joining", "einsum", "networks"):
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
