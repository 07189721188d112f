from wengert_compat.backends.mkl import is_available as is_available

__all__ = ["is_available"]
