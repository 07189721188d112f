"""Drivers: the code that all ops of a family share, from bound arguments to a recorded result."""
