"""The module ``torch`` of processes that a program under ``python -m wengert.run`` starts anew: wengert."""

import sys

from wengert.torch_alias import as_torch

del sys.modules[__name__]  # this module, which as_torch would take for PyTorch
as_torch()
