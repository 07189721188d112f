from wengert_compat.amp.cpu import GradScaler as GradScaler
from wengert_compat.amp.cpu import autocast as autocast

__all__ = ["GradScaler", "autocast"]
