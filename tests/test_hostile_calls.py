"""A small run of tools/fuzz.py: hostile calls of everything public, by seed, in processes of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = str(Path(__file__).resolve().parent.parent)


@pytest.mark.parametrize("seed", [0, 1])
def test_hostile_calls_end_in_a_result_or_in_an_error_for_the_caller(seed):
    command = [sys.executable, "-m", "tools.fuzz", "--seed", str(seed), "--calls", "1000", "--batch", "250"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


PROOF = """
import os, sys, tempfile
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tools.hostile import batches, worker
from tools.hostile.targets import Target

class Written:
    texts = ["T(2)", "os.kill(os.getpid(), 11)", "wengert.no_such", "time.sleep(60)", "exec('raise MemoryError')",
             "wengert.add(T(2), 'a')", "exec('raise SystemError(1)')", "T(3)"]
    def source(self, seed, i):
        return Target("wengert.add", "add", "function"), self.texts[i].replace("os.", "__import__('os').").replace(
            "time.", "__import__('time').")

worker.SECONDS = 2
with tempfile.TemporaryDirectory() as folder:
    print([call.kind for call in batches.run(Written(), 0, len(Written.texts), Path(folder) / "batch")])
"""


def test_crashes_hangs_and_inner_errors_are_named_and_the_batch_goes_on():
    done = subprocess.run([sys.executable, "-c", PROOF, ROOT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(
        ["ok", "crash", "internal error", "hang", "no message", "expected", "internal error", "ok"]
    )


TEXTS = """
import sys
sys.path.insert(0, sys.argv[1])
from tools.hostile.sources import Writer
from tools.hostile.targets import collect
from tools.hostile.words import items_of

writer = Writer(collect())
for i in range(5000):
    compile(writer.source(0, i)[1], "call", "eval")
print(items_of("[2**31, lambda *a, **k: None, T(2, 3), ',']"), items_of("()"), items_of("(1)"))
"""


def test_every_call_is_an_expression_whose_items_are_told_apart():
    done = subprocess.run([sys.executable, "-c", TEXTS, ROOT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == """['2**31', 'lambda *a, **k: None', 'T(2, 3)', "','"] [] ['1']"""
