"""Calls with the factors between the tensors work, and warn once in a process."""

import subprocess
import sys

PROGRAM = """
import warnings
import wengert as torch
x = torch.ones(2)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    x.add(2, x)
    torch.addcmul(x, 3, x, x)
for warning in caught:
    print(warning.category.__name__, warning.message)
"""
TEXT = """UserWarning This overload of add is deprecated:
	add(Tensor input, Number alpha, Tensor other, *, Tensor out = None)
Consider using one of the following signatures instead:
	add(Tensor input, Tensor other, *, Number alpha = 1, Tensor out = None)
"""


def test_one_warning_in_a_process():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == TEXT
