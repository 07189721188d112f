"""Samples of ops that read or write at positions."""
