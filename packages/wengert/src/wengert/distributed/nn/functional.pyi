# Written by tools/generate/module_stubs.py.
from wengert_distributed.nn.functional import all_gather as all_gather
from wengert_distributed.nn.functional import all_reduce as all_reduce
from wengert_distributed.nn.functional import all_to_all as all_to_all
from wengert_distributed.nn.functional import all_to_all_single as all_to_all_single
from wengert_distributed.nn.functional import broadcast as broadcast
from wengert_distributed.nn.functional import gather as gather
from wengert_distributed.nn.functional import recv as recv
from wengert_distributed.nn.functional import reduce as reduce
from wengert_distributed.nn.functional import reduce_scatter as reduce_scatter
from wengert_distributed.nn.functional import scatter as scatter
from wengert_distributed.nn.functional import send as send

__all__ = [
    "all_gather", "all_reduce", "all_to_all", "all_to_all_single", "broadcast", "gather", "recv", "reduce",
    "reduce_scatter", "scatter", "send"
]
