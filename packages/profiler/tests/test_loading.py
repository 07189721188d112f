"""No operation of a profile pays for what is loaded the first time."""

import subprocess
import sys

PROGRAM = """
import sys, warnings
import wengert as wg

def program():
    x = wg.ones(3, 3, requires_grad=True)
    y = wg.nn.functional.softmax(wg.fft.fft(x.t() * 2).real @ wg.linalg.inv(x + wg.eye(3)), 1)
    z = wg.nn.functional.conv1d(y[None], y[None]).cumsum(0).sort().values.to(wg.float64).sum()
    (grad,) = wg.autograd.grad(z, x, create_graph=True)
    grad.sum().backward()

assert not any(name.startswith("wengert_formulas.") and "linalg" in name for name in sys.modules)
with wg.autograd.profiler.profile() as prof:
    before = set(sys.modules)
    program()
    after = set(sys.modules)
print(sorted(name for name in after - before if not name.startswith("encodings")))
"""


def test_the_first_profile_loads_before_its_clock_starts():
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
