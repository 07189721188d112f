"""WENGERT_ORACLE_MODULE=torch runs these tests with PyTorch under the name wengert, where it is installed.

With `--runxfail` all of them must pass then: what is marked as open says what PyTorch does, too.
"""

import importlib
import os
import sys

import pytest

SUBMODULES = ("", ".autograd", ".autograd.gradcheck", ".autograd.function", ".autograd.graph",
              ".autograd.grad_mode", ".autograd.anomaly_mode", ".utils", ".utils.checkpoint", ".utils.hooks")

if "WENGERT_ORACLE_MODULE" in os.environ:
    for _name in SUBMODULES:
        sys.modules["wengert" + _name] = importlib.import_module(os.environ["WENGERT_ORACLE_MODULE"] + _name)
    sys.modules["wengert"].set_warn_always(True)


@pytest.fixture(autouse=True)
def modes():
    """The modes which a failing test may leave changed are put back."""
    import wengert as torch

    yield
    torch.set_grad_enabled(True)
    if hasattr(torch.autograd, "set_detect_anomaly"):
        torch.autograd.set_detect_anomaly(False)
