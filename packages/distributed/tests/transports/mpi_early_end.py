"""Rank 1 sends, broadcasts and ends its program at once; rank 0 takes part later."""

from __future__ import annotations

import time

import numpy as np
from wengert_distributed.backends.mpi import MpiGroup

group = MpiGroup.connect(-1, -1, None, 20)
array = np.full(1, 7 if group.rank == 1 else 0)
if group.rank == 1:
    assert group.send(array, 0, 1).wait(20)
    assert group.broadcast(array, 1).wait(20)
else:
    time.sleep(0.3)
    assert group.broadcast(np.zeros(1, array.dtype), 1).wait(20)
    assert group.recv(array, 1, 1).wait(20)
    print(f"rank 0 received {array[0]}", flush=True)
