"""Derivatives of views and of their adjoints."""
