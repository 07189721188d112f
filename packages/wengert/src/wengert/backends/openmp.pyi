from wengert_compat.backends.openmp import is_available as is_available

__all__ = ["is_available"]
