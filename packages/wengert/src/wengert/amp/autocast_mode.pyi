from wengert_compat.amp.autocast_mode import autocast as autocast
from wengert_compat.amp.autocast_mode import custom_bwd as custom_bwd
from wengert_compat.amp.autocast_mode import custom_fwd as custom_fwd
from wengert_compat.amp.autocast_mode import is_autocast_available as is_autocast_available

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]
