"""Samples of views and of their adjoints."""
