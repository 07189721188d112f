"""Functions that read or write at positions."""
