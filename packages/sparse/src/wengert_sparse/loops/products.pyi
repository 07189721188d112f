"""Products of sparse matrices and dense ones of float32 and float64 on the CPU."""

from wengert_core.extend import Tensor

def rows_times_dense(pointers: Tensor, columns: Tensor, values: Tensor, dense: Tensor) -> Tensor | None: ...
def elements_times_dense(
    indices: Tensor, values: Tensor, dense: Tensor, n_rows: int, transposed: bool = False
) -> Tensor | None: ...
