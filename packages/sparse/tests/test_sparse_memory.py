"""Huge shapes with few elements: nothing allocates the dense size, seen in a process whose memory is limited."""

import resource
import subprocess
import sys

import pytest

from . import huge_shapes
from .sparse_samples import CASES

LIMIT = 1 << 28


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_AS"), reason="the system limits no address space")
def test_nothing_allocates_the_dense_size():
    command = [sys.executable, huge_shapes.__file__, str(LIMIT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-300:] + done.stderr[-3000:]
    assert done.stdout.split()[-1] == "done"


STRIDED = "has a strided argument or result of one of the huge dims"
INDICES = "a result of this layout has an index for each of the huge dims"
NOT_HUGE = {
    **dict.fromkeys("to_dense mv addmv bmm linear smm dsmm hspmm sspaddmm sparse.spsolve".split(), STRIDED),
    **dict.fromkeys("sparse.sampled_addmm _coo_times_dense _csr_times_dense _coo_solve".split(), STRIDED),
    **dict.fromkeys("to_sparse_csr to_sparse_csc to_sparse_bsr to_sparse_bsc to_sparse".split(), INDICES),
    "_coo_times_coo": "run by mm",
}


@pytest.mark.parametrize("layout", huge_shapes.FUNCTIONS, ids=repr)
def test_every_operation_of_the_table_meets_huge_shapes(layout):
    rows = {case.op for case in CASES if layout in case.layouts}
    assert rows - set(huge_shapes.FUNCTIONS[layout]) - set(NOT_HUGE) == set()
    assert set(NOT_HUGE) <= {case.op for case in CASES}
