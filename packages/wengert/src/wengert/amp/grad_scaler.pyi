from wengert_compat.amp.grad_scaler import GradScaler as GradScaler

__all__ = ["GradScaler"]
