# Written by tools/generate/module_stubs.py.
from wengert_distributions.multivariate.lkj_cholesky import LKJCholesky as LKJCholesky

__all__ = [
    "LKJCholesky"
]
