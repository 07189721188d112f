# Written by tools/generate/module_stubs.py.
from wengert_optim.lbfgs import LBFGS as LBFGS
from wengert_optim.line_search import _cubic_interpolate as _cubic_interpolate
from wengert_optim.line_search import _strong_wolfe as _strong_wolfe

__all__ = [
    "LBFGS", "_cubic_interpolate", "_strong_wolfe"
]
