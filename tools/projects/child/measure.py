"""Run the function ``main`` of a program several times; write what it found, and the median of the times, as JSON.

measure.py PROGRAM.py RESULT.json ROUNDS
"""

import importlib.util
import json
import statistics
import sys
import time
from typing import Any


def plain(value: Any) -> Any:
    """Return nested lists of numbers; a complex one as its two parts."""
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, (bool, int, float)) or value is None:
        return value
    value = value.detach()
    if value.is_complex():
        return [value.real.tolist(), value.imag.tolist()]
    return value.tolist()


def main(program: str, result: str, rounds: int) -> None:
    spec = importlib.util.spec_from_file_location("program", program)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{program} is no program")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, Any] = module.main()  # once, so that everything is loaded
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        module.main()
        times.append(time.perf_counter() - began)
    answer = {
        "found": {name: plain(value) for name, value in found.items()},
        "seconds": statistics.median(times),
        "tolerance": getattr(module, "TOLERANCE", {}),
    }
    with open(result, "w", encoding="utf-8") as file:
        json.dump(answer, file)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
