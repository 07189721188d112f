from wengert_compat.backends.mkldnn import deterministic as deterministic
from wengert_compat.backends.mkldnn import enabled as enabled
from wengert_compat.backends.mkldnn import flags as flags
from wengert_compat.backends.mkldnn import is_available as is_available

__all__ = ["deterministic", "enabled", "flags", "is_available"]
