"""Process groups that are not there: ranks are threads, transfers take a random time on a simulated clock.

For tests of what runs on several ranks: everything repeats by a seed, failures are planted, and mistakes that a real
network shows once in a thousand runs are seen at once.

>>> import wengert as wg
>>> from wengert_testing.sim_group import run_ranks
>>> def total():
...     x = wg.tensor([1.0 + wg.distributed.get_rank()])
...     work = wg.distributed.all_reduce(x, async_op=True)
...     before = x.item()
...     work.wait()
...     return before, x.item()
>>> run_ranks(2, total)
[(1.0, 3.0), (2.0, 3.0)]
"""

from wengert_testing.sim_group.cluster import Fault, FaultError, RaceError
from wengert_testing.sim_group.group import SimGroup
from wengert_testing.sim_group.running import compute, run_ranks, simulated_time

__all__ = ["Fault", "FaultError", "RaceError", "SimGroup", "compute", "run_ranks", "simulated_time"]
