"""wengert-numpy where ml_dtypes is absent, which is an extra of wengert-core."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
class Absent:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "ml_dtypes":
            raise ModuleNotFoundError("No module named 'ml_dtypes'", name=name)

sys.meta_path.insert(0, Absent)
import numpy as np
import wengert as wg
x = wg.tensor([1.0, 2.0], requires_grad=True)
(np.sum(np.sin(x) * np.arange(2.0)) + np.linalg.norm(x)).backward()
assert wg.numpy.grad(lambda y: y.max())(np.ones(1)).tolist() == [1.0]
assert x.__array_namespace__().sum(x).item() == 3.0
try:
    np.add.reduce(wg.ones(2, dtype=wg.bfloat16))
except ImportError as error:
    assert "ml_dtypes" in str(error)
"""


def test_tensors_of_all_other_dtypes_work() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
