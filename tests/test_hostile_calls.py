"""A small run of tools/fuzz.py: hostile calls of everything public, by seed, in processes of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parent.parent / "tools"


@pytest.mark.parametrize("seed", [0, 1])
def test_hostile_calls_end_in_a_result_or_in_an_error_for_the_caller(seed):
    command = [sys.executable, str(TOOLS / "fuzz.py"), "--seed", str(seed), "--calls", "1000", "--batch", "250"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_a_call_that_ends_its_process_is_named():
    # the fuzzer's own proof: a crash, a hang and an error from inside are seen as what they are
    sys.path.insert(0, str(TOOLS))
    try:
        from hostile.outcomes import kind_of
        from hostile.targets import Target
    finally:
        sys.path.remove(str(TOOLS))
    add = Target("wengert.add", "add", "function")
    assert kind_of(AttributeError("'int' object has no attribute 'dim'"), "'int' object has no attribute 'dim'", add) == "internal error"
    assert kind_of(TypeError("add(): argument 'other' must be Tensor"), "add(): argument 'other' must be Tensor", add) == "expected"
    assert kind_of(MemoryError(), "", add) == "no message"
    assert kind_of(SystemError("null argument"), "null argument", add) == "internal error"
