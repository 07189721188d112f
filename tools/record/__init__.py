"""Recorders of PyTorch's answers: ``python -m tools.record SUBJECT`` asks for those of a subject again.

Importing the package puts what the recorders share with the tests on the path. It needs nothing of wengert's.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARITY = ROOT / "tests" / "torch_parity" / "recorded"
sys.path[:0] = [str(ROOT / "shared" / "testing" / "src"), str(PARITY)]
