from wengert_compat.backends.cudnn import allow_tf32 as allow_tf32
from wengert_compat.backends.cudnn import benchmark as benchmark
from wengert_compat.backends.cudnn import benchmark_limit as benchmark_limit
from wengert_compat.backends.cudnn import deterministic as deterministic
from wengert_compat.backends.cudnn import enabled as enabled
from wengert_compat.backends.cudnn import flags as flags
from wengert_compat.backends.cudnn import is_available as is_available
from wengert_compat.backends.cudnn import version as version

__all__ = [
    "allow_tf32",
    "benchmark",
    "benchmark_limit",
    "deterministic",
    "enabled",
    "flags",
    "is_available",
    "version",
]
