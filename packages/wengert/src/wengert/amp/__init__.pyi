from wengert.amp import autocast_mode as autocast_mode
from wengert.amp import grad_scaler as grad_scaler
from wengert_compat.amp import GradScaler as GradScaler
from wengert_compat.amp import autocast as autocast
from wengert_compat.amp import custom_bwd as custom_bwd
from wengert_compat.amp import custom_fwd as custom_fwd
from wengert_compat.amp import is_autocast_available as is_autocast_available

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]
