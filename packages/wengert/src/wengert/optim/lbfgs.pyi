# Written by tools/generate/module_stubs.py.
from wengert_optim.lbfgs import LBFGS as LBFGS
