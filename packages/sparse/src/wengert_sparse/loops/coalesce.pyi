from collections.abc import Sequence

from wengert_core.extend import Tensor

from wengert_sparse.parts import Coo

def coalesce(indices: Tensor, values: Tensor, shape: Sequence[int]) -> Coo | None: ...
