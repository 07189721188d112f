# Written by tools/generate/module_stubs.py.
from wengert_distributions.transformed.log_normal import LogNormal as LogNormal

__all__ = [
    "LogNormal"
]
