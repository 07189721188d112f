# Written by tools/generate/module_stubs.py.
from wengert_distributed.tensor_parallel.linear import column_parallel_linear as column_parallel_linear
from wengert_distributed.tensor_parallel.linear import row_parallel_linear as row_parallel_linear
from wengert_distributed.tensor_parallel.modules import ColumnParallelLinear as ColumnParallelLinear
from wengert_distributed.tensor_parallel.modules import RowParallelLinear as RowParallelLinear
from wengert_distributed.tensor_parallel.replicated import copy_to_ranks as copy_to_ranks
from wengert_distributed.tensor_parallel.replicated import gather_from_ranks as gather_from_ranks
from wengert_distributed.tensor_parallel.replicated import reduce_from_ranks as reduce_from_ranks
from wengert_distributed.tensor_parallel.replicated import scatter_to_ranks as scatter_to_ranks
from wengert_distributed.tensor_parallel.sequence import exchange_dims as exchange_dims
from wengert_distributed.tensor_parallel.sequence import sequence_parallel_attention as sequence_parallel_attention

__all__ = [
    "ColumnParallelLinear", "RowParallelLinear", "column_parallel_linear", "copy_to_ranks", "exchange_dims",
    "gather_from_ranks", "reduce_from_ranks", "row_parallel_linear", "scatter_to_ranks",
    "sequence_parallel_attention"
]
