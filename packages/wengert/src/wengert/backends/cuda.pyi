from wengert_compat.backends.cuda import is_built as is_built
from wengert_compat.backends.cuda import matmul as matmul

__all__ = ["is_built", "matmul"]
