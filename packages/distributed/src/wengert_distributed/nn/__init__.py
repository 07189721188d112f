"""Functions of ``torch.distributed.nn``: ``functional`` has the collectives with derivatives.

>>> import wengert as wg
>>> wg.distributed.nn.functional.all_reduce.__name__
'all_reduce'
"""

from wengert_distributed.nn import functional

__all__ = ["functional"]
