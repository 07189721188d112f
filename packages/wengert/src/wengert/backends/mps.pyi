from wengert_compat.backends.mps import is_available as is_available
from wengert_compat.backends.mps import is_built as is_built

__all__ = ["is_available", "is_built"]
